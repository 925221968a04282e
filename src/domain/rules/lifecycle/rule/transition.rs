//! One step in the life of one rule: the result of a command, or why it is rejected.

use super::command::{Command, NO_NOTE, RuleNotes};
use super::conditions::{Terms, age, approver, days, open, refuse, required, same_text};
use crate::records::record::{
    Approval, EarlierVersion, Flag, LifeEvent, ProposalRecord, ProposalStatus, Refusal, RefusalCode,
};
use crate::rules::draft::proposal::{has_present_hash, hash_holds, hash_of, title_of};
use crate::rules::lifecycle::quorum;
use crate::rules::lifecycle::quorum::ApprovalTally;
use crate::rules::lifecycle::roster::Roster;
use jiff::Timestamp;

/// A rule after a command, with a description of what happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The resulting rule.
    pub after: ProposalRecord,
    /// What happened, for the review's record.
    pub effect: String,
    /// An approver confirmed that the rule named on its card may leave for it.
    pub confirmed: bool,
}

/// Applies a command to a rule. `at` is when it was given, `roster` who may decide.
///
/// # Errors
/// A rejection states what is wrong and what to do; the rule is unchanged.
pub fn transition(
    rule: &ProposalRecord,
    command: &Command,
    roster: &Roster,
    terms: &Terms,
    at: Timestamp,
) -> Result<Transition, Refusal> {
    let mut after = rule.clone();
    let mut confirmed = false;
    // A decision cannot precede its rule: a clock that is behind must not make a rule older than it is or reorder its
    // history. The text its author saw is still determined by the actual decision time.
    let (said_at, at) = (at, at.max(rule.history.last().map_or(rule.created_at, |event| event.at)));
    let effect = match command {
        Command::Approve { by, review_id, content_hash, signed } => {
            approver(roster, by)?;
            open(rule, terms, at)?;
            same_text(rule, content_hash.as_deref(), said_at)?;
            if *signed {
                // A version may repeat an earlier text: a signature for that one does not cover this one.
                same_text(rule, None, said_at)?;
            }
            if rule.status == ProposalStatus::Approved {
                let leaves = rule.card.as_ref().and_then(|card| card.displaces.clone());
                let Some(leaves) = leaves else {
                    return refuse(
                        RefusalCode::AlreadyDecided,
                        "it is approved and waiting for room; there is nothing to \
                                                             decide",
                    );
                };
                confirmed = true;
                let note = format!("{leaves} may be removed for it");
                tell(&mut after, at, "confirmed", Some(by), Some(note.clone()));
                note
            } else {
                approve(&mut after, by, review_id, *signed, roster, terms, at)?
            }
        }
        Command::Reject { by, content_hash, reason } => {
            approver(roster, by)?;
            open(rule, terms, at)?;
            same_text(rule, content_hash.as_deref(), said_at)?;
            let reason = required(reason.as_deref())?;
            end(&mut after, ProposalStatus::Rejected, at, "rejected", Some(by), reason);
            after.decided_at = Some(at);
            format!("{} is rejected: {reason}", rule.proposal_id)
        }
        Command::Modify { by, content_hash, content, notes, reason } => {
            approver(roster, by)?;
            open(rule, terms, at)?;
            same_text(rule, content_hash.as_deref(), said_at)?;
            let noted = note(&mut after, notes);
            let is_same = content.trim() == rule.rule_content;
            if is_same && noted.is_empty() {
                return refuse(
                    RefusalCode::Impossible,
                    "the new text is the same as the current one; approve it \
                                                        instead",
                );
            }
            for change in &noted {
                tell(&mut after, at, "annotated", Some(by), Some(change.clone()));
            }
            if is_same {
                // Approvals are for what has an effect, which is the same.
                return Ok(Transition {
                    after,
                    effect: format!("{}: {}", rule.proposal_id, noted.join("; ")),
                    confirmed,
                });
            }
            let earlier = rule.rule_content.clone();
            content.trim().clone_into(&mut after.rule_content);
            renew(&mut after, by, Some(earlier), at, "modified", reason.clone());
            after.status = ProposalStatus::Pending;
            after.decided_at = None;
            let void = match rule.approvals.len() {
                0 => String::new(),
                1 => "; 1 earlier approval is void".to_owned(),
                several => format!("; {several} earlier approvals are void"),
            };
            format!("version {} of {}{void}", after.version, rule.proposal_id)
        }
        Command::Reword { by, content_hash, title, content, reason } => {
            // People take precedence: anyone who approved, rejected or wrote a text has seen this one and decided.
            if rule.status != ProposalStatus::Pending || !rule.approvals.is_empty() || rule.version != 1 {
                return refuse(RefusalCode::AlreadyDecided, "people have already decided about this text");
            }
            open(rule, terms, at)?;
            same_text(rule, Some(content_hash), said_at)?;
            if content.trim() == rule.rule_content {
                return refuse(RefusalCode::Impossible, "the new text is the same as the current one");
            }
            let earlier = rule.rule_content.clone();
            content.trim().clone_into(&mut after.rule_content);
            renew(&mut after, by, Some(earlier), at, "reworded", Some(reason.clone()));
            title.trim().clone_into(&mut after.title);
            after.content_hash = hash_of(&after);
            format!("version {} of {}", after.version, rule.proposal_id)
        }
        Command::Edit { by, earlier } => {
            if hash_holds(rule) {
                return refuse(RefusalCode::Impossible, "the text has not changed");
            }
            renew(&mut after, by, earlier.clone(), at, "edited", Some("edited in Git, not reviewed".to_owned()));
            if rule.status == ProposalStatus::Approved {
                after.status = ProposalStatus::Pending;
                after.decided_at = None;
            }
            format!("version {} of {}", after.version, rule.proposal_id)
        }
        Command::Rehash => {
            if !rule.status.is_open() || !hash_holds(rule) || has_present_hash(rule) {
                return refuse(RefusalCode::Impossible, "its hash is already correct");
            }
            let note = "its hash now covers more than the text; approvals of the earlier hash are void".to_owned();
            renew(&mut after, "feedbackd", Some(rule.rule_content.clone()), at, "hashed anew", Some(note));
            after.status = ProposalStatus::Pending;
            after.decided_at = None;
            format!("version {} of {}", after.version, rule.proposal_id)
        }
        Command::Remind => {
            if !rule.status.is_open() || rule.reminded_at.is_some() || age(rule, at) < terms.remind_after {
                return refuse(RefusalCode::Impossible, "no reminder is needed");
            }
            after.reminded_at = Some(at);
            tell(&mut after, at, "reminded", None, None);
            format!("{} has been pending for {} days", rule.proposal_id, days(age(rule, at)))
        }
        Command::Expire => {
            if !rule.status.is_open() || age(rule, at) < terms.expire_after {
                return refuse(RefusalCode::Impossible, "it has not expired yet");
            }
            let reason = format!("it was not decided within {} days", days(terms.expire_after));
            end(&mut after, ProposalStatus::Expired, at, "expired", None, &reason);
            after.decided_at = Some(at);
            format!("{} expired: {reason}", rule.proposal_id)
        }
        Command::SetAside { reason, valid } => {
            if rule.status != ProposalStatus::Approved && !rule.status.in_force() {
                return refuse(RefusalCode::Impossible, "it is neither approved nor in force");
            }
            after.status = ProposalStatus::Pending;
            (after.decided_at, after.activated_at, after.flag) = (None, None, None);
            if rule.status.in_force() {
                // It is pending again, and earlier decisions are void.
                let text = Some(rule.rule_content.clone());
                renew(&mut after, "feedbackd", text, at, "set aside", Some(reason.clone()));
            } else {
                after.approvals.retain(|a| valid.contains(&a.review_id) && a.content_hash == after.content_hash);
                tell(&mut after, at, "set aside", None, Some(reason.clone()));
            }
            format!("{} is set aside: {reason}", rule.proposal_id)
        }
        Command::Activate => {
            if rule.status != ProposalStatus::Approved {
                return refuse(RefusalCode::Impossible, "only an approved rule can come into force");
            }
            after.status = ProposalStatus::Active;
            after.activated_at = Some(at);
            tell(&mut after, at, "activated", None, None);
            format!("{} is in force", rule.proposal_id)
        }
        Command::Flag { reason, proposal } => {
            if rule.status != ProposalStatus::Active {
                return refuse(RefusalCode::NotInForce, "only a rule in force can be flagged");
            }
            after.status = ProposalStatus::Flagged;
            after.flag = Some(Flag { at, reason: reason.clone(), proposal: proposal.clone() });
            tell(&mut after, at, "flagged", None, Some(reason.clone()));
            format!("{} is flagged: {reason}", rule.proposal_id)
        }
        Command::Clear { reason } => {
            if rule.status != ProposalStatus::Flagged {
                return refuse(RefusalCode::Impossible, "it is not flagged");
            }
            after.status = ProposalStatus::Active;
            after.flag = None;
            tell(&mut after, at, "cleared", None, Some(reason.clone()));
            format!("{} is no longer flagged: {reason}", rule.proposal_id)
        }
        Command::Retire { by, reason } => {
            leave(rule, &mut after, ProposalStatus::Retired, at, "retired", by.as_deref(), reason.as_deref(), roster)?
        }
        Command::RollBack { by, reason } => {
            leave(rule, &mut after, ProposalStatus::RolledBack, at, "rolled back", Some(by), reason.as_deref(), roster)?
        }
        Command::Withdraw { reason } => {
            let status = match rule.status {
                status if status.is_open() => ProposalStatus::Rejected,
                status if status.in_force() => ProposalStatus::RolledBack,
                _ => return refuse(RefusalCode::Impossible, "it has already ended"),
            };
            end(&mut after, status, at, "withdrawn", None, reason);
            after.decided_at = after.decided_at.or(Some(at));
            format!("{} is withdrawn: {reason}", rule.proposal_id)
        }
    };
    Ok(Transition { after, effect, confirmed })
}

