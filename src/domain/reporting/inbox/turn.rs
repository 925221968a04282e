//! Determines whose turn it is with a proposal, and why.

use super::item::{Changed, Progress};
use crate::identity;
use crate::records::record::{ProposalRecord, ProposalStatus};
use crate::rules::lifecycle::quorum::{tally, wrote};
use crate::rules::lifecycle::roster::Roster;

/// The state of an open proposal from one person's view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Whether it is pending for this person: they may decide, have not yet, and their decision would count. For anyone
    /// if no person is given.
    pub waits: bool,
    /// The reason, or what else it is waiting for.
    pub why: String,
    /// Approvals received and needed.
    pub progress: Progress,
    /// Whether this person wrote evidence.
    pub wrote_evidence: bool,
    /// Whether this person's approval is the last one needed.
    pub completes: bool,
    /// What this person approved before the text changed.
    pub changed: Option<Changed>,
}

/// Returns whose turn it is with a proposal; `None` if no one is asked about it any more.
pub fn turn(record: &ProposalRecord, roster: &Roster, min_approvals: u32, who: Option<&str>) -> Option<Turn> {
    if !record.status.is_open() {
        return None;
    }
    let tally = tally(record, roster, min_approvals);
    let progress = Progress { have: tally.approvers.len(), needed: tally.needed };
    let missing = tally.missing();
    let room = record.card.as_ref().and_then(|card| card.displaces.as_deref());
    let mut turn =
        Turn { waits: true, why: missing.clone(), progress, wrote_evidence: false, completes: false, changed: None };
    if record.status == ProposalStatus::Approved {
        // Without a rule to displace, no one is asked: it waits for room.
        let leaves = room?;
        turn.why = format!("it is approved, but there is no room: one more approval replaces {leaves}");
        turn.completes = who.is_some_and(|who| roster.is_approver(who));
        turn.waits = who.is_none() || turn.completes;
        return Some(turn);
    }
    let Some(who) = who else { return Some(turn) };
    turn.wrote_evidence = wrote(record, who);
    if !roster.is_approver(who) {
        turn.waits = false;
        return Some(turn);
    }
    if tally.approvers.iter().any(|id| identity::same(id, who)) {
        turn.waits = false;
        turn.why = format!("you approved it; {missing}");
        return Some(turn);
    }
    turn.changed = changed(record, who);
    let more = progress.needed.saturating_sub(progress.have);
    let independent = tally.independent > 0 || tally.alone || !turn.wrote_evidence;
    turn.completes = more <= 1 && independent;
    turn.why = if more == 0 && !independent {
        // Enough people approved, but all of them wrote evidence: another of them adds nothing.
        turn.waits = false;
        missing
    } else if let Some(changed) = &turn.changed {
        format!("its text changed since you approved version {}", changed.approved_version)
    } else if turn.completes {
        "your approval is the last one it needs".to_owned()
    } else if !independent {
        "you wrote evidence: an approver who did not must approve it too".to_owned()
    } else {
        missing
    };
    Some(turn)
}

/// Returns the last version that a person approved, if it is not the present one.
fn changed(record: &ProposalRecord, who: &str) -> Option<Changed> {
    let is_theirs = |by: &Option<String>| by.as_deref().is_some_and(|by| identity::same(by, who));
    let approved = record.history.iter().rev().find(|event| event.event == "approval" && is_theirs(&event.by))?;
    let earlier = record.earlier_versions.iter().find(|earlier| earlier.version == approved.version)?;
    Some(Changed {
        approved_version: earlier.version,
        approved_hash: earlier.content_hash.clone(),
        version: record.version,
        content_hash: record.content_hash.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::record::Card;
    use crate::rules::lifecycle::rule::{Command, RuleNotes, Terms, transition};
    use crate::testing::sample;

    /// ana and ben wrote the sample's evidence.
    fn roster() -> Roster {
        let people = ["ana", "ben", "cleo", "dora"].map(|id| format!("{{id: {id}, roles: [approver]}}"));
        Roster::parse(&format!("reviewers: [{}, {{id: emil}}]", people.join(", "))).unwrap()
    }

    fn approved(record: &ProposalRecord, by: &str) -> ProposalRecord {
        let by = by.to_owned();
        let yes = Command::Approve { review_id: format!("rev-{by}"), by, content_hash: None, signed: false };
        transition(record, &yes, &roster(), &Terms::default(), sample::moment(100)).unwrap().after
    }

    fn seen(record: &ProposalRecord, who: &str) -> Turn {
        turn(record, &roster(), 2, Some(who)).unwrap()
    }

    #[test]
    fn it_waits_for_approvers_who_have_not_decided() {
        let new = sample::proposal(1);
        assert!(["ana", "cleo"].iter().all(|who| seen(&new, who).waits));
        assert!(["emil", "mallory", ""].iter().all(|who| !seen(&new, who).waits), "they may not decide");
        assert_eq!(turn(&new, &roster(), 2, None).unwrap().progress, Progress { have: 0, needed: 2 });
        let once = approved(&new, "cleo");
        assert!(!seen(&once, "cleo").waits);
        let last = seen(&once, "ana");
        assert!(last.waits && last.completes && last.wrote_evidence);
        assert_eq!((last.progress.have, last.why.as_str()), (1, "your approval is the last one it needs"));
    }

    #[test]
    fn who_wrote_evidence_cannot_complete_it_alone() {
        let once = approved(&sample::proposal(1), "ana");
        let ben = seen(&once, "ben");
        assert!(ben.waits && !ben.completes && ben.why.contains("an approver who did not"), "{ben:?}");
        assert!(seen(&once, "dora").completes);
        let third = approved(&once, "ben");
        let mut eve = third.clone();
        eve.reviewers.push("dora".into());
        assert!(!seen(&eve, "dora").waits, "one more of those who wrote it adds nothing");
        assert!(seen(&third, "cleo").completes);
    }

    #[test]
    fn a_void_approval_is_asked_for_again_with_both_hashes() {
        let once = approved(&sample::proposal(1), "cleo");
        let modify = Command::Modify {
            by: "dora".into(),
            content_hash: None,
            content: "State acceptance criteria that a test can check.".into(),
            notes: RuleNotes::default(),
            reason: None,
        };
        let anew = transition(&once, &modify, &roster(), &Terms::default(), sample::moment(200)).unwrap().after;
        let cleo = seen(&anew, "cleo");
        let changed = cleo.changed.clone().unwrap();
        assert!(cleo.waits && cleo.why.contains("changed since you approved version 1"), "{cleo:?}");
        assert_eq!((changed.approved_hash, changed.content_hash), (once.content_hash, anew.content_hash.clone()));
        assert_eq!(seen(&anew, "ana").changed, None);
    }

    #[test]
    fn what_is_decided_waits_for_nobody_but_for_room() {
        let done = approved(&approved(&sample::proposal(1), "cleo"), "dora");
        assert_eq!(turn(&done, &roster(), 2, Some("ana")), None);
        let card = Card { displaces: Some("RULE-2026-0009".into()), ..Card::default() };
        let full = ProposalRecord { card: Some(card), ..done };
        assert!(seen(&full, "cleo").waits && !seen(&full, "emil").waits);
    }
}
