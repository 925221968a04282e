//! Rules where agents look: files of repositories, kept up to date by a pull request that is opened, renewed and closed.
//!
//! One round looks at the files, our branch and our pull request, and does what is missing. Nothing is noted here: whoever is
//! interrupted sees at the forge how far it got. Two rounds in a row send one set of changes.

mod gitea;
mod github;
mod gitlab;
mod objects;
mod repository;
mod round;
mod rules;

pub use crate::metrics::Offered;
pub use round::{FileChange, Offering, Round};
pub use rules::{Offer, offer};
