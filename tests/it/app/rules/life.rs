//! From proposal to active rule and out again.

use super::{RULE, approve, recorded, review, rule, with_proposal};
use crate::harness::run::{Run, decision};
use feedbackd::app::publication::outbox;
use feedbackd::app::queries::Queries;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::message::Topic;
use feedbackd::domain::records::record::{ProposalStatus, RefusalCode, ReviewOutcome, RuleState};
use feedbackd::domain::testing::sample;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

fn events(messages: &[feedbackd::domain::records::message::Outgoing]) -> Vec<String> {
    messages.iter().filter(|m| m.topic == Topic::Rules).map(|m| m.idempotency_key.clone()).collect()
}

#[test]
fn two_approvals_bring_a_rule_into_force_and_it_is_announced_once() {
    let mut run = with_proposal();
    let (path, proposal) = rule(&run, RULE);
    assert_eq!(path, "feedback/rules/proposed/RULE-2026-0001.yaml");
    let first = approve(&mut run, RULE, "ann");
    assert_eq!(events(&first.messages), [""; 0]);
    assert_eq!(
        recorded(&run, "rev-RULE-2026-0001-ann").effect.unwrap(),
        "approval 1 of 2 for version 1; one more approver is needed"
    );
    let second = approve(&mut run, RULE, "cleo");
    assert_eq!(events(&second.messages), ["rule_activated:RULE-2026-0001:1"]);
    let (path, active) = rule(&run, RULE);
    assert_eq!(path, "feedback/rules/active/RULE-2026-0001.yaml");
    assert_eq!((active.status, active.rule_content), (ProposalStatus::Active, proposal.rule_content));
    assert_eq!(active.activated_at, Some(active.created_at), "no earlier, whatever the reviewer's clock said");
    assert!(active.approvals[0].wrote_evidence && !active.approvals[1].wrote_evidence);
    // The messages derived from the commit are those that were published, and a redelivery adds nothing.
    let pipeline = run.pipeline.as_ref().unwrap();
    let again = outbox::messages(pipeline.store(), second.previous.as_ref(), second.commit.as_ref().unwrap()).unwrap();
    assert_eq!(again, second.messages);
    let redelivered = approve(&mut run, RULE, "cleo");
    assert_eq!((redelivered.commit, redelivered.messages.len()), (None, 0));
    // The comment leads to the rule.
    assert_eq!(run.decision("d2").evaluation.proposed_action.unwrap().proposal_id, RULE);
}

#[test]
fn a_rejection_takes_its_reason_with_it_and_the_pattern_cools_down() {
    let mut run = with_proposal();
    let refused = run.review(&review("r0", "cleo", "REJECT", json!({})));
    assert_eq!(refused.counts.refused, 1);
    assert_eq!(recorded(&run, "r0").refusal.unwrap().code, RefusalCode::ReasonMissing);
    let done = run.review(&review("r1", "cleo", "REJECT", json!({"reason": "the framework does it"})));
    assert_eq!(events(&done.messages), ["rule_rejected:RULE-2026-0001:1"]);
    let (path, rejected) = rule(&run, RULE);
    assert_eq!(path, "feedback/rules/rejected/RULE-2026-0001.yaml");
    assert_eq!(rejected.reason.as_deref(), Some("the framework does it"));
    // One more comment is not enough; twice the evidence is.
    run.restart();
    let third = decision("d3", "cem", "REJECTED", Some("Please add error handling to the API handler"));
    assert_eq!(run.send(&[third]).counts.proposals, [""; 0]);
    let fourth = decision("d4", "eve", "REJECTED", Some("Add error handling to the API handler"));
    assert_eq!(run.send(&[fourth]).counts.proposals, ["RULE-2026-0002"]);
}

