//! Consequences of measuring: flags, proposals to retire, checks instead of words; people decide each.

use super::{RULE, approve, rule, with_proposal};
use crate::harness::run::Run;
use feedbackd::domain::clusters::evaluation::ActionType;
use feedbackd::domain::records::message::Topic;
use feedbackd::domain::records::record::{ProposalRecord, ProposalStatus};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// When the rule of [`in_force`] comes into force.
const ACTIVATED: &str = "2026-01-20T12:00:00Z";

fn day(days: i64) -> Timestamp {
    let activated: Timestamp = ACTIVATED.parse().unwrap();
    activated.checked_add(SignedDuration::from_hours(24 * days)).unwrap()
}

/// Returns decisions about the agent, one every quarter of a day from a given day; `bad` of every ten ask for what the
/// rule says.
fn decisions(from: i64, count: usize, bad: usize, name: &str) -> Vec<Value> {
    let start = day(from);
    (0..count)
        .map(|n| {
            let at = start.checked_add(SignedDuration::from_hours(6 * n as i64)).unwrap();
            let asks = n % 10 < bad;
            json!({
                "decision_id": format!("{name}-{n}"), "gate_id": "HITL-4", "agent": "coding-agent",
                "decision": if asks { "REJECTED" } else { "APPROVED" },
                "reviewer_id": if n % 2 == 0 { "ann" } else { "bob" }, "timestamp": at.to_string(),
                "reviewer_comment": asks.then_some("API handler lacks error handling"),
            })
        })
        .collect()
}

/// Creates a rule that came into force after 40 decisions, half of which asked for it.
fn in_force() -> Run {
    let mut run = with_proposal();
    run.now = day(0);
    run.send(&decisions(-12, 40, 5, "before"));
    for who in ["cleo", "dora"] {
        let review = json!({"review_id": format!("r-{who}"), "proposal_id": RULE, "decision": "APPROVE",
            "reviewer_id": who, "timestamp": ACTIVATED});
        run.review(&review);
    }
    assert_eq!(rule(&run, RULE).1.activated_at, Some(day(0)));
    run
}

/// Returns the proposals of a kind about the rule.
fn about(run: &Run, action: ActionType) -> Vec<ProposalRecord> {
    let rules =
        run.paths(feedbackd::domain::records::layout::RULES).into_iter().map(|path| run.read::<ProposalRecord>(&path));
    rules.filter(|r| r.action_type == action && r.target_rule.as_deref() == Some(RULE)).collect()
}

#[test]
fn a_rule_that_does_not_help_is_flagged_and_its_retirement_proposed_to_people() {
    let mut run = in_force();
    run.now = day(28);
    run.send(&decisions(8, 80, 5, "after"));
    run.now = day(29);
    run.tick();
    assert_eq!(rule(&run, RULE).1.status, ProposalStatus::Active, "not before 30 days");
    run.now = day(31);
    let flagged = run.tick();
    let topics: Vec<Topic> = flagged.messages.iter().map(|m| m.topic).collect();
    assert!(topics.contains(&Topic::Rules) && topics.contains(&Topic::Alerts), "{topics:?}");
    let (path, record) = rule(&run, RULE);
    assert_eq!((path.as_str(), record.status), ("feedback/rules/active/RULE-2026-0001.yaml", ProposalStatus::Flagged));
    let [retirement] = about(&run, ActionType::RetireRule).try_into().unwrap();
    assert_eq!(record.flag.unwrap().proposal, Some(retirement.proposal_id.clone()));
    // Hourly checks do not repeat themselves.
    run.now = day(32);
    assert_eq!(run.tick().messages, []);
    for who in ["cleo", "dora"] {
        approve(&mut run, &retirement.proposal_id, who);
    }
    let (path, gone) = rule(&run, RULE);
    assert_eq!((path.as_str(), gone.status), ("feedback/rules/retired/RULE-2026-0001.yaml", ProposalStatus::Retired));
    assert!(gone.reason.unwrap().contains(&retirement.proposal_id));
    assert!(rule(&run, &retirement.proposal_id).0.starts_with("feedback/rules/retired/"));
}

#[test]
fn people_who_keep_a_flagged_rule_are_not_asked_again_at_once() {
    let mut run = in_force();
    run.now = day(28);
    run.send(&decisions(8, 80, 5, "after"));
    run.now = day(31);
    run.tick();
    let [retirement] = about(&run, ActionType::RetireRule).try_into().unwrap();
    let reject = json!({"review_id": "keep", "proposal_id": retirement.proposal_id, "decision": "REJECT",
        "reviewer_id": "cleo", "reason": "the team is new", "timestamp": day(31).to_string()});
    run.review(&reject);
    assert_eq!(rule(&run, RULE).1.status, ProposalStatus::Active);
    run.now = day(33);
    run.tick();
    assert_eq!(rule(&run, RULE).1.status, ProposalStatus::Active);
    assert_eq!(about(&run, ActionType::RetireRule).len(), 1);
}