/// Returns the command that is due by time alone: the proposal expires, or people are reminded of it.
pub fn due(rule: &ProposalRecord, terms: &Terms, at: Timestamp) -> Option<Command> {
    match age(rule, at) {
        _ if !rule.status.is_open() => None,
        age if age >= terms.expire_after => Some(Command::Expire),
        age if age >= terms.remind_after && rule.reminded_at.is_none() => Some(Command::Remind),
        _ => None,
    }
}

/// Returns a new proposal, with any lifecycle state cleared.
pub fn newborn(rule: ProposalRecord, id: &str) -> ProposalRecord {
    let at = rule.created_at;
    let mut rule = ProposalRecord {
        proposal_id: id.to_owned(),
        version: 1,
        status: ProposalStatus::Pending,
        content_hash: hash_of(&rule),
        approvals: Vec::new(),
        version_at: None,
        reminded_at: None,
        decided_at: None,
        activated_at: None,
        ended_at: None,
        reason: None,
        flag: None,
        earlier_versions: Vec::new(),
        history: Vec::new(),
        ..rule
    };
    tell(&mut rule, at, "proposed", None, None);
    rule
}

pub(super) fn approve(
    after: &mut ProposalRecord,
    by: &str,
    review_id: &str,
    signed: bool,
    roster: &Roster,
    terms: &Terms,
    at: Timestamp,
) -> Result<String, Refusal> {
    if after.approvals.iter().any(|a| a.reviewer_id == by && a.content_hash == after.content_hash) {
        return refuse(
            RefusalCode::AlreadyApproved,
            &format!("{by} already approved this version; another person must approve it"),
        );
    }
    let wrote_evidence = quorum::wrote(after, by);
    after.approvals.push(Approval {
        reviewer_id: by.to_owned(),
        review_id: review_id.to_owned(),
        content_hash: after.content_hash.clone(),
        at,
        wrote_evidence,
        signed,
    });
    let note = wrote_evidence.then(|| "wrote part of the evidence".to_owned());
    tell(after, at, "approval", Some(by), note);
    let tally: ApprovalTally = quorum::tally(after, roster, terms.min_approvals);
    let (given, needed) = (tally.approvers.len(), tally.needed);
    let count = match given > needed {
        true => format!("approval {given} for version {}; {needed} are needed", after.version),
        false => format!("approval {given} of {needed} for version {}", after.version),
    };
    if !tally.is_met() {
        return Ok(format!("{count}; {}", tally.missing()));
    }
    after.status = ProposalStatus::Approved;
    after.decided_at = Some(at);
    let people = tally.approvers.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    tell(after, at, "approved", None, Some(format!("by {people}")));
    Ok(format!("{count}; it is approved"))
}

