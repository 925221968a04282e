//! What several pages show in the same way: remarks, the decisions they came with, and diffs.

use super::link;
use crate::app::queries::FeedbackLine;
use crate::app::queries::views::Evidence;
use crate::domain::intake::sides::{FileSides, sides};
use crate::domain::records::record::DecisionRecord;
use crate::domain::reporting::demands::web_link;
use crate::text::prose::{percent, when, words};

/// So many pairs of lines of one diff are shown.
const PAIRS: usize = 400;

/// One of several lists to choose from.
pub struct Tab {
    /// Its address.
    pub address: String,
    /// What it is called.
    pub name: &'static str,
    /// How many it holds.
    pub count: usize,
    /// Whether it is the one that is shown.
    pub here: bool,
}

/// How many lines of code are shown with a comment.
const CODE: usize = 6;

/// A remark in a list.
pub struct Remark {
    /// Its address.
    pub address: String,
    /// Its id.
    pub id: String,
    /// What was said; empty where nothing was.
    pub text: String,
    /// Who, at which gate, of whose work, when.
    pub said: String,
    /// The verdict.
    pub verdict: String,
    /// The class, with how sure it is.
    pub class: String,
}

impl Remark {
    /// A remark of a list.
    pub fn of(line: &FeedbackLine) -> Remark {
        Remark {
            address: link::to("feedback", &line.feedback_id),
            id: line.feedback_id.clone(),
            text: line.text.clone(),
            said: format!("{} at {}, {} UTC, of {}", line.reviewer_id, line.gate, when(line.timestamp), line.agent),
            verdict: words(line.decision.as_str()),
            class: format!("{}, {} sure", class(line.classification.as_str()), percent(line.confidence)),
        }
    }
}

/// A remark with the decision and the diff that it came with.
pub struct Behind<'a> {
    /// The decision.
    pub record: &'a DecisionRecord,
    /// Its address.
    pub address: String,
    /// What was said.
    pub text: String,
    /// The last lines of the code that it stands on.
    pub code: Option<String>,
    /// The page of the comment on the forge.
    pub url: Option<&'a str>,
    /// Who, at which gate, when.
    pub said: String,
    /// The verdict.
    pub verdict: String,
    /// What it was read as.
    pub class: String,
    /// The concern that was recognised, and how sure that is.
    pub concern: Option<String>,
    /// The files of the diff, side by side.
    pub files: Vec<FileSides>,
    /// Whether the diff is longer than what is shown.
    pub cut: bool,
    /// The file of the record in the store.
    pub path: &'a str,
}

/// The parts of a remark with its decision and diff.
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

/// A class as people call it.
pub fn class(constant: &str) -> &'static str {
    match constant {
        "GENERALIZABLE_HIGH" => "pattern",
        "GENERALIZABLE_LOW" => "repeated by one person",
        "EDGE_CASE" => "edge case",
        "AMBIGUOUS" => "contradiction",
        _ => "positive",
    }
}
