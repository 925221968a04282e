//! Events as publishers write them.

use super::*;

#[test]
fn a_missing_field_is_named() {
    for field in ["action_id", "timestamp", "session_id", "agent", "type"] {
        let mut value = event(1, "action_failed", json!({}));
        value[field] = Value::Null;
        let problem = ActionResult::from_value(&value, Timestamp::MAX).unwrap_err();
        assert_eq!((problem.field.as_str(), problem.found.as_str()), (field, "missing"));
        assert!(!problem.would_pass.is_empty());
    }
    let problem = ActionResult::from_value(&event(1, "banana", json!({})), Timestamp::MAX).unwrap_err();
    assert_eq!(problem.to_string(), "`type` is “banana”; expected action, action_failed or action_partial.");
    for value in [json!(null), json!([1]), json!("x")] {
        assert_eq!(ActionResult::from_value(&value, Timestamp::MAX).unwrap_err().field, "event");
    }
    let wrong = event(1, "action", json!({ "timestamp": "yesterday" }));
    assert_eq!(ActionResult::from_value(&wrong, Timestamp::MAX).unwrap_err().field, "timestamp");
    let wrong = event(1, "action", json!({ "local_inferences": [] }));
    assert_eq!(ActionResult::from_value(&wrong, Timestamp::MAX).unwrap_err().found, "an empty list");
}

#[test]
fn the_entry_stands_in_for_what_is_missing() {
    let fallback = Fallback {
        action_id: Some("1767261600000-0".into()),
        timestamp: Some("2026-01-01T10:00:00Z".parse().unwrap()),
        session_id: Some("no-session".into()),
        agent: Some("unknown-agent".into()),
    };
    // specification, "Actions: Examples": only a type and a feedback.
    let value = json!({ "local_inferences": [{ "type": "action_failed",
        "feedback": "Ambiguous reference. 4 documents in case. Use get_case_details to see list." }] });
    let results = ActionResult::from_value_or(&value, &fallback, Timestamp::MAX).unwrap();
    assert_eq!((results[0].action_id.as_str(), results[0].inference.as_str()), ("1767261600000-0", UNSPECIFIED));
    assert_eq!(classify(&results[0]).class, Cause::Ambiguous);
    // specification, "Actions: Several agents": an agent and its message.
    let value = json!({ "agent": "DocumentExtractionAgent", "feedback": "OCR failed - document is encrypted." });
    let results = ActionResult::from_value_or(&value, &fallback, Timestamp::MAX).unwrap();
    assert_eq!((results[0].kind, results[0].agent.as_str()), (ActionKind::Failed, "DocumentExtractionAgent"));
}

#[test]
fn several_inferences_are_several_results() {
    let mut value = event(1, "action", json!({ "context": { "active_case": "C-1" } }));
    value["local_inferences"] = json!([
        { "type": "action_failed", "inference": "a_failed", "action": "x" },
        { "type": "action", "inference": "b", "action": "y" },
    ]);
    let results = ActionResult::from_value(&value, Timestamp::MAX).unwrap();
    let ids: Vec<&str> = results.iter().map(|r| r.action_id.as_str()).collect();
    assert_eq!(ids, ["act-0001.01", "act-0001.02"]);
    assert!(results.iter().all(|r| r.part_of.as_deref() == Some("act-0001")));
    assert!(results.iter().all(|r| r.state.as_ref().unwrap().active_case.as_deref() == Some("C-1")));
    // They do not answer each other.
    let mut actions = Actions::default();
    assert!(results.iter().all(|r| actions.take(r).unwrap().taught.is_empty()));
}

#[test]
fn flat_entries_are_read() {
    let result = result(
        1,
        "ACTION_FAILED",
        json!({ "state": "{\"active_case\": \"None\", \"available_tools\": \"a, b\", \"mood\": 1}", "attempt": "2",
            "data": "{\"n\": 1}", "suggestions": "[\"ask_user\"]", "confidence": "0.6", "error": "", "colour": "red" }),
    );
    let state = result.state.clone().unwrap();
    assert_eq!((state.active_case, state.available_tools), (None, Some(vec!["a".into(), "b".into()])));
    assert_eq!((result.attempt, result.confidence, result.error.clone()), (Some(2), Some(Confidence::Medium), None));
    assert_eq!(result.data.as_ref().unwrap()["n"], 1);
    assert_eq!(result.suggestions[0].action, "ask_user");
    assert_eq!(result.extra["colour"], "red");
    assert_eq!(result.extra["state.mood"], 1);
}

#[test]
fn what_is_huge_is_shortened_and_said_to_be() {
    let huge = "ä".repeat(1_000_000);
    let result = result(
        1,
        "action_failed",
        json!({ "reason": format!("timed out {huge}"), "data": { "failed": vec![huge.clone(); 3] }, "junk": huge,
            "user_input": huge, "session_id": huge }),
    );
    assert!(serde_json::to_string(&result).unwrap().len() < 200_000);
    for name in ["reason", "data", "user_input", "session_id"] {
        assert!(result.shortened.contains(&name.to_owned()), "{name}");
    }
    let feedback = Actions::default().take(&result).unwrap().feedback;
    assert_eq!(feedback.class, Cause::Timeout);
    assert!(feedback.summary.chars().count() < 2_000);
}

#[test]
fn a_record_is_read_back_as_it_was_written() {
    let mut actions = Actions::default();
    for id in 1..=6 {
        let failed = result(
            id,
            "action_failed",
            json!({ "reason": "case not set", "action": format!("way_{id}x"),
            "supervisor": "boss", "state": { "available_tools": ["way_x"] }, "suggestions": ["try_it"] }),
        );
        let record = actions.take(&failed).unwrap();
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<ActionRecord>(&text).unwrap(), record);
    }
}

#[test]
fn stored_and_published_types_have_schemas() {
    for (name, schema) in [
        ("ActionRecord", schemars::schema_for!(ActionRecord)),
        ("ActionFeedback", schemars::schema_for!(ActionFeedback)),
        ("ActionResult", schemars::schema_for!(ActionResult)),
        ("Experience", schemars::schema_for!(Experience)),
    ] {
        let schema = serde_json::to_value(schema).unwrap();
        assert_eq!(schema["title"], name);
        let undescribed: Vec<_> =
            schema["properties"].as_object().unwrap().iter().filter(|(_, p)| p.get("description").is_none()).collect();
        assert!(undescribed.is_empty(), "{name}: {undescribed:?}");
    }
}
