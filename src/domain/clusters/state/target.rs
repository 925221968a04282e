//! Which cluster a new comment joins.
//!
//! A cluster that formed automatically is judged by all its members, so that one outlier does not attract others. If
//! people set the members, they are examples: the nearest of them represent the cluster, however different the others
//! are.

use super::clusters::Clusters;
use crate::clusters::keys::{ClusterKey, MemberKey};

/// Number of nearest members that represent a cluster.
const NEAREST: usize = 3;
/// A cluster that may be joined.
struct Candidate {
    cluster: Option<ClusterKey>,
    /// Its nearest member.
    nearest: MemberKey,
    /// The average link.
    link: f64,
    /// The cosines of its nearest members.
    top: Vec<f64>,
    taught: bool,
}

impl Candidate {
    fn top(&self) -> f64 {
        self.top.iter().sum::<f64>() / self.top.len().max(1) as f64
    }
}

impl Clusters {
    /// Returns the member whose cluster is joined. Of the clusters near enough by average link, the best wins; a taught
    /// cluster takes precedence if its three nearest members (or all, if fewer) are similar and nearer than those of
    /// the other. If no average link is near enough, the nearest member's cluster is chosen by the same measure.
    pub(super) fn best_target(
        &self,
        key: MemberKey,
        near: &[(MemberKey, f64)],
        similar_cosine: f64,
        threshold: f64,
    ) -> Option<MemberKey> {
        let candidates = self.candidates(key, near);
        let linked = best(candidates.iter().filter(|c| c.link >= threshold), |c| c.link);
        let similar = |c: &&Candidate| c.top() >= similar_cosine;
        let taught = best(candidates.iter().filter(|c| c.taught).filter(similar), Candidate::top);
        let chosen = match (linked, taught) {
            (Some(linked), Some(taught)) if taught.top() > linked.link.max(linked.top()) => Some(taught),
            (Some(linked), _) => Some(linked),
            (None, taught) => best(candidates.first().filter(similar).into_iter().chain(taught), Candidate::top),
        };
        chosen.map(|c| c.nearest)
    }

    /// Returns the clusters of the near members, by their nearest member.
    fn candidates(&self, key: MemberKey, near: &[(MemberKey, f64)]) -> Vec<Candidate> {
        let vector = &self.member(key).vector;
        let mut found: Vec<Candidate> = Vec::new();
        for (other, cosine) in near {
            let cluster = self.member(*other).cluster;
            let known = found.iter_mut().find(|c| cluster.is_some() && c.cluster == cluster);
            match (known, cluster) {
                (Some(known), _) if known.top.len() < NEAREST => known.top.push(*cosine),
                (Some(_), _) => {}
                (None, Some(key)) => {
                    let c = self.cluster(key);
                    let (link, taught) = (c.sum.mean_cosine(vector), c.taught_by.is_some());
                    found.push(Candidate { cluster, nearest: *other, link, top: vec![*cosine], taught });
                }
                (None, None) => {
                    let (link, top) = (*cosine, vec![*cosine]);
                    found.push(Candidate { cluster, nearest: *other, link, top, taught: false });
                }
            }
        }
        found
    }
}

/// Returns the first of those with the highest score.
fn best<'c>(
    candidates: impl Iterator<Item = &'c Candidate>,
    score: impl Fn(&Candidate) -> f64,
) -> Option<&'c Candidate> {
    candidates.fold(None, |best, c| match best {
        Some(b) if score(b) >= score(c) => Some(b),
        _ => Some(c),
    })
}
