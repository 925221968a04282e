//! The document: a channel per stream, with what is read or written there.

use super::entries::{DecisionEntry, DispatcherEntry, RefinementEntry, ReviewEntry};
use crate::channels::action::{ActionFeedback, ActionResult};
use crate::channels::iteration;
use crate::channels::turn::TurnEvent;
use crate::intake::event::StreamKind;
use crate::records::message::{
    Alert, DeadLetterMessage, FeedbackEvaluated, RefinedPrompt, ReviewOutcomeMessage, RuleEvent, RuleStop, Topic,
};
use crate::records::record::{FollowUpRecord, ProposalRecord, StoredRecord, TurnFeedback};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Builds the document.
pub fn document() -> Value {
    let settings = SchemaSettings::draft07().with(|s| {
        s.definitions_path = "/components/schemas".into();
        s.meta_schema = None;
    });
    let mut schemas = settings.into_generator();
    let (mut channels, mut operations) = (Map::new(), Map::new());
    for kind in StreamKind::ALL {
        let (title, payload) = incoming(kind, &mut schemas);
        let message =
            json!({ "name": kind.label(), "title": title, "contentType": "application/json", "payload": payload });
        channels.insert(kind.label().to_owned(), channel(&kind.usual_key(), title, vec![message]));
        operations.insert(format!("read_{}", kind.label()), operation("receive", kind.label(), title));
    }
    for topic in TOPICS {
        let (title, messages) = outgoing(topic, &mut schemas);
        let messages = messages.into_iter().map(|(schema, payload)| sent(schema, title, payload)).collect();
        channels.insert(topic.name().to_owned(), channel(&topic.key(), title, messages));
        operations.insert(format!("publish_{}", topic.name()), operation("send", topic.name(), title));
    }
    let mut definitions = schemas.take_definitions(true);
    definitions.extend(review_document().1);
    json!({
        "asyncapi": "3.1.0",
        "info": {
            "title": "feedbackd",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The Redis streams that the daemon reads and writes. An entry to be read has flat fields, \
                            or one JSON object in the field `data` or in a CloudEvents envelope. A written entry has \
                            the fields of `headers`, and `data`: the payload as JSON text.",
            "license": { "name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0" },
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": { "schemas": definitions },
    })
}

const TOPICS: [Topic; 10] = [
    Topic::FeedbackEvaluated,
    Topic::RuleProposals,
    Topic::Rules,
    Topic::ReviewOutcomes,
    Topic::Alerts,
    Topic::TurnFeedback,
    Topic::ActionFeedback,
    Topic::RefinedPrompts,
    Topic::ForgeTold,
    Topic::DeadLetters,
];

/// Returns the description of a stream's entry, and its schema.
fn incoming(kind: StreamKind, schemas: &mut SchemaGenerator) -> (&'static str, Value) {
    let (title, schema) = match kind {
        StreamKind::HitlDecisions => ("a decision at a gate", schemas.subschema_for::<DecisionEntry>()),
        StreamKind::Dispatcher => ("a dispatcher event", schemas.subschema_for::<DispatcherEntry>()),
        StreamKind::MetaHitl => ("a review of what was learned", schemas.subschema_for::<ReviewEntry>()),
        StreamKind::Turns => ("a conversation turn", schemas.subschema_for::<TurnEvent>()),
        StreamKind::Refinements => ("a failed output", schemas.subschema_for::<RefinementEntry>()),
        StreamKind::ActionResults => ("the result of an agent's action", schemas.subschema_for::<ActionResult>()),
        StreamKind::IterationFeedback => return ("a review document", review_document().0),
    };
    (title, schema.to_value())
}

/// Returns the specification's own schema, without its name, and what it refers to.
fn review_document() -> (Value, Map<String, Value>) {
    let text = iteration::SCHEMA.replace("#/$defs/", "#/components/schemas/");
    let mut schema: Map<String, Value> = serde_json::from_str(&text).expect("a constant, and a test");
    let parts = match schema.remove("$defs") {
        Some(Value::Object(parts)) => parts,
        _ => Map::new(),
    };
    schema.retain(|name, _| !name.starts_with('$'));
    (Value::Object(schema), parts)
}

/// Returns the description of a stream, and the named schemas of its data.
fn outgoing(topic: Topic, schemas: &mut SchemaGenerator) -> (&'static str, Vec<(&'static str, Value)>) {
    let one = |name, schema: schemars::Schema| (name, schema.to_value());
    match topic {
        Topic::FeedbackEvaluated => (
            "a decision was evaluated",
            vec![one("feedbackd.feedback_evaluated/1", schemas.subschema_for::<FeedbackEvaluated>())],
        ),
        Topic::RuleProposals => (
            "a proposal is pending review",
            vec![one("feedbackd.rule_proposal/1", schemas.subschema_for::<ProposalRecord>())],
        ),
        Topic::Rules => (
            "a rule changed",
            vec![
                one("feedbackd.rule_event/1", schemas.subschema_for::<RuleEvent>()),
                one("feedbackd.rule_stop/1", schemas.subschema_for::<RuleStop>()),
            ],
        ),
        Topic::ReviewOutcomes => (
            "a review was accepted or rejected",
            vec![one("feedbackd.review_outcome/1", schemas.subschema_for::<ReviewOutcomeMessage>())],
        ),
        Topic::Alerts => ("an alert for people", vec![one("feedbackd.alert/1", schemas.subschema_for::<Alert>())]),
        Topic::TurnFeedback => (
            "how the user reacted to a turn",
            vec![one("feedbackd.turn_feedback/1", schemas.subschema_for::<TurnFeedback>())],
        ),
        Topic::ActionFeedback => (
            "the answer to an action's result",
            vec![one("feedbackd.action_feedback/1", schemas.subschema_for::<ActionFeedback>())],
        ),
        Topic::RefinedPrompts => (
            "the prompt to try next",
            vec![one("feedbackd.refined_prompt/1", schemas.subschema_for::<RefinedPrompt>())],
        ),
        Topic::ForgeTold => (
            "a forge reported a change to an earlier review",
            vec![one(FollowUpRecord::SCHEMA, schemas.subschema_for::<FollowUpRecord>())],
        ),
        Topic::DeadLetters => (
            "an entry that could not be decoded",
            vec![one("feedbackd.dead_letter_message/1", schemas.subschema_for::<DeadLetterMessage>())],
        ),
    }
}

