//! From stream entry to commit, published entries and acknowledgements (specification, "Streams in" and
//! "Classification").

use super::{World, three_alike};
use crate::harness::audit::records;
use crate::harness::streams::{
    ALERTS, DEAD_LETTERS, DECISIONS, DISPATCHER, EVALUATED, Entry, GROUP, PROPOSALS, add, decide, decision, entries,
    is_drained, pending,
};
use crate::harness::{redis::RedisServer, wait_until};
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{
    AmbiguousRecord, ClusterRecord, EdgeCaseRecord, EdgeCaseStatus, ProposalRecord,
};
use serde_json::{Value, json};

fn keys(redis: &RedisServer, stream: &str) -> Vec<String> {
    entries(redis, stream).iter().map(|entry| entry.key().to_owned()).collect()
}

/// Checks what every outgoing entry has.
fn check_envelope(entry: &Entry, schema: &str, tenant: &str) {
    let names: Vec<&str> = entry.fields.keys().map(String::as_str).collect();
    assert_eq!(names, ["data", "idempotency_key", "schema", "tenant_id", "timestamp"]);
    assert_eq!((entry.fields["schema"].as_str(), entry.fields["tenant_id"].as_str()), (schema, tenant));
    entry.fields["timestamp"].parse::<jiff::Timestamp>().expect("a time");
    assert!(entry.data().is_object());
}

#[test]
fn three_similar_corrections_by_different_reviewers_make_one_proposal() {
    let world = World::new();
    world.decide(&three_alike());
    for id in ["d1", "d2", "d3"] {
        assert_eq!(world.record(id).evaluation.classification, Classification::GeneralizableHigh, "{id}");
    }
    let proposals: Vec<(String, ProposalRecord)> = records(&world.site, layout::RULES);
    assert_eq!(proposals.len(), 1);
    let proposal = &proposals[0].1;
    assert_eq!(proposal.created_from_feedback_ids, ["d1", "d2", "d3"]);
    assert_eq!(proposal.affected_agents, ["coding-agent"]);
    let clusters: Vec<(String, ClusterRecord)> = records(&world.site, layout::CLUSTERS);
    assert_eq!(clusters.len(), 1);
    assert_eq!((clusters[0].1.members, clusters[0].1.proposal.as_ref()), (3, Some(&proposal.proposal_id)));

    let offered = entries(&world.redis, PROPOSALS);
    assert_eq!(offered.len(), 1);
    check_envelope(&offered[0], "feedbackd.rule_proposal/1", "");
    assert_eq!(offered[0].key(), format!("rule_proposal:{}:1", proposal.proposal_id));
    let data = offered[0].data();
    assert_eq!(data["proposal_id"], proposal.proposal_id.as_str());
    assert_eq!(data["status"], "PENDING");
    let evaluated = entries(&world.redis, EVALUATED);
    for entry in &evaluated {
        check_envelope(entry, "feedbackd.feedback_evaluated/1", "");
    }
    let last = evaluated.last().expect("an evaluation").data();
    assert_eq!(last["classification"], "GENERALIZABLE_HIGH");
    for stream in [DECISIONS, DISPATCHER] {
        assert_eq!(pending(&world.redis, stream), 0);
    }
    let history = world.site.git(&["log", "-1", "--format=%s%n%(trailers)"]);
    let last_entry = &entries(&world.redis, DECISIONS)[2].id;
    assert!(history.contains(&format!("Source: {DECISIONS} {last_entry}")), "{history}");
}

