//! The dispatcher's gate events, joined with the gate request they answer (specification, "The dispatcher's events").
//!
//! The request comes with the entry. If it is gone, the event is rejected unless it names its gate.

use super::Decoded;
use super::comments::comments;
use super::fields::{self, Fields, quoted, shown};
use super::limits::{DecodeLimits, check_shape, check_size, check_tenant, has_field};
use super::values::parse_gate;
use super::{envelope, json};
use crate::intake::event::{GateRequest, HitlDecision, RawEntry, RejectCode, Rejection};
use crate::text::verdict::Verdict;
use jiff::Timestamp;
use serde_json::Value;

/// The fields of a gate request that are read; no others need to be fetched.
pub const GATE_REQUEST_FIELDS: [&str; 6] =
    ["gate_type", "task_id", "session_id", "requested_at", "requested_by", "status"];

const NOT_OURS: Decoded = Decoded::Ignored("not a gate decision");

/// Decodes one entry of `asdlc:events`.
pub(super) fn decode(entry: &RawEntry, limits: &DecodeLimits, now: Timestamp) -> Result<Decoded, Rejection> {
    // Other publishers' events may hold anything: check the type before parsing.
    let flat_type = entry.fields.iter().find(|(name, _)| name == "event_type");
    if let Some((_, value)) = flat_type
        && verdict(&String::from_utf8_lossy(value)).is_none()
        && has_field(entry, "event_type")
    {
        return Ok(NOT_OURS);
    }
    check_size(entry, limits)?;
    let is_flat = |e: &RawEntry| has_field(e, "event_type") && (has_field(e, "metadata") || has_field(e, "session_id"));
    let mut fields = envelope::unpack(entry, limits, is_flat)?;
    let Some(event_type) = fields.text("event_type") else {
        // Something else on the same stream; only apparent decisions are worth a dead letter.
        let ours = fields.take("decision_id").is_some() || fields.take("metadata").is_some();
        return if ours {
            fields.required("event_type", "gate_approved or gate_rejected").map(|_| NOT_OURS)
        } else {
            Ok(NOT_OURS)
        };
    };
    match verdict(&event_type) {
        None => Ok(NOT_OURS),
        Some(verdict) => join(entry, limits, fields, verdict, now).map(|d| Decoded::Decision(Box::new(d))),
    }
}

fn verdict(event_type: &str) -> Option<Verdict> {
    match event_type.trim().to_ascii_lowercase().as_str() {
        "gate_approved" => Some(Verdict::Approved),
        "gate_rejected" => Some(Verdict::Rejected),
        _ => None,
    }
}

