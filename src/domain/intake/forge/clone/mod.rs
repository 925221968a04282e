//! Reviews in a clone, without a forge: Gerrit's change notes, the notes about submitted changes, those of
//! git-appraise, and the commits themselves.
//!
//! The input is text of a repository, which is untrusted. The output is the same reviews as from a forge, or the reason
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
pub use skipped::SkipReason;
pub use submitted::{SubmittedNote, submitted};
pub use trailer::{approval, approvers};