#[test]
fn a_lone_correction_is_an_edge_case_until_its_like_arrives() {
    let world = World::new();
    let [first, second, _] = three_alike();
    world.decide(&[first]);
    assert_eq!(world.record("d1").evaluation.classification, Classification::EdgeCase);
    let edge_cases: Vec<(String, EdgeCaseRecord)> = records(&world.site, layout::EDGE_CASES);
    assert_eq!((edge_cases.len(), edge_cases[0].1.status), (1, EdgeCaseStatus::Open));
    world.decide(&[second]);
    let record = world.record("d1");
    assert_eq!(record.evaluation.classification, Classification::GeneralizableHigh);
    let edge_cases: Vec<(String, EdgeCaseRecord)> = records(&world.site, layout::EDGE_CASES);
    assert_eq!((edge_cases.len(), edge_cases[0].1.status), (1, EdgeCaseStatus::Promoted));
    assert_eq!(edge_cases[0].1.promoted_to, record.evaluation.cluster);
    assert_eq!(
        keys(&world.redis, EVALUATED),
        ["feedback_evaluated:d1:1", "feedback_evaluated:d1:2", "feedback_evaluated:d2:1"]
    );
}

#[test]
fn an_approval_against_an_earlier_correction_waits_for_a_tiebreak() {
    let world = World::new();
    let [first, ..] = three_alike();
    world.decide(&[first]);
    world.decide(&[decision("d9", "dee", "APPROVED", Some("Error handling is not needed in the API handler"))]);
    let record = world.record("d9");
    assert_eq!(record.evaluation.classification, Classification::Ambiguous, "{}", record.evaluation.rationale);
    assert_eq!(record.evaluation.contradicts[0].feedback_id, "d1");
    let open: Vec<(String, AmbiguousRecord)> = records(&world.site, layout::AMBIGUOUS);
    assert_eq!(open.len(), 1);
    let (this, other) = (&open[0].1.this_side, &open[0].1.other_side[0]);
    assert_eq!((this.feedback_id.as_str(), this.reviewer_id.as_str()), ("d9", "dee"));
    assert_eq!((other.feedback_id.as_str(), other.reviewer_id.as_str()), ("d1", "ann"));
    let alerts = entries(&world.redis, ALERTS);
    assert_eq!(alerts.len(), 1);
    check_envelope(&alerts[0], "feedbackd.alert/1", "");
    let data = alerts[0].data();
    assert_eq!(data["kind"], "ambiguous_feedback");
    assert_eq!(data["this_side"]["text"], "Error handling is not needed in the API handler");
    assert_eq!(data["other_side"][0]["text"], "Missing error handling in API handler");
}

#[test]
fn an_approval_without_a_remark_is_positive() {
    let world = World::new();
    world.decide(&[decision("p1", "ann", "APPROVED", None), decision("p2", "bob", "approved", Some(""))]);
    for id in ["p1", "p2"] {
        assert_eq!(world.record(id).evaluation.classification, Classification::Positive, "{id}");
    }
    let evaluated = entries(&world.redis, EVALUATED);
    assert_eq!(evaluated.len(), 2);
    assert!(evaluated.iter().all(|entry| entry.data()["classification"] == "POSITIVE"));
}