#[test]
fn a_modification_is_a_new_version_that_awaits_review_again() {
    let mut run = with_proposal();
    let (_, first) = rule(&run, RULE);
    approve(&mut run, RULE, "cleo");
    let text = "Handle every error that the API handler's calls can return.";
    let done = run.review(&review("m1", "dora", "MODIFY", json!({"modified_content": text})));
    assert_eq!(done.messages.iter().filter(|m| m.topic == Topic::RuleProposals).count(), 1);
    let (_, second) = rule(&run, RULE);
    assert_eq!((second.version, second.approvals.len(), second.rule_content.as_str()), (2, 0, text));
    assert_eq!(second.earlier_versions[0].rule_content, first.rule_content);
    let stale = run.review(&review("a1", "cleo", "APPROVE", json!({"content_hash": first.content_hash})));
    assert_eq!(stale.counts.refused, 1);
    assert_eq!(recorded(&run, "a1").refusal.unwrap().code, RefusalCode::WrongContentHash);
    for who in ["cleo", "dora"] {
        let seen = json!({"content_hash": second.content_hash});
        run.review(&review(&format!("a2-{who}"), who, "APPROVE", seen));
    }
    assert_eq!(rule(&run, RULE).1.status, ProposalStatus::Active);
}

#[test]
fn forged_replayed_and_self_made_approvals_deploy_nothing() {
    let mut run = with_proposal();
    let hash = rule(&run, RULE).1.content_hash;
    let send = |run: &mut Run, id: &str, who: &str, more| run.review(&review(id, who, "APPROVE", more));
    send(&mut run, "f1", "mallory", json!({}));
    send(&mut run, "f2", "cleo", json!({"content_hash": "0".repeat(64)}));
    send(&mut run, "f3", "cleo", json!({"signature": "-----BEGIN SSH SIGNATURE-----\nx\n-----END SSH SIGNATURE-----"}));
    send(&mut run, "f4", "cleo", json!({"proposal_id": "RULE-2026-0099"}));
    send(&mut run, "ok", "ann", json!({"content_hash": hash}));
    for _ in 0..3 {
        send(&mut run, "ok", "ann", json!({"content_hash": hash}));
        send(&mut run, "ok", "cleo", json!({"content_hash": hash}));
    }
    send(&mut run, "f5", "ann", json!({}));
    // Both wrote the evidence.
    send(&mut run, "self", "bob", json!({}));
    let (path, record) = rule(&run, RULE);
    assert!(path.starts_with("feedback/rules/proposed/"), "{path}");
    assert_eq!(record.approvals.iter().map(|a| a.reviewer_id.as_str()).collect::<Vec<_>>(), ["ann", "bob"]);
    let code = |id: &str| recorded(&run, id).refusal.map(|r| r.code);
    assert_eq!(code("f1"), Some(RefusalCode::NotAnApprover));
    assert_eq!(code("f2"), Some(RefusalCode::WrongContentHash));
    assert_eq!(code("f3"), Some(RefusalCode::BadSignature));
    assert_eq!(code("f4"), Some(RefusalCode::UnknownId));
    assert_eq!(code("f5"), Some(RefusalCode::AlreadyApproved));
    assert_eq!(recorded(&run, "self").outcome, ReviewOutcome::Accepted);
    assert!(recorded(&run, "self").effect.unwrap().contains("who wrote none of the evidence is needed"));
}

#[test]
fn where_signatures_are_required_an_unsigned_review_is_refused() {
    let mut run = with_proposal();
    run.config.review.require_signatures = true;
    run.restart();
    approve(&mut run, RULE, "cleo");
    let refusal = recorded(&run, "rev-RULE-2026-0001-cleo").refusal.unwrap();
    assert_eq!(refusal.code, RefusalCode::BadSignature);
    assert!(refusal.message.contains("reviewers.yaml"), "{}", refusal.message);
}

