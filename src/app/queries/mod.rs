//! Queries by people and programs: everything the reading commands and HTTP show.
//!
//! Reads the store and the index, changes neither. The types in [`answers`] are the documented JSON of `--json`.

pub mod answers;
pub mod cached_index;
pub mod channels;
mod dead_letters;
mod error;
mod imports;
mod lists;
pub(crate) mod nearest;
pub mod reader;
pub(crate) mod rosters;
mod similarity;
mod strategies;
pub mod views;

pub use crate::ports::{FeedbackFilter, IndexError, StoreError};
pub use answers::*;
pub use channels::*;
pub use error::{QueryError, not_found};
pub use lists::Queries;
pub use rosters::{RosterLink, RosterWaits, Rosters};
pub use similarity::{Comparisons, SimilarTo};
pub use strategies::{ALIKE, TurnHit};
