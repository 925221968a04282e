//! Similarity of comments to a rule's text, the opposite of a proposal, or a cluster, and the resulting questions to
//! people.

use super::near::{Around, Evaluator, NEIGHBOURS, NearComments, SearchTarget};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::question;
use crate::domain::clusters::question::{Inquiry, Question};
use crate::domain::clusters::{ClusterKey, ClusterOrComment, Member, MemberKey, Polarity};
use crate::ports::KnowledgeError;
use crate::text::language::similarity::DemandVector;

/// Maximum number of comments used for a rule's card.
const MANY: usize = 10_000;
/// How many comments are checked to find the nearest clusters.
const MANY_GROUPS: usize = 192;
/// Calibrated similarity from which a comment is near enough to ask about.
const ASKED_FROM: f64 = 0.3;

/// Comments similar to a rule's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Likes {
    /// Those that ask for what the rule requires.
    pub asking: Vec<MemberKey>,
    /// Those that ask for the opposite.
    pub opposing: Vec<MemberKey>,
}

impl Evaluator<'_> {
    /// Returns feedback that opposes a comment and is pending a person's decision.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn dissent(&self, member: &Member) -> Result<Vec<String>, KnowledgeError> {
        let near = self.around(&SearchTarget::of(member), NEIGHBOURS)?.contrary;
        let waits = |key: &MemberKey| self.member(*key).classification == Classification::Ambiguous;
        Ok(near.iter().filter(|(key, _)| waits(key)).map(|(key, _)| self.member(*key).id.clone()).collect())
    }

    /// Returns the cluster that asks for the same as a comment, if there is one.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn group_near(
        &self,
        key: MemberKey,
        found: Option<&NearComments>,
    ) -> Result<Option<ClusterKey>, KnowledgeError> {
        let (member, groups) = (self.member(key), &self.remarks.groups);
        let near = self.neighbours_of(key, member, found)?;
        let similar = near.into_iter().filter(|(_, similarity)| *similarity >= self.remarks.policy.similar_at);
        Ok(similar
            .filter_map(|(other, _)| self.member(other).cluster)
            .filter(|cluster| !groups.cluster(*cluster).pointing.opposes(member.pointing()))
            .find(|cluster| !groups.are_apart(groups.group_of(key), ClusterOrComment::Cluster(*cluster))))
    }

    /// Returns the clusters nearest to a comment, other than its own and whichever way they point, best first: at most
    /// `limit`, from a raw link on, each with its link. Excludes those pending a person's decision and those that
    /// people keep apart from it.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn groups_like(
        &self,
        key: MemberKey,
        min: f64,
        limit: usize,
    ) -> Result<Vec<(ClusterOrComment, f64)>, KnowledgeError> {
        self.groups_like_another(key, &self.member(key).vector, min, limit)
    }

    /// Same for another demand of the comment, by that demand's vector.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn groups_like_another(
        &self,
        key: MemberKey,
        vector: &DemandVector,
        min: f64,
        limit: usize,
    ) -> Result<Vec<(ClusterOrComment, f64)>, KnowledgeError> {
        let (member, groups) = (self.member(key), &self.remarks.groups);
        let own = groups.group_of(key);
        let asked = SearchTarget { vector, ..SearchTarget::of(member) };
        let mut near: Vec<(ClusterOrComment, f64)> = Vec::new();
        for (other, cosine) in self.found(&asked, min, MANY_GROUPS)? {
            let group = groups.group_of(other);
            let found = self.member(other);
            if group == own || found.withdrawn || found.classification == Classification::Ambiguous {
                continue;
            }
            let link = match group {
                ClusterOrComment::Cluster(cluster) => groups.cluster(cluster).sum.mean_cosine(vector).max(cosine),
                ClusterOrComment::Lone(_) => cosine,
            };
            if near.iter().all(|(known, _)| *known != group) && !groups.are_apart(own, group) {
                near.push((group, link));
            }
        }
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.truncate(limit);
        Ok(near)
    }

    /// Returns the most valuable questions to people, about one agent or about all.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn questions(&self, agent: Option<&str>, limit: usize) -> Result<Vec<Question>, KnowledgeError> {
        question::questions(&self.remarks.groups, agent, limit, &|member| self.near_enough_to_ask(member))
    }

    /// Returns the comments near a comment that may be asked about together with it.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn near_enough_to_ask(&self, member: &Member) -> Result<Vec<MemberKey>, KnowledgeError> {
        let min = self.remarks.policy.calibration.cosine(ASKED_FROM);
        let mut near = self.found(&SearchTarget::of(member), min, NEIGHBOURS)?;
        let pointing = member.pointing();
        near.retain(|(key, _)| self.may_agree(pointing, *key));
        Ok(near.into_iter().map(|(key, _)| key).collect())
    }

    /// Returns what to ask people, about one agent or about all.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn inquiries(&self, agent: Option<&str>, limit: usize) -> Result<Vec<Inquiry>, KnowledgeError> {
        question::inquiries(&self.remarks.groups, agent, limit, &|member| self.near_enough_to_ask(member))
    }

    /// Returns comments similar to a rule's text, with calibrated similarity: those that ask for it, and those that
    /// point the other way.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn like(
        &self,
        tenant: &str,
        agent: &str,
        pointing: Polarity,
        vector: &DemandVector,
    ) -> Result<Likes, KnowledgeError> {
        let Around { mut same, contrary } = self.around(&SearchTarget { tenant, agent, pointing, vector }, MANY)?;
        same.retain(|(key, similarity)| {
            self.remarks.groups.pointing(*key).is_some_and(|other| self.is_alike(pointing, other, *similarity))
        });
        let keys = |near: NearComments| near.into_iter().map(|(key, _)| key).collect();
        Ok(Likes { asking: keys(same), opposing: keys(contrary) })
    }
}
