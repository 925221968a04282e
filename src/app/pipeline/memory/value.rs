//! What the pipeline remembers between batches. All of it can be loaded from the index.

use crate::app::evaluator::{Remarks, remark};
use crate::app::pipeline::PipelineError;
use crate::app::pipeline::channels::Channels;
use crate::app::queries::QueryError;
use crate::app::understanding::Understanding;
use crate::domain::channels::action::Policy;
use crate::domain::grouping::evaluation::Classification;
use crate::domain::grouping::{self, ClusterKey, Member};
use crate::domain::ids::{CommitId, fingerprint, parse_numbered};
use crate::domain::intake::submission::{ImportedRule, Resolution, ReviewAction};
use crate::domain::language::direction::Direction;
use crate::domain::records::layout;
use crate::domain::records::record::{
    AmbiguousRecord, Card, ImportRecord, ProposalRecord, ProposalStatus, ReviewOutcome,
};
use crate::domain::rules::drafting::proposal::{KnownRule, hash_of};
use crate::domain::rules::drafting::recalibration::{self, Curve};
use crate::domain::rules::lifecycle::roster::Roster;
use crate::ports::{EmbedError, Index, IndexError, IndexedFeedback};
use imbl::{OrdMap, OrdSet, Vector};
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use std::collections::HashMap;
use std::sync::Arc;
use thiserror::Error;

/// A proposal or rule, whatever became of it.
#[derive(Clone, Debug)]
pub struct RuleEntry {
    /// Its file.
    pub path: String,
    /// What stands in it.
    pub record: ProposalRecord,
    /// Its text, for comparison.
    pub known: KnownRule,
}

impl RuleEntry {
    /// Whether agents obey it: its directory and its status say so. A file that somebody only moved is not in force.
    pub fn in_force(&self) -> bool {
        self.path.starts_with(layout::ACTIVE) && self.record.status.in_force()
    }

    /// Whether it awaits its reviewers.
    pub fn is_pending(&self) -> bool {
        self.path.starts_with(layout::PROPOSED) && self.record.status == ProposalStatus::Pending
    }

    /// Whether it is, or may still come, into force.
    pub fn is_living(&self) -> bool {
        self.in_force() || (self.path.starts_with(layout::PROPOSED) && self.record.status.is_open())
    }

    /// Whether it is for this tenant and agent.
    pub fn concerns(&self, tenant: &str, agent: &str) -> bool {
        self.record.tenant_id.as_deref().unwrap_or_default() == tenant
            && self.record.affected_agents.iter().any(|a| a == agent)
    }

    /// Whether its text was edited in Git since the daemon last wrote it.
    pub fn was_edited(&self) -> bool {
        hash_of(&self.record) != self.record.content_hash
    }
}

/// What was imported from one file: rules that are in force elsewhere.
#[derive(Debug)]
struct Imported {
    name: String,
    /// The agents they are for; all where none is named.
    agents: Vec<String>,
    rules: Vec<KnownRule>,
}

/// What people decided and how much there was to decide, by agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Corrections.
    pub corrections: u64,
    /// Approvals without a change.
    pub approvals: u64,
}

/// Why the memory cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A rule's text cannot be embedded.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl From<LoadError> for PipelineError {
    fn from(error: LoadError) -> PipelineError {
        match error {
            LoadError::Index(error) => error.into(),
            LoadError::Embed(error) => error.into(),
        }
    }
}

impl From<LoadError> for QueryError {
    fn from(error: LoadError) -> QueryError {
        match error {
            LoadError::Index(error) => error.into(),
            LoadError::Embed(error) => error.into(),
        }
    }
}