#[test]
fn a_malformed_entry_becomes_a_dead_letter_and_the_rest_goes_on() {
    let world = World::new();
    let good = |id: &str| decision(id, "ann", "APPROVED", None).to_string();
    add(&world.redis, DECISIONS, &[("_init", "1")]);
    add(&world.redis, DECISIONS, &[("data", &good("p1"))]);
    let flat = [
        ("decision_id", "d1"),
        ("gate_id", "HITL-4"),
        ("decision", "MAYBE"),
        ("reviewer_id", "ann"),
        ("timestamp", "2026-01-12T10:00:00Z"),
        ("note", "as it was"),
    ];
    let unknown = add(&world.redis, DECISIONS, &flat);
    let torn = add(&world.redis, DECISIONS, &[("data", "{\"decision_id\": ")]);
    add(&world.redis, DECISIONS, &[("data", &good("p2"))]);
    add(&world.redis, DISPATCHER, &[("_init", "1")]);
    world.drain();
    for id in ["p1", "p2"] {
        assert_eq!(world.record(id).evaluation.classification, Classification::Positive, "{id}");
    }
    let letters = entries(&world.redis, DEAD_LETTERS);
    assert_eq!(letters.len(), 2, "{letters:?}");
    let (maybe, not_json) = (&letters[0], &letters[1]);
    assert_eq!(maybe.fields["schema"], "feedbackd.dead_letter/1");
    for (name, value) in flat {
        assert_eq!(maybe.fields[&format!("original:{name}")], value);
    }
    let data = maybe.data();
    assert_eq!((&data["stream"], &data["entry_id"]), (&json!(DECISIONS), &json!(unknown)));
    assert_eq!((&data["code"], &data["field"]), (&json!("invalid_field"), &json!("decision")));
    let sentence = data["message"].as_str().expect("a sentence");
    assert!(sentence.contains("MAYBE") && sentence.contains("APPROVED"), "{sentence}");
    assert_eq!(not_json.data()["entry_id"], torn.as_str());
    assert_eq!(not_json.data()["code"], "invalid_json");
    assert_eq!(not_json.fields["original:data"], "{\"decision_id\": ");
    assert_eq!(world.site.files(layout::DEAD_LETTERS).len(), 2);
    assert_eq!(world.site.files(layout::DECISIONS).len(), 2);
}

#[test]
fn all_three_encodings_are_read_and_unknown_fields_kept() {
    let world = World::new();
    let flat = [
        ("decision_id", "flat"),
        ("gate_id", "hitl_2_design"),
        ("decision", "rejected"),
        ("reviewer_id", "ann"),
        ("timestamp", "2026-01-12T10:00:00"),
        ("reviewer_comment", "The sequence diagram is missing"),
        ("tags", "design,docs"),
        ("epic_id", "None"),
        ("mode", "strict"),
    ];
    add(&world.redis, DECISIONS, &flat);
    let mut plain = decision("json", "ann", "APPROVED", None);
    plain["mode"] = "strict".into();
    for (id, field) in [("json-1", "data"), ("json-2", "payload"), ("json-3", "event"), ("json-4", "json")] {
        plain["decision_id"] = id.into();
        add(&world.redis, DECISIONS, &[(field, &plain.to_string())]);
    }
    let cloud = json!({
        "specversion": "1.0", "type": "hitl.decision", "source": "/gates", "id": "e-1",
        "data": decision("cloud", "ann", "APPROVED", None),
    });
    add(&world.redis, DECISIONS, &[("data", &cloud.to_string())]);
    world.drain();
    assert_eq!(entries(&world.redis, DEAD_LETTERS).len(), 0);
    let record = world.record("flat");
    assert_eq!((record.gate_id.as_str(), record.gate.number()), ("hitl_2_design", 2));
    assert_eq!((record.feedback.agent.as_str(), record.epic_id), ("design-agent", None));
    assert_eq!(record.tags, ["design", "docs"]);
    assert_eq!(record.timestamp.to_string(), "2026-01-12T10:00:00Z");
    assert_eq!(record.extra["mode"], "strict");
    for id in ["json-1", "json-2", "json-3", "json-4"] {
        assert_eq!(world.record(id).extra["mode"], "strict");
    }
    assert_eq!(world.record("cloud").reviewer_id, "ann");
}

/// Sends what the dispatcher reports for a decision at the fourth gate.
fn gate_event(redis: &RedisServer, kind: &str, metadata: &Value) {
    let fields = [
        ("event_type", kind),
        ("session_id", "s-1"),
        // Not exactly the time of the gate's own event, and so in another directory of the store.
        ("timestamp", "2026-01-12T09:59:59+00:00"),
        ("mode", "auto"),
        ("metadata", &metadata.to_string()),
    ];
    add(redis, DISPATCHER, &fields);
}

