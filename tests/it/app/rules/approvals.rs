//! What brings a rule into force, and what does not: signed approvals of exactly this version, recounted from the
//! records.

use super::rosters::{agree, say_yes};
use super::{RULE, recorded, review, rule, with_proposal, with_proposal_on};
use crate::harness::run::{Run, decision};
use feedbackd::app::admin::verify::{Basis, Verification, verify};
use feedbackd::app::pipeline::EntryOutcome;
use feedbackd::app::rules::approval_history::ApprovalRequirements;
use feedbackd::domain::intake::event::{RawEntry, RejectCode, StreamKind};
use feedbackd::domain::intake::submission::{Review, ReviewAction};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::origin::StoreIdentity;
use feedbackd::domain::records::record::{
    Approval as RecordedApproval, ProposalRecord, ProposalStatus, RefusalCode, ReviewOutcome,
};
use feedbackd::domain::rules::lifecycle::signature::{NAMESPACE, Place, signed_text};
use feedbackd::domain::source::Source;
use feedbackd::text::yaml;
use feedbackd::wiring;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use ssh_key::private::{Ed25519Keypair, PrivateKey};
use ssh_key::{HashAlg, LineEnding};

/// The people of the roster; ann and bob wrote the evidence.
pub(super) const PEOPLE: [&str; 4] = ["ann", "bob", "cleo", "dora"];

/// Returns a person's key: always the same, and unique.
pub(super) fn key(who: &str) -> PrivateKey {
    let mut seed = [7_u8; 32];
    seed[..who.len()].copy_from_slice(who.as_bytes());
    PrivateKey::from(Ed25519Keypair::from_seed(&seed))
}

pub(super) fn public(who: &str) -> String {
    key(who).public_key().to_openssh().expect("a public key")
}

pub(super) fn roster(people: &[&str]) -> String {
    let line = |who: &&str| format!("  - {{id: {who}, roles: [approver], ssh_public_keys: [\"{}\"]}}\n", public(who));
    format!("reviewers:\n{}", people.iter().map(line).collect::<String>())
}

/// Creates a store that requires signatures, with a proposal by ann and bob.
pub(super) fn signing() -> Run {
    let mut run = with_proposal_on(&roster(&PEOPLE));
    run.config.review.require_signatures = true;
    run.restart();
    run
}

pub(super) fn store_id(run: &Run) -> String {
    run.read::<StoreIdentity>(layout::STORE).store_id
}

/// An approval, with its signed parts.
#[derive(Clone)]
pub(super) struct Approval {
    pub id: String,
    pub by: String,
    pub key: String,
    pub proposal: String,
    pub hash: String,
    pub at: Timestamp,
    pub store: String,
    pub tenant: String,
}

impl Approval {
    pub fn of(run: &Run, id: &str, by: &str) -> Approval {
        Approval {
            id: id.to_owned(),
            by: by.to_owned(),
            key: by.to_owned(),
            proposal: RULE.to_owned(),
            hash: rule(run, RULE).1.content_hash,
            at: run.now,
            store: store_id(run),
            tenant: String::new(),
        }
    }

    pub fn signature(&self) -> String {
        let review = Review {
            review_id: self.id.clone(),
            action: ReviewAction::Approve { proposal_id: self.proposal.clone() },
            reviewer_id: self.by.clone(),
            timestamp: self.at,
            reason: None,
            content_hash: Some(self.hash.clone()).filter(|hash| !hash.is_empty()),
            signature: None,
            tenant_id: None,
            source: Source { stream: String::new(), entry_id: String::new() },
        };
        let place = Place { store_id: &self.store, tenant_id: &self.tenant };
        let signed = key(&self.key).sign(NAMESPACE, HashAlg::Sha512, signed_text(&review, place).as_bytes());
        signed.expect("signed").to_pem(LineEnding::LF).expect("armored")
    }

    pub fn event(&self) -> Value {
        let mut event = json!({
            "review_id": self.id, "decision": "APPROVE", "proposal_id": self.proposal, "reviewer_id": self.by,
            "timestamp": self.at.to_string(), "signature": self.signature(),
        });
        if !self.hash.is_empty() {
            event["content_hash"] = json!(self.hash);
        }
        event
    }
}

fn entry(run: &mut Run, event: &Value) -> RawEntry {
    let entry = run.entry(event);
    RawEntry { stream: "asdlc:events:meta_hitl_decisions".into(), kind: StreamKind::MetaHitl, ..entry }
}

pub(super) fn in_force(run: &Run) -> Vec<String> {
    run.pipeline.as_ref().unwrap().get_active_rules(None).into_iter().map(|rule| rule.proposal_id).collect()
}

