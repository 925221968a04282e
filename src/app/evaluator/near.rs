//! What is near to a demand: which earlier remarks may ask for the same, and which for the contrary.

use super::{Evaluator, NEIGHBOURS};
use crate::domain::grouping::cluster::{Member, MemberKey, Pointing, least_link};
use crate::domain::grouping::evaluate;
use crate::domain::language::direction::Direction;
use crate::domain::language::similarity::Embedding;

/// What is looked for: a demand of an agent's work.
pub(super) struct Asked<'a> {
    pub(super) tenant: &'a str,
    pub(super) agent: &'a str,
    pub(super) pointing: Pointing,
    pub(super) vector: &'a Embedding,
}

impl<'a> Asked<'a> {
    pub(super) fn of(member: &'a Member) -> Asked<'a> {
        Asked { tenant: &member.tenant, agent: &member.agent, pointing: member.pointing(), vector: &member.vector }
    }
}

/// What is near to what was looked for, with calibrated similarity, best first.
pub(super) struct Around {
    /// What may ask for the same.
    pub(super) same: Vec<(MemberKey, f64)>,
    /// What is like it and asks for the contrary.
    pub(super) contrary: Vec<(MemberKey, f64)>,
}

impl Evaluator {
    /// Remarks that may ask for the same, and those that are like it and ask for the contrary; at most `limit` of each.
    pub(super) fn around(&self, asked: &Asked<'_>, limit: usize) -> Around {
        let near = self.best(self.found(asked, self.least_cosine(), limit).into_iter());
        let (mut contrary, mut same): (Vec<_>, Vec<_>) =
            near.into_iter().partition(|(key, _)| self.is_contrary(asked.pointing, *key));
        contrary.retain(|found| self.is_alike(asked.pointing, *found));
        contrary.truncate(limit);
        same.truncate(limit);
        Around { same, contrary }
    }

    pub(super) fn is_contrary(&self, pointing: Pointing, other: MemberKey) -> bool {
        pointing.opposes(self.memory.member(other).pointing())
    }

    /// The least cosine of anything that matters.
    pub(super) fn least_cosine(&self) -> f64 {
        least_link(&self.policy).min(self.policy.calibration.cosine(self.policy.similar_at))
    }

    pub(super) fn is_alike(&self, pointing: Pointing, (key, similarity): (MemberKey, f64)) -> bool {
        similarity >= evaluate::alike_at(pointing, self.memory.member(key).pointing(), &self.policy)
    }

    /// What the knowledge store finds near to a remark from a cosine on: at most `limit` of each direction.
    pub(super) fn found(&self, asked: &Asked<'_>, min: f64, limit: usize) -> Vec<(MemberKey, f64)> {
        let scopes = scopes(asked.tenant, asked.agent);
        scopes.iter().flat_map(|scope| self.knowledge.nearest(scope, asked.vector, min, limit)).collect()
    }

    /// Remarks that may ask for the same as one that is in the memory, whether they came before it or after.
    pub(super) fn neighbours_of(&self, key: MemberKey, member: &Member) -> Vec<(MemberKey, f64)> {
        let Some(before) = self.found.get(&key) else {
            let mut near = self.around(&Asked::of(member), NEIGHBOURS).same;
            near.retain(|(other, _)| *other != key);
            return near;
        };
        let (min, scopes) = (self.least_cosine(), scopes(&member.tenant, &member.agent));
        let since = |scope: &String| self.knowledge.nearest_since(scope, key + 1, &member.vector, min, NEIGHBOURS);
        let since = scopes.iter().flat_map(since);
        let mut near = self.best(since.filter(|(other, _)| !self.is_contrary(member.pointing(), *other)));
        near.extend(before);
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.truncate(NEIGHBOURS);
        near
    }

    /// The best of keys with their raw cosines, with calibrated similarity.
    fn best(&self, near: impl Iterator<Item = (MemberKey, f64)>) -> Vec<(MemberKey, f64)> {
        let mut near: Vec<(MemberKey, f64)> = near.filter(|(key, _)| !self.memory.member(*key).withdrawn).collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.into_iter().map(|(key, cosine)| (key, self.policy.calibration.similarity(cosine))).collect()
    }
}

/// Where an agent's remarks are, whichever way they point.
fn scopes(tenant: &str, agent: &str) -> [String; 3] {
    [Direction::More, Direction::Less, Direction::Unclear].map(|direction| scope(tenant, agent, direction))
}

pub(super) fn scope(tenant: &str, agent: &str, direction: Direction) -> String {
    let way = match direction {
        Direction::More => '+',
        Direction::Less => '-',
        Direction::Unclear => '?',
    };
    format!("{tenant}\u{1f}{agent}\u{1f}{way}")
}
