//! Validation of a document against the schema and the rules beyond it, with findings in document order.

use super::diagnostic::Diagnostic;
use super::rules::DocumentRule;
use super::schema;
use super::{locate, text_checks, verdict};
use serde_json::Value;

/// Returns the findings against a value as an actionable-feedback document, in document order; empty if it passes. The
/// schema comes first at each place. Never panics, whatever the value is.
pub fn check(value: &Value) -> Vec<Diagnostic> {
    let mut found = schema::errors(value);
    schema::readable(value, &mut found);
    let refused: std::collections::HashSet<String> = found.iter().map(|f| f.path.clone()).collect();
    let items = value.get("feedback_items").and_then(Value::as_array);
    for (index, item) in items.into_iter().flatten().enumerate().take(MOST_ITEMS) {
        let at = format!("/feedback_items/{index}");
        // A text that is too short, or not a text, was already reported.
        let judged = |path: &str| !refused.contains(path);
        text_checks::issue(item, &at, &judged, &mut found);
        text_checks::suggestion(item, &at, &judged, &mut found);
        locate::location(item, &at, &judged, &mut found);
    }
    if let Some(count) = items.map(Vec::len).filter(|count| *count > MOST_ITEMS) {
        let message = format!("the document has more than {MOST_ITEMS} items; the rest is not judged");
        let pass = "fewer items: this many cannot be followed";
        found.push(Diagnostic::new(
            "/feedback_items",
            DocumentRule::SchemaMore,
            message,
            format!("{count} items"),
            pass,
        ));
    }
    verdict::consistency(value, &mut found);
    in_order(value, found)
}

/// The maximum number of items read: a document may be a megabyte of them.
pub(super) const MOST_ITEMS: usize = 2_000;

/// Sorts findings by their place in the document; those at one place keep their order.
fn in_order(value: &Value, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut keyed: Vec<(Vec<usize>, Diagnostic)> = found.into_iter().map(|f| (place(value, &f.path), f)).collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    keyed.into_iter().map(|(_, f)| f).collect()
}

/// Returns the positions of a pointer's parts, outermost first.
pub(super) fn place(value: &Value, path: &str) -> Vec<usize> {
    let mut at = value;
    let mut out = Vec::new();
    for part in path.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        let next = match at {
            Value::Array(items) => part.parse().ok().and_then(|i: usize| items.get(i).map(|v| (i, v))),
            Value::Object(map) => map.iter().enumerate().find(|(_, (k, _))| **k == part).map(|(i, (_, v))| (i, v)),
            _ => None,
        };
        let Some((index, inner)) = next else { break };
        out.push(index);
        at = inner;
    }
    out
}
