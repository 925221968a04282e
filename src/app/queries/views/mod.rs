//! What a page shows of one thing at a time: all that bears on a decision, read for people.
//!
//! Reads store and index, changes neither. Lists are those of the [`queries`](crate::queries).

mod evidence;
mod map;
mod near;
mod proposal;
mod repositories;
mod settings;
mod versions;

pub use evidence::{Evidence, MAX_SHOWN, evidence};
pub use map::{ClusterMap, MAX_PLACED, MapCluster, group_map};
pub use near::NearRule;
pub use proposal::{AtOdds, ProposalPage, proposal};
pub use repositories::ItemRepositories;
pub use settings::ViewSettings;
pub use versions::{Change, Piece, TextVersion, changes};
