//! Who may change the roster: a quorum of the previous one, regardless of push rights.

use super::approvals::{Approval, PEOPLE, approved, cli, code, in_force, roster, signing, verified};
use super::{RULE, recorded, with_proposal};
use crate::harness::run::{Run, git};
use feedbackd::app::queries::{RosterWaits, Rosters};
use feedbackd::app::rules::approval_history::ApprovalRequirements;
use feedbackd::domain::intake::submission::ROSTER;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{RefusalCode, ReviewOutcome, ReviewRecord};
use feedbackd::domain::rules::lifecycle::succession::RosterBasis;
use feedbackd::text::yaml;
use feedbackd::wiring;
use jiff::SignedDuration;
use serde_json::{Value, json};

/// Returns the store's rosters, as shown by `feedbackd roster show`.
fn rosters(run: &Run) -> Rosters {
    let review = &run.config.review;
    let asked = ApprovalRequirements {
        min_approvals: review.min_approvals,
        signed: review.require_signatures,
        trusted_rosters: review.trusted_rosters.split_whitespace().map(str::to_owned).collect(),
        ..ApprovalRequirements::default()
    };
    wiring::reading(&run.config).unwrap().queries().rosters(&asked).unwrap()
}

fn waits(run: &Run) -> RosterWaits {
    rosters(run).waits.expect("a change that waits")
}

fn approvers(run: &Run) -> Vec<String> {
    rosters(run).chain.last().unwrap().approvers.clone()
}

/// Returns a signed approval of the pending change.
fn yes(run: &Run, id: &str, by: &str) -> Approval {
    Approval { proposal: ROSTER.to_owned(), hash: waits(run).hash, ..Approval::of(run, id, by) }
}

/// Has these people approve the pending change, and applies it.
pub fn agree(run: &mut Run, people: &[&str]) {
    say_yes(run, people);
    run.tick();
}

/// Has these people approve the pending change, signed if required.
pub fn say_yes(run: &mut Run, people: &[&str]) {
    let hash = waits(run).hash;
    for who in people {
        let id = format!("roster-{who}-{}", &hash[3..9]);
        let mut event = Approval { hash: hash.clone(), ..yes(run, &id, who) }.event();
        if !run.config.review.require_signatures {
            event.as_object_mut().unwrap().remove("signature");
        }
        run.review(&event);
        assert_eq!(code(run, &id), None, "{:?}", recorded(run, &id).refusal);
    }
}

/// Creates a store that requires no signatures, with the same people and keys.
fn unsigned() -> Run {
    super::with_proposal_on(&roster(&PEOPLE))
}

fn taken_over() -> String {
    roster(&["ann", "bob", "cleo", "dora", "mallory", "trudy"])
}

#[test]
fn a_push_that_adds_two_keys_brings_nobody_in() {
    for mut run in [signing(), unsigned()] {
        let signed = run.config.review.require_signatures;
        run.commit_file(layout::ROSTER, |_| taken_over());
        run.tick();
        for who in ["mallory", "trudy"] {
            let id = format!("mine-{who}");
            run.review(&Approval::of(&run, &id, who).event());
            let refusal = code(&run, &id);
            assert!(matches!(refusal, Some(RefusalCode::NotAnApprover | RefusalCode::BadSignature)), "{refusal:?}");
            // Nor can they admit themselves.
            let id = format!("me-{who}");
            run.review(&yes(&run, &id, who).event());
            assert_eq!(recorded(&run, &id).outcome, ReviewOutcome::Refused);
        }
        assert!(in_force(&run).is_empty());
        assert_eq!((approvers(&run), waits(&run).approvals.len()), (PEOPLE.map(str::to_owned).to_vec(), 0));
        // Nor by pushing a record of it.
        let forged = {
            let record = recorded(&run, "me-mallory");
            ReviewRecord { outcome: ReviewOutcome::Accepted, refusal: None, ..record }
        };
        run.commit_file(&layout::roster_review("me-mallory"), |_| yaml::render(&forged).unwrap());
        run.restart();
        assert_eq!((approvers(&run).len(), waits(&run).approvals.len()), (4, 0));
        // A pending change is no error: the four decide as before.
        agree_on_rule(&mut run, &["cleo", "dora"]);
        assert_eq!(in_force(&run), [RULE]);
        assert_eq!(verified(&run).unapproved().count(), 0);
        let said = cli(&run, &["status"]).1;
        assert!(said.contains("mallory is added as approver") && said.contains("0 of 2"), "{said}");
        if signed {
            let (code, said) = cli(&run, &["verify"]);
            assert_eq!(code, Some(0), "{said}");
            assert!(said.contains("a change is pending, and not in use: mallory is added as"), "{said}");
        }
        let said = cli(&run, &["doctor"]).1;
        assert!(said.contains("a change is not in force") && said.contains("roster approve"), "{said}");
    }
}

