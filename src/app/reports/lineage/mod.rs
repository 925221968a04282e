//! The origin of something: from a line of a prompt, a rule, a cluster, a one-off, a review or a feedback to everything
//! that led to it, and from a feedback to everything that followed.
//!
//! All of it is stored in Git; the index only gives locations. The answer is a chain of chapters in plain words, with
//! dates, people and files. Nothing is judged or written here.

mod answer;
mod decisions;
mod find;
mod forward;
mod rule;
mod teller;
mod voices;

pub use answer::{ANYTHING, Chapter, FoundBy, Kind, Line, Lineage, RULE_TEXT};
pub use decisions::{Decided, decided_since};
pub use teller::{decided, lineage};
