//! Neighbours of a demand: earlier comments that may ask for the same or for the opposite.

use super::batch_vectors::BatchVectors;
use super::vectors::{CommentVectors, scope};
use crate::domain::clusters::evaluate;
use crate::domain::clusters::evaluate::Neighbour;
use crate::domain::clusters::rows::best_key_first;
use crate::domain::clusters::{Member, MemberKey, Polarity};
use crate::ports::{Knowledge, KnowledgeError};
use crate::text::language::direction::Direction;
use crate::text::language::similarity::DemandVector;

/// Number of neighbours examined. More would change no class: a pattern needs two voices.
pub(super) const NEIGHBOURS: usize = 64;

/// Comments found, with calibrated similarity, best first.
pub type NearComments = Vec<(MemberKey, f64)>;

/// Looks things up in the working set.
#[derive(Clone, Copy)]
pub struct Evaluator<'a> {
    /// The comments and their clusters.
    pub remarks: &'a CommentVectors,
    /// Their vectors.
    pub near: NearVectors<'a>,
}

/// Sources of near vectors: the durable ones, plus those of the current batch.
#[derive(Clone, Copy)]
pub struct NearVectors<'a> {
    /// The durable vectors.
    pub knowledge: &'a dyn Knowledge,
    /// The vectors added by a batch.
    pub added: Option<&'a BatchVectors>,
}

impl NearVectors<'_> {
    /// Returns the nearest in a scope from a cosine up, best first; at most `limit`.
    fn nearest(
        &self,
        scope: &str,
        vector: &DemandVector,
        min: f64,
        limit: usize,
    ) -> Result<Vec<(MemberKey, f64)>, KnowledgeError> {
        let mut near = self.knowledge.nearest(scope, vector, min, limit)?;
        if let Some(added) = self.added {
            near.extend(added.nearest(scope, vector, min, limit));
            near.sort_by(best_key_first);
            near.truncate(limit);
        }
        Ok(near)
    }
}

/// A search target: a demand on an agent's work.
pub(super) struct SearchTarget<'a> {
    pub(super) tenant: &'a str,
    pub(super) agent: &'a str,
    pub(super) pointing: Polarity,
    pub(super) vector: &'a DemandVector,
}

impl<'a> SearchTarget<'a> {
    pub(super) fn of(member: &'a Member) -> SearchTarget<'a> {
        SearchTarget {
            tenant: &member.tenant,
            agent: &member.agent,
            pointing: member.pointing(),
            vector: &member.vector,
        }
    }
}

/// Neighbours of a search target, with calibrated similarity, best first.
pub(super) struct Around {
    /// Comments that may ask for the same.
    pub(super) same: NearComments,
    /// Similar comments that ask for the opposite.
    pub(super) contrary: NearComments,
}

impl Evaluator<'_> {
    /// Returns comments that may ask for the same, and similar ones that ask for the opposite; at most `limit` of each.
    pub(super) fn around(&self, asked: &SearchTarget<'_>, limit: usize) -> Result<Around, KnowledgeError> {
        let mut found = self.found(asked, self.least_cosine(), limit)?;
        found.sort_by(best_key_first);
        let (mut same, mut contrary) = (NearComments::new(), NearComments::new());
        for (key, cosine) in found {
            // A withdrawn comment asks for nothing.
            let Some(pointing) = self.remarks.groups.pointing(key) else { continue };
            let similarity = self.similarity(cosine);
            if !asked.pointing.opposes(pointing) {
                same.push((key, similarity));
            } else if self.is_alike(asked.pointing, pointing, similarity) {
                contrary.push((key, similarity));
            }
        }
        same.truncate(limit);
        contrary.truncate(limit);
        Ok(Around { same, contrary })
    }

    pub(super) fn member(&self, key: MemberKey) -> &Member {
        self.remarks.groups.member(key)
    }

    /// Returns the lowest relevant cosine.
    fn least_cosine(&self) -> f64 {
        let policy = &self.remarks.policy;
        policy.group_threshold.min(policy.calibration.cosine(policy.similar_at))
    }

    /// Reports whether a comment may ask for the same as one pointing this way.
    pub(super) fn may_agree(&self, pointing: Polarity, other: MemberKey) -> bool {
        self.remarks.groups.pointing(other).is_some_and(|other| !pointing.opposes(other))
    }

    /// Reports whether comments with these directions and this calibrated similarity are compared.
    pub(super) fn is_alike(&self, one: Polarity, other: Polarity, similarity: f64) -> bool {
        similarity >= evaluate::alike_at(one, other, &self.remarks.policy)
    }

    fn similarity(&self, cosine: f64) -> f64 {
        self.remarks.policy.calibration.similarity(cosine)
    }

    /// Returns a comment's neighbours from a cosine up: at most `limit` per direction.
    pub(super) fn found(
        &self,
        asked: &SearchTarget<'_>,
        min: f64,
        limit: usize,
    ) -> Result<NearComments, KnowledgeError> {
        let mut found = Vec::new();
        for scope in scopes(asked.tenant, asked.agent) {
            found.extend(self.near.nearest(&scope, asked.vector, min, limit)?);
        }
        Ok(found)
    }

    /// Returns comments that may ask for the same as one in the working set, earlier or later. `before` holds its
    /// neighbours at arrival, if only the current batch came since.
    pub(super) fn neighbours_of(
        &self,
        key: MemberKey,
        member: &Member,
        before: Option<&NearComments>,
    ) -> Result<NearComments, KnowledgeError> {
        let (Some(before), Some(added)) = (before, self.near.added) else {
            let mut near = self.around(&SearchTarget::of(member), NEIGHBOURS)?.same;
            near.retain(|(other, _)| *other != key);
            return Ok(near);
        };
        let (min, scopes) = (self.least_cosine(), scopes(&member.tenant, &member.agent));
        let since = |scope: &String| added.nearest_after(key, scope, &member.vector, min, NEIGHBOURS);
        let pointing = member.pointing();
        let since = scopes.iter().flat_map(since).filter(|(other, _)| self.may_agree(pointing, *other));
        let mut near: NearComments = since.map(|(other, cosine)| (other, self.similarity(cosine))).collect();
        near.extend(before);
        near.sort_by(best_key_first);
        near.truncate(NEIGHBOURS);
        Ok(near)
    }

    /// Returns the neighbours for these keys.
    pub fn neighbours(&self, keys: &[(MemberKey, f64)]) -> Vec<Neighbour<'_>> {
        keys.iter().map(|(key, similarity)| Neighbour { member: self.member(*key), similarity: *similarity }).collect()
    }
}

/// Returns the scopes of an agent's comments in every direction.
fn scopes(tenant: &str, agent: &str) -> [String; 3] {
    [Direction::More, Direction::Less, Direction::Unclear].map(|direction| scope(tenant, agent, direction))
}
