//! The pipeline's memory: what it remembers between batches. All of it can be loaded from the index.

use super::channels::Channels;
use super::examples::Examples;
use super::keys::{about_key, advice_key, again_key, placed_key, reading_key};
use super::rule_entry::{Imported, RuleEntry};
use crate::comments::evaluator::Remarks;
use crate::domain::channels::action::Policy;
use crate::domain::clusters;
use crate::domain::intake::submission::ReviewAction;
use crate::domain::records::origin::{SignaturesSince, StoreIdentity};
use crate::domain::records::record::{AdviceKind, Judged, ReviewRecord, StopsRecord, Tokens};
use crate::domain::rules::draft::recalibration::Curve;
use crate::domain::rules::lifecycle::roster::Roster;
use crate::rules::approval_history::Past;
use crate::text::ids::{CommitId, fingerprint, parse_numbered};
use imbl::{OrdMap, OrdSet, Vector};
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use std::collections::HashMap;
use std::sync::Arc;

/// What people decided and how much there was to decide, by agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Corrections.
    pub corrections: u64,
    /// Approvals without a change.
    pub approvals: u64,
}

/// A comment that is compared with nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silent {
    /// When it was made.
    pub at: Timestamp,
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent whose work it is about.
    pub agent: String,
    /// Its record in the store.
    pub path: String,
}

/// What a model was shown of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The evidence, by feedback.
    pub evidence: OrdSet<String>,
    /// How much of it was shown last.
    pub last: usize,
    /// The words of its rule, until all of the evidence is checked. Lost with a restart: it is checked once more then.
    pub worded: Option<CheckedWords>,
}

/// A rule in a model's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedWords {
    /// A line for lists.
    pub title: String,
    /// One or two imperative sentences.
    pub rule: String,
    /// What its comments have in common; empty if that was not said.
    pub why: String,
}

/// The pipeline's memory: a value that is cheap to copy. A batch works on a copy, which takes its place once the batch is
/// durable, and is dropped where it fails.
#[derive(Clone)]
pub struct Memory {
    /// The commit all of this reflects.
    pub head: Option<CommitId>,
    /// Remarks and groups.
    pub remarks: Remarks,
    /// All proposals and rules by id.
    pub(super) rules: OrdMap<String, Arc<RuleEntry>>,
    /// Rules that are in force elsewhere, by import, the latest first.
    pub(super) imported: Vector<Arc<Imported>>,
    /// Who may decide: the roster in force; nobody where there is none.
    pub roster: Arc<Roster>,
    /// Which rules are stopped.
    pub stops: Arc<StopsRecord>,
    /// Why there is no roster in force: it cannot be read.
    pub roster_error: Option<String>,
    /// Why the roster's file at the head makes no sense; the one in force, where there is one, stays so.
    pub roster_unreadable: Option<String>,
    /// What the history says of it, and of the rosters; nothing while there is no commit.
    pub past: Option<Arc<Past>>,
    /// Reviews about the roster that count, and of which the history says nothing yet.
    pub roster_reviews: Vec<ReviewRecord>,
    /// Approvals that were accepted, by proposal, in the order in which they were made.
    pub(super) approvals: OrdMap<String, Vector<Arc<ReviewRecord>>>,
    /// Reviews that were refused and may come again, by id, with their paths.
    pub refused: OrdMap<String, String>,
    /// Rules in force of which the approvals were counted again, each with its hash.
    pub vetted: OrdSet<(String, String)>,
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
    /// What people said of single remarks.
    pub examples: Examples,
    /// What people's answers say of groups that the program made by itself.
    pub judged: Judged,
    /// Since when patterns wait for their proposals.
    pub waiting_since: Option<Timestamp>,
    /// What is remembered of the channels beside gate decisions.
    pub channels: Channels,
    /// When people are asked about an action.
    pub(super) action_policy: Policy,
    /// Remarks, by feedback, whose records are yet to say what their groups make of them: a later batch writes them. Lost
    /// with a restart: each is looked at again when its group changes.
    pub unsettled: OrdSet<String>,
    /// Open contradictions, by feedback, that no batch has looked at since the start: whether they are any by today's rules.
    pub unchecked: Vec<String>,
    /// What a model's answers took on each UTC day.
    pub advised: OrdMap<Date, Tokens>,
    /// Comments that are compared with nothing, by feedback, which a model may yet understand.
    pub silent: OrdMap<String, Arc<Silent>>,
    /// Patterns that a model held against their evidence, by cluster.
    pub checked: OrdMap<String, Checked>,
    /// What people's decisions make of a confidence, as of when it was asked for last.
    pub(super) curve: Option<Curve>,
    /// Whether they decided something since.
    pub(super) decided_since: bool,
    /// Fingerprints of all known feedback ids: a million take 16 MB.
    pub(super) known: OrdSet<u64>,
    pub(super) numbers: OrdMap<(&'static str, i16), u32>,
}

impl Memory {
    /// Which store it is; nothing where that is not written yet.
    pub fn identity(&self) -> Option<&StoreIdentity> {
        self.past.as_ref()?.identity.as_deref()
    }