#[test]
fn an_edit_after_an_approval_voids_it_and_an_edit_of_an_active_rule_takes_effect() {
    let mut run = with_proposal();
    let first = rule(&run, RULE).1.rule_content;
    let edit = |text: String| {
        let (before, rest) = text.split_once("rule_content:").unwrap();
        let (at, _) = rest.match_indices('\n').find(|(at, _)| !rest[at + 1..].starts_with(' ')).unwrap();
        let content = "rule_content: Handle errors of all calls in API handlers.";
        format!("# looked at on Monday\n{before}{content}{}", &rest[at..])
    };
    approve(&mut run, RULE, "cleo");
    run.commit_file("feedback/rules/proposed/RULE-2026-0001.yaml", edit);
    run.tick();
    let (_, edited) = rule(&run, RULE);
    assert_eq!((edited.version, edited.approvals.len()), (2, 0));
    assert_eq!(edited.earlier_versions[0].replaced_by, "Ann");
    assert_eq!(edited.earlier_versions[0].rule_content, first, "the earlier text is found in the history");
    for who in ["cleo", "dora"] {
        run.review(&review(&format!("v2-{who}"), who, "APPROVE", json!({"content_hash": edited.content_hash})));
    }
    assert_eq!(rule(&run, RULE).1.status, ProposalStatus::Active);
    run.commit_file("feedback/rules/active/RULE-2026-0001.yaml", |text| text.replace("of all calls", "of every call"));
    let done = run.tick();
    assert_eq!(events(&done.messages), ["rule_activated:RULE-2026-0001:3"]);
    let (path, active) = rule(&run, RULE);
    assert_eq!(active.rule_content, "Handle errors of every call in API handlers.");
    assert_eq!((active.status, active.version), (ProposalStatus::Active, 3));
    assert!(run.text(&path).unwrap().starts_with("# looked at on Monday"), "what people wrote stays");
}

#[test]
fn a_file_that_somebody_only_moved_is_not_in_force() {
    let mut run = with_proposal();
    let text = run.text("feedback/rules/proposed/RULE-2026-0001.yaml").unwrap();
    run.commit_file("feedback/rules/active/RULE-2026-0001.yaml", |_| text);
    run.commit_file("feedback/rules/proposed/RULE-2026-0001.yaml", |_| String::new());
    run.tick();
    assert!(run.pipeline.as_ref().unwrap().get_active_rules(None).is_empty());
}

#[test]
fn proposals_are_announced_after_14_days_and_expire_after_30() {
    let mut run = with_proposal();
    let after = |days: i64| -> Timestamp {
        crate::harness::run::now().checked_add(SignedDuration::from_hours(24 * days)).unwrap()
    };
    run.now = after(13);
    // Only the weekly report is written then.
    assert_eq!(run.tick().messages, []);
    run.now = after(14);
    let reminded = run.tick();
    assert_eq!(reminded.messages.iter().filter(|m| m.topic == Topic::Alerts).count(), 1);
    assert_eq!(run.tick().commit, None, "people are reminded once");
    run.now = after(30);
    let expired = run.tick();
    assert_eq!(events(&expired.messages), ["rule_rejected:RULE-2026-0001:1"]);
    assert_eq!(rule(&run, RULE).1.status, ProposalStatus::Expired);
    // Its evidence stays: the next comment makes the pattern a proposal again.
    let third = decision("d3", "cem", "REJECTED", Some("Please add error handling to the API handler"));
    assert_eq!(run.send(&[third]).counts.proposals, ["RULE-2026-0002"]);
    assert_eq!(rule(&run, "RULE-2026-0002").1.evidence_count, 3);
}

/// Creates any number of rules, proposed by a program.
fn propose(run: &mut Run, count: usize) {
    let words = [
        "retries",
        "timeouts",
        "logging",
        "pagination",
        "caching",
        "metrics",
        "tracing",
        "migrations",
        "indexes",
        "backups",
        "tokens",
        "sessions",
        "cookies",
        "headers",
        "quotas",
        "limits",
        "locks",
        "queues",
        "topics",
        "schemas",
        "fixtures",
        "mocks",
        "snapshots",
        "benchmarks",
        "licenses",
    ];
    for word in words.iter().take(count) {
        let mut proposal = sample::proposal(1);
        proposal.rule_content = format!("Describe the {word} of every component.");
        proposal.title = word.to_string();
        run.file_proposal(proposal);
    }
}

