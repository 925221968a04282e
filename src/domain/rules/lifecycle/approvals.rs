//! The approvals that a rule rests on, recounted from the review records.
//!
//! The approvals in a rule's own file are not trusted: anyone who can push can write them. It reads no file: the
//! reviews, and the roster when each was applied, are arguments.

use super::quorum;
use super::roster::Roster;
use super::signature::{self, Place};
use crate::identity;
use crate::intake::submission::ReviewAction;
use crate::records::record::{ProposalRecord, ReviewOutcome, ReviewRecord};
use crate::rules::draft::proposal::{has_present_hash, hash_holds, hash_of};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// Requirements on approvals.
#[derive(Clone, Copy, Debug)]
pub struct Demands<'a> {
    /// The number of different people needed.
    pub min_approvals: u32,
    /// Whether each must be signed.
    pub signed: bool,
    /// The place they must have been signed for.
    pub place: Place<'a>,
}

/// A valid approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Voice {
    /// The reviewer.
    pub reviewer_id: String,
    /// The review.
    pub review_id: String,
    /// The time given by the reviewer.
    pub at: Timestamp,
    /// The fingerprint of the signing key.
    pub key: Option<String>,
}

/// A rule's approvals according to the records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recount {
    /// Valid approvals of its present version by different people, the first of each.
    pub voices: Vec<Voice>,
    /// Approvals that do not count: the review, and why.
    pub void: Vec<(String, String)>,
    /// What is missing, in words; empty if nothing is.
    pub missing: String,
}

impl Recount {
    /// Reports whether the rule may be in force.
    pub fn is_met(&self) -> bool {
        self.missing.is_empty()
    }

    /// Returns the ids of the reviews that count.
    pub fn review_ids(&self) -> Vec<String> {
        self.voices.iter().map(|voice| voice.review_id.clone()).collect()
    }
}

/// Returns a recorded review's approval if it is valid for a rule in its present form, on the roster at the time it was
/// applied.
///
/// # Errors
/// A sentence with the reason if it is not.
pub fn voice(
    review: &ReviewRecord,
    rule: &ProposalRecord,
    roster: &Roster,
    demands: &Demands<'_>,
) -> Result<Voice, String> {
    let by = &review.reviewer_id;
    if !matches!(&review.action, ReviewAction::Approve { proposal_id } if *proposal_id == rule.proposal_id) {
        return Err("it is not an approval of this rule".to_owned());
    }
    if review.outcome != ReviewOutcome::Accepted {
        return Err("it was rejected".to_owned());
    }
    if !is_of(review, rule, demands.signed) {
        return Err("it is for another version".to_owned());
    }
    let Some(person) = roster.find(by).filter(|person| person.is_approver()) else {
        return Err(format!("{by} was not an approver on the roster at that time"));
    };
    let mut key = None;
    if demands.signed {
        if rule.version_at.is_some_and(|since| review.timestamp < since) {
            return Err("it was signed before this version existed".to_owned());
        }
        key = Some(signature::verify_record(review, demands.place, &person.keys_at(review.timestamp))?.key);
    }
    Ok(Voice { reviewer_id: by.clone(), review_id: review.review_id.clone(), at: review.timestamp, key })
}

/// Reports whether an approval is of a rule in its present form.
fn is_of(review: &ReviewRecord, rule: &ProposalRecord, signed: bool) -> bool {
    let present = hash_of(rule);
    if signed {
        // A signature covers the hash in the review, not the one recorded with it.
        return review.content_hash.as_ref() == Some(&present);
    }
    if has_present_hash(rule) {
        return review.approved_hash.as_ref() == Some(&present);
    }
    // In force since before hashes covered more than the text: the rule's own file states which version was meant.
    let counted = rule.approvals.iter().any(|a| a.review_id == review.review_id && a.content_hash == rule.content_hash);
    rule.status.in_force() && hash_holds(rule) && counted
}

/// Returns an approval that may be older than the present roster. It counts on the roster at the time it was applied,
/// unless the present one states that its key was revoked earlier.
///
/// # Errors
/// A sentence with the reason if it is not valid.
pub fn voice_then(
    review: &ReviewRecord,
    rule: &ProposalRecord,
    then: &Roster,
    now: &Roster,
    demands: &Demands<'_>,
) -> Result<Voice, String> {
    let voice = voice(review, rule, then, demands)?;
    match &voice.key {
        Some(key) if now.revoked(key, voice.at) => Err("its key was revoked before it was signed".to_owned()),
        _ => Ok(voice),
    }
}