fn gate_request(redis: &RedisServer, id: &str) {
    let key = format!("asdlc:gate_request:{id}");
    let hash = ["gate_type", "hitl_4_code", "requested_by", "coding-agent", "task_id", "T-7", "status", "PENDING"];
    let _: i64 = redis.cli(&[&["HSET", &key], &hash[..]].concat());
}

#[test]
fn the_dispatchers_events_are_joined_with_their_gate_requests() {
    let world = World::new();
    for id in ["r1", "r2"] {
        gate_request(&world.redis, id);
    }
    let reason = "Missing error handling in API handler";
    let rejected = json!({"request_id": "r1", "decision_id": "d1", "reviewer": "ann", "reason": reason});
    gate_event(&world.redis, "gate_rejected", &rejected);
    let conditions = json!({"request_id": "r2", "decision_id": "d2", "reviewer": "bob", "reason": "Fine otherwise",
        "conditions": ["Add error handling to the API handler"]});
    gate_event(&world.redis, "gate_approved", &conditions);
    add(&world.redis, DISPATCHER, &[("event_type", "task_started"), ("session_id", "s-1")]);
    let gone = json!({"request_id": "r3", "decision_id": "d3", "reviewer": "ann"});
    gate_event(&world.redis, "gate_approved", &gone);
    world.drain();
    let first = world.record("d1");
    assert_eq!((first.gate.number(), first.feedback.agent.as_str()), (4, "coding-agent"));
    assert_eq!((first.task_id.as_deref(), first.session_id.as_deref()), (Some("T-7"), Some("s-1")));
    assert_eq!(first.reviewer_comment.as_deref(), Some(reason));
    assert_eq!(world.record("d2").decision.as_str(), "APPROVED_WITH_CHANGES");
    let letters = entries(&world.redis, DEAD_LETTERS);
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].data()["code"], "gate_request_missing");
}

