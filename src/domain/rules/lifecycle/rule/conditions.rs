//! Preconditions of commands: who may issue them, until when, and on which text. Each failure says what to do.

use crate::records::record::{ProposalRecord, ProposalStatus, Refusal, RefusalCode};
use crate::rules::lifecycle::roster::Roster;
use jiff::{SignedDuration, Timestamp};

/// Deadlines and required approvals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How many different approvers are needed (specification, "Rules": 2).
    pub min_approvals: u32,
    /// When people are reminded of a pending proposal (14 days).
    pub remind_after: SignedDuration,
    /// When a proposal expires (30 days).
    pub expire_after: SignedDuration,
}

impl Default for Terms {
    fn default() -> Self {
        let days = |n: i64| SignedDuration::from_hours(24 * n);
        Terms { min_approvals: 2, remind_after: days(14), expire_after: days(30) }
    }
}

pub(super) fn approver(roster: &Roster, id: &str) -> Result<(), Refusal> {
    match roster.find(id) {
        Some(person) if person.is_approver() => Ok(()),
        Some(_) => refuse(
            RefusalCode::NotAnApprover,
            &format!("{id} is on the roster, but not as an approver; add the role in reviewers.yaml"),
        ),
        None => refuse(
            RefusalCode::NotAnApprover,
            &format!("{id} is not on the roster; add this person to reviewers.yaml and commit it"),
        ),
    }
}

pub(super) fn open(rule: &ProposalRecord, terms: &Terms, at: Timestamp) -> Result<(), Refusal> {
    let id = &rule.proposal_id;
    match rule.status {
        ProposalStatus::Expired => refuse(RefusalCode::Expired, &format!("{id} expired: it was not decided in time")),
        status if !status.is_open() => {
            let when = rule.decided_at.map_or_else(String::new, |at| format!(" on {}", at.strftime("%Y-%m-%d")));
            let what = if status.in_force() { "approved and in force" } else { &status.as_str().to_lowercase() };
            refuse(RefusalCode::AlreadyDecided, &format!("{id} was already decided{when}: it is {what}"))
        }
        _ if age(rule, at) >= terms.expire_after => refuse(
            RefusalCode::Expired,
            &format!("{id} was pending for more than {} days and has expired", days(terms.expire_after)),
        ),
        _ => Ok(()),
    }
}

/// Checks that a decision is about the text its author saw. Without a hash, it applies to the version current at its
/// time.
pub(super) fn same_text(rule: &ProposalRecord, hash: Option<&str>, at: Timestamp) -> Result<(), Refusal> {
    let id = &rule.proposal_id;
    match hash {
        Some(hash) if hash != rule.content_hash => {
            let earlier = rule.earlier_versions.iter().find(|v| v.content_hash == hash);
            let saw = earlier.map_or_else(|| "another text".to_owned(), |v| format!("version {}", v.version));
            let message =
                format!("{id} is at version {}, but the decision is about {saw}. Read it again", rule.version);
            refuse(RefusalCode::WrongContentHash, &message)
        }
        None if rule.version_at.is_some_and(|since| at < since) => refuse(
            RefusalCode::WrongContentHash,
            &format!("{id} got version {} after this decision was made. Read it again", rule.version),
        ),
        _ => Ok(()),
    }
}

pub(super) fn required(reason: Option<&str>) -> Result<&str, Refusal> {
    match reason.map(str::trim).filter(|r| !r.is_empty()) {
        Some(reason) => Ok(reason),
        None => refuse(RefusalCode::ReasonMissing, "a reason is required, so that people can look it up later"),
    }
}

pub(super) fn refuse<T>(code: RefusalCode, message: &str) -> Result<T, Refusal> {
    Err(Refusal { code, message: message.to_owned() })
}

/// Returns how long the present version has been pending.
pub(super) fn age(rule: &ProposalRecord, at: Timestamp) -> SignedDuration {
    at.duration_since(rule.version_at.unwrap_or(rule.created_at))
}

pub(super) fn days(duration: SignedDuration) -> i64 {
    duration.as_hours() / 24
}