/// Counts approvals, each with its review's id. `authors` wrote the evidence; `alone` means that a sole approver may
/// decide on their own evidence: there is no one else.
pub fn recount(
    rule: &ProposalRecord,
    approvals: impl IntoIterator<Item = (String, Result<Voice, String>)>,
    authors: &[String],
    alone: bool,
    demands: &Demands<'_>,
) -> Recount {
    let mut count = Recount::default();
    for (review, approval) in approvals {
        match approval {
            Err(why) => count.void.push((review, why)),
            Ok(voice) => match count.voices.iter().find(|other| is_one(other, &voice)) {
                Some(other) => count.void.push((review, format!("{} already approved it", other.reviewer_id))),
                None => count.voices.push(voice),
            },
        }
    }
    let wrote = |id: &str| quorum::wrote(rule, id) || authors.iter().any(|author| identity::same(author, id));
    let needed = usize::try_from(demands.min_approvals).unwrap_or(usize::MAX).max(1);
    let kind = if demands.signed { "valid signed approvals" } else { "valid approvals" };
    count.missing = match count.voices.len() {
        given if given < needed => format!("{given} of {needed} {kind} of this version are recorded"),
        _ if alone || count.voices.iter().any(|voice| !wrote(&voice.reviewer_id)) => String::new(),
        _ => "an approver who wrote none of the evidence is needed".to_owned(),
    };
    count
}

/// Reports whether two approvals may be from the same person.
pub(super) fn is_one(a: &Voice, b: &Voice) -> bool {
    identity::same(&a.reviewer_id, &b.reviewer_id) || (a.key.is_some() && a.key == b.key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample;

    fn voice_of(who: &str, key: &str) -> (String, Result<Voice, String>) {
        let key = Some(key.to_owned()).filter(|key| !key.is_empty());
        let voice = Voice { reviewer_id: who.into(), review_id: format!("rev-{who}"), at: sample::moment(1), key };
        (voice.review_id.clone(), Ok(voice))
    }

    fn counted(voices: &[(&str, &str)], alone: bool, min_approvals: u32) -> Recount {
        let demands = Demands { min_approvals, signed: true, place: Place::default() };
        let voices = voices.iter().map(|(who, key)| voice_of(who, key));
        recount(&sample::proposal(1), voices, &["eve".to_owned()], alone, &demands)
    }

    #[test]
    fn one_person_is_one_voice_by_name_or_by_key() {
        assert!(counted(&[("cleo", "k1"), ("dora", "k2")], false, 2).is_met());
        for twin in [("cleo", "k2"), ("CLEO", "k2"), ("\u{441}leo", "k2"), ("dora", "k1")] {
            let count = counted(&[("cleo", "k1"), twin], false, 2);
            assert_eq!((count.voices.len(), count.void.len(), count.is_met()), (1, 1, false), "{twin:?}");
        }
    }

    #[test]
    fn one_of_them_wrote_none_of_the_evidence() {
        // The file names ana and ben; there was no room for eve's comment.
        assert!(!counted(&[("ana", "k1"), ("Eve", "k2")], false, 2).is_met());
        assert!(!counted(&[("ANA", "k1")], false, 1).is_met());
        assert!(counted(&[("ANA", "k1")], true, 1).is_met(), "there is nobody else");
        assert!(counted(&[("ana", "k1"), ("cleo", "k2")], false, 2).is_met());
    }

    #[test]
    fn nothing_counts_that_is_of_another_rule_version_or_outcome() {
        let rule = sample::proposal(1);
        let roster = Roster::parse("reviewers: [{id: cleo, roles: [approver]}, {id: emil}]").unwrap();
        let demands = Demands { min_approvals: 2, signed: false, place: Place::default() };
        let good = ReviewRecord {
            action: ReviewAction::Approve { proposal_id: rule.proposal_id.clone() },
            reviewer_id: "cleo".into(),
            approved_hash: Some(hash_of(&rule)),
            outcome: ReviewOutcome::Accepted,
            refusal: None,
            ..sample::review(1)
        };
        voice(&good, &rule, &roster, &demands).unwrap();
        let other = || ReviewAction::Approve { proposal_id: "RULE-2026-0002".into() };
        for (what, review) in [
            ("refused", ReviewRecord { outcome: ReviewOutcome::Refused, ..good.clone() }),
            ("another rule", ReviewRecord { action: other(), ..good.clone() }),
            ("another hash", ReviewRecord { approved_hash: Some("v2:0".into()), ..good.clone() }),
            ("no approver", ReviewRecord { reviewer_id: "emil".into(), ..good.clone() }),
            ("a stranger", ReviewRecord { reviewer_id: "mallory".into(), ..good.clone() }),
        ] {
            assert!(voice(&review, &rule, &roster, &demands).is_err(), "{what}");
        }
        let signed = Demands { signed: true, ..demands };
        assert!(voice(&good, &rule, &roster, &signed).is_err(), "without a signature");
    }
}