pub(super) fn code(run: &Run, id: &str) -> Option<RefusalCode> {
    recorded(run, id).refusal.map(|refusal| refusal.code)
}

pub(super) fn verified(run: &Run) -> Verification {
    let reading = wiring::reading(&run.config).unwrap();
    let review = &run.config.review;
    let asked = ApprovalRequirements {
        min_approvals: review.min_approvals,
        signed: review.require_signatures,
        trusted_rosters: review.trusted_rosters.split_whitespace().map(str::to_owned).collect(),
        ..ApprovalRequirements::default()
    };
    verify(&reading.queries(), &asked, &wiring::commit_keys(&run.config).unwrap()).unwrap()
}

/// A person changes a rule's file.
pub(super) fn push(run: &mut Run, path: &str, change: impl FnOnce(&mut ProposalRecord)) {
    run.commit_file(path, |text| {
        let mut record: ProposalRecord = yaml::parse(&text).unwrap();
        change(&mut record);
        yaml::render(&record).unwrap()
    });
}

fn for_another_agent(record: &mut ProposalRecord) {
    record.affected_agents.push("release-agent".to_owned());
}

/// Returns the command line's output and exit code.
pub(super) fn cli(run: &Run, args: &[&str]) -> (Option<i32>, String) {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_feedbackd"))
        .args(args)
        .env("FEEDBACKD__STORE__PATH", &run.config.store.path)
        .env("FEEDBACKD__STATE__DIR", &run.config.state.dir)
        .env("FEEDBACKD__REVIEW__REQUIRE_SIGNATURES", "true")
        .current_dir(run.dir.path())
        .output()
        .unwrap();
    (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Brings the rule into force by two signed approvals.
pub(super) fn approved() -> Run {
    let mut run = signing();
    for who in ["cleo", "dora"] {
        run.review(&Approval::of(&run, &format!("ok-{who}"), who).event());
        assert_eq!(code(&run, &format!("ok-{who}")), None);
    }
    assert_eq!(in_force(&run), [RULE]);
    run
}

#[test]
fn a_rule_in_force_can_be_verified_from_the_store_alone() {
    let mut run = approved();
    let record = recorded(&run, "ok-cleo");
    assert!(record.signed && record.signature.is_some() && record.signing_key.is_some());
    assert!(record.signed_text.unwrap().starts_with(&format!("feedbackd review 2\nstore_id: {}\n", store_id(&run))));
    let found = verified(&run);
    assert_eq!((found.rules.len(), found.rules[0].basis, found.rules[0].approvals.len()), (1, Basis::Approvals, 2));
    assert_eq!(found.agents[0].lines[0].basis, Basis::Approvals);
    let (code, said) = cli(&run, &["verify", "--json", "--store", run.config.store.path.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["rules"][0]["basis"], &said["store_id"]), (&json!("approvals"), &json!(store_id(&run))));
    // People leave, but what they approved stays approved.
    run.commit_file(layout::ROSTER, |_| roster(&["ann", "bob"]));
    agree(&mut run, &["cleo", "dora"]);
    run.tick();
    run.restart();
    run.tick();
    assert_eq!(in_force(&run), [RULE]);
    assert_eq!(verified(&run).rules[0].basis, Basis::Approvals);
    // Unless their key was stolen by then.
    let stolen = format!(
        "{}  - {{id: cleo, ssh_public_keys: [{{key: \"{}\", revoked_at: 2026-01-12T11:00:00Z}}]}}\n",
        roster(&["ann", "bob"]),
        public("cleo")
    );
    run.commit_file(layout::ROSTER, |_| stolen);
    run.tick();
    say_yes(&mut run, &["ann", "bob"]);
    assert_eq!(verified(&run).rules[0].basis, Basis::Nothing);
    run.tick();
    assert!(in_force(&run).is_empty());
    assert!(rule(&run, RULE).0.starts_with(layout::PROPOSED));
}

#[test]
fn what_comes_once_its_key_is_revoked_counts_for_nothing_whatever_its_date() {
    let mut run = approved();
    let line = format!("\"{}\"", public("cleo"));
    let lost = format!("{{key: {line}, revoked_at: 2026-02-01T00:00:00Z}}");
    run.commit_file(layout::ROSTER, |text| text.replace(&line, &lost));
    run.tick();
    agree(&mut run, &["ann", "bob"]);
    let found = verified(&run);
    assert_eq!(found.rules[0].basis, Basis::Approvals, "it was signed, and came, before");
    // The same signature again, pushed.
    let cleo = found.rules[0].approvals.iter().find(|approval| approval.reviewer_id == "cleo").unwrap();
    run.commit_file(&layout::review(cleo.at, &cleo.review_id), |text| format!("{text}# Again.\n"));
    run.tick();
    assert!(in_force(&run).is_empty());
}

#[test]
fn a_push_brings_nothing_into_force_where_signatures_are_required() {
    let mut run = signing();
    let proposed = format!("{}{RULE}.yaml", layout::PROPOSED);
    push(&mut run, &proposed, |record| record.status = ProposalStatus::Approved);
    run.tick();
    assert_eq!((in_force(&run).len(), rule(&run, RULE).1.status), (0, ProposalStatus::Pending));
    // An active file without approval.
    let text = run.text(&proposed).unwrap();
    let active = format!("{}RULE-2026-0077.yaml", layout::ACTIVE);
    run.commit_file(&active, |_| {
        let mut record: ProposalRecord = yaml::parse(&text).unwrap();
        record.proposal_id = "RULE-2026-0077".to_owned();
        (record.status, record.activated_at) = (ProposalStatus::Active, Some(record.created_at));
        yaml::render(&record).unwrap()
    });
    assert_eq!(verified(&run).unapproved().count(), 1);
    let (code, said) = cli(&run, &["verify"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("RULE-2026-0077") && said.contains("NOTHING"), "{said}");
    let (_, doctor) = cli(&run, &["doctor"]);
    assert!(doctor.contains("RULE-2026-0077.yaml is not approved: 0 of 2"), "{doctor}");
    let done = run.tick();
    assert!(in_force(&run).is_empty());
    let (path, aside) = rule(&run, "RULE-2026-0077");
    assert_eq!((path.starts_with(layout::PROPOSED), aside.status), (true, ProposalStatus::Pending));
    assert_eq!(aside.history.last().unwrap().event, "set aside");
    let alert = done.messages.iter().find(|m| m.data.contains("rule_set_aside")).expect("an alert");
    assert!(alert.data.contains("RULE-2026-0077"), "{}", alert.data);
    assert_eq!(verified(&run).unapproved().count(), 0);
}

#[test]
fn an_edit_of_a_rule_in_force_waits_for_approvals_where_signatures_are_required() {
    let mut run = approved();
    let active = format!("{}{RULE}.yaml", layout::ACTIVE);
    push(&mut run, &active, for_another_agent);
    assert_eq!(verified(&run).rules[0].basis, Basis::Nothing);
    run.tick();
    assert!(in_force(&run).is_empty());
    let (_, waiting) = rule(&run, RULE);
    assert_eq!((waiting.status, waiting.approvals.len()), (ProposalStatus::Pending, 0));
    assert_eq!(waiting.affected_agents.len(), 2);
    // Earlier signatures for it do not count again.
    run.restart();
    run.tick();
    assert!(in_force(&run).is_empty());
}

#[test]
fn what_was_in_force_before_signatures_were_required_stays() {
    let mut run = with_proposal();
    for who in ["cleo", "dora"] {
        super::approve(&mut run, RULE, who);
    }
    assert_eq!(in_force(&run), [RULE]);
    assert_eq!(verified(&run).rules[0].basis, Basis::Approvals);
    run.config.review.require_signatures = true;
    run.restart();
    run.tick();
    assert_eq!(in_force(&run), [RULE]);
    assert_eq!(verified(&run).rules[0].basis, Basis::BeforeSignatures);
    // Only exactly as before: the list that says so cannot be extended.
    let list = run.text(layout::SIGNATURES).unwrap();
    run.commit_file(layout::SIGNATURES, |text| format!("{text}# mine\n"));
    run.restart();
    assert_eq!(run.text(layout::SIGNATURES).unwrap(), list);
    push(&mut run, &format!("{}{RULE}.yaml", layout::ACTIVE), for_another_agent);
    run.tick();
    assert!(in_force(&run).is_empty());
}

#[test]
fn an_approval_is_of_the_agents_too() {
    let mut run = with_proposal();
    super::approve(&mut run, RULE, "cleo");
    let hash = rule(&run, RULE).1.content_hash;
    let proposed = format!("{}{RULE}.yaml", layout::PROPOSED);
    push(&mut run, &proposed, for_another_agent);
    run.review(&review("second", "dora", "APPROVE", json!({"content_hash": hash})));
    assert_eq!(code(&run, "second"), Some(RefusalCode::WrongContentHash));
    assert!(in_force(&run).is_empty());
    assert_eq!(rule(&run, RULE).1.approvals.len(), 0);
}

#[test]
fn what_a_file_says_of_its_approvals_is_not_believed() {
    let mut run = with_proposal();
    super::approve(&mut run, RULE, "cleo");
    let proposed = format!("{}{RULE}.yaml", layout::PROPOSED);
    let hash = rule(&run, RULE).1.content_hash;
    push(&mut run, &proposed, |record| {
        let forged = RecordedApproval {
            reviewer_id: "dora".into(),
            review_id: "forged".into(),
            content_hash: hash,
            at: record.created_at,
            wrote_evidence: false,
            signed: true,
        };
        record.approvals.push(forged);
        record.status = ProposalStatus::Approved;
    });
    run.tick();
    assert!(in_force(&run).is_empty());
    let (_, record) = rule(&run, RULE);
    let left: Vec<&str> = record.approvals.iter().map(|a| a.reviewer_id.as_str()).collect();
    assert_eq!((record.status, left), (ProposalStatus::Pending, vec!["cleo"]));
    super::approve(&mut run, RULE, "dora");
    assert_eq!(in_force(&run), [RULE], "the real one counts");
}

#[test]
fn a_refused_review_burns_no_id() {
    let mut run = signing();
    let real = Approval::of(&run, "rev-1", "cleo");
    let mut unsigned = real.event();
    unsigned.as_object_mut().unwrap().remove("signature");
    let first = entry(&mut run, &unsigned);
    run.process(std::slice::from_ref(&first));
    assert_eq!(code(&run, "rev-1"), Some(RefusalCode::BadSignature));
    assert_eq!(run.process(&[first]).commit, None, "the same entry again changes nothing");
    run.restart();
    run.review(&real.event());
    assert_eq!(recorded(&run, "rev-1").outcome, ReviewOutcome::Accepted);
    // Once it counts, nothing else passes for it.
    let other = Approval { by: "dora".into(), key: "dora".into(), ..real.clone() };
    let done = run.review(&other.event());
    assert!(matches!(&done.outcomes[0], EntryOutcome::Rejected(r) if r.code == RejectCode::ConflictingId), "{done:?}");
    assert!(matches!(&run.review(&real.event()).outcomes[0], EntryOutcome::Duplicate(_)));
}

#[test]
fn nobody_speaks_under_anothers_name() {
    let mut run = Run::new();
    let said = |who: &str, what: &str| decision("d1", who, "REJECTED", Some(what));
    let done = run.send(&[said("ann", "Missing tests"), said("bob", "Deploy without review")]);
    let rejected =
        |outcome: &EntryOutcome| matches!(outcome, EntryOutcome::Rejected(r) if r.code == RejectCode::ConflictingId);
    assert_eq!(done.outcomes.iter().map(rejected).collect::<Vec<_>>(), [false, true]);
    let done = run.send(&[said("bob", "Deploy without review"), said("ann", "Something else")]);
    assert!(done.outcomes.iter().all(rejected), "{:?}", done.outcomes);
    assert_eq!(run.paths(layout::DEAD_LETTERS).len(), 3);
    assert_eq!(run.decision("d1").reviewer_comment.as_deref(), Some("Missing tests"));
    let again = run.send(&[said("ann", "Missing tests")]);
    assert!(matches!(&again.outcomes[0], EntryOutcome::Duplicate(_)), "{:?}", again.outcomes);
}

#[test]
fn authors_of_evidence_are_known_in_whatever_spelling() {
    let people = ["ANN", "Bob", "cleo"].map(|id| format!("  - {{id: {id}, roles: [approver]}}\n"));
    let mut run = with_proposal_on(&format!("reviewers:\n{}", people.concat()));
    for who in ["ANN", "Bob"] {
        super::approve(&mut run, RULE, who);
        assert_eq!(code(&run, &format!("rev-{RULE}-{who}")), None);
    }
    assert!(in_force(&run).is_empty());
    super::approve(&mut run, RULE, "cleo");
    assert_eq!(in_force(&run), [RULE]);
}

/// Returns one way to cheat: an approval that must not count, regardless of its author.
fn forged(good: &Approval, n: usize, version: &Approval) -> Value {
    let id = format!("forged-{n}");
    let it = Approval { id: id.clone(), ..good.clone() };
    let old = SignedDuration::from_hours(24 * 8 + i64::try_from(n % 900).unwrap());
    match n % 16 {
        0 => Approval { key: "mallory".into(), ..it }.event(),
        1 => Approval { key: "dora".into(), ..it }.event(),
        2 => Approval { store: "0".repeat(32), ..it }.event(),
        3 => Approval { tenant: "other".into(), ..it }.event(),
        4 => Approval { proposal: "RULE-2026-0099".into(), ..it }.event(),
        5 => Approval { hash: format!("v2:{}", "0".repeat(64)), ..it }.event(),
        6 => Approval { hash: String::new(), ..it }.event(),
        7 => Approval { at: it.at.checked_sub(old).unwrap(), ..it }.event(),
        8 => Approval { at: it.at.checked_add(old).unwrap(), ..it }.event(),
        9 => Approval { by: "mallory".into(), key: "mallory".into(), ..it }.event(),
        // Signed for one thing, but sent as another.
        10 => {
            let mut event = Approval { by: "ann".into(), key: "ann".into(), ..it }.event();
            event["reviewer_id"] = json!("cleo");
            event
        }
        11 => {
            let mut event = Approval { proposal: "RULE-2026-0099".into(), ..it }.event();
            event["proposal_id"] = json!(RULE);
            event
        }
        12 => {
            let mut event = it.event();
            event["timestamp"] = json!(it.at.checked_add(SignedDuration::from_secs(1)).unwrap().to_string());
            event
        }
        13 => {
            let mut event = it.event();
            event.as_object_mut().unwrap().remove("signature");
            event
        }
        // Withheld since an earlier version with the same text.
        14 => Approval { id, ..version.clone() }.event(),
        // Valid, but by the authors of the evidence.
        _ => {
            let who = if n % 32 == 15 { "ann" } else { "bob" };
            Approval { by: who.into(), key: who.into(), ..it }.event()
        }
    }
}

/// `FEEDBACKD_TEST_FORGERIES` sets how many; 10,000 take a minute or two.
#[test]
fn of_thousands_of_forged_approvals_none_brings_a_rule_into_force() {
    let mut run = signing();
    // The text changes and changes back: signatures from in between are for a version that is gone.
    let first = rule(&run, RULE).1;
    let proposed = format!("{}{RULE}.yaml", layout::PROPOSED);
    let held_back = Approval::of(&run, "held-back", "dora");
    run.now = run.now.checked_add(SignedDuration::from_hours(1)).unwrap();
    push(&mut run, &proposed, for_another_agent);
    run.tick();
    push(&mut run, &proposed, |record| {
        record.affected_agents.pop();
    });
    run.tick();
    let present = rule(&run, RULE).1;
    assert_eq!((present.version, &present.content_hash), (3, &first.content_hash));
    let good = Approval::of(&run, "good", "cleo");
    let count = std::env::var("FEEDBACKD_TEST_FORGERIES").ok().and_then(|n| n.parse().ok()).unwrap_or(480);
    for batch in (0..count).collect::<Vec<usize>>().chunks(500) {
        let entries: Vec<RawEntry> = batch.iter().map(|n| entry(&mut run, &forged(&good, *n, &held_back))).collect();
        // Each arrives twice.
        run.process(&entries);
        run.process(&entries);
        assert!(in_force(&run).is_empty());
    }
    let (_, record) = rule(&run, RULE);
    assert_eq!(record.status, ProposalStatus::Pending);
    let voices: Vec<&str> = record.approvals.iter().map(|a| a.reviewer_id.as_str()).collect();
    assert_eq!(voices, ["ann", "bob"], "those of the authors are valid, and not enough");
    assert!(verified(&run).rules.is_empty());
    // And the real one is still accepted.
    run.review(&Approval::of(&run, "good", "cleo").event());
    assert_eq!(in_force(&run), [RULE]);
    assert_eq!(verified(&run).rules[0].approvals.len(), 3);
}

#[test]
fn who_wrote_the_evidence_is_told_by_the_proposal_not_by_what_was_pushed_later() {
    let mut run = signing();
    // The authors of the evidence approve, and one more person is still needed.
    for who in ["ann", "bob"] {
        run.review(&Approval::of(&run, &format!("own-{who}"), who).event());
        assert_eq!(code(&run, &format!("own-{who}")), None);
    }
    assert!(in_force(&run).is_empty());
    let (path, waiting) = rule(&run, RULE);
    run.commit_file(&path, |_| String::new());
    run.commit_file(&format!("{}{RULE}.yaml", layout::ACTIVE), |_| {
        let forged = ProposalRecord {
            status: ProposalStatus::Active,
            activated_at: Some(waiting.created_at),
            reviewers: vec!["eve".into()],
            created_from_feedback_ids: Vec::new(),
            cluster_id: "CLUSTER-0".into(),
            ..waiting
        };
        yaml::render(&forged).unwrap()
    });
    assert_eq!(verified(&run).rules[0].basis, Basis::Nothing);
    run.tick();
    assert!(in_force(&run).is_empty());
    assert!(rule(&run, RULE).0.starts_with(layout::PROPOSED));
}
