//! The approvals behind every rule in force, and so behind every prompt line, recounted from the store without the
//! daemon.
//!
//! The index only gives the paths of reviews; rules, reviews and rosters are read from the store, each as of its time.

use crate::domain::intake::submission::ReviewAction;
use crate::domain::records::layout;
use crate::domain::records::record::{ProposalRecord, ReviewRecord};
use crate::domain::rules::draft::proposal::hash_of;
use crate::domain::rules::in_force::prompt::line_of;
use crate::domain::rules::lifecycle::approvals::{recount, voice_then};
pub use crate::ports::Signatures;
use crate::queries::rosters::{chain, waits};
use crate::queries::{Queries, QueryError, RosterLink, RosterWaits};
use crate::rules::approval_history::{ApprovalRequirements, as_proposed};
use crate::text::ids::CommitId;
use crate::text::yaml;
use jiff::Timestamp;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Everything in force and its basis (`verify`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// The verified commit; none if the store has none.
    pub head: Option<CommitId>,
    /// The store's id.
    pub store_id: Option<String>,
    /// Number of approvals a rule needs.
    pub needed: u32,
    /// Whether they must be signed.
    pub signed: bool,
    /// Which of the daemon's commits are signed, if a key shows which should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<Signatures>,
    /// Every roster in force since roster changes need approvals; empty if they need none yet.
    pub rosters: Vec<RosterLink>,
    /// The pending roster change. It is not in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roster_waits: Option<RosterWaits>,
    /// Number of approvers on a roster without a recorded start of the approval requirement.
    pub unguarded: usize,
    /// Every rule in force, by id.
    pub rules: Vec<VerifiedRule>,
    /// Every line of every agent's prompt, by agent.
    pub agents: Vec<VerifiedAgent>,
}

impl Verification {
    /// Returns the rules without a basis.
    pub fn unapproved(&self) -> impl Iterator<Item = &VerifiedRule> {
        self.rules.iter().filter(|rule| rule.basis == Basis::Nothing)
    }
}

/// What a rule in force rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Enough valid approvals of exactly this version.
    Approvals,
    /// In force when signatures became required, and unchanged since.
    BeforeSignatures,
    /// Too few valid approvals.
    Nothing,
}

/// A rule in force.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifiedRule {
    /// The rule.
    pub rule_id: String,
    /// Its version.
    pub version: u32,
    /// The current hash of everything about it that has an effect.
    pub content_hash: String,
    /// The agents it is for.
    pub agents: Vec<String>,
    /// Its path.
    pub path: String,
    /// What it rests on.
    pub basis: Basis,
    /// The approvals that count.
    pub approvals: Vec<VerifiedApproval>,
    /// Approvals that do not count.
    pub void: Vec<VoidApproval>,
    /// What is missing, in words; empty if nothing is.
    pub missing: String,
}

/// An approval that counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifiedApproval {
    /// The reviewer.
    pub reviewer_id: String,
    /// The review.
    pub review_id: String,
    /// When, according to the reviewer.
    pub at: Timestamp,
    /// The fingerprint of the signing key.
    pub signing_key: Option<String>,
    /// The commit that applied it; the roster is that of the previous commit.
    pub commit: Option<CommitId>,
}

/// An approval that does not count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VoidApproval {
    /// The review.
    pub review_id: String,
    /// Why it does not count.
    pub why: String,
}

/// The lines of an agent's prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifiedAgent {
    /// The agent.
    pub agent: String,
    /// Its lines, by rule.
    pub lines: Vec<VerifiedLine>,
}

/// A line of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifiedLine {
    /// The line.
    pub line: String,
    /// Its rule.
    pub rule_id: String,
    /// What the rule rests on.
    pub basis: Basis,
}