#[test]
fn the_same_decision_on_both_streams_is_one_record_and_one_evaluation() {
    let world = World::new();
    gate_request(&world.redis, "r1");
    let [event, ..] = three_alike();
    let reason = event["reviewer_comment"].clone();
    let metadata = json!({"request_id": "r1", "decision_id": "d1", "reviewer": "ann", "reason": reason});
    gate_event(&world.redis, "gate_rejected", &metadata);
    world.drain();
    world.decide(&[event.clone(), event]);
    let record = world.record("d1");
    assert_eq!((record.session_id.as_deref(), record.epic_id.as_deref()), (Some("s-1"), Some("EP-1")));
    assert_eq!(keys(&world.redis, EVALUATED), ["feedback_evaluated:d1:1"]);
    let World { site, daemon, .. } = world;
    assert_eq!(daemon.stop().code(), Some(0));
    let said = site.run(&["reindex", "--check"]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// The dispatcher had no reason; the gate's own event has the comment.
#[test]
fn what_the_second_stream_adds_is_evaluated() {
    let world = World::new();
    gate_request(&world.redis, "r1");
    gate_event(&world.redis, "gate_rejected", &json!({"request_id": "r1", "decision_id": "d1", "reviewer": "ann"}));
    world.drain();
    let [first, second, _] = three_alike();
    world.decide(std::slice::from_ref(&first));
    let record = world.record("d1");
    assert_eq!(record.reviewer_comment.as_deref(), first["reviewer_comment"].as_str());
    assert_eq!(record.evaluation.classification, Classification::EdgeCase);
    let edge_cases: Vec<(String, EdgeCaseRecord)> = records(&world.site, layout::EDGE_CASES);
    assert_eq!((edge_cases.len(), edge_cases[0].1.what.as_str()), (1, "Missing error handling in API handler"));
    assert!(record.evaluation.rationale.contains("No one has asked coding-agent"), "{}", record.evaluation.rationale);
    assert_eq!(keys(&world.redis, EVALUATED), ["feedback_evaluated:d1:1", "feedback_evaluated:d1:2"]);
    world.decide(&[second]);
    assert_eq!(world.record("d1").evaluation.classification, Classification::GeneralizableHigh);
    let edge_cases: Vec<(String, EdgeCaseRecord)> = records(&world.site, layout::EDGE_CASES);
    assert_eq!((edge_cases.len(), edge_cases[0].1.status), (1, EdgeCaseStatus::Promoted));
    let World { site, daemon, .. } = world;
    assert_eq!(daemon.stop().code(), Some(0));
    let said = site.run(&["reindex", "--check"]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[test]
fn a_tenants_keys_carry_its_prefix_in_and_out() {
    let world = World::with(&[("REDIS__TENANT", "acme")]);
    let prefix = "tenant:acme:";
    let key = |stream: &str| format!("{prefix}{stream}");
    for event in three_alike() {
        add(&world.redis, &key(DECISIONS), &[("data", &event.to_string())]);
    }
    add(&world.redis, &key(DECISIONS), &[("data", "{}")]);
    let mut foreign = decision("d8", "ann", "APPROVED", None);
    foreign["tenant_id"] = "other".into();
    add(&world.redis, &key(DECISIONS), &[("data", &foreign.to_string())]);
    // Another tenant's, or without a tenant: not ours.
    decide(&world.redis, &decision("d9", "ann", "APPROVED", None));
    wait_until("the tenant's streams are drained", || is_drained(&world.redis, &world.site, prefix));
    assert_eq!(world.record("d1").tenant_id.as_deref(), Some("acme"));
    assert_eq!(world.site.files(layout::DECISIONS).len(), 3);
    let offered = entries(&world.redis, &key(PROPOSALS));
    assert_eq!(offered.len(), 1);
    check_envelope(&offered[0], "feedbackd.rule_proposal/1", "acme");
    assert!(entries(&world.redis, &key(EVALUATED)).iter().all(|entry| entry.fields["tenant_id"] == "acme"));
    let codes: Vec<Value> =
        entries(&world.redis, &key(DEAD_LETTERS)).iter().map(|e| e.data()["code"].clone()).collect();
    assert_eq!(codes, ["missing_field", "tenant_mismatch"]);
    let keys: Vec<String> = world.redis.cli(&["KEYS", "*"]);
    let strangers: Vec<_> = keys.iter().filter(|key| !key.starts_with(prefix) && *key != DECISIONS).collect();
    assert!(strangers.is_empty(), "{strangers:?}");
    let groups: Vec<redis::Value> = world.redis.cli(&["XINFO", "GROUPS", DECISIONS]);
    assert!(groups.is_empty(), "{GROUP} reads a stream of nobody's");
}

#[test]
fn the_trace_of_an_entry_is_passed_on_to_the_message_that_answers_it() {
    let world = World::new();
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for (id, traceparent) in [("traced", trace), ("garbled", "00-what-is-this")] {
        let data = decision(id, "ann", "APPROVED", None).to_string();
        let fields = [("data", data.as_str()), ("traceparent", traceparent), ("tracestate", "rojo=1,congo=2")];
        add(&world.redis, DECISIONS, &fields);
    }
    add(&world.redis, DECISIONS, &[("data", &decision("plain", "ann", "APPROVED", None).to_string())]);
    world.drain();
    let published = entries(&world.redis, EVALUATED);
    let passed_on = |id: &str| {
        let key = format!("feedback_evaluated:{}:", world.record(id).feedback.feedback_id);
        let answer = published.iter().find(|entry| entry.key().starts_with(&key)).expect("an answer");
        let field = |name: &str| answer.fields.get(name).cloned();
        (field("traceparent"), field("tracestate"))
    };
    assert_eq!(passed_on("traced"), (Some(trace.to_owned()), Some("rojo=1,congo=2".to_owned())));
    assert_eq!(passed_on("garbled"), (None, None));
    assert_eq!(passed_on("plain"), (None, None));
    assert_eq!(entries(&world.redis, DEAD_LETTERS).len(), 0);
}