/// The pipeline's memory: a value that is cheap to copy. A batch works on a copy, which takes its place once the batch is
/// durable, and is dropped where it fails.
#[derive(Clone)]
pub struct State {
    /// The commit all of this reflects.
    pub head: Option<CommitId>,
    /// Remarks and groups.
    pub remarks: Remarks,
    /// All proposals and rules by id.
    rules: OrdMap<String, Arc<RuleEntry>>,
    /// Rules that are in force elsewhere, by import, the latest first.
    imported: Vector<Arc<Imported>>,
    /// Who may decide; nobody where the roster is missing or cannot be read.
    pub roster: Arc<Roster>,
    /// Why the roster cannot be read, where it cannot.
    pub roster_error: Option<String>,
    /// Measured effects by rule id, as of the last measuring.
    pub effects: Arc<HashMap<String, f64>>,
    /// When rules were measured last.
    pub measured_at: Option<Timestamp>,
    /// The weekly report that was looked for last.
    pub reported: Option<String>,
    /// Ids of rules whose text was edited in Git since the daemon last wrote it.
    pub edited: Vec<String>,
    /// Corrections and approvals by tenant and agent.
    pub verdicts: OrdMap<(String, String), Verdicts>,
    /// Since when patterns wait for their proposals.
    pub waiting_since: Option<Timestamp>,
    /// What is remembered of the channels beside gate decisions.
    pub channels: Channels,
    /// When people are asked about an action.
    action_policy: Policy,
    /// How many questions of each UTC day a model answered.
    pub advised: OrdMap<Date, u64>,
    /// What people's decisions make of a confidence, as of when it was asked for last.
    curve: Option<Curve>,
    /// Whether they decided something since.
    decided_since: bool,
    /// Fingerprints of all known feedback ids: a million take 16 MB.
    known: OrdSet<u64>,
    numbers: OrdMap<(&'static str, i16), u32>,
}

impl State {
    /// A memory of nothing.
    pub fn new(policy: grouping::Policy, action_policy: Policy) -> State {
        State {
            head: None,
            remarks: Remarks::new(policy),
            rules: OrdMap::new(),
            imported: Vector::new(),
            roster: Arc::default(),
            roster_error: None,
            effects: Arc::default(),
            measured_at: None,
            reported: None,
            edited: Vec::new(),
            verdicts: OrdMap::new(),
            waiting_since: None,
            channels: Channels::new(action_policy),
            action_policy,
            advised: OrdMap::new(),
            curve: None,
            decided_since: true,
            known: OrdSet::new(),
            numbers: OrdMap::new(),
        }
    }