#[test]
fn the_21st_rule_names_the_one_it_displaces_and_nothing_leaves_silently() {
    let mut run = Run::new();
    run.config.proposals.duplicate_threshold = 1.0;
    run.restart();
    run.approvers(&["cleo", "dora"]);
    propose(&mut run, 25);
    let approve_at = |run: &mut Run, rule: &str, who: &str, hour: u32| {
        let at = format!("2026-01-12T11:{hour:02}:00Z");
        run.review(&review(
            &format!("{rule}-{who}-{hour}"),
            who,
            "APPROVE",
            json!({"proposal_id": rule, "timestamp": at}),
        ))
    };
    let id = |n: usize| format!("RULE-2026-{n:04}");
    for n in 1..=20 {
        approve_at(&mut run, &id(n), "cleo", n as u32);
        approve_at(&mut run, &id(n), "dora", n as u32);
    }
    let active = |run: &Run| run.pipeline.as_ref().unwrap().get_active_rules(Some("prd-agent"));
    assert_eq!(active(&run).len(), 20);
    // The cards of pending ones name the oldest, as nothing is measured yet.
    assert_eq!(rule(&run, &id(21)).1.card.unwrap().displaces.as_deref(), Some("RULE-2026-0001"));
    for n in 21..=25 {
        approve_at(&mut run, &id(n), "cleo", 30 + n as u32);
        approve_at(&mut run, &id(n), "dora", 30 + n as u32);
        assert_eq!(active(&run).len(), 20);
        let (path, gone) = rule(&run, &id(n - 20));
        assert!(path.starts_with("feedback/rules/retired/"), "{path}");
        assert!(gone.reason.unwrap().starts_with(&format!("{} replaced it", id(n))));
    }
    run.restart();
    assert_eq!(active(&run).len(), 20);
}

#[test]
fn approvals_that_came_before_the_card_named_anybody_wait_for_a_word() {
    let mut run = Run::new();
    run.config.proposals.duplicate_threshold = 1.0;
    run.config.rules.max_active_per_agent = 2;
    run.restart();
    run.approvers(&["cleo", "dora"]);
    propose(&mut run, 3);
    // All six approvals in one batch: those of the third rule were given when there was room.
    let entries: Vec<_> = (1..=3)
        .flat_map(|n| ["cleo", "dora"].map(|who| (format!("RULE-2026-{n:04}"), who)))
        .map(|(rule, who)| review(&format!("{rule}-{who}"), who, "APPROVE", json!({"proposal_id": rule})))
        .collect();
    let mut entries: Vec<_> = entries.iter().map(|e| run.entry(e)).collect();
    for entry in &mut entries {
        entry.kind = feedbackd::domain::intake::event::StreamKind::MetaHitl;
    }
    run.process(&entries);
    let (path, third) = rule(&run, "RULE-2026-0003");
    assert!(path.starts_with("feedback/rules/proposed/"));
    assert_eq!(third.status, ProposalStatus::Approved);
    assert_eq!(third.card.unwrap().displaces.as_deref(), Some("RULE-2026-0001"));
    run.review(&review("word", "cleo", "APPROVE", json!({"proposal_id": "RULE-2026-0003"})));
    assert_eq!(rule(&run, "RULE-2026-0003").1.status, ProposalStatus::Active);
    assert_eq!(rule(&run, "RULE-2026-0001").1.status, ProposalStatus::Retired);
}

#[test]
fn a_rule_is_retired_or_rolled_back_by_one_approver() {
    let mut run = with_proposal();
    approve(&mut run, RULE, "ann");
    approve(&mut run, RULE, "cleo");
    let retire = json!({"review_id": "x", "decision": "ROLL_BACK", "rule_id": RULE, "reviewer_id": "dora",
        "timestamp": "2026-01-12T11:30:00Z", "reason": "it confuses the agent"});
    let done = run.review(&retire);
    assert_eq!(events(&done.messages), ["rule_retired:RULE-2026-0001:1"]);
    let (path, gone) = rule(&run, RULE);
    assert_eq!(
        (path.as_str(), gone.status),
        ("feedback/rules/retired/RULE-2026-0001.yaml", ProposalStatus::RolledBack)
    );
}

