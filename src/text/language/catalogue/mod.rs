//! What reviewers demand: the catalogue of concerns, and what maps a comment to one of them.
//!
//! A concern is one possible demand on an agent's work ("one query per item where one for all would do"). The catalogue
//! is data: the shipped part is compiled into the binary; a store may override and add concerns by id. Nothing here
//! embeds text; vectors are passed in.

mod automaton;
mod compiled;
mod concern;
mod features;
#[cfg(test)]
mod fixture;
mod layers;
pub mod learned;
mod letters;
mod lexicon;
mod lint;
mod prepared;
mod recognition;
mod shipped;
mod term;
mod tf_idf;
pub mod trained;

pub use compiled::{CommentInput, CompiledCatalogue, CueResult, NearPhrasing, Parts, ReadBy, Spoken, WhatIf};
pub use concern::{Catalogue, CatalogueError, Concern, ConcernId, MorePhrasings, Towards, Work};
pub use features::Features;
pub use layers::Layers;
pub use lint::{Check, LintIssue, Misread, Severity, lint, lint_nearness, misread};
pub use prepared::{Embed, PreparedCatalogue};
pub use recognition::{ClusterConcern, ConcernReading, Match, ScoredConcern, WordsTell};
pub use shipped::{SHIPPED, prepared, shipped, trained as shipped_reader};
pub use term::{Term, TermError};
pub use trained::TrainedReader;
