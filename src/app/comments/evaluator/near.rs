//! What is near to a demand: which earlier remarks may ask for the same, and which for the contrary.

use super::batch_vectors::Added;
use super::vectors::{Remarks, scope};
use crate::domain::clusters::evaluate;
use crate::domain::clusters::evaluate::Neighbour;
use crate::domain::clusters::rows::best_key_first;
use crate::domain::clusters::{Member, MemberKey, Pointing};
use crate::ports::{Knowledge, KnowledgeError};
use crate::text::language::direction::Direction;
use crate::text::language::similarity::DemandVector;

/// How many neighbours are looked at. More would change no class: a pattern needs two voices.
pub(super) const NEIGHBOURS: usize = 64;

/// Remarks that were found, with calibrated similarity, best first.
pub type Found = Vec<(MemberKey, f64)>;

/// Looks things up in what is remembered.
#[derive(Clone, Copy)]
pub struct Evaluator<'a> {
    /// The remarks and their groups.
    pub remarks: &'a Remarks,
    /// Their vectors.
    pub near: Near<'a>,
}

/// Where near vectors are found: what is durable, and beside it what a batch in hand adds.
#[derive(Clone, Copy)]
pub struct Near<'a> {
    /// What is durable.
    pub knowledge: &'a dyn Knowledge,
    /// What a batch adds.
    pub added: Option<&'a Added>,
}

impl Near<'_> {
    /// The nearest in a scope from a cosine on, best first; at most `limit`.
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

/// What is looked for: a demand of an agent's work.
pub(super) struct Asked<'a> {
    pub(super) tenant: &'a str,
    pub(super) agent: &'a str,
    pub(super) pointing: Pointing,
    pub(super) vector: &'a DemandVector,
}

impl<'a> Asked<'a> {
    pub(super) fn of(member: &'a Member) -> Asked<'a> {
        Asked { tenant: &member.tenant, agent: &member.agent, pointing: member.pointing(), vector: &member.vector }
    }
}

/// What is near to what was looked for, with calibrated similarity, best first.
pub(super) struct Around {
    /// What may ask for the same.
    pub(super) same: Found,
    /// What is like it and asks for the contrary.
    pub(super) contrary: Found,
}

impl Evaluator<'_> {
    /// Remarks that may ask for the same, and those that are like it and ask for the contrary; at most `limit` of each.
    pub(super) fn around(&self, asked: &Asked<'_>, limit: usize) -> Result<Around, KnowledgeError> {
        let mut found = self.found(asked, self.least_cosine(), limit)?;
        found.sort_by(best_key_first);
        let (mut same, mut contrary) = (Found::new(), Found::new());
        for (key, cosine) in found {
            // What is withdrawn asks for nothing.
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

    /// The least cosine of anything that matters.
    fn least_cosine(&self) -> f64 {
        let policy = &self.remarks.policy;
        policy.group_threshold.min(policy.calibration.cosine(policy.similar_at))
    }

    /// Whether a remark may ask for the same as what points this way.
    pub(super) fn may_agree(&self, pointing: Pointing, other: MemberKey) -> bool {
        self.remarks.groups.pointing(other).is_some_and(|other| !pointing.opposes(other))
    }

    /// Whether what points one way is held against what points another, with that calibrated similarity.
    pub(super) fn is_alike(&self, one: Pointing, other: Pointing, similarity: f64) -> bool {
        similarity >= evaluate::alike_at(one, other, &self.remarks.policy)
    }

    fn similarity(&self, cosine: f64) -> f64 {
        self.remarks.policy.calibration.similarity(cosine)
    }

    /// What is near to a remark from a cosine on: at most `limit` of each direction.
    pub(super) fn found(&self, asked: &Asked<'_>, min: f64, limit: usize) -> Result<Found, KnowledgeError> {
        let mut found = Vec::new();
        for scope in scopes(asked.tenant, asked.agent) {
            found.extend(self.near.nearest(&scope, asked.vector, min, limit)?);
        }
        Ok(found)
    }

    /// Remarks that may ask for the same as one that is in the memory, whether they came before it or after. `before` is
    /// what was found when it came, where only the batch in hand has come since.
    pub(super) fn neighbours_of(
        &self,
        key: MemberKey,
        member: &Member,
        before: Option<&Found>,
    ) -> Result<Found, KnowledgeError> {
        let (Some(before), Some(added)) = (before, self.near.added) else {
            let mut near = self.around(&Asked::of(member), NEIGHBOURS)?.same;
            near.retain(|(other, _)| *other != key);
            return Ok(near);
        };
        let (min, scopes) = (self.least_cosine(), scopes(&member.tenant, &member.agent));
        let since = |scope: &String| added.nearest_after(key, scope, &member.vector, min, NEIGHBOURS);
        let pointing = member.pointing();
        let since = scopes.iter().flat_map(since).filter(|(other, _)| self.may_agree(pointing, *other));
        let mut near: Found = since.map(|(other, cosine)| (other, self.similarity(cosine))).collect();
        near.extend(before);
        near.sort_by(best_key_first);
        near.truncate(NEIGHBOURS);
        Ok(near)
    }

    /// The neighbours behind keys.
    pub fn neighbours(&self, keys: &[(MemberKey, f64)]) -> Vec<Neighbour<'_>> {
        keys.iter().map(|(key, similarity)| Neighbour { member: self.member(*key), similarity: *similarity }).collect()
    }
}

/// Where an agent's remarks are, whichever way they point.
fn scopes(tenant: &str, agent: &str) -> [String; 3] {
    [Direction::More, Direction::Less, Direction::Unclear].map(|direction| scope(tenant, agent, direction))
}