    /// Forgets what the index knows, and loads it.
    pub fn load(
        &mut self,
        index: &dyn Index,
        understanding: &Understanding,
        head: Option<CommitId>,
        now: Timestamp,
    ) -> Result<(), LoadError> {
        self.remarks = Remarks::new(self.remarks.policy);
        self.known.clear();
        self.numbers.clear();
        self.rules.clear();
        self.decided_since = true;
        self.imported.clear();
        self.verdicts.clear();
        self.advised.clear();
        index.each_feedback(&mut |feedback| {
            self.know(&feedback.id);
            self.note_verdict(&feedback.tenant, &feedback.agent, feedback.classification, None);
            if let Some((year, number)) = feedback.edge_case.as_deref().and_then(|id| parse_numbered("EDGE", id)) {
                self.note_number("EDGE", year, number);
            }
            if let Some((member, cluster)) = member(feedback) {
                self.remarks.groups.restore(member, cluster.as_deref());
            }
        })?;
        let known = &mut self.known;
        let mut know = |key: &str| {
            known.insert(fingerprint(key));
        };
        self.channels = Channels::load(index, self.action_policy, &mut know)?;
        // A record that a hand edit made unreadable is still there: a redelivery must not write over it.
        for (path, _) in index.unreadable()? {
            let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".yaml");
            if path.starts_with(layout::DECISIONS) {
                self.know(name);
            } else if path.starts_with(layout::REVIEWS) {
                self.know(&review_key(name));
            } else if path.starts_with(layout::INJECTIONS) {
                self.know(&injection_key(name));
            } else if path.starts_with(layout::ADVICE) {
                self.know(&advice_key(name));
            }
            // Nor may another record get its number, and with it its place.
            for series in ["RULE", "EDGE"] {
                if let Some((year, number)) = parse_numbered(series, name) {
                    self.note_number(series, year, number);
                }
            }
        }
        for (_, edge_case) in index.edge_cases()? {
            if let Some((year, number)) = parse_numbered("EDGE", &edge_case.edge_case_id) {
                self.note_number("EDGE", year, number);
            }
        }
        for cluster in index.clusters()? {
            let plain = cluster.decided_by.is_none() && cluster.not_proposed.is_none();
            if plain && cluster.merged_into.is_none() && cluster.taught_by.is_none() && cluster.kept_apart.is_empty() {
                continue;
            }
            for other in &cluster.kept_apart {
                self.remarks.groups.keep_apart(&cluster.cluster_id, other);
            }
            let key = self.remarks.groups.cluster_named(&cluster.cluster_id);
            let remembered = self.remarks.groups.cluster_mut(key);
            remembered.decided_by = cluster.decided_by;
            remembered.not_proposed = cluster.not_proposed;
            remembered.merged_into = cluster.merged_into;
            remembered.taught_by = cluster.taught_by;
        }
        // What is kept apart and in no cluster has no other record.
        for (_, review) in index.reviews()? {
            if let (ReviewOutcome::Accepted, ReviewAction::KeepApart { a, b }) = (review.outcome, &review.action) {
                self.remarks.groups.keep_apart(a, b);
            }
        }
        let mut rules = index.proposals()?;
        // A cluster shows its latest proposal.
        rules.sort_by(|(_, a), (_, b)| (a.created_at, &a.proposal_id).cmp(&(b.created_at, &b.proposal_id)));
        for (path, record) in rules {
            self.note_rule(&path, record, understanding)?;
        }
        self.edited = self.rules().filter(|r| r.was_edited()).map(|r| r.record.proposal_id.clone()).collect();
        for (_, import) in index.imports()?.into_iter().rev() {
            self.note_import(&import, understanding)?;
        }
        let submitted = index.submitted()?;
        submitted.reviews.iter().for_each(|id| self.know(&review_key(id)));
        submitted.injections.iter().for_each(|id| self.know(&injection_key(id)));
        for asked in &submitted.advice {
            self.note_advice(&asked.question_hash, &asked.about, asked.at);
        }
        let tiebreaks = index.ambiguous()?;
        self.remarks.overruled.extend(tiebreaks.iter().flat_map(|(_, record)| overruled(record)));
        // A restart must not make patterns wait anew: they wait since their last remark.
        let policy = &self.remarks.policy;
        let waiting = self.remarks.groups.clusters().filter(|(_, cluster)| {
            cluster.proposal.is_none() && cluster.class(policy) == Classification::GeneralizableHigh
        });
        let since = waiting.map(|(_, cluster)| cluster.last_seen.min(now)).min();
        self.waiting_since = since.map(|since| self.waiting_since.unwrap_or(since));
        self.head = head;
        Ok(())
    }

    /// All proposals and rules, by id.
    pub fn rules(&self) -> impl Iterator<Item = &RuleEntry> {
        self.rules.values().map(Arc::as_ref)
    }

    /// A proposal or rule.
    pub fn rule(&self, id: &str) -> Option<&RuleEntry> {
        self.rules.get(id).map(Arc::as_ref)
    }