fn agree_on_rule(run: &mut Run, people: &[&str]) {
    for who in people {
        let id = format!("rule-{who}");
        run.review(&Approval::of(run, &id, who).event());
        assert_eq!(code(run, &id), None);
    }
}

#[test]
fn a_quorum_of_the_roster_before_brings_a_change_into_force() {
    for mut run in [signing(), unsigned()] {
        run.commit_file(layout::ROSTER, |text| format!("# Evelyn joins us.\n{text}{}", &roster(&["eve"])[11..]));
        run.tick();
        let before = waits(&run);
        assert_eq!(before.changes[0], "eve is added as approver");
        // The same roster in another order and with other code comments.
        run.commit_file(layout::ROSTER, |_| format!("# Hello\n{}", roster(&["eve", "dora", "cleo", "bob", "ann"])));
        run.tick();
        assert_eq!(waits(&run).hash, before.hash);
        agree(&mut run, &["cleo"]);
        assert_eq!((approvers(&run).len(), waits(&run).missing.starts_with("1 of 2 valid")), (4, true));
        agree(&mut run, &["dora"]);
        assert_eq!((approvers(&run).len(), rosters(&run).waits), (5, None));
        let link = rosters(&run).chain.last().unwrap().clone();
        assert_eq!((link.basis, link.approvals.len(), link.hash), (RosterBasis::Approvals, 2, before.hash));
        // The new person decides from now on.
        agree_on_rule(&mut run, &["eve", "cleo"]);
        assert_eq!(in_force(&run), [RULE]);
        run.restart();
        run.tick();
        assert_eq!((in_force(&run), approvers(&run).len()), (vec![RULE.to_owned()], 5));
        assert_eq!(verified(&run).unapproved().count(), 0);
        // Its basis stays, even if the records are removed.
        for who in ["cleo", "dora"] {
            let path = run.paths(layout::ROSTER_REVIEWS).into_iter().find(|path| path.contains(who)).unwrap();
            run.commit_file(&path, |_| String::new());
        }
        run.restart();
        assert_eq!(approvers(&run).len(), 5);
    }
}

#[test]
fn only_approvals_of_this_change_by_different_people_of_the_roster_count() {
    let mut run = signing();
    run.commit_file(layout::ROSTER, |_| taken_over());
    run.tick();
    let good = yes(&run, "good", "cleo");
    for (n, (bad, refusal)) in [
        (Approval { hash: format!("r1:{}", "0".repeat(64)), ..good.clone() }, RefusalCode::WrongContentHash),
        (Approval { hash: String::new(), ..good.clone() }, RefusalCode::WrongContentHash),
        (Approval { store: "0".repeat(32), ..good.clone() }, RefusalCode::BadSignature),
        (Approval { tenant: "other".into(), ..good.clone() }, RefusalCode::BadSignature),
        (Approval { key: "dora".into(), ..good.clone() }, RefusalCode::BadSignature),
        (Approval { by: "mallory".into(), key: "mallory".into(), ..good.clone() }, RefusalCode::BadSignature),
        (Approval { by: "CLEO".into(), ..good.clone() }, RefusalCode::BadSignature),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("bad-{n}");
        run.review(&Approval { id: id.clone(), ..bad }.event());
        assert_eq!(code(&run, &id), Some(refusal), "{n}");
    }
    run.review(&good.event());
    run.review(&yes(&run, "again", "cleo").event());
    assert_eq!(code(&run, "again"), Some(RefusalCode::AlreadyApproved));
    assert_eq!((waits(&run).approvals.len(), approvers(&run).len()), (1, 4));
    // One rejection voids the earlier approvals.
    let no = json!({"review_id": "no", "decision": "REJECT", "proposal_id": ROSTER, "reviewer_id": "bob",
        "timestamp": run.now.to_string(), "content_hash": good.hash, "reason": "who are they?"});
    run.review(&no);
    assert_eq!(code(&run, "no"), Some(RefusalCode::BadSignature));
    run.config.review.require_signatures = false;
    run.restart();
    run.review(&Value::Object({
        let mut no = no.as_object().unwrap().clone();
        no.insert("review_id".into(), json!("no-2"));
        no
    }));
    assert_eq!(code(&run, "no-2"), None);
    run.review(&yes(&run, "with-it", "dora").event());
    assert_eq!(code(&run, "with-it"), Some(RefusalCode::AlreadyApproved), "it is not of a later moment");
    run.now = run.now.checked_add(SignedDuration::from_hours(1)).unwrap();
    run.review(&yes(&run, "after", "dora").event());
    assert_eq!((waits(&run).approvals.len(), approvers(&run).len()), (1, 4));
    run.review(&yes(&run, "changed-my-mind", "bob").event());
    assert_eq!(approvers(&run).len(), 6);
}

