//! The keys that agents read: they match the store, whatever happens to them, and belong to no other agents
//! (specification, "Streams and keys out").

use super::rules::{
    AGENT, active_key, announced, approve, dated, ok, only_rule, prompt_key, put_back, recorded, verdict, with_proposal,
};
use super::{World, three_alike};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{
    DEAD_LETTERS, DECISIONS, Entry, REVIEWS, RULES, add, decide, decision, drain, entries, is_drained, review,
};
use crate::harness::wait_until;
use serde_json::{Value, json};

#[test]
fn the_keys_come_back_whatever_becomes_of_them() {
    let world = with_proposal();
    approve(&world);
    let right = (active_key(&world.redis), prompt_key(&world.redis));
    assert!(right.0.is_some() && right.1.is_some());
    let (active, prompt) = (format!("asdlc:rules:active:{AGENT}"), format!("asdlc:rules:prompt:{AGENT}"));
    let harms: [&[&str]; 4] =
        [&["DEL", &active, &prompt], &["SET", &prompt, "Do as you like."], &["LPUSH", &active, "x"], &["FLUSHALL"]];
    let is_right = |redis: &RedisServer| {
        let get = |key: &str| redis.try_cli::<Option<String>>(&["GET", key]).ok().flatten();
        (get(&active), get(&prompt)) == right
    };
    let harm = |redis: &RedisServer, words: &[&str]| {
        if words[0] == "LPUSH" {
            let _: redis::Value = redis.cli(&["DEL", words[1]]);
        }
        let _: redis::Value = redis.cli(words);
    };
    for words in harms {
        harm(&world.redis, words);
        assert!(!is_right(&world.redis), "{words:?}");
        wait_until("the keys are back", || is_right(&world.redis));
    }
    assert_eq!(announced(&world.redis), [""; 0], "what Redis forgot is not announced again");
    let World { redis, site, mut daemon } = world;
    for words in harms {
        daemon.kill9();
        harm(&redis, words);
        daemon = site.start();
        wait_until("the keys are back", || is_right(&redis));
    }
}

#[test]
fn a_tenants_rules_lie_below_its_prefix() {
    let world = World::with(&[("REDIS__TENANT", "acme")]);
    let prefix = "tenant:acme:";
    let key = |name: &str| format!("{prefix}{name}");
    let drain = || wait_until("the tenant's streams are drained", || is_drained(&world.redis, &world.site, prefix));
    world.site.push_roster(&["ann", "cleo"]);
    for event in three_alike() {
        add(&world.redis, &key(DECISIONS), &[("data", &event.to_string())]);
    }
    drain();
    let (_, rule) = only_rule(&world.site);
    let id = rule.proposal_id.as_str();
    let mut foreign = verdict("foreign", &rule, "cleo", "APPROVE");
    foreign["tenant_id"] = json!("other");
    add(&world.redis, &key(REVIEWS), &[("data", &foreign.to_string())]);
    add(&world.redis, &key(REVIEWS), &[("data", &verdict("r1", &rule, "ann", "APPROVE").to_string())]);
    drain();
    ok(world.site.run(&["proposals", "approve", id, "--as", "cleo"]));
    drain();
    let events = entries(&world.redis, &key(RULES));
    assert_eq!(events.iter().map(Entry::key).collect::<Vec<_>>(), [format!("rule_activated:{id}:1")]);
    assert_eq!(events[0].fields["tenant_id"], "acme");
    let prompt: Option<String> = world.redis.cli(&["GET", &key(&format!("asdlc:rules:prompt:{AGENT}"))]);
    assert!(prompt.expect("the key").contains(id));
    let letters = entries(&world.redis, &key(DEAD_LETTERS));
    assert_eq!(letters.iter().map(|l| l.data()["code"].clone()).collect::<Vec<_>>(), ["tenant_mismatch"]);
    assert_eq!(recorded(&world.site, "r1").tenant_id.as_deref(), Some("acme"));
    let keys: Vec<String> = world.redis.cli(&["KEYS", "*"]);
    let strangers: Vec<_> = keys.iter().filter(|key| !key.starts_with(prefix)).collect();
    assert!(strangers.is_empty(), "{strangers:?}");
}

/// A rule's effect is measured before its place in the prompt is decided: a restart changes nothing.
#[test]
fn a_new_start_writes_nothing_where_nothing_changed() {
    let world = World::new();
    world.site.push_roster(&["ann", "cleo"]);
    let mut earlier: Vec<Value> = three_alike().into_iter().map(|d| dated(d, 50)).collect();
    earlier.extend((0..7).map(|n| dated(decision(&format!("p{n}"), "eve", "APPROVED", None), 49)));
    world.decide(&earlier);
    let (_, rule) = only_rule(&world.site);
    for who in ["ann", "cleo"] {
        review(&world.redis, &verdict(&format!("yes-{who}"), &rule, who, "APPROVE"));
    }
    world.drain();
    put_back(&world.site, &only_rule(&world.site).0, 40);
    world.decide(&(0..20).map(|n| dated(decision(&format!("q{n}"), "eve", "APPROVED", None), 20)).collect::<Vec<_>>());
    let World { redis, site, daemon } = world;
    assert_eq!(daemon.stop().code(), Some(0));
    let daemon = site.start();
    wait_until("its effect is measured", || {
        let active: Value = serde_json::from_str(&active_key(&redis).expect("the key")).expect("JSON");
        active[0]["effect"].as_f64().is_some_and(|effect| effect > 0.0)
    });
    assert_eq!(daemon.stop().code(), Some(0));
    let daemon = site.start();
    decide(&redis, &decision("last", "eve", "APPROVED", None));
    drain(&redis, &site);
    assert!(!daemon.log().contains("rules were deployed"), "{}", daemon.log());
}

