//! What belongs together: remarks with one demand.
//!
//! In come feedback and how near it is to earlier feedback. Out go groups, the class of each feedback, and the questions
//! to people that would settle most. What follows from a group is decided in `rules`. This room may look into the leaves,
//! `language`, `channels` and `intake`.

mod cluster;
pub mod evaluate;
pub mod evaluation;
mod keys;
pub mod layout;
mod member;
mod polarity;
mod policy;
pub mod purity;
pub mod question;
pub mod rows;
mod state;

pub use cluster::Cluster;
pub use keys::{ClusterKey, MemberKey};
pub use member::Member;
pub use polarity::Pointing;
pub use policy::Policy;
pub use state::{Group, Groups, Joined, LOOKED_AT, Left};