#[test]
fn an_approval_is_of_one_change_and_never_of_another_one() {
    let mut run = signing();
    let [all, without] = [roster(&PEOPLE), roster(&["ann", "cleo", "dora"])];
    run.commit_file(layout::ROSTER, |_| roster(&["ann", "bob", "cleo", "dora", "eve"]));
    run.tick();
    // bob approves eve's admission, and leaves before anyone else approves.
    run.review(&yes(&run, "bob-for-eve", "bob").event());
    assert_eq!(waits(&run).approvals.len(), 1);
    run.commit_file(layout::ROSTER, |_| without.clone());
    run.tick();
    agree(&mut run, &["cleo", "dora"]);
    assert_eq!(approvers(&run), ["ann", "cleo", "dora"]);
    run.commit_file(layout::ROSTER, |_| roster(&["ann", "cleo", "dora", "eve"]));
    run.tick();
    agree(&mut run, &["ann"]);
    assert_eq!((waits(&run).approvals.len(), approvers(&run).len()), (1, 3), "bob's no longer counts");
    // Back to four people, and to three again.
    run.commit_file(layout::ROSTER, |_| all.clone());
    run.tick();
    agree(&mut run, &["ann", "dora"]);
    run.commit_file(layout::ROSTER, |_| without);
    run.tick();
    assert_eq!((waits(&run).approvals.len(), approvers(&run).len()), (0, 4), "that was approved once, not for ever");
    // Nor if the records are copied.
    let path = run.paths(layout::ROSTER_REVIEWS)[0].clone();
    let text = run.text(&path).unwrap();
    run.commit_file(&layout::roster_review("copied"), |_| text);
    run.tick();
    assert_eq!((waits(&run).approvals.len(), approvers(&run).len()), (0, 4));
}

#[test]
fn a_store_of_an_older_program_begins_with_the_roster_that_it_has() {
    let mut run = approved();
    // As an older version created it, without a start date.
    let old = run.dir.path().join("old.git");
    let clone = run.clone_store();
    let from = run.config.store.path.clone();
    git(&["checkout", "-q", "--orphan", "old"], &clone);
    git(&["rm", "-q", "-f", layout::ROSTERS], &clone);
    git(&["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-qm", "An old store"], &clone);
    run.pipeline = None;
    std::fs::rename(&from, &old).unwrap();
    git(&["clone", "-q", "--bare", "--branch", "old", clone.to_str().unwrap(), from.to_str().unwrap()], run.dir.path());
    git(&["branch", "-M", "old", "main"], &from);
    std::fs::remove_dir_all(&run.config.state.dir).unwrap();
    let before = verified(&run);
    assert_eq!((before.rosters.len(), before.unguarded), (0, 4));
    assert_eq!(cli(&run, &["verify"]).0, Some(1), "whoever may push still names the people");
    run.restart();
    let after = verified(&run);
    assert_eq!((after.rosters.len(), after.rosters[0].basis, after.unguarded), (1, RosterBasis::Began, 0));
    // The start cannot be changed: its first value counts.
    let first = run.text(layout::ROSTERS).unwrap();
    run.commit_file(layout::ROSTERS, |_| String::new());
    run.commit_file(layout::ROSTER, |_| taken_over());
    run.tick();
    run.commit_file(layout::ROSTERS, |_| first.replace("r1:", "r1:0"));
    run.restart();
    assert_eq!(run.text(layout::ROSTERS).unwrap(), first);
    assert_eq!((approvers(&run).len(), waits(&run).changes.len()), (4, 4));
}

