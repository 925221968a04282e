//! The pipeline's working set: its state between batches. All of it can be loaded from the index.

use super::channels::Channels;
use super::examples::Examples;
use super::keys::{about_key, advice_key, again_key, placed_key, reading_key};
use super::rule_entry::{ImportEntry, RuleEntry};
use crate::comments::evaluator::CommentVectors;
use crate::domain::channels::action::Policy;
use crate::domain::clusters;
use crate::domain::intake::submission::ReviewAction;
use crate::domain::records::origin::{SignaturesSince, StoreIdentity};
use crate::domain::records::record::{AdviceKind, Judged, ReviewRecord, StopsRecord, Tokens};
use crate::domain::rules::draft::recalibration::Curve;
use crate::domain::rules::lifecycle::roster::Roster;
use crate::rules::approval_history::Past;
use crate::text::ids::{CommitId, fingerprint, parse_numbered};
use crate::text::prose::utc_day;
use imbl::{OrdMap, OrdSet, Vector};
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::HashMap;
use std::sync::Arc;

/// Counts of corrections and approvals, by agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Corrections.
    pub corrections: u64,
    /// Approvals without a change.
    pub approvals: u64,
}

/// A comment that is not compared with anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silent {
    /// When it was created.
    pub at: Timestamp,
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent whose work it is about.
    pub agent: String,
    /// The path of its record in the store.
    pub path: String,
}

/// The part of a pattern that a model was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedPattern {
    /// The feedback ids of the evidence.
    pub evidence: OrdSet<String>,
    /// How much of it was shown last time.
    pub last: usize,
    /// The rule's wording until all of the evidence is checked. Lost on restart; it is then checked once more.
    pub worded: Option<CheckedWords>,
}

/// A rule in a model's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedWords {
    /// A one-line title for lists.
    pub title: String,
    /// One or two imperative sentences.
    pub rule: String,
    /// What its comments have in common; empty if not given.
    pub why: String,
}

/// The pipeline's working set: a value that is cheap to copy. A batch works on a copy, which replaces the original once
/// the batch is durable and is dropped if it fails.
#[derive(Clone)]
pub struct WorkingSet {
    /// The commit that all of this reflects.
    pub head: Option<CommitId>,
    /// Comments and clusters.
    pub remarks: CommentVectors,
    /// All proposals and rules by id.
    pub(super) rules: OrdMap<String, Arc<RuleEntry>>,
    /// Rules that are in force elsewhere, by import, the latest first.
    pub(super) imported: Vector<Arc<ImportEntry>>,
    /// The roster in force: who may decide; empty if there is none.
    pub roster: Arc<Roster>,
    /// Which rules are stopped.
    pub stops: Arc<StopsRecord>,
    /// Why no roster is in force: it cannot be read.
    pub roster_error: Option<String>,
    /// Why the roster file at the head is invalid. The roster in force, if any, remains so.
    pub roster_unreadable: Option<String>,
    /// The history of the store and its rosters; `None` while there is no commit.
    pub past: Option<Arc<Past>>,
    /// Valid reviews of the roster that the history does not contain yet.
    pub roster_reviews: Vec<ReviewRecord>,
    /// Accepted approvals by proposal, in the order in which they were made.
    pub(super) approvals: OrdMap<String, Vector<Arc<ReviewRecord>>>,
    /// Paths of rejected reviews that may come again, by id.
    pub refused: OrdMap<String, String>,
    /// Rules in force whose approvals were recounted, each with its hash.
    pub vetted: OrdSet<(String, String)>,
    /// Measured effects by rule id, as of the last measurement.
    pub effects: Arc<HashMap<String, f64>>,
    /// When rules were last measured.
    pub measured_at: Option<Timestamp>,
    /// The weekly report that was last checked for.
    pub reported: Option<String>,
    /// Ids of rules whose text was edited in Git since the daemon last wrote it.
    pub edited: Vec<String>,
    /// Corrections and approvals by tenant and agent.
    pub verdicts: OrdMap<(String, String), Verdicts>,
    /// People's markings of single comments.
    pub examples: Examples,
    /// What people's answers imply about clusters that the program formed automatically.
    pub judged: Judged,
    /// Since when patterns have been awaiting proposals.
    pub waiting_since: Option<Timestamp>,
    /// The working set of channels other than gate decisions.
    pub channels: Channels,
    /// When people are asked about an action.
    pub(super) action_policy: Policy,
    /// Comments, by feedback id, whose records do not reflect their clusters yet: a later batch writes them. Lost on
    /// restart; each is re-evaluated when its cluster changes.
    pub unsettled: OrdSet<String>,
    /// Open contradictions, by feedback id, that have not been checked against the present rules since the start.
    pub unchecked: Vec<String>,
    /// Tokens used by a model's answers on each UTC day.
    pub advised: OrdMap<Date, Tokens>,
    /// Comments, by feedback id, that are not compared with anything but that a model may yet understand.
    pub silent: OrdMap<String, Arc<Silent>>,
    /// Patterns that a model checked against their evidence, by cluster.
    pub checked: OrdMap<String, CheckedPattern>,
    /// The recalibration curve from people's decisions, as last computed.
    pub(super) curve: Option<Curve>,
    /// Whether people have decided anything since.
    pub(super) decided_since: bool,
    /// Fingerprints of all known feedback ids: a million take 16 MB.
    pub(super) known: OrdSet<u64>,
    pub(super) numbers: OrdMap<(&'static str, i16), u32>,
}

impl WorkingSet {
    /// Returns the store's identity; `None` if it is not written yet.
    pub fn identity(&self) -> Option<&StoreIdentity> {
        self.past.as_ref()?.identity.as_deref()
    }