#[expect(clippy::too_many_arguments, reason = "two ends that differ in their words only")]
fn leave(
    rule: &ProposalRecord,
    after: &mut ProposalRecord,
    status: ProposalStatus,
    at: Timestamp,
    event: &str,
    by: Option<&str>,
    reason: Option<&str>,
    roster: &Roster,
) -> Result<String, Refusal> {
    if let Some(by) = by {
        approver(roster, by)?;
    }
    if !rule.status.in_force() {
        return refuse(
            RefusalCode::NotInForce,
            &format!("{} is {}, not in force", rule.proposal_id, rule.status.as_str()),
        );
    }
    let reason = required(reason)?;
    end(after, status, at, event, by, reason);
    Ok(format!("{} is {event}: {reason}", rule.proposal_id))
}

fn end(after: &mut ProposalRecord, status: ProposalStatus, at: Timestamp, event: &str, by: Option<&str>, reason: &str) {
    after.status = status;
    after.reason = Some(reason.to_owned());
    after.ended_at = Some(at);
    tell(after, at, event, by, Some(reason.to_owned()));
}

/// Changes what is beside the text, and returns the changes in words.
fn note(after: &mut ProposalRecord, notes: &RuleNotes) -> Vec<String> {
    let mut changes = Vec::new();
    let mut change = |what: &str, of: &mut Option<String>, to: &Option<String>| {
        let Some(to) = to else { return };
        let to = Some(to.trim().to_owned()).filter(|to| !to.is_empty() && to != NO_NOTE);
        if *of != to {
            let quoted = |text: &Option<String>| text.as_ref().map_or("none".to_owned(), |text| format!("“{text}”"));
            changes.push(format!("{what} from {} to {}", quoted(of), quoted(&to)));
            *of = to;
        }
    };
    change("reason", &mut after.why, &notes.why);
    change("concern", &mut after.concern, &notes.concern);
    changes
}