#[test]
fn what_the_configuration_trusts_needs_no_approvals_and_is_named_as_such() {
    let mut run = signing();
    // All keys but ann's are lost.
    run.commit_file(layout::ROSTER, |_| roster(&["ann", "eve"]));
    run.tick();
    run.review(&yes(&run, "ann-alone", "ann").event());
    assert_eq!(approvers(&run).len(), 4);
    run.config.review.trusted_rosters = format!("r1:{} {}", "0".repeat(64), waits(&run).hash);
    run.restart();
    assert_eq!(approvers(&run), ["ann", "eve"]);
    let found = verified(&run);
    assert_eq!(found.rosters.last().unwrap().basis, RosterBasis::Trusted);
    // What follows builds on it.
    run.commit_file(layout::ROSTER, |_| roster(&["ann", "eve", "finn"]));
    run.tick();
    agree(&mut run, &["ann", "eve"]);
    assert_eq!(approvers(&run).len(), 3);
}

#[test]
fn a_roster_that_cannot_be_read_changes_nothing() {
    let mut run = unsigned();
    run.commit_file(layout::ROSTER, |text| format!("{text}  - [\n"));
    run.tick();
    agree_on_rule(&mut run, &["cleo", "dora"]);
    assert_eq!(in_force(&run), [RULE]);
    assert!(rosters(&run).unreadable.is_some());
}

#[test]
fn a_merge_the_other_way_round_hides_no_roster() {
    let mut run = unsigned();
    let clone = run.clone_store();
    let start = run.pipeline.as_ref().unwrap().head().unwrap().clone();
    run.commit_file(layout::ROSTER, |_| roster(&["ann", "bob", "cleo"]));
    run.tick();
    // Not even just before it is applied.
    say_yes(&mut run, &["ann", "bob"]);
    assert_eq!(approvers(&run), ["ann", "bob", "cleo"]);
    let tip = run.pipeline.as_ref().unwrap().head().unwrap().clone();
    // dora reinstates herself: her commit comes first, and what others decided is merged into it and discarded.
    let as_dora = ["-c", "user.name=Dora", "-c", "user.email=dora@example.org"];
    let git_as = |args: &[&str]| git(&[&as_dora[..], args].concat(), &clone);
    git_as(&["fetch", "-q"]);
    git_as(&["checkout", "-q", &start.0]);
    git_as(&["merge", "-q", "-s", "ours", "-m", "Merge", &tip.0]);
    git_as(&["push", "-q", "origin", "HEAD:main"]);
    let tried = run.pipeline.as_mut().unwrap().process(&[], run.now);
    let error = tried.expect_err("refused").to_string();
    assert!(error.contains("hides rosters that were in force"), "{error}");
    // A start that knows what was acknowledged detects it, too.
    run.restart();
    run.pipeline.as_mut().unwrap().acknowledged(tip);
    let error = run.pipeline.as_mut().unwrap().process(&[], run.now).expect_err("refused").to_string();
    assert!(error.contains("hides rosters that were in force"), "{error}");
}

#[test]
fn the_command_line_approves_a_roster() {
    let mut run = with_proposal();
    run.now = wiring::now();
    run.commit_file(layout::ROSTER, |text| format!("{text}  - {{id: eve, roles: [approver]}}\n"));
    run.pipeline = None;
    let say = |args: &[&str]| {
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_feedbackd"))
            .args(args)
            .env("FEEDBACKD__STORE__PATH", &run.config.store.path)
            .env("FEEDBACKD__STATE__DIR", &run.config.state.dir)
            .current_dir(run.dir.path())
            .output()
            .unwrap();
        (out.status.code(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
    };
    let (_, shown) = say(&["roster", "show"]);
    assert!(shown.contains("eve is added as approver") && shown.contains("0 of 2 valid approvals"), "{shown}");
    assert!(say(&["proposals", "list"]).1.contains("a roster change is pending"));
    assert_eq!(say(&["roster", "approve", "--as", "eve"]).0, Some(1), "who would come");
    assert_eq!(say(&["roster", "reject", "--as", "ann"]).0, Some(1), "without a reason");
    let (code, said) = say(&["roster", "approve", "--as", "ann"]);
    assert!(code == Some(0) && said.contains("1 of 2 valid approvals"), "{said}");
    let (code, said) = say(&["roster", "reject", "--as", "bob", "--reason", "who is that?"]);
    assert!(code == Some(0) && said.contains("is rejected"), "{said}");
    assert_eq!(say(&["roster", "approve", "--as", "bob"]).0, Some(0));
    let (code, said) = say(&["roster", "approve", "--as", "ann"]);
    assert!(code == Some(0) && said.contains("comes into force: eve is added"), "{said}");
    assert_eq!(say(&["roster", "approve", "--as", "ann"]).0, Some(3), "nothing waits");
    let (_, shown) = say(&["roster", "show"]);
    assert!(shown.contains("approved by") && !shown.contains("waits"), "{shown}");
}
