//! What a clone alone says of reviews, without a forge: the notes in which Gerrit keeps its changes, the notes about what
//! was submitted, those of git-appraise, and the commits themselves.
//!
//! In come texts of a repository, which anybody may have written. Out go the same reviews as from a forge, or the reason
//! why something is left out. Nothing is read from disk here.

mod appraise;
mod change;
mod comment;
mod commit;
mod footers;
mod ident;
mod reason;
mod revert;
mod skipped;
mod submitted;
mod trailer;

pub use appraise::{Discussion, discussion};
pub use change::{Change, Meta};
pub use commit::{Commit, NoteText, is_gerrits};
pub use ident::Ident;
pub use revert::{Revert, branch_of_merge, rejection, revert};
pub use skipped::Left;
pub use submitted::{Submitted, submitted};
pub use trailer::{approval, approvers};