/// Creates a new version and keeps the earlier text. If the text changes, so does the title.
fn renew(
    after: &mut ProposalRecord,
    by: &str,
    earlier: Option<String>,
    at: Timestamp,
    event: &str,
    note: Option<String>,
) {
    if earlier.as_deref() != Some(after.rule_content.as_str()) {
        after.title = title_of(&after.rule_content);
    }
    after.earlier_versions.push(EarlierVersion {
        version: after.version,
        rule_content: earlier.unwrap_or_else(|| "(the text is in the history of this file)".to_owned()),
        content_hash: after.content_hash.clone(),
        replaced_at: at,
        replaced_by: by.to_owned(),
    });
    after.version += 1;
    after.content_hash = hash_of(after);
    after.version_at = Some(at);
    // A rule in force stays in force: its approvals show who brought it there, and count for the text they name.
    if !after.status.in_force() {
        after.approvals.clear();
    }
    after.reminded_at = None;
    tell(after, at, event, Some(by), note);
}

fn tell(rule: &mut ProposalRecord, at: Timestamp, event: &str, by: Option<&str>, note: Option<String>) {
    rule.history.push(LifeEvent {
        at,
        event: event.to_owned(),
        version: rule.version,
        by: by.map(str::to_owned),
        note,
    });
}
