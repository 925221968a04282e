//! The place that a comment is about: the language, the kind of file, the identifier, and what its suggestion block
//! says to write there.
//!
//! The input is the fields of a forge's comment. The output is only facts that follow from them. A forge's hunk ends at
//! the commented line.

mod code;
mod commented;
mod correction;
mod hunk;
mod identifier;
mod kind;
mod language;
mod places;

pub use code::{code_of, code_of_comment};
pub use commented::{RemarkedPlace, single_file};
pub use correction::suggested;
pub use kind::{PlaceKind, marker};
pub use language::{extensions, language};
pub use places::{MAX_PLACES, of_comment, places, remarks};