fn join(
    entry: &RawEntry,
    limits: &DecodeLimits,
    mut fields: Fields,
    verdict: Verdict,
    now: Timestamp,
) -> Result<HitlDecision, Rejection> {
    check_shape(&fields, limits)?;
    let mut metadata = metadata(&mut fields)?;
    let request = match &entry.gate_request {
        Some(GateRequest::TooLarge { bytes, most }) => return Err(request_too_large(*bytes, *most)),
        Some(GateRequest::Found(request)) if !request.is_empty() => Some(request),
        _ => None,
    };
    let from_request = |name: &str| {
        request.and_then(|r| r.get(name)).filter(|t| !fields::is_null_text(t)).map(|t| {
            let text = t.trim();
            limits.personal.without_in_id(text).unwrap_or_else(|| text.to_owned())
        })
    };

    let decision_id = identity(&mut metadata, &mut fields, &["decision_id"])?;
    let reviewer_id = identity(&mut metadata, &mut fields, &["reviewer", "reviewer_id"])?;
    let timestamp = fields.required_time("timestamp", now)?;
    let tenant_id = fields.text("tenant_id").or_else(|| metadata.text("tenant_id"));
    check_tenant(tenant_id.as_deref(), limits)?;
    let request_id = metadata.text("request_id").or_else(|| fields.text("request_id"));
    let named = ["gate_id", "gate_type"].into_iter().find_map(|n| fields.text(n).or_else(|| metadata.text(n)));
    let gate_id = match from_request("gate_type").or(named) {
        Some(gate_id) => gate_id,
        None => return Err(gate_unknown(request_id.as_deref(), request.is_some())),
    };
    let gate = parse_gate("gate_type", &gate_id)?;

    let conditions = metadata.take("conditions");
    let demands = conditions.as_ref().and_then(fields::read_list).unwrap_or_default();
    let verdict =
        if verdict == Verdict::Approved && !demands.is_empty() { Verdict::ApprovedWithChanges } else { verdict };
    // As a summary, they are among the words compared with other feedback.
    let correction_summary =
        metadata.text("correction_summary").or_else(|| (!demands.is_empty()).then(|| demands.join("; ")));

    let artifact_paths = fields.list("artifact_paths");
    let kept = [
        ("conditions", conditions),
        ("request_id", request_id.map(Value::String)),
        ("artifact_paths", (!artifact_paths.is_empty()).then(|| artifact_paths.into())),
        ("requested_at", from_request("requested_at").map(Value::String)),
    ];
    for (name, value) in kept {
        fields.keep(name, value.unwrap_or(Value::Null));
    }
    let comments = match comments(&mut metadata, now)? {
        none if none.is_empty() => comments(&mut fields, now)?,
        found => found,
    };
    let reviewer_comment = metadata.text("reason").or_else(|| metadata.text("comment"));
    fields.fill_from(metadata);
    Ok(HitlDecision {
        decision_id,
        gate_id,
        gate,
        epic_id: fields.text("epic_id"),
        task_id: fields.text("task_id").or_else(|| from_request("task_id")),
        session_id: fields.text("session_id").or_else(|| from_request("session_id")),
        verdict,
        reviewer_id,
        timestamp,
        review_duration_seconds: fields.seconds("review_duration_seconds"),
        agent_output_sha: fields.text("agent_output_sha").or_else(|| fields.text("git_sha")),
        approved_output_sha: fields.text("approved_output_sha"),
        agent: from_request("requested_by").or_else(|| fields.agent()),
        reviewer_comment: reviewer_comment.or_else(|| fields.text("reviewer_comment")),
        comments,
        correction_summary,
        correction_diff: fields.text("correction_diff"),
        correction_diff_path: fields.text("correction_diff_path"),
        severity: fields.severity("severity"),
        consider_for_improvement: fields.flag("consider_for_improvement"),
        tenant_id,
        tags: fields.list("tags"),
        extra: fields.into_extra(),
        source: super::limits::source(entry),
    })
}

/// Returns an id from the metadata or the event, under one of its names; errors name the first.
fn identity(metadata: &mut Fields, fields: &mut Fields, names: &[&str]) -> Result<String, Rejection> {
    for name in names {
        for place in [&mut *metadata, &mut *fields] {
            if place.has(name) {
                return place.required_id(name);
            }
        }
    }
    metadata.required_id(names[0])
}

/// Returns the event's `metadata`: an object, or its JSON text.
fn metadata(fields: &mut Fields) -> Result<Fields, Rejection> {
    match fields.take("metadata") {
        None => Ok(Fields::default()),
        Some(Value::Object(object)) => Ok(Fields::from_object(object)),
        Some(Value::String(text)) => json::object("metadata", &text).map(Fields::from_object),
        Some(other) => Err(Rejection {
            code: RejectCode::InvalidJson,
            field: Some("metadata".into()),
            message: format!("`metadata` is {}; expected a JSON object.", fields::kind_of(&other)),
        }),
    }
}

fn request_too_large(bytes: u64, most: u64) -> Rejection {
    let message = format!("The gate request has {bytes} bytes in the fields that are read; the limit is {most}.");
    Rejection { code: RejectCode::TooLarge, field: Some("request_id".into()), message }
}

fn gate_unknown(request_id: Option<&str>, found: bool) -> Rejection {
    let message = match (request_id, found) {
        (Some(id), true) => {
            format!("The gate request {} has no `gate_type`; expected such as hitl_2_design.", quoted(id))
        }
        (Some(id), false) => format!(
            "The gate request {} is gone, so the gate is unknown; check that asdlc:gate_request:{} exists and does \
             not expire before its decision is processed.",
            quoted(id),
            shown(id)
        ),
        (None, _) => {
            "`metadata.request_id` is missing, so the gate is unknown; expected a gate request's id.".to_owned()
        }
    };
    Rejection { code: RejectCode::GateRequestMissing, field: Some("request_id".into()), message }
}