fn sent(schema: &str, title: &str, payload: Value) -> Value {
    json!({
        "name": schema,
        "title": title,
        "contentType": "application/json",
        "headers": {
            "type": "object",
            "required": ["schema", "idempotency_key", "tenant_id", "timestamp"],
            "properties": {
                "schema": { "const": schema },
                "idempotency_key": { "type": "string", "description": "The same for every copy of a message." },
                "tenant_id": { "type": "string", "description": "Empty for the default tenant." },
                "timestamp": { "type": "string", "format": "date-time" },
                "traceparent": {
                    "type": "string",
                    "description": "The trace of the entry that this answers (W3C Trace Context), if it had one.",
                },
                "tracestate": { "type": "string", "description": "That entry's vendor data for tracing systems." },
            },
        },
        "payload": payload,
    })
}

fn channel(address: &str, description: &str, messages: Vec<Value>) -> Value {
    let named = messages.into_iter().map(|message| {
        let name = message["name"].as_str().unwrap_or_default().replace(['.', '/'], "_");
        (name, message)
    });
    json!({ "address": address, "description": description, "messages": named.collect::<Map<_, _>>() })
}

fn operation(action: &str, channel: &str, summary: &str) -> Value {
    json!({ "action": action, "channel": { "$ref": format!("#/channels/{channel}") }, "summary": summary })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::comment::Comment;
    use crate::intake::decode::{DecodeLimits, Decoded, decode};
    use crate::intake::event::RawEntry;
    use crate::intake::submission::ReviewAction;
    use crate::text::verdict::Verdict;

    fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = document();
        let mut found = vec![];
        references(&document, &mut found);
        assert!(found.len() > 20, "{found:?}");
        for reference in found {
            let place = reference.strip_prefix('#').expect("within the document");
            assert!(document.pointer(place).is_some(), "{reference}");
        }
    }

    fn understood(kind: StreamKind, entry: &impl serde::Serialize) {
        let data = serde_json::to_vec(entry).expect("JSON");
        let entry = RawEntry {
            stream: kind.usual_key(),
            kind,
            id: "1-0".into(),
            fields: vec![("data".into(), data)],
            gate_request: None,
            oversize: None,
        };
        let read = decode(&entry, &DecodeLimits::default(), jiff::Timestamp::MAX);
        assert!(!matches!(read, Decoded::Rejected(_) | Decoded::Ignored(_)), "{kind:?}: {read:?}");
    }

    /// Entries built as the document describes are accepted.
    #[test]
    fn entries_as_described_are_understood() {
        let timestamp = "2026-01-12T10:00:00Z".parse().expect("a timestamp");
        understood(
            StreamKind::HitlDecisions,
            &DecisionEntry {
                decision_id: "d-1".into(),
                gate_id: "HITL-4".into(),
                decision: Verdict::Rejected,
                reviewer_id: "ann".into(),
                timestamp,
                reviewer_comment: Some("Handle errors".into()),
                comments: vec![Comment { comment_id: "c-1".into(), body: "Log it.".into(), ..Comment::default() }],
                agent: Some("coding-agent".into()),
                task_id: None,
                epic_id: None,
                session_id: None,
                correction_summary: None,
                correction_diff: None,
                severity: None,
                tenant_id: None,
            },
        );
        understood(
            StreamKind::MetaHitl,
            &ReviewEntry {
                review_id: "r-1".into(),
                reviewer_id: "ann".into(),
                timestamp,
                action: ReviewAction::Approve { proposal_id: "RULE-2026-0001".into() },
                reason: None,
                content_hash: None,
                signature: None,
                tenant_id: None,
            },
        );
        understood(
            StreamKind::Refinements,
            &RefinementEntry {
                original_prompt: "add up".into(),
                feedback: "1 failed".into(),
                refinement_id: None,
                timestamp: None,
                task_id: None,
                exit_code: Some(1),
                tool: None,
                report: None,
                iteration: None,
                success: None,
            },
        );
    }
}
