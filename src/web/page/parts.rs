//! Elements shared by several pages: comments, their decisions, and diffs.

use super::link;
use crate::app::queries::FeedbackLine;
use crate::app::queries::views::Evidence;
use crate::domain::intake::sides::{FileSides, sides};
use crate::domain::records::record::DecisionRecord;
use crate::domain::reporting::demands::web_link;
use crate::text::prose::{percent, when, words};

/// Maximum number of line pairs shown per diff.
const PAIRS: usize = 400;

/// One of several lists to choose from.
pub struct Tab {
    /// Its address.
    pub address: String,
    /// Its name.
    pub name: &'static str,
    /// Its number of items.
    pub count: usize,
    /// Whether it is selected.
    pub here: bool,
}

/// Lines of code shown with a comment.
const CODE: usize = 6;

/// A comment in a list.
pub struct CommentRow {
    /// Its address.
    pub address: String,
    /// The line's id.
    pub id: String,
    /// The comment; empty if there is none.
    pub text: String,
    /// The reviewer, the gate, the judged agent, the time.
    pub said: String,
    /// The verdict.
    pub verdict: String,
    /// The class.
    pub class: String,
}

impl CommentRow {
    /// Builds a list entry.
    pub fn of(line: &FeedbackLine) -> CommentRow {
        CommentRow {
            address: link::to("feedback", &line.feedback_id),
            id: line.feedback_id.clone(),
            text: line.text.clone(),
            said: format!("{} at {}, {} UTC, of {}", line.reviewer_id, line.gate, when(line.timestamp), line.agent),
            verdict: words(line.decision.as_str()),
            class: class(line.classification.as_str()).to_owned(),
        }
    }
}

/// A comment with its decision and diff.
pub struct Behind<'a> {
    /// The decision.
    pub record: &'a DecisionRecord,
    /// Its address.
    pub address: String,
    /// The comment.
    pub text: String,
    /// The last lines of the code it refers to.
    pub code: Option<String>,
    /// The page of the comment on the forge.
    pub url: Option<&'a str>,
    /// The reviewer, the gate, the time.
    pub said: String,
    /// The verdict.
    pub verdict: String,
    /// Its classification.
    pub class: String,
    /// The recognised concern, with its confidence.
    pub concern: Option<String>,
    /// The files of the diff, side by side.
    pub files: Vec<FileSides>,
    /// Whether the shown diff is truncated.
    pub cut: bool,
    /// The record's file in the store.
    pub path: &'a str,
}

/// Returns the parts of a comment with its decision and diff.
pub fn behind(evidence: &Evidence) -> Behind<'_> {
    let record = &evidence.record;
    let (files, whole) = evidence.diff.as_deref().map_or((Vec::new(), true), |diff| sides(diff, PAIRS));
    let evaluation = &record.evaluation;
    Behind {
        address: link::to("feedback", &record.feedback.feedback_id),
        text: record.text().unwrap_or_default(),
        code: record.comment.as_ref().and_then(|said| said.comment.code(CODE)),
        url: record.comment.as_ref().and_then(|said| web_link(said.comment.url.as_deref()?)),
        said: format!("{} at {}, {} UTC", record.said_by(), record.gate, when(record.timestamp)),
        verdict: words(record.decision.as_str()),
        class: format!("{}, {} sure", class(evaluation.classification.as_str()), percent(evaluation.confidence)),
        concern: record.feedback.concern.as_ref().map(|m| format!("{} ({})", m.concern, percent(m.probability))),
        files,
        cut: !whole,
        path: &evidence.path,
        record,
    }
}

/// Returns the display name of a class.
pub fn class(constant: &str) -> &'static str {
    match constant {
        "GENERALIZABLE_HIGH" => "pattern",
        "GENERALIZABLE_LOW" => "repeated by one person",
        "EDGE_CASE" => "edge case",
        "AMBIGUOUS" => "contradiction",
        _ => "positive",
    }
}
