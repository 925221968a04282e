//! What people keep apart: pairs of clusters or remarks that ask for different things.
//!
//! A pair names what people saw, and holds for whatever that belongs to now. So it needs no upkeep when groups are
//! merged or remarks move, and says nothing any more once people have put the two together after all.

use super::clusters::Groups;
use crate::clusters::keys::{ClusterKey, MemberKey};

/// How often a merged cluster was merged again at most; hand edits could make a circle.
const HOPS: usize = 64;

/// What one asks about: a group, or a remark that is in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// A cluster with members.
    Cluster(ClusterKey),
    /// A remark by itself.
    Lone(MemberKey),
}

impl Groups {
    /// Remembers that these two, clusters or feedback, ask for different things. True where that is new.
    pub fn keep_apart(&mut self, a: &str, b: &str) -> bool {
        self.apart.entry(b.to_owned()).or_default().insert(a.to_owned());
        self.apart.entry(a.to_owned()).or_default().insert(b.to_owned()).is_none()
    }

    /// What people said is different from a cluster or a feedback, as they named it.
    pub fn kept_apart(&self, id: &str) -> impl Iterator<Item = &str> {
        self.apart.get(id).into_iter().flatten().map(String::as_str)
    }

    /// All pairs that people keep apart, as they named them, each once.
    pub fn all_apart(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.apart.iter().flat_map(|(a, others)| others.iter().map(move |b| (a.as_str(), b.as_str())));
        pairs.filter(|(a, b)| a <= b)
    }

    /// Where a cluster or a feedback is now; `None` where it is unknown, withdrawn, or has no members.
    pub fn group(&self, id: &str) -> Option<Group> {
        if let Some(member) = self.key_of(id) {
            return (!self.member(member).withdrawn).then(|| self.group_of(member));
        }
        let mut key = self.find_cluster(id)?;
        for _ in 0..HOPS {
            let cluster = self.cluster(key);
            if !cluster.members.is_empty() {
                return Some(Group::Cluster(key));
            }
            key = self.find_cluster(cluster.merged_into.as_deref()?)?;
        }
        None
    }

    /// Where a remark is.
    pub fn group_of(&self, member: MemberKey) -> Group {
        self.member(member).cluster.map_or(Group::Lone(member), Group::Cluster)
    }

    /// The id of a group: its cluster's, or its only feedback's.
    pub fn group_id(&self, group: Group) -> &str {
        match group {
            Group::Cluster(key) => &self.cluster(key).id,
            Group::Lone(key) => &self.member(key).id,
        }
    }

    /// The members of a group.
    pub fn group_members(&self, group: Group) -> Vec<MemberKey> {
        match group {
            Group::Cluster(key) => self.cluster(key).members.clone(),
            Group::Lone(key) => vec![key],
        }
    }

    /// Whether people said that these two ask for different things.
    pub fn are_apart(&self, a: Group, b: Group) -> bool {
        a != b
            && self.all_apart().any(|(x, y)| match (self.group(x), self.group(y)) {
                (Some(x), Some(y)) => (x, y) == (a, b) || (y, x) == (a, b),
                _ => false,
            })
    }

    /// Whether people keep a remark apart from what another one belongs to. Costs nothing for a remark that they never
    /// named, as every new one.
    pub(super) fn is_kept_from(&self, key: MemberKey, other: MemberKey) -> bool {
        self.apart.contains_key(&self.member(key).id) && self.are_apart(self.group_of(key), self.group_of(other))
    }
}
