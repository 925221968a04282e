//! What belongs together: comments with one demand.
//!
//! The input is feedback and its similarity to earlier feedback. The output is clusters, the class of each feedback,
//! and the questions to people that would settle most. `rules` decides what follows from a cluster. This module may
//! depend on the leaves, `language`, `channels` and `intake`.

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
pub use polarity::Polarity;
pub use policy::Policy;
pub use state::{ClusterOrComment, Clusters, Departure, JoinOutcome, LOOKED_AT};