    /// The card of a proposal is another one now.
    pub fn put_card(&mut self, id: &str, card: Option<Card>) {
        if let Some(entry) = self.rules.get_mut(id) {
            Arc::make_mut(entry).record.card = card;
        }
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

    /// Takes up a rule file: its number, its cluster's link to it, and its text.
    pub fn note_rule(
        &mut self,
        path: &str,
        record: ProposalRecord,
        understanding: &Understanding,
    ) -> Result<(), EmbedError> {
        if let Some((year, number)) = parse_numbered("RULE", &record.proposal_id) {
            self.note_number("RULE", year, number);
        }
        // Somebody copied a file: the one that lies where it belongs counts, and of such the one with the longer life.
        let weight = |path: &str, r: &ProposalRecord| (path == layout::rule(&r.proposal_id, r.status), r.history.len());
        if let Some(other) = self.rules.get(&record.proposal_id)
            && weight(&other.path, &other.record) > weight(path, &record)
        {
            tracing::warn!(path, counts = other.path, "a rule's file is there twice; remove one of the two");
            return Ok(());
        }
        for id in std::iter::once(&record.cluster_id).chain(&record.merged_clusters) {
            if let Some(key) = self.remarks.groups.find_cluster(id) {
                self.remarks.groups.set_proposal(key, record.proposal_id.clone());
            }
        }
        self.put_rule(path, record, understanding)
    }

    /// A cluster shows its latest proposal, as it does when it is read from the store.
    pub fn link_proposal(&mut self, cluster: ClusterKey, id: &str) {
        let age = |id: &str| self.rules.get(id).map(|r| (r.record.created_at, r.record.proposal_id.clone()));
        let present = self.remarks.groups.cluster(cluster).proposal.as_deref();
        if present.is_none_or(|present| age(present) < age(id)) {
            self.remarks.groups.set_proposal(cluster, id.to_owned());
        }
    }

    /// Remembers a rule as it stands now.
    pub fn put_rule(
        &mut self,
        path: &str,
        record: ProposalRecord,
        understanding: &Understanding,
    ) -> Result<(), EmbedError> {
        let before = self.rules.get(&record.proposal_id);
        let approved = before.and_then(|entry| recalibration::approved(&entry.record));
        self.decided_since |= approved != recalibration::approved(&record);
        let known = match before {
            Some(entry) if entry.known.content == record.rule_content && entry.known.concern == record.concern => {
                entry.known.clone()
            }
            _ => understanding.known_rule(&record)?,
        };
        let entry = RuleEntry { path: path.to_owned(), record, known };
        self.rules.insert(entry.record.proposal_id.clone(), Arc::new(entry));
        Ok(())
    }

    /// What people's decisions about proposals make of the confidence of a new one; nothing where they are too few.
    pub fn curve(&mut self) -> Option<Curve> {
        if std::mem::take(&mut self.decided_since) {
            self.curve = Curve::of(&recalibration::decided(self.rules().map(|rule| &rule.record)));
        }
        self.curve
    }

    /// Takes up rules that are in force elsewhere. They replace those that came under the same name.
    pub fn note_import(&mut self, import: &ImportRecord, understanding: &Understanding) -> Result<(), EmbedError> {
        let known = |rule: &ImportedRule| {
            let id = format!("{}, line {}", import.name, rule.line);
            Ok(KnownRule { id, ..understanding.known_text(&rule.text, None)? })
        };
        let rules = import.rules.iter().map(known).collect::<Result<_, EmbedError>>()?;
        self.imported.retain(|other| other.name != import.name);
        let imported = Imported { name: import.name.clone(), agents: import.agents.clone(), rules };
        self.imported.push_front(Arc::new(imported));
        Ok(())
    }

    /// Rules that are in force elsewhere for an agent.
    pub fn imported_for(&self, agent: &str) -> impl Iterator<Item = &KnownRule> {
        let is_for =
            move |import: &&Arc<Imported>| import.agents.is_empty() || import.agents.iter().any(|a| a == agent);
        self.imported.iter().filter(is_for).flat_map(|import| &import.rules)
    }

    /// Rules for any of these agents that are, or may still come, into force.
    pub fn rules_for(&self, tenant: &str, agents: &[String]) -> Vec<&KnownRule> {
        // A proposal about another rule quotes that one, and says nothing to agents.
        let says = |rule: &&RuleEntry| rule.is_living() && rule.record.target_rule.is_none();
        let concerns = |rule: &&RuleEntry| says(rule) && agents.iter().any(|a| rule.concerns(tenant, a));
        self.rules().filter(concerns).map(|rule| &rule.known).collect()
    }

    /// Rules that agents of this tenant obey in their prompts.
    pub fn in_force(&self, tenant: &str, agent: &str) -> impl Iterator<Item = &RuleEntry> {
        let enters = |rule: &&RuleEntry| rule.in_force() && rule.record.action_type.enters_prompt();
        self.rules().filter(enters).filter(move |rule| rule.concerns(tenant, agent))
    }

    /// Agents that work was reviewed of, or that a rule is for.
    pub fn agents(&self, tenant: &str) -> impl Iterator<Item = &str> {
        let heard = self.verdicts.keys().filter(move |(t, _)| t == tenant).map(|(_, agent)| agent.as_str());
        let ruled = self.rules().filter(move |r| r.record.tenant_id.as_deref().unwrap_or_default() == tenant);
        heard.chain(ruled.flat_map(|r| r.record.affected_agents.iter().map(String::as_str)))
    }

    /// Counts a feedback, which may have been counted as something else before.
    pub fn note_verdict(&mut self, tenant: &str, agent: &str, class: Classification, before: Option<Classification>) {
        let verdicts = self.verdicts.entry((tenant.to_owned(), agent.to_owned())).or_default();
        fn of(verdicts: &mut Verdicts, class: Classification) -> &mut u64 {
            if class == Classification::Positive { &mut verdicts.approvals } else { &mut verdicts.corrections }
        }
        if let Some(before) = before {
            let count = of(verdicts, before);
            *count = count.saturating_sub(1);
        }
        *of(verdicts, class) += 1;
    }

    /// Remembers what a model was asked: by what was shown, and by what it was about.
    pub fn note_advice(&mut self, question_hash: &str, about: &[String], at: Timestamp) {
        self.know(&advice_key(question_hash));
        self.know(&about_key(about));
        *self.advised.entry(utc_day(at)).or_default() += 1;
    }

    fn note_number(&mut self, series: &'static str, year: i16, number: u32) {
        let last = self.numbers.entry((series, year)).or_default();
        *last = (*last).max(number);
    }
}

/// The name under which a review is known.
pub fn review_key(review_id: &str) -> String {
    format!("review\u{1f}{review_id}")
}

/// The name under which an injection is known.
pub fn injection_key(injection_id: &str) -> String {
    format!("injection\u{1f}{injection_id}")
}

/// The name under which a question to a model is known.
pub fn advice_key(question_hash: &str) -> String {
    format!("advice\u{1f}{question_hash}")
}

/// The name under which it is known that a model was asked about these.
pub fn about_key(about: &[String]) -> String {
    format!("about\u{1f}{}", about.join("\u{1f}"))
}

/// The day in UTC.
pub fn utc_day(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// The feedback that a decided tiebreak takes out of later contradictions: the side that does not hold.
pub fn overruled(record: &AmbiguousRecord) -> Vec<String> {
    match record.resolved_as {
        None => Vec::new(),
        Some(Resolution::Generalizable) => record.other_side.iter().map(|side| side.feedback_id.clone()).collect(),
        Some(Resolution::EdgeCase | Resolution::Ignore) => vec![record.feedback_id.clone()],
    }
}

/// The remark behind a feedback, where it can be compared, with its cluster's id.
pub fn member(feedback: IndexedFeedback) -> Option<(Member, Option<String>)> {
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
        voiced: feedback.voiced,
        text: remark(&feedback.text),
        path: feedback.path,
        vector,
        classification: feedback.classification,
        revision: feedback.revision,
        edge_case: feedback.edge_case,
        cluster: None,
        tied,
        withdrawn: false,
    };
    Some((member, feedback.cluster))
}
