//! Why something is as it is: from a line of a prompt, a rule, a cluster, an edge case, a review or a feedback to
//! everything that led to it, and from a feedback to everything that followed.
//!
//! All of it stands in Git; the index only says where. What is told is a chain of chapters in plain words, with dates,
//! people and files. Nothing is judged here, and nothing is written.

mod answer;
mod find;
mod forward;
mod rule;
mod teller;
mod voices;

pub use answer::{ANYTHING, Chapter, FoundBy, Kind, Line, Lineage, RULE_TEXT};
pub use teller::{decided, lineage};
