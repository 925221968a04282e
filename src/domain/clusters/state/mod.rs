//! The clusters that comments form: their data, how comments join, and people's decisions.

mod apart;
mod clusters;
mod concern;
mod core;
mod gather;
mod join;
mod model_confirmed;
mod people;
mod reread;
mod target;

pub use apart::ClusterOrComment;
pub use clusters::{Clusters, LOOKED_AT};
pub use join::JoinOutcome;
pub use reread::Departure;

#[cfg(test)]
mod tests;
