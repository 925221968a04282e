//! Proposals: from a cluster to a rule's text, its evidence, and its relation to other rules (specification, "Rules").
//!
//! The text is the catalogue's sentence for the cluster's concern, made specific by names in its comments, or comes
//! from a few sentence patterns; no language model is used. Understanding comments is not this module's job.

mod concern_text;
mod draft;
mod example;
mod hash;
mod propose;
mod relation;
mod scope;
mod specifics;

pub use concern_text::{TextSource, worded};
pub use draft::{Draft, draft, draft_best, title_of};
pub use example::{example, told};
pub use hash::{content_hash, has_present_hash, hash_holds, hash_of, hash_with};
pub use propose::{INSERTION_POINT, add_evidence, direction_of, propose};
pub use relation::{KnownRule, Relation, Thresholds, relate};
pub use scope::{ScopeProposal, narrow};
