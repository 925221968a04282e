//! What members and clusters are called by while they are in memory; records have their ids.

/// The key of a member. Keys rise in the order in which remarks come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberKey(pub u32);

/// The key of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClusterKey(pub u32);
