//! Keys of members and clusters in memory; records use ids.

/// The key of a member. Keys increase in the order in which comments arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberKey(pub u32);

/// Returns the key of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClusterKey(pub u32);
