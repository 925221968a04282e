//! What people and programs may ask: everything the reading commands and HTTP show.
//!
//! Reads the store and the index, changes neither. The types in [`answers`] are the documented JSON of `--json`.

pub mod answers;
pub mod channels;
mod comparing;
mod dead_letters;
mod error;
mod imports;
mod lists;
pub(in crate::app) mod nearest;
pub(in crate::app) mod rosters;
mod strategies;

pub use crate::ports::{FeedbackFilter, IndexError, StoreError};
pub use answers::*;
pub use channels::*;
pub use comparing::{Comparisons, SimilarTo};
pub use error::{QueryError, not_found};
pub use lists::Queries;
pub use rosters::{RosterLink, RosterWaits, Rosters};
pub use strategies::{ALIKE, TurnHit};