#[test]
fn a_rule_that_is_delivered_and_still_broken_asks_for_a_check_instead_of_more_words() {
    let mut run = in_force();
    run.now = day(28);
    run.send(&decisions(8, 80, 5, "after"));
    run.now = day(31);
    run.tick();
    let [check] = about(&run, ActionType::AddCheck).try_into().unwrap();
    assert_eq!(check.status, ProposalStatus::Pending);
    assert!(check.rule_content.starts_with("Check with a tool before the gate"), "{}", check.rule_content);
    assert!(check.created_from_feedback_ids.iter().all(|id| id.starts_with("after-")));
    for who in ["cleo", "dora"] {
        approve(&mut run, &check.proposal_id, who);
    }
    // It is approved, but adds no words to the prompt.
    assert_eq!(rule(&run, &check.proposal_id).1.status, ProposalStatus::Active);
    let keys = run.pipeline.as_ref().unwrap().deployed();
    let prompt = keys.iter().find(|k| k.agent == "coding-agent").unwrap().prompt.clone().unwrap();
    assert!(prompt.contains(RULE) && !prompt.contains(&check.proposal_id), "{prompt}");
}

#[test]
fn a_rule_that_helps_is_left_alone_and_comes_first() {
    let mut run = in_force();
    run.now = day(28);
    run.send(&decisions(8, 80, 1, "after"));
    run.now = day(31);
    run.tick();
    assert_eq!(rule(&run, RULE).1.status, ProposalStatus::Active);
    assert_eq!(about(&run, ActionType::RetireRule).len() + about(&run, ActionType::AddCheck).len(), 0);
    let keys = run.pipeline.as_ref().unwrap().deployed();
    let active: Value = serde_json::from_str(keys[0].active.as_ref().unwrap()).unwrap();
    assert!(active[0]["effect"].as_f64().unwrap() > 0.1, "{active}");
}

#[test]
fn a_weekly_report_is_written_once() {
    let mut run = in_force();
    run.now = day(9);
    run.tick();
    let reports = run.paths(feedbackd::domain::records::layout::REPORTS);
    assert_eq!(reports, ["feedback/reports/2026/2026-W03.md", "feedback/reports/2026/2026-W04.md"]);
    run.restart();
    assert_eq!(run.tick().commit, None);
    run.send(&decisions(8, 2, 5, "later"));
    run.now = day(16);
    run.tick();
    assert_eq!(run.paths(feedbackd::domain::records::layout::REPORTS).len(), 3);
}

#[test]
fn an_agent_whose_corrections_ask_for_everything_is_a_capability_gap() {
    let mut run = Run::new();
    let wishes = [
        "Name the owner of every service",
        "Rename the tax column",
        "Sort imports by length",
        "Cache the exchange rates",
        "Draw the sequence of calls",
        "Bump the licence year",
        "Explain the retry budget",
        "Translate the error pages",
        "Split the nightly job",
        "Quote the contract number",
        "Use the blue logo",
        "Drop the legacy cookie",
    ];
    let events: Vec<Value> = (0..24)
        .map(|n| {
            let wish = wishes.get(n / 2).filter(|_| n % 2 == 0);
            json!({
                "decision_id": format!("g-{n}"), "gate_id": "HITL-4", "agent": "coding-agent",
                "decision": if n < 18 { "REJECTED" } else { "APPROVED" }, "reviewer_id": "ann",
                "timestamp": day(-7).to_string(), "reviewer_comment": wish.filter(|_| n < 18),
            })
        })
        .collect();
    run.now = day(0);
    run.send(&events);
    // The week in which it happened is over, but it is within the window of 30 days.
    run.now = day(3);
    let processed = run.tick();
    let alerts: Vec<&str> =
        processed.messages.iter().filter(|m| m.topic == Topic::Alerts).map(|m| m.data.as_str()).collect();
    assert!(alerts.iter().any(|data| data.contains("capability_gap") && data.contains("18 of 24")), "{alerts:?}");
    assert_eq!(run.paths("feedback/alerts/capability_gap/").len(), 1);
    run.restart();
    assert_eq!(run.tick().messages, [], "it is raised once a month");
}
