//! Whether feedback of an iteration can be acted upon (specification, "Review documents"): the schema, the validation
//! rules beyond it, and what becomes of the feedback in the next iterations.
//!
//! A document is read by [`read`], judged by [`check`], and, where no error was found, understood as a [`Document`].
//! [`track`] compares it with the earlier ones of its target. Whether an item is right is for people to decide. The
//! specification's forbidden phrases are `lint`'s tables; they are judged where they stand.

mod demand;
mod document;
mod json;
mod locate;
mod output;
mod rates;
mod read;
mod rules;
mod same;
mod schema;
#[cfg(test)]
mod tests;
mod track;
mod verbs;
mod verdict;
mod wording;

pub use demand::{Demand, demands};
pub use document::{
    Aspect, Assessment, Document, Evidence, FeedbackItem, ItemSeverity, Iteration, Location, LocationType, Phase,
    QualityTracking, Suggestion, Target, TargetType, Verdict,
};
pub use output::{Report, json, sarif, text};
pub use rates::{Rate, Rates, RatesTally};
pub use read::{Lines, MAX_BYTES, ParseError, Parsed, parse, read};
pub use rules::{Level, Rule};
pub use schema::SCHEMA;
pub use track::{
    ALERT_THRESHOLD, RepeatedAlert, RepeatedIssue, Reviewed, ReviewedItem, TrackedItem, Tracking, WINDOW_SIZE, track,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How much of a text a finding shows, in characters.
const SHOWN: usize = 80;

/// One thing that is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Where, as a JSON pointer; empty for the document as a whole.
    pub path: String,
    /// Which rule is broken.
    pub rule: Rule,
    /// How much it weighs.
    pub level: Level,
    /// What is wrong, in words, without a full stop.
    pub message: String,
    /// What stands there; long texts are shortened. Empty where the text could not be read.
    pub found: String,
    /// What would pass there.
    pub would_pass: String,
}

impl Finding {
    pub(crate) fn new(
        path: impl Into<String>,
        rule: Rule,
        message: impl Into<String>,
        found: impl Into<String>,
        would_pass: impl Into<String>,
    ) -> Finding {
        Finding {
            path: path.into(),
            rule,
            level: rule.level(),
            message: message.into(),
            found: found.into(),
            would_pass: would_pass.into(),
        }
    }

    /// What is wrong and what would pass, without the place.
    fn sentence(&self) -> String {
        let Finding { message, found, would_pass, .. } = self;
        if found.is_empty() {
            return format!("{message}; {would_pass}");
        }
        format!("{message} (found {found}; would pass: {would_pass})")
    }
}

impl std::fmt::Display for Finding {
    /// `path: message (found …; would pass: …) [rule]`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = if self.path.is_empty() { "document" } else { &self.path };
        f.write_str(&output::visible(&format!("{path}: {} [{}]", self.sentence(), self.rule.id())))
    }
}

/// What speaks against a value as an actionable-feedback document, in the order of the document; nothing where it may
/// pass. The schema comes first at each place. Never panics, whatever the value is.
pub fn check(value: &Value) -> Vec<Finding> {
    let mut found = schema::errors(value);
    document::readable(value, &mut found);
    let refused: std::collections::HashSet<String> = found.iter().map(|f| f.path.clone()).collect();
    let items = value.get("feedback_items").and_then(Value::as_array);
    for (index, item) in items.into_iter().flatten().enumerate().take(MOST_ITEMS) {
        let at = format!("/feedback_items/{index}");
        // What is too short or no text at all was said already.
        let judged = |path: &str| !refused.contains(path);
        wording::issue(item, &at, &judged, &mut found);
        wording::suggestion(item, &at, &judged, &mut found);
        locate::location(item, &at, &judged, &mut found);
    }
    if let Some(count) = items.map(Vec::len).filter(|count| *count > MOST_ITEMS) {
        let message = format!("the document has more than {MOST_ITEMS} items; the rest is not judged");
        let pass = "fewer items: nobody follows so many";
        found.push(Finding::new("/feedback_items", Rule::SchemaMore, message, format!("{count} items"), pass));
    }
    verdict::consistency(value, &mut found);
    in_order(value, found)
}

/// More items than these are not read: a document may be a megabyte of them.
const MOST_ITEMS: usize = 2_000;

/// Whether a document with these findings is refused.
pub fn is_refused(findings: &[Finding]) -> bool {
    findings.iter().any(|f| f.level == Level::Error)
}

/// Findings by their places in the document, as they were found where the place is the same.
fn in_order(value: &Value, found: Vec<Finding>) -> Vec<Finding> {
    let mut keyed: Vec<(Vec<usize>, Finding)> = found.into_iter().map(|f| (place(value, &f.path), f)).collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    keyed.into_iter().map(|(_, f)| f).collect()
}

/// The positions of a pointer's parts, outermost first.
fn place(value: &Value, path: &str) -> Vec<usize> {
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

/// A text as one short line.
fn shown(text: &str) -> String {
    crate::domain::prose::line(text, SHOWN)
}

/// A text of an object, where it is one.
fn text_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str)
}