#[test]
fn what_waits_is_listed_until_people_decide_it() {
    let mut run = with_proposal();
    assert_eq!(waiting(&run), [RULE]);
    let (id, _) = run.file_proposal(sample::proposal(7));
    approve(&mut run, &id, "cleo");
    run.review(&review("twice", "cleo", "APPROVE", json!({ "proposal_id": id })));
    assert_eq!(recorded(&run, "twice").refusal.unwrap().code, RefusalCode::AlreadyApproved, "one voice, twice");
    assert_eq!(waiting(&run), [RULE, id.as_str()]);
    approve(&mut run, &id, "dora");
    run.review(&review("no", "dora", "REJECT", json!({ "reason": "not now" })));
    let pipeline = run.pipeline.as_ref().unwrap();
    let active = pipeline.get_active_rules(Some("prd-agent"));
    assert_eq!(active.iter().map(|r| &r.proposal_id).collect::<Vec<_>>(), [&id]);
    assert!(pipeline.get_active_rules(Some("coding-agent")).is_empty());
    assert!(waiting(&run).is_empty());
}

/// Returns the ids of the proposals pending review.
fn waiting(run: &Run) -> Vec<String> {
    let pipeline = run.pipeline.as_ref().unwrap();
    let queries = Queries::new(pipeline.store(), pipeline.index());
    let found = queries.proposals(Some(RuleState::Proposed), None).unwrap();
    let mut ids: Vec<String> = found.into_iter().map(|rule| rule.record.proposal_id).collect();
    ids.sort();
    ids
}

#[test]
fn the_card_says_what_would_have_happened() {
    let mut run = with_proposal();
    run.send(&[decision("p1", "eve", "APPROVED", None)]);
    run.send(&[decision("p2", "eve", "APPROVED", Some("Error handling is not needed in the API handler"))]);
    run.send(&[decision("d3", "cem", "REJECTED", Some("Please add error handling to the API handler"))]);
    let card = rule(&run, RULE).1.card.unwrap();
    assert_eq!((card.would_apply, card.approvals, card.would_fire_wrongly), (3, 2, 1));
    assert_eq!(card.would_fire_wrongly_on, ["p2"]);
    assert_eq!(rule(&run, RULE).1.dissent, ["p2"]);
    let against = Some("Error handling is not needed in the API handler");
    run.send(&[decision("p3", "fay", "APPROVED_WITH_CHANGES", against)]);
    let card = rule(&run, RULE).1.card.unwrap();
    assert_eq!((card.approvals, card.would_fire_wrongly), (2, 1), "a contradiction is no approval");
}

const FAILURES: &str = "Give every call that can fail (network, file, database, parsing) an explicit failure branch in the same function or a documented caller, in every API handler.";

