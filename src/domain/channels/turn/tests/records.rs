//! Records: metadata.json, the event, the row.

use super::*;

/// specification, "Turns: What is stored of a turn", verbatim.
const METADATA: &str = r#"{
  "turn_id": "turn_001233",
  "session_id": "henry",
  "timestamp": "2026-01-04T10:30:00Z",
  "validation_outcome": "APPROVE",
  "quality_score": 0.85,
  "user_feedback": {
    "status": "rejected",
    "detected_at": "2026-01-04T10:32:00Z",
    "detected_in_turn": "turn_001234",
    "correction_type": "explicit_correction",
    "confidence": 0.9,
    "user_said": "No, I meant gaming laptops not business laptops"
  }
}"#;

fn event() -> TurnEvent {
    serde_json::from_str(
        r#"{"turn_id": "turn_001233", "session_id": "henry", "timestamp": "2026-01-04T10:30:00Z",
            "query": "laptops under $1000", "response": "Here are business laptops.",
            "strategy": {"name": "commerce_search", "query": "laptops under $1000"},
            "validation_outcome": "approve", "quality_score": 0.85, "agent": "shop-agent", "colour": "blue"}"#,
    )
    .unwrap()
}

#[test]
fn metadata_as_specified() {
    let read: TurnMetadata = serde_json::from_str(METADATA).unwrap();
    assert_eq!(serde_json::to_string_pretty(&read).unwrap(), METADATA);
    let said = "No, I meant gaming laptops not business laptops";
    let mut made = TurnMetadata::of(&event());
    let now = "2026-01-04T10:32:00Z".parse().unwrap();
    made.user_feedback =
        Some(UserFeedback::of(&super::rejected(said, CorrectionType::Explicit), Some("turn_001234"), now));
    assert_eq!(serde_json::to_string_pretty(&made).unwrap(), METADATA);
}

#[test]
fn not_judged_yet_means_no_field() {
    let text = serde_json::to_string(&TurnMetadata::of(&event())).unwrap();
    assert!(!text.contains("user_feedback"), "{text}");
}

#[test]
fn unknown_fields_are_kept() {
    assert_eq!(event().extra["colour"], "blue");
    let with = METADATA.replacen("\"turn_id\"", "\"reviewed_by\": \"ada\",\n  \"turn_id\"", 1);
    let read: TurnMetadata = serde_json::from_str(&with).unwrap();
    assert!(serde_json::to_string(&read).unwrap().contains("\"reviewed_by\":\"ada\""));
}

/// Both spellings are accepted: specification, "Turns: Detection".
#[test]
fn both_spellings_of_explicit() {
    for text in ["\"explicit\"", "\"explicit_correction\""] {
        assert_eq!(serde_json::from_str::<CorrectionType>(text).unwrap(), CorrectionType::Explicit);
    }
    assert_eq!(serde_json::to_string(&CorrectionType::Explicit).unwrap(), "\"explicit\"");
    for (kind, text) in [
        (CorrectionType::Explicit, "explicit_correction"),
        (CorrectionType::Rephrased, "rephrased"),
        (CorrectionType::Abandonment, "abandonment"),
    ] {
        assert_eq!(kind.in_metadata(), text);
    }
}

/// specification, "Turns: The index of turns": columns, types, defaults, index.
#[test]
fn the_row_and_its_defaults() {
    let row = TurnRow::of(&event(), None);
    assert_eq!(row.user_feedback_status, FeedbackType::Neutral);
    assert!((row.feedback_confidence - 0.5).abs() < 1e-12);
    assert_eq!(row.rejection_detected_in, None);
    for column in [
        "user_feedback_status TEXT NOT NULL DEFAULT 'neutral'",
        "feedback_confidence REAL NOT NULL DEFAULT 0.5",
        "rejection_detected_in TEXT",
    ] {
        assert!(CREATE_TURNS.contains(column), "{column}");
    }
    assert!(CREATE_FEEDBACK_INDEX.contains("idx_feedback_status ON turns (user_feedback_status)"));
}

#[test]
fn a_rejection_names_its_turn_in_the_row() {
    let now = "2026-01-04T10:32:00Z".parse().unwrap();
    let feedback = UserFeedback::of(&super::rejected("No", CorrectionType::Explicit), Some("turn_001234"), now);
    let row = TurnRow::of(&event(), Some(&feedback));
    assert_eq!(row.user_feedback_status, FeedbackType::Rejected);
    assert_eq!(row.rejection_detected_in.as_deref(), Some("turn_001234"));
    let accepted = UserFeedback { status: FeedbackType::Accepted, ..feedback };
    assert_eq!(TurnRow::of(&event(), Some(&accepted)).rejection_detected_in, None);
}

#[test]
fn schemas_can_be_made_and_hold() {
    for schema in
        [schemars::schema_for!(TurnMetadata), schemars::schema_for!(TurnEvent), schemars::schema_for!(TurnRow)]
    {
        assert!(jsonschema::validator_for(schema.as_value()).is_ok());
    }
    let schema = schemars::schema_for!(TurnMetadata);
    let validator = jsonschema::validator_for(schema.as_value()).unwrap();
    assert!(validator.is_valid(&serde_json::from_str(METADATA).unwrap()));
    assert!(!validator.is_valid(&serde_json::json!({"turn_id": "turn_1"})));
}
