//! From corrections to a rule in an agent's prompt and its effect, with people deciding on the stream, on the command
//! line and in Git (specification, "Reviews" and "Rules").

use super::{World, three_alike};
use crate::harness::audit::records;
use crate::harness::daemon::{Said, Site};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{
    DEAD_LETTERS, Entry, PROPOSALS, REVIEWS, RULES, add, decision, entries, is_drained, review,
};
use crate::harness::wait_until;
use feedbackd::domain::intake::submission::Resolution;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{
    AmbiguousRecord, AmbiguousStatus, InjectionRecord, ProposalRecord, ProposalStatus, RefusalCode, ReviewOutcome,
    ReviewRecord,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

pub(super) const AGENT: &str = "coding-agent";

/// Returns the time so many days ago.
pub(super) fn ago(days: i64) -> Timestamp {
    feedbackd::wiring::now().checked_sub(SignedDuration::from_hours(24 * days)).expect("a time")
}

/// Dates a decision so many days ago.
pub(super) fn dated(mut decision: Value, days: i64) -> Value {
    decision["timestamp"] = json!(ago(days));
    decision
}

/// Backdates a rule, to avoid a wait of forty days: a person writes in its file that it came into force so many days
/// ago.
pub(super) fn put_back(site: &Site, path: &str, days: i64) {
    site.push(path, |text| {
        let line = text.lines().find(|line| line.starts_with("activated_at:")).expect("a rule in force").to_owned();
        text.replace(&line, &format!("activated_at: \"{}\"", ago(days)))
    });
}

/// Creates a daemon, four people on the roster, and a demand of three of them.
pub(super) fn with_proposal() -> World {
    let world = World::new();
    world.site.push_roster(&["ann", "bob", "cleo", "dora"]);
    world.decide(&three_alike());
    world
}

/// Returns the only rule, with its path.
pub(super) fn only_rule(site: &Site) -> (String, ProposalRecord) {
    let mut found: Vec<(String, ProposalRecord)> =
        [layout::PROPOSED, "feedback/rules/active/", "feedback/rules/retired/", "feedback/rules/rejected/"]
            .into_iter()
            .flat_map(|place| records(site, place))
            .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

pub(super) fn recorded(site: &Site, id: &str) -> ReviewRecord {
    let found: Vec<(String, ReviewRecord)> = records(site, layout::REVIEWS);
    let mut found: Vec<ReviewRecord> = found.into_iter().map(|(_, r)| r).filter(|r| r.review_id == id).collect();
    assert_eq!(found.len(), 1, "{id} has one record");
    found.remove(0)
}

pub(super) fn verdict(id: &str, rule: &ProposalRecord, who: &str, decision: &str) -> Value {
    json!({
        "review_id": id, "proposal_id": rule.proposal_id, "decision": decision, "reviewer_id": who,
        "timestamp": feedbackd::wiring::now(), "content_hash": rule.content_hash,
    })
}

/// Has two people approve the pending proposal, on the stream.
pub(super) fn approve(world: &World) -> ProposalRecord {
    let (_, rule) = only_rule(&world.site);
    for who in ["ann", "cleo"] {
        review(&world.redis, &verdict(&format!("yes-{who}"), &rule, who, "APPROVE"));
    }
    world.drain();
    only_rule(&world.site).1
}

pub(super) fn announced(redis: &RedisServer) -> Vec<String> {
    entries(redis, RULES).iter().map(|entry| entry.key().to_owned()).collect()
}

pub(super) fn active_key(redis: &RedisServer) -> Option<String> {
    redis.cli(&["GET", &format!("asdlc:rules:active:{AGENT}")])
}

pub(super) fn prompt_key(redis: &RedisServer) -> Option<String> {
    redis.cli(&["GET", &format!("asdlc:rules:prompt:{AGENT}")])
}

pub(super) fn ok(said: Said) -> String {
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out
}

#[test]
fn the_whole_loop_from_corrections_to_the_measured_effect() {
    let world = World::new();
    world.site.push_roster(&["ann", "cleo"]);
    let mut earlier: Vec<Value> = three_alike().into_iter().map(|d| dated(d, 50)).collect();
    earlier.extend((0..7).map(|n| dated(decision(&format!("p{n}"), "eve", "APPROVED", None), 49)));
    world.decide(&earlier);

    // The proposal names the text that an approval is bound to.
    let offered = entries(&world.redis, PROPOSALS);
    assert_eq!(offered.len(), 1);
    let data = offered[0].data();
    let approval = |id: &str, who: &str| {
        json!({"review_id": id, "proposal_id": data["proposal_id"], "decision": "APPROVE", "reviewer_id": who,
            "timestamp": ago(0), "content_hash": data["content_hash"]})
    };
    review(&world.redis, &approval("r1", "ann"));
    world.drain();
    assert_eq!((announced(&world.redis), active_key(&world.redis)), (vec![], None), "one approval is not enough");
    review(&world.redis, &approval("r2", "cleo"));
    // A redelivery, and the same person again.
    review(&world.redis, &approval("r2", "cleo"));
    review(&world.redis, &approval("r3", "cleo"));
    world.drain();

    let (path, rule) = only_rule(&world.site);
    let id = rule.proposal_id.as_str();
    assert!(path.starts_with(layout::ACTIVE) && id.starts_with("RULE-"), "{path}");
    assert_eq!(rule.status, ProposalStatus::Active);
    assert_eq!(recorded(&world.site, "r3").refusal.expect("refused").code, RefusalCode::AlreadyDecided);
    assert_eq!(announced(&world.redis), [format!("rule_activated:{id}:1")]);
    let event: &Entry = &entries(&world.redis, RULES)[0];
    assert_eq!(event.fields["schema"], "feedbackd.rule_event/1");
    assert_eq!(event.data()["approved_by"], json!(["ann", "cleo"]));
    assert_eq!(event.data()["record"], path.as_str());

    let active: Value = serde_json::from_str(&active_key(&world.redis).expect("the key")).expect("JSON");
    assert_eq!((&active[0]["id"], &active[0]["rule_content"]), (&json!(id), &json!(rule.rule_content)));
    assert_eq!(active.as_array().map(Vec::len), Some(1));
    let section = prompt_key(&world.redis).expect("the key");
    assert!(section.starts_with("## Learned Rules (from feedback)\n\n- ") && section.contains(id), "{section}");

    // The agent starts: base prompt, then the key's content; the daemon records it.
    let base = world.site.path("base.md");
    std::fs::write(&base, "You write Python.\n").expect("written");
    let base = base.display().to_string();
    let prompt = ok(world.site.run(&["prompt", "--agent", AGENT, "--base", &base, "--session", "s-9"]));
    assert_eq!(prompt, format!("You write Python.\n\n{section}"));
    world.drain();
    let injections: Vec<(String, InjectionRecord)> = records(&world.site, layout::INJECTIONS);
    assert_eq!(injections.len(), 1);
    let injected = &injections[0].1;
    assert_eq!((injected.agent.as_str(), injected.session_id.as_deref()), (AGENT, Some("s-9")));
    assert_eq!((injected.rules[0].rule_id.as_str(), injected.rules[0].version), (id, 1));

    put_back(&world.site, &path, 40);
    // Two while it stabilizes, sixteen later; one repeats the demand.
    let mut later: Vec<Value> =
        (0..2).map(|n| dated(decision(&format!("s{n}"), "eve", "APPROVED", None), 37)).collect();
    later.extend((0..15).map(|n| dated(decision(&format!("q{n}"), "eve", "APPROVED", None), 20 - n)));
    let again = Some("The API handler has no error handling");
    later.push(dated(decision("again", "eve", "REJECTED", again), 3));
    world.decide(&later);
    let effect: Value = serde_json::from_str(&ok(world.site.run(&["--json", "rules", "effect", id]))).expect("JSON");
    assert_eq!((&effect["exposures"], &effect["set_aside"]), (&json!(16), &json!(2)), "{effect}");
    let tally = |side: &str| (&effect[side]["corrections"], &effect[side]["decisions"]);
    assert_eq!((tally("before"), tally("after")), ((&json!(3), &json!(10)), (&json!(1), &json!(16))), "{effect}");
    assert_eq!(effect["still_broken"], json!(["again"]));
    let said = ok(world.site.run(&["rules", "effect", id]));
    assert!(said.contains("3 of 10 decisions: 30 %") && said.contains("1 of 16 decisions: 6 %"), "{said}");
    let why = ok(world.site.run(&["lineage", section.lines().last().expect("a line")]));
    assert!(why.contains("Approval by ann, version 1") && why.contains("entered 1 prompt"), "{why}");
    assert_eq!(announced(&world.redis), [format!("rule_activated:{id}:1")], "nothing was announced again");
}

#[test]
fn the_command_line_decides_beside_the_daemon() {
    let world = with_proposal();
    let decided = |arguments: &[&str]| {
        let said = world.site.run(arguments);
        // The daemon recorded it before the command reported it; its messages may still be in flight.
        world.drain();
        said
    };
    world.decide(&[decision("d9", "dee", "APPROVED", Some("No error handling needed in the API handler"))]);
    let (_, first) = only_rule(&world.site);
    let id = first.proposal_id.as_str();

    let text = "Handle every error that the calls of an API handler can return.";
    let said = ok(decided(&["proposals", "modify", id, "--text", text, "--as", "bob"]));
    assert!(said.contains(&format!("version 2 of {id}")), "{said}");
    let stale = decided(&["proposals", "approve", id, "--content-hash", &first.content_hash, "--as", "cleo"]);
    assert_eq!(stale.code, Some(1), "{stale:?}");
    assert!(
        stale.err.contains(&format!("{id} is at version 2")) && stale.err.contains("wrong_content_hash"),
        "{stale:?}"
    );
    let stranger = decided(&["proposals", "approve", id, "--as", "mallory"]);
    assert!(stranger.code == Some(1) && stranger.err.contains("mallory is not on the roster"), "{stranger:?}");
    let said = ok(decided(&["proposals", "approve", id, "--as", "cleo"]));
    assert!(said.contains("approval 1 of 2 for version 2"), "{said}");
    assert_eq!(announced(&world.redis), [""; 0]);
    let said = ok(decided(&["proposals", "approve", id, "--as", "dora"]));
    assert!(said.contains(&format!("{id} is in force")), "{said}");
    assert_eq!(announced(&world.redis), [format!("rule_activated:{id}:2")]);
    assert!(prompt_key(&world.redis).expect("the key").contains(text));

    let said =
        ok(decided(&["ambiguous", "resolve", "d9", "ignore", "--as", "ann", "--reason", "the framework does it"]));
    assert!(said.contains("recorded as cli-"), "{said}");
    let resolved: Vec<(String, AmbiguousRecord)> = records(&world.site, layout::RESOLVED);
    assert_eq!(
        (resolved[0].1.status, resolved[0].1.resolved_as),
        (AmbiguousStatus::Resolved, Some(Resolution::Ignore))
    );

    let silent = decided(&["rules", "retire", id, "--as", "ann"]);
    assert!(silent.code == Some(1) && silent.err.contains("a reason is required"), "{silent:?}");
    let said = ok(decided(&["rules", "retire", id, "--as", "ann", "--reason", "it confuses the agent"]));
    assert!(said.contains(&format!("{id} is retired: it confuses the agent")), "{said}");
    assert_eq!((active_key(&world.redis), prompt_key(&world.redis)), (None, None));
    assert_eq!(announced(&world.redis), [format!("rule_activated:{id}:2"), format!("rule_retired:{id}:2")]);

    let reviews: Vec<(String, ReviewRecord)> = records(&world.site, layout::REVIEWS);
    let refused = reviews.iter().filter(|(_, r)| r.outcome == ReviewOutcome::Refused).count();
    assert_eq!((reviews.len(), refused), (8, 3));
    assert!(reviews.iter().all(|(_, r)| r.source.stream == REVIEWS), "the daemon read them from the stream");
    // Invalid input is reported immediately, and not sent.
    let nobody = world.site.run(&["proposals", "approve", id, "--as", ""]);
    assert!(nobody.code == Some(2) && nobody.err.contains("reviewer_id"), "{nobody:?}");
    assert_eq!(entries(&world.redis, REVIEWS).len(), reviews.len());
}

#[test]
fn the_command_line_decides_without_the_daemon_and_the_next_one_announces_it() {
    let World { redis, site, daemon } = with_proposal();
    assert_eq!(daemon.stop().code(), Some(0));
    let (_, rule) = only_rule(&site);
    let id = rule.proposal_id.as_str();
    ok(site.run(&["proposals", "approve", id, "--as", "ann"]));
    let said = ok(site.run(&["proposals", "approve", id, "--as", "cleo"]));
    assert!(said.contains(&format!("{id} is in force")), "{said}");
    let reviews: Vec<(String, ReviewRecord)> = records(&site, layout::REVIEWS);
    assert!(reviews.len() == 2 && reviews.iter().all(|(_, r)| r.source.stream == "cli"), "{reviews:?}");
    assert_eq!((announced(&redis), active_key(&redis)), (vec![], None));
    let daemon = site.start();
    let drain = || wait_until("it is announced", || is_drained(&redis, &site, ""));
    drain();
    assert_eq!(announced(&redis), [format!("rule_activated:{id}:1")]);
    assert!(active_key(&redis).is_some() && prompt_key(&redis).is_some());

    assert_eq!(daemon.stop().code(), Some(0));
    ok(site.run(&["rules", "retire", id, "--as", "dora", "--reason", "over"]));
    assert!(prompt_key(&redis).is_some());
    let _daemon = site.start();
    drain();
    assert_eq!(announced(&redis), [format!("rule_activated:{id}:1"), format!("rule_retired:{id}:1")]);
    assert_eq!((active_key(&redis), prompt_key(&redis)), (None, None));
}

#[test]
fn a_turned_down_proposal_is_announced_and_enters_no_prompt() {
    let world = with_proposal();
    let (_, rule) = only_rule(&world.site);
    let id = rule.proposal_id.as_str();
    let said = ok(world.site.run(&["proposals", "reject", id, "--as", "dora", "--reason", "the framework does it"]));
    assert!(said.contains(&format!("{id} is rejected: the framework does it")), "{said}");
    world.drain();
    assert_eq!(announced(&world.redis), [format!("rule_rejected:{id}:1")]);
    assert_eq!(only_rule(&world.site).0, format!("feedback/rules/rejected/{id}.yaml"));
    assert_eq!((active_key(&world.redis), prompt_key(&world.redis)), (None, None));
}

#[test]
fn what_people_push_takes_effect_while_it_runs() {
    let world = World::new();
    world.decide(&three_alike());
    let (_, rule) = only_rule(&world.site);
    // The roster is still empty: the decision is recorded, and has no effect.
    review(&world.redis, &verdict("early", &rule, "cleo", "APPROVE"));
    world.drain();
    let early = recorded(&world.site, "early");
    assert_eq!((early.outcome, early.effect), (ReviewOutcome::Refused, None));
    let refusal = early.refusal.expect("a reason");
    assert_eq!(refusal.code, RefusalCode::NotAnApprover);
    assert!(refusal.message.contains("add this person to reviewers.yaml"), "{}", refusal.message);
    assert!(announced(&world.redis).is_empty() && entries(&world.redis, DEAD_LETTERS).is_empty());
    assert!(only_rule(&world.site).1.approvals.is_empty());
    world.site.push_roster(&["ann", "cleo"]);
    let active = approve(&world);
    assert_eq!(active.status, ProposalStatus::Active);

    // A person edits the text of the rule in force.
    let id = active.proposal_id.as_str();
    let text = "Handle errors of every call in API handlers.";
    world.site.push(&layout::rule(id, ProposalStatus::Active), |old| {
        let (before, rest) = old.split_once("rule_content:").expect("its text");
        let (at, _) = rest.match_indices('\n').find(|(at, _)| !rest[at + 1..].starts_with(' ')).expect("another key");
        format!("{before}rule_content: {text} # shorter{}", &rest[at..])
    });
    wait_until("the agents read the new text", || prompt_key(&world.redis).is_some_and(|p| p.contains(text)));
    world.drain();
    assert_eq!(announced(&world.redis), [format!("rule_activated:{id}:1"), format!("rule_activated:{id}:2")]);
    let (path, edited) = only_rule(&world.site);
    assert_eq!((edited.version, edited.earlier_versions[0].replaced_by.as_str()), (2, "Ann"));
    assert!(world.site.git(&["show", &format!("main:{path}")]).contains("# shorter"), "what people wrote stays");
}

#[test]
fn what_is_no_review_becomes_a_dead_letter_that_says_why() {
    let world = with_proposal();
    let (_, rule) = only_rule(&world.site);
    let mut maybe = verdict("m1", &rule, "ann", "MAYBE");
    let mut nobody = verdict("m2", &rule, "ann", "APPROVE");
    let mut empty = verdict("m3", &rule, "ann", "MODIFY");
    nobody.as_object_mut().expect("an object").remove("reviewer_id");
    empty["modified_content"] = json!("  ");
    maybe["note"] = json!("as it was");
    let torn = add(&world.redis, REVIEWS, &[("data", "{\"review_id\": ")]);
    for entry in [&maybe, &nobody, &empty] {
        review(&world.redis, entry);
    }
    add(&world.redis, REVIEWS, &[("_init", "1")]);
    review(&world.redis, &verdict("good", &rule, "ann", "APPROVE"));
    world.drain();
    assert_eq!(recorded(&world.site, "good").outcome, ReviewOutcome::Accepted);
    let letters = entries(&world.redis, DEAD_LETTERS);
    let told: Vec<(Value, Value)> =
        letters.iter().map(|l| l.data()).map(|d| (d["code"].clone(), d["field"].clone())).collect();
    let expected = [
        (json!("invalid_json"), Value::String("data".into())),
        (json!("invalid_field"), json!("decision")),
        (json!("missing_field"), json!("reviewer_id")),
        (json!("missing_field"), json!("modified_content")),
    ];
    assert_eq!(told, expected, "{letters:?}");
    assert_eq!(letters[0].data()["entry_id"], torn.as_str());
    let sentence = letters[1].data()["message"].as_str().expect("a sentence").to_owned();
    assert!(sentence.contains("MAYBE") && sentence.contains("APPROVE, REJECT, MODIFY"), "{sentence}");
    assert_eq!(letters[1].fields["original:data"], maybe.to_string());
    let reviews: Vec<(String, ReviewRecord)> = records(&world.site, layout::REVIEWS);
    assert_eq!(reviews.len(), 1, "a dead letter is no review");
    assert_eq!(world.site.files(layout::DEAD_LETTERS).len(), 4);
}