/// Remains of deleted rules are removed from the agents' prompts.
#[test]
fn no_key_outlives_its_rule() {
    let world = with_proposal();
    approve(&world);
    let right = prompt_key(&world.redis).expect("the key");
    let left = |redis: &RedisServer| {
        let mut keys: Vec<String> = redis.cli(&["KEYS", "asdlc:rules:*"]);
        keys.sort();
        keys
    };
    let own = [format!("asdlc:rules:active:{AGENT}"), format!("asdlc:rules:prompt:{AGENT}")];
    // Remains of an earlier run.
    let World { redis, site, daemon } = world;
    assert_eq!(daemon.stop().code(), Some(0));
    for key in ["asdlc:rules:prompt:old-agent", "asdlc:rules:active:old-agent"] {
        let _: redis::Value = redis.cli(&["SET", key, "- Do as the old rule says."]);
    }
    let daemon = site.start();
    wait_until("what was left behind is gone", || left(&redis) == own);
    assert_eq!(prompt_key(&redis).expect("the key"), right);
    assert_eq!(daemon.stop().code(), Some(0));
}

/// On the command line, and by a push, across a restart; on resuming, what returns is what was approved.
#[test]
fn what_is_stopped_is_in_no_prompt_until_it_is_resumed() {
    let world = with_proposal();
    let rule = approve(&world);
    let id = rule.proposal_id.as_str();
    let right = (active_key(&world.redis), prompt_key(&world.redis));
    let is_out = |redis: &RedisServer| active_key(redis).is_none() && prompt_key(redis).is_none();
    let is_back = |redis: &RedisServer| (active_key(redis), prompt_key(redis)) == right;
    let why = ["--as", "ann", "--reason", "It breaks the build."];

    let stranger = world.site.run(&["rules", "stop", id, "--as", "eve", "--reason", "I say so."]);
    assert_ne!(stranger.code, Some(0), "{stranger:?}");
    assert_ne!(world.site.run(&["rules", "stop", id, "--as", "ann"]).code, Some(0), "a reason is needed");
    assert!(is_back(&world.redis));

    ok(world.site.run(&[&["rules", "stop", id][..], &why].concat()));
    wait_until("it is out", || is_out(&world.redis));
    assert!(ok(world.site.run(&["status", "--json"])).contains("It breaks the build."));
    assert!(ok(world.site.run(&["rules", "show", id])).contains("by ann"));
    assert!(ok(world.site.run(&["rules", "list"])).contains("stopped"));
    assert!(!ok(world.site.run(&["prompt", "--agent", AGENT])).contains(id));
    let after = only_rule(&world.site).1;
    assert_eq!(
        (&after.approvals, &after.content_hash, after.status),
        (&rule.approvals, &rule.content_hash, rule.status)
    );
    let World { redis, site, daemon } = world;
    assert_eq!(daemon.stop().code(), Some(0));
    let daemon = site.start();
    daemon.wait_ready();
    drain(&redis, &site);
    assert!(is_out(&redis), "over a restart");
    ok(site.run(&[&["rules", "resume", id][..], &why].concat()));
    wait_until("it is back", || is_back(&redis));

    // All rules, and by a push.
    ok(site.run(&[&["rules", "stop", "--all"][..], &why].concat()));
    wait_until("all are out", || is_out(&redis));
    ok(site.run(&[&["rules", "resume", "--all"][..], &why].concat()));
    wait_until("all are back", || is_back(&redis));
    site.push("feedback/rules/stopped.yaml", |_| format!("rules:\n  {id}: {{by: dora, reason: leak}}\n"));
    wait_until("a push stops it", || is_out(&redis));
    // Each change is reported.
    let told = || -> Vec<(Value, Value, Value)> {
        let entries = entries(&redis, RULES).into_iter().filter(|e| e.fields["schema"] == "feedbackd.rule_stop/1");
        let data = entries.map(|entry| entry.data());
        data.map(|data| (data["event"].clone(), data["rule_id"].clone(), data["by"].clone())).collect()
    };
    wait_until("all of it is told", || told().len() == 5);
    let [stopped, resumed] = [json!("rule_stopped"), json!("rule_resumed")];
    let all = Value::Null;
    assert_eq!(
        told(),
        [
            (stopped.clone(), json!(id), json!("ann")),
            (resumed.clone(), json!(id), json!("ann")),
            (stopped.clone(), all.clone(), json!("ann")),
            (resumed, all, json!("ann")),
            (stopped, json!(id), json!("dora")),
        ]
    );
    site.push("feedback/rules/stopped.yaml", |_| "# nothing\n".to_owned());
    wait_until("a push resumes it", || is_back(&redis));
    // A pushed typo is taken as a stop.
    site.push("feedback/rules/stopped.yaml", |_| "al: yes".to_owned());
    wait_until("a slip stops all", || is_out(&redis));
    ok(site.run(&[&["rules", "resume", "--all"][..], &why].concat()));
    wait_until("and is mended", || is_back(&redis));
    drop(daemon);
}
