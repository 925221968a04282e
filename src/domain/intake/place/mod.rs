//! The place that a remark is about: which language, what kind of file, which identifier, and what its suggestion block
//! says to write there.
//!
//! In come the fields that a forge's remark has; out go facts that can be read off them, and nothing where they do not
//! say it. A hunk of a forge ends at the line that is remarked on.

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