    /// Returns since when signatures are required, if they are.
    pub fn signatures(&self) -> Option<&SignaturesSince> {
        self.past.as_ref()?.signatures.as_deref()
    }

    /// Creates an empty working set.
    pub fn new(policy: clusters::Policy, action_policy: Policy) -> WorkingSet {
        WorkingSet {
            head: None,
            remarks: CommentVectors::new(policy),
            rules: OrdMap::new(),
            imported: Vector::new(),
            roster: Arc::default(),
            stops: Arc::default(),
            roster_error: None,
            roster_unreadable: None,
            past: None,
            roster_reviews: Vec::new(),
            approvals: OrdMap::new(),
            refused: OrdMap::new(),
            vetted: OrdSet::new(),
            effects: Arc::default(),
            measured_at: None,
            reported: None,
            edited: Vec::new(),
            verdicts: OrdMap::new(),
            examples: Examples::default(),
            judged: Judged::default(),
            waiting_since: None,
            channels: Channels::new(action_policy),
            action_policy,
            unsettled: OrdSet::new(),
            unchecked: Vec::new(),
            advised: OrdMap::new(),
            silent: OrdMap::new(),
            checked: OrdMap::new(),
            curve: None,
            decided_since: true,
            known: OrdSet::new(),
            numbers: OrdMap::new(),
        }
    }

    /// Reports whether a feedback id was seen. For a million ids, a "yes" is wrong once in 2^44.
    pub fn knows(&self, feedback_id: &str) -> bool {
        self.known.contains(&fingerprint(feedback_id))
    }

    /// Remembers a feedback id.
    pub fn know(&mut self, feedback_id: &str) {
        self.known.insert(fingerprint(feedback_id));
    }

    /// Returns the accepted approvals of a proposal, in the order in which they were made.
    pub fn approvals_of(&self, proposal_id: &str) -> impl Iterator<Item = &Arc<ReviewRecord>> {
        self.approvals.get(proposal_id).into_iter().flatten()
    }

    /// Returns a review's approval as counted; `None` if it is not an approval or does not count.
    pub fn approval(&self, review: &ReviewRecord) -> Option<&ReviewRecord> {
        let ReviewAction::Approve { proposal_id } = &review.action else { return None };
        self.approvals_of(proposal_id).find(|known| known.review_id == review.review_id).map(Arc::as_ref)
    }

