//! The comments of a decision: a list of objects, or its JSON text (specification, "Decisions").

use super::fields::{Fields, invalid, kind_of};
use crate::intake::comment::{Comment, CommentSide, MAX_HUNK};
use crate::intake::event::{RejectCode, Rejection};
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The expected form of the field.
const LIST: &str = "a list of comments, each with `comment_id` and `body`";

/// Reads the comments of a decision, in order. Comments without words and without a suggestion are skipped.
///
/// # Errors
/// If it is not a list, or one of the comments cannot be read: otherwise a decision with half of its comments would be
/// recorded for good.
pub(super) fn comments(fields: &mut Fields, now: Timestamp) -> Result<Vec<Comment>, Rejection> {
    let Some(value) = fields.take("comments") else { return Ok(Vec::new()) };
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Array(items)) => items,
            _ => return Err(invalid("comments", "no JSON array", LIST)),
        },
        other => return Err(invalid("comments", &kind_of(&other), LIST)),
    };
    let mut comments = Vec::with_capacity(items.len());
    let mut ids = BTreeSet::new();
    for (at, item) in items.into_iter().enumerate() {
        let Value::Object(values) = item else {
            return Err(invalid(&format!("comments[{at}]"), &kind_of(&item), "an object"));
        };
        let comment = comment(values, now).map_err(|rejection| within(at, rejection))?;
        if !ids.insert(comment.comment_id.clone()) {
            return Err(Rejection {
                code: RejectCode::InvalidField,
                field: Some(format!("comments[{at}].comment_id")),
                message: format!("`comments[{at}].comment_id` was used by an earlier comment; each needs its own."),
            });
        }
        if !comment.body.trim().is_empty() || comment.suggestion.is_some() {
            comments.push(comment);
        }
    }
    Ok(comments)
}

fn comment(values: Map<String, Value>, now: Timestamp) -> Result<Comment, Rejection> {
    let mut fields = Fields::from_object(values);
    let comment_id = fields.required_id("comment_id")?;
    let suggestion = fields.suggestion("suggestion");
    let body = match &suggestion {
        // A suggestion alone has no body.
        Some(_) => fields.text("body").unwrap_or_default(),
        None => fields.text("body").ok_or_else(|| super::fields::missing("body", "what was written"))?,
    };
    let created_at = fields.time("created_at", now);
    Ok(Comment {
        comment_id,
        body,
        path: fields.text("path"),
        line: fields.seconds("line").filter(|line| *line > 0),
        lines: fields.seconds("lines").filter(|lines| *lines > 1),
        side: fields.text("side").and_then(|side| match side.trim().to_ascii_lowercase().as_str() {
            "old" | "left" => Some(CommentSide::Old),
            "new" | "right" => Some(CommentSide::New),
            _ => None,
        }),
        diff_hunk: fields.text("diff_hunk").map(|hunk| end_of(&hunk)),
        suggestion,
        thread_id: fields.text("thread_id"),
        in_reply_to: fields.text("in_reply_to"),
        created_at,
        url: fields.text("url"),
        extra: fields.into_extra(),
    })
}

/// Returns the part of a hunk's end that is kept.
fn end_of(hunk: &str) -> String {
    let left_out = hunk.chars().count().saturating_sub(MAX_HUNK);
    hunk.chars().skip(left_out).collect()
}

/// Prefixes the field with the comment's position.
fn within(at: usize, rejection: Rejection) -> Rejection {
    let field = rejection.field.unwrap_or_default();
    let message = rejection.message.replacen(&format!("`{field}`"), &format!("`comments[{at}].{field}`"), 1);
    Rejection { field: Some(format!("comments[{at}].{field}")), message, ..rejection }
}
