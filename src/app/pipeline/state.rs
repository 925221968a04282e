//! What the pipeline remembers between batches. All of it can be loaded from the index.

use crate::app::evaluator::{Evaluator, remark};
use crate::app::pipeline::recent::Recent;
use crate::domain::cluster::Member;
use crate::domain::feedback::{Classification, Direction};
use crate::domain::ids::{CommitId, parse_numbered};
use crate::domain::layout;
use crate::domain::proposal::KnownRule;
use crate::domain::record::{ProposalRecord, ProposalStatus};
use crate::ports::{Embedder, Index, IndexError, IndexedFeedback};
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};

/// A rule or proposal that is not over.
#[derive(Clone, Debug)]
pub struct LivingRule {
    /// Its file.
    pub path: String,
    /// The tenant.
    pub tenant: String,
    /// The agents it is for.
    pub agents: Vec<String>,
    /// Its text, for comparison.
    pub rule: KnownRule,
    /// Whether it still awaits review, so that evidence is added.
    pub pending: bool,
    /// How many feedback ids it lists.
    pub listed: usize,
}

/// The pipeline's memory.
pub struct State {
    /// The commit all of this reflects.
    pub head: Option<CommitId>,
    /// Remarks and groups.
    pub evaluator: Evaluator,
    /// Pending proposals and active rules.
    pub rules: Vec<LivingRule>,
    /// Since when patterns wait for their proposals.
    pub waiting_since: Option<Timestamp>,
    /// What was written lately.
    pub recent: Recent,
    /// Fingerprints of all known feedback ids: a million take 16 MB.
    known: HashSet<u64>,
    numbers: HashMap<(&'static str, i16), u32>,
}

impl State {
    /// A memory of nothing.
    pub fn new(evaluator: Evaluator) -> State {
        State {
            head: None,
            evaluator,
            rules: Vec::new(),
            waiting_since: None,
            recent: Recent::default(),
            known: HashSet::new(),
            numbers: HashMap::new(),
        }
    }

    /// Forgets everything and loads what the index knows.
    pub fn load(
        &mut self,
        index: &dyn Index,
        embedder: &dyn Embedder,
        head: Option<CommitId>,
        now: Timestamp,
    ) -> Result<(), IndexError> {
        self.evaluator.clear();
        self.recent.clear();
        self.known.clear();
        self.numbers.clear();
        self.rules.clear();
        index.each_feedback(&mut |feedback| {
            self.know(&feedback.id);
            if let Some((year, number)) = feedback.edge_case.as_deref().and_then(|id| parse_numbered("EDGE", id)) {
                self.note_number("EDGE", year, number);
            }
            if let Some((member, cluster)) = member(feedback) {
                self.evaluator.restore(member, cluster.as_deref());
            }
        })?;
        // A record that a hand edit made unreadable is still there: a redelivery must not write over it.
        for (path, _) in index.unreadable()? {
            if let Some(name) = path.strip_prefix(layout::DECISIONS).and_then(|p| p.rsplit('/').next()) {
                self.know(name.trim_end_matches(".yaml"));
            }
        }
        for (_, edge_case) in index.edge_cases()? {
            if let Some((year, number)) = parse_numbered("EDGE", &edge_case.edge_case_id) {
                self.note_number("EDGE", year, number);
            }
        }
        for (path, record) in index.proposals()? {
            self.note_rule(&path, &record, embedder);
        }
        // A restart must not make patterns wait anew: they wait since their last remark.
        let policy = &self.evaluator.policy;
        let waiting = self.evaluator.memory.clusters().filter(|(_, cluster)| {
            cluster.proposal.is_none() && cluster.class(policy) == Classification::GeneralizableHigh
        });
        let since = waiting.map(|(_, cluster)| cluster.last_seen.min(now)).min();
        self.waiting_since = since.map(|since| self.waiting_since.unwrap_or(since));
        self.head = head;
        Ok(())
    }

    /// Whether a feedback id was seen. The answer "yes" is wrong once in 2^44 for a million ids.
    pub fn knows(&self, feedback_id: &str) -> bool {
        self.known.contains(&fingerprint(feedback_id))
    }

    /// Remembers a feedback id.
    pub fn know(&mut self, feedback_id: &str) {
        self.known.insert(fingerprint(feedback_id));
    }

    /// The next number of a series and year.
    pub fn next_number(&mut self, series: &'static str, year: i16) -> u32 {
        let last = self.numbers.entry((series, year)).or_default();
        *last += 1;
        *last
    }

    /// Takes up a rule file: its number, its cluster's link to it, and its text while it is not over.
    pub fn note_rule(&mut self, path: &str, record: &ProposalRecord, embedder: &dyn Embedder) {
        if let Some((year, number)) = parse_numbered("RULE", &record.proposal_id) {
            self.note_number("RULE", year, number);
        }
        for id in std::iter::once(&record.cluster_id).chain(&record.merged_clusters) {
            if let Some(key) = self.evaluator.memory.find_cluster(id) {
                self.evaluator.memory.set_proposal(key, record.proposal_id.clone());
            }
        }
        self.rules.retain(|rule| rule.rule.id != record.proposal_id);
        let pending = path.starts_with(layout::PROPOSED) && record.status == ProposalStatus::Pending;
        if pending || record.status == ProposalStatus::Approved {
            let vector = embedder.embed(std::slice::from_ref(&record.rule_content)).pop().flatten();
            self.rules.push(LivingRule {
                path: path.to_owned(),
                tenant: record.tenant_id.clone().unwrap_or_default(),
                agents: record.affected_agents.clone(),
                rule: KnownRule {
                    id: record.proposal_id.clone(),
                    content: record.rule_content.clone(),
                    vector,
                    evidence: record.created_from_feedback_ids.first().cloned(),
                },
                pending,
                listed: record.created_from_feedback_ids.len(),
            });
        }
    }

    /// Pending proposals and active rules for any of these agents.
    pub fn rules_for(&self, tenant: &str, agents: &[String]) -> Vec<&KnownRule> {
        let concerns = |rule: &&LivingRule| rule.tenant == tenant && rule.agents.iter().any(|a| agents.contains(a));
        self.rules.iter().filter(concerns).map(|rule| &rule.rule).collect()
    }

    fn note_number(&mut self, series: &'static str, year: i16, number: u32) {
        let last = self.numbers.entry((series, year)).or_default();
        *last = (*last).max(number);
    }
}

fn fingerprint(feedback_id: &str) -> u64 {
    let hash = blake3::hash(feedback_id.as_bytes());
    hash.as_bytes()[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The remark behind a feedback, where it can be compared, with its cluster's id.
fn member(feedback: IndexedFeedback) -> Option<(Member, Option<String>)> {
    let vector = feedback.vector?;
    let compared = feedback.demand || feedback.direction != Direction::Unclear;
    if !compared || feedback.classification == Classification::Positive {
        return None;
    }
    let tied = matches!(feedback.classification, Classification::GeneralizableHigh | Classification::GeneralizableLow);
    let member = Member {
        id: feedback.id,
        tenant: feedback.tenant,
        agent: feedback.agent,
        reviewer: feedback.reviewer,
        verdict: feedback.verdict,
        gate: feedback.gate,
        at: feedback.timestamp,
        direction: feedback.direction,
        text: remark(&feedback.text),
        path: feedback.path,
        vector,
        classification: feedback.classification,
        revision: feedback.revision,
        edge_case: feedback.edge_case,
        cluster: None,
        tied,
    };
    Some((member, feedback.cluster))
}