    /// Since when signatures are required, where they are.
    pub fn signatures(&self) -> Option<&SignaturesSince> {
        self.past.as_ref()?.signatures.as_deref()
    }

    /// A memory of nothing.
    pub fn new(policy: clusters::Policy, action_policy: Policy) -> Memory {
        Memory {
            head: None,
            remarks: Remarks::new(policy),
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

    /// Whether a feedback id was seen. The answer "yes" is wrong once in 2^44 for a million ids.
    pub fn knows(&self, feedback_id: &str) -> bool {
        self.known.contains(&fingerprint(feedback_id))
    }

    /// Remembers a feedback id.
    pub fn know(&mut self, feedback_id: &str) {
        self.known.insert(fingerprint(feedback_id));
    }

    /// Accepted approvals of a proposal, in the order in which they were made.
    pub fn approvals_of(&self, proposal_id: &str) -> impl Iterator<Item = &Arc<ReviewRecord>> {
        self.approvals.get(proposal_id).into_iter().flatten()
    }

    /// An approval as it is counted; nothing where it is none, or does not count.
    pub fn approval(&self, review: &ReviewRecord) -> Option<&ReviewRecord> {
        let ReviewAction::Approve { proposal_id } = &review.action else { return None };
        self.approvals_of(proposal_id).find(|known| known.review_id == review.review_id).map(Arc::as_ref)
    }

    /// Remembers an approval; one with the same id is replaced.
    pub fn note_approval(&mut self, review: ReviewRecord) {
        let ReviewAction::Approve { proposal_id } = &review.action else { return };
        let known = self.approvals.entry(proposal_id.clone()).or_default();
        known.retain(|other| other.review_id != review.review_id);
        known.push_back(Arc::new(review));
    }

    /// Forgets an approval that came to nothing.
    pub fn forget_approval(&mut self, proposal_id: &str, review_id: &str) {
        if let Some(known) = self.approvals.get_mut(proposal_id) {
            known.retain(|other| other.review_id != review_id);
        }
    }

    /// The next number of a series and year.
    pub fn next_number(&mut self, series: &'static str, year: i16) -> u32 {
        let last = self.numbers.entry((series, year)).or_default();
        *last += 1;
        *last
    }

    /// The agents whose work was reviewed, or for whom there is a rule.
    pub fn agents(&self, tenant: &str) -> impl Iterator<Item = &str> {
        let heard = self.verdicts.keys().filter(move |(t, _)| t == tenant).map(|(_, agent)| agent.as_str());
        let ruled = self.rules().filter(move |r| r.record.tenant_id.as_deref().unwrap_or_default() == tenant);
        heard.chain(ruled.flat_map(|r| r.record.affected_agents.iter().map(String::as_str)))
    }

    /// Counts a decision as a correction or an approval; it may have been counted as the other one before.
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

    /// Remembers what a model was asked: by what was shown, and by what it was about.
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

    /// Remembers the words of a rule until all of its evidence is checked; or that there are none.
    pub fn reword_checked(&mut self, cluster: &str, worded: Option<CheckedWords>) {
        self.checked.entry(cluster.to_owned()).or_default().worded = worded;
    }

    /// Takes the number of a record from its id, where it is of this series: no other record may get it.
    pub(super) fn note_number(&mut self, series: &'static str, id: &str) {
        if let Some((year, number)) = parse_numbered(series, id) {
            let last = self.numbers.entry((series, year)).or_default();
            *last = (*last).max(number);
        }
    }
}

/// The day in UTC.
pub fn utc_day(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}