    /// Stores an approval; replaces one with the same id.
    pub fn note_approval(&mut self, review: ReviewRecord) {
        let ReviewAction::Approve { proposal_id } = &review.action else { return };
        let known = self.approvals.entry(proposal_id.clone()).or_default();
        known.retain(|other| other.review_id != review.review_id);
        known.push_back(Arc::new(review));
    }

    /// Removes an approval that had no effect.
    pub fn forget_approval(&mut self, proposal_id: &str, review_id: &str) {
        if let Some(known) = self.approvals.get_mut(proposal_id) {
            known.retain(|other| other.review_id != review_id);
        }
    }

    /// Returns the next number of a series and year.
    pub fn next_number(&mut self, series: &'static str, year: i16) -> u32 {
        let last = self.numbers.entry((series, year)).or_default();
        *last += 1;
        *last
    }

    /// Returns the agents whose work was reviewed or that have a rule.
    pub fn agents(&self, tenant: &str) -> impl Iterator<Item = &str> {
        let heard = self.verdicts.keys().filter(move |(t, _)| t == tenant).map(|(_, agent)| agent.as_str());
        let ruled = self.rules().filter(move |r| r.record.tenant_id.as_deref().unwrap_or_default() == tenant);
        heard.chain(ruled.flat_map(|r| r.record.affected_agents.iter().map(String::as_str)))
    }

    /// Counts a decision as a correction or an approval; it may previously have counted as the other.
    pub fn note_verdict(&mut self, tenant: &str, agent: &str, corrects: bool, before: Option<bool>) {
        let verdicts = self.verdicts.entry((tenant.to_owned(), agent.to_owned())).or_default();
        fn of(verdicts: &mut Verdicts, corrects: bool) -> &mut u64 {
            if corrects { &mut verdicts.corrections } else { &mut verdicts.approvals }
        }
        if let Some(before) = before {
            let count = of(verdicts, before);
            *count = count.saturating_sub(1);
        }
        *of(verdicts, corrects) += 1;
    }

    /// Remembers a question to a model: its content and its subject.
    pub fn note_advice(
        &mut self,
        question_hash: &str,
        kind: AdviceKind,
        about: &[String],
        again: bool,
        at: Timestamp,
        tokens: Tokens,
    ) {
        self.know(&advice_key(question_hash));
        self.know(&about_key(about));
        if kind == AdviceKind::Place {
            about.iter().for_each(|id| self.know(&if again { again_key(id) } else { placed_key(id) }));
        }
        *self.advised.entry(utc_day(at)).or_default() += tokens;
    }

    /// Remembers that a model was asked to read a comment.
    pub fn note_reading(&mut self, feedback_id: &str, at: Timestamp, tokens: Tokens) {
        self.know(&reading_key(feedback_id));
        self.silent.remove(feedback_id);
        *self.advised.entry(utc_day(at)).or_default() += tokens;
    }

    /// Remembers which of a cluster's evidence a model was shown.
    pub fn note_checked<'f>(&mut self, cluster: &str, evidence: impl Iterator<Item = &'f str>) {
        let checked = self.checked.entry(cluster.to_owned()).or_default();
        let evidence: Vec<String> = evidence.map(str::to_owned).collect();
        checked.last = evidence.len();
        checked.evidence.extend(evidence);
    }

    /// Stores a rule's wording until all of its evidence is checked, or clears it.
    pub fn reword_checked(&mut self, cluster: &str, worded: Option<CheckedWords>) {
        self.checked.entry(cluster.to_owned()).or_default().worded = worded;
    }

    /// Reserves a record's number if its id is of this series.
    pub(super) fn note_number(&mut self, series: &'static str, id: &str) {
        if let Some((year, number)) = parse_numbered(series, id) {
            let last = self.numbers.entry((series, year)).or_default();
            *last = (*last).max(number);
        }
    }
}