#[test]
fn what_is_in_force_elsewhere_is_not_proposed_and_the_sentence_is_named() {
    let mut run = Run::new();
    let prompts = run.dir.path().join("prompts");
    std::fs::create_dir(&prompts).unwrap();
    std::fs::write(
        prompts.join("coding-agent.md"),
        "# You write code\n\n- Keep functions short.\n- Add an index in the same migration for each new column set used in WHERE, JOIN or ORDER BY, and show the query plan.\n",
    )
    .unwrap();
    run.config.rules.base_prompts = prompts;
    run.restart();
    let processed = run.send(&[
        decision("d1", "ann", "REJECTED", Some("Add an index on the customer column")),
        decision("d2", "bob", "REJECTED", Some("There is no index on the customer column")),
    ]);
    assert_eq!(processed.counts.proposals, [""; 0]);
    run.pipeline.as_mut().unwrap().flush(run.now).unwrap();
    assert_eq!(run.paths(layout::PROPOSED), [""; 0]);
    let id = run.decision("d1").evaluation.cluster.unwrap();
    let cluster: feedbackd::domain::records::record::ClusterRecord = run.read(&layout::cluster(&id));
    let why = cluster.not_proposed.unwrap();
    assert!(
        why.contains("the base prompt of coding-agent, line 4") && why.contains("Add an index in the same"),
        "{why}"
    );
    // An imported file demands the same.
    let mut run = Run::new();
    run.approvers(&["ann", "cleo"]);
    let import = json!({"import": {"name": "AGENTS.md", "agents": ["coding-agent"], "imported_by": "ann",
        "imported_at": "2026-01-12T09:00:00Z", "file_hash": "0".repeat(64),
        "rules": [{"line": 3, "section": "Style", "text": "Add an index in the same migration for each new column set used in WHERE, JOIN or ORDER BY, and show the query plan."}]}});
    let mut foreign = import.clone();
    foreign["import"]["imported_by"] = json!("zoe");
    assert_eq!(run.review(&foreign).commit, None, "a stranger imports nothing");
    run.review(&import);
    let processed = run.send(&[
        decision("d1", "ann", "REJECTED", Some("Add an index on the customer column")),
        decision("d2", "bob", "REJECTED", Some("There is no index on the customer column")),
    ]);
    assert_eq!(processed.counts.proposals, [""; 0]);
    run.pipeline.as_mut().unwrap().flush(run.now).unwrap();
    assert_eq!(run.paths(layout::PROPOSED), [""; 0]);
    // A person on the roster withdraws it, once; what it held back is proposed now.
    let taken_back = |who: &str, id: &str| review(id, who, "WITHDRAW_IMPORT", json!({"import": "AGENTS.md"}));
    run.review(&taken_back("zoe", "w0"));
    assert_eq!(recorded(&run, "w0").refusal.unwrap().code, RefusalCode::NotAnApprover);
    run.review(&taken_back("ann", "w1"));
    let effect = recorded(&run, "w1").effect.unwrap();
    insta::assert_snapshot!(effect, @"1 rule of the import `AGENTS.md` withdrawn: no longer known as in force elsewhere; 1 cluster that it held back can be proposed now. Proposals and rules that people have decided on since then stay unchanged");
    run.pipeline.as_mut().unwrap().flush(run.now).unwrap();
    assert_eq!(run.paths(layout::PROPOSED).len(), 1);
    run.review(&taken_back("cleo", "w2"));
    let refusal = recorded(&run, "w2").refusal.unwrap();
    assert_eq!(
        (refusal.code, refusal.message.as_str()),
        (RefusalCode::AlreadyDecided, "ann already withdrew the import `AGENTS.md`")
    );
    run.review(&review("w3", "ann", "WITHDRAW_IMPORT", json!({"import": "no.md"})));
    assert_eq!(recorded(&run, "w3").refusal.unwrap().code, RefusalCode::UnknownId);
    // A rebuilt index has the same content, and the file can be imported again.
    run.restart();
    let kept: feedbackd::domain::records::record::ImportRecord = run.read(&layout::import("AGENTS.md"));
    assert_eq!((kept.withdrawn.unwrap().by.as_str(), kept.rules.len()), ("ann", 1));
    run.review(&import);
    let again: feedbackd::domain::records::record::ImportRecord = run.read(&layout::import("AGENTS.md"));
    assert_eq!(again.withdrawn, None);
    assert_eq!(run.paths(layout::PROPOSED).len(), 1, "what is proposed stays proposed");
    // A text that restates a rule in force, or is vague, is no modification.
    let mut run = with_proposal();
    let mut failures = import;
    failures["import"]["rules"][0]["text"] = json!(FAILURES);
    run.review(&failures);
    for (id, text, code) in
        [("v", "Consider improving the code.", RefusalCode::VagueText), ("r", FAILURES, RefusalCode::Restatement)]
    {
        run.review(&review(id, "cleo", "MODIFY", json!({"modified_content": text})));
        let refusal = recorded(&run, id).refusal.unwrap();
        assert_eq!(refusal.code, code, "{}", refusal.message);
    }
    assert!(recorded(&run, "r").refusal.unwrap().message.contains("AGENTS.md, line 3"));
}