/// Counts the approvals of everything in force, and checks the signatures of the daemon's commits if there are keys.
///
/// # Errors
/// If store or index cannot be read.
pub fn verify(
    queries: &Queries<'_>,
    asked: &ApprovalRequirements,
    keys: &[String],
) -> Result<Verification, QueryError> {
    let store = queries.store;
    let (needed, signed) = (asked.min_approvals, asked.signed);
    let mut verified = Verification {
        head: store.head()?,
        store_id: None,
        needed,
        signed,
        commits: None,
        rosters: Vec::new(),
        roster_waits: None,
        unguarded: 0,
        rules: Vec::new(),
        agents: Vec::new(),
    };
    let (Some(head), Some(past)) = (verified.head.clone(), queries.past(asked)?) else { return Ok(verified) };
    verified.store_id = past.identity.as_ref().map(|identity| identity.store_id.clone());
    verified.commits = if keys.is_empty() { None } else { Some(store.signatures(&head, keys)?) };
    (verified.rosters, verified.roster_waits) = (chain(&past), waits(&past, asked));
    let before = past.signatures.as_ref().filter(|_| signed);
    let demands = asked.demands(verified.store_id.as_deref().unwrap_or_default());
    let present = past.roster(store)?.unwrap_or_default();
    verified.unguarded = if past.succession.is_none() { present.approvers() } else { 0 };
    let mut approvals = approvals(queries, &head)?;
    let mut in_force: Vec<(String, ProposalRecord)> = Vec::new();
    for (name, text) in store.files_in(&head, layout::ACTIVE.trim_end_matches('/'))? {
        let record = yaml::parse::<ProposalRecord>(&String::from_utf8_lossy(&text)).ok();
        in_force.extend(record.filter(|r| r.status.in_force()).map(|r| (format!("{}{name}", layout::ACTIVE), r)));
    }
    let proposed = as_proposed(store, &head, in_force.iter().map(|(_, rule)| rule.clone()).collect())?;
    for ((path, _), rule) in in_force.iter().zip(&proposed) {
        let (mut counted, mut alone, mut commits) = (Vec::new(), false, BTreeMap::new());
        for (at, review) in approvals.remove(&rule.proposal_id).unwrap_or_default() {
            let Some((commit, then)) = past.roster_then(store, &head, &at)? else { continue };
            alone |= needed == 1 && then.approvers() == 1;
            commits.insert(review.review_id.clone(), commit);
            counted.push((review.review_id.clone(), voice_then(&review, rule, &then, &present, &demands)));
        }
        let count = recount(rule, counted, &authors(queries, rule)?, alone, &demands);
        let hash = hash_of(rule);
        let basis = match (count.is_met(), before.is_some_and(|b| b.had(&rule.proposal_id, &hash))) {
            (true, _) => Basis::Approvals,
            (false, true) => Basis::BeforeSignatures,
            (false, false) => Basis::Nothing,
        };
        verified.rules.push(VerifiedRule {
            rule_id: rule.proposal_id.clone(),
            version: rule.version,
            content_hash: hash,
            agents: rule.affected_agents.clone(),
            path: path.clone(),
            basis,
            approvals: count
                .voices
                .into_iter()
                .map(|voice| VerifiedApproval {
                    commit: commits.remove(&voice.review_id),
                    reviewer_id: voice.reviewer_id,
                    review_id: voice.review_id,
                    at: voice.at,
                    signing_key: voice.key,
                })
                .collect(),
            void: count.void.into_iter().map(|(review_id, why)| VoidApproval { review_id, why }).collect(),
            missing: if basis == Basis::Nothing { count.missing } else { String::new() },
        });
    }
    verified.agents = agents(&in_force, &verified.rules);
    Ok(verified)
}

/// Returns every line of every prompt, with its rule's basis.
fn agents(in_force: &[(String, ProposalRecord)], rules: &[VerifiedRule]) -> Vec<VerifiedAgent> {
    let mut agents: BTreeMap<&str, Vec<VerifiedLine>> = BTreeMap::new();
    for ((_, record), rule) in in_force.iter().zip(rules).filter(|((_, r), _)| r.action_type.enters_prompt()) {
        for agent in &record.affected_agents {
            let line = VerifiedLine { line: line_of(record), rule_id: rule.rule_id.clone(), basis: rule.basis };
            agents.entry(agent).or_default().push(line);
        }
    }
    agents.into_iter().map(|(agent, lines)| VerifiedAgent { agent: agent.to_owned(), lines }).collect()
}

/// Returns all approvals by rule, with their record paths, in chronological order.
fn approvals(
    queries: &Queries<'_>,
    head: &CommitId,
) -> Result<BTreeMap<String, Vec<(String, ReviewRecord)>>, QueryError> {
    let mut all: BTreeMap<String, Vec<(String, ReviewRecord)>> = BTreeMap::new();
    for (path, known) in queries.index.reviews()?.into_iter().rev() {
        if !matches!(known.action, ReviewAction::Approve { .. }) {
            continue;
        }
        let Some(bytes) = queries.store.read(head, &path)? else { continue };
        let Ok(review) = yaml::parse::<ReviewRecord>(&String::from_utf8_lossy(&bytes)) else { continue };
        if let ReviewAction::Approve { proposal_id } = &review.action {
            all.entry(proposal_id.clone()).or_default().push((path, review));
        }
    }
    Ok(all)
}

/// Returns the authors of a rule's evidence comments.
fn authors(queries: &Queries<'_>, rule: &ProposalRecord) -> Result<Vec<String>, QueryError> {
    let mut authors = BTreeSet::new();
    for id in &rule.created_from_feedback_ids {
        authors.extend(queries.index.feedback(id)?.map(|feedback| feedback.reviewer));
    }
    Ok(authors.into_iter().collect())
}
