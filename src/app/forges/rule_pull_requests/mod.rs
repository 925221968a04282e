//! Rules where agents read them: repository files, kept up to date by a pull request that is opened, updated and
//! closed.
//!
//! One round checks the files, our branch and our pull request, and does what is missing. Nothing is noted here: an
//! interrupted round resumes from the forge's state. Two rounds in a row send one set of changes.

mod gitea;
mod github;
mod gitlab;
mod objects;
mod repository;
mod round;
mod rules;

pub use crate::metrics::PullRequestOutcome;
pub use round::{FileChange, Round, TargetFiles};
pub use rules::{RulePullRequest, offer};
