//! A document's demands on its target, for the evaluator. Whether one joins a pattern is not decided here.

use super::document::{Aspect, Document, ItemSeverity, Location, ReviewVerdict};
use crate::text::prose::one_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The demand of one item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Demand {
    /// The item's index in the document, from 0.
    pub item: usize,
    /// The issue and its remedy, worded as a reviewer's comment.
    pub text: String,
    /// The severity of the issue; never `suggestion`.
    pub severity: ItemSeverity,
    /// The quality aspect.
    pub aspect: Aspect,
    /// The location of the issue.
    pub location: Location,
}

/// Returns a document's demands, in order: none if it accepts, none from mere suggestions.
pub fn demands(document: &Document) -> Vec<Demand> {
    if document.overall_assessment.verdict == ReviewVerdict::Accept {
        return Vec::new();
    }
    let binding = |(_, item): &(usize, &super::FeedbackItem)| item.severity != ItemSeverity::Suggestion;
    let items = document.feedback_items.iter().enumerate().filter(binding);
    items
        .map(|(index, item)| Demand {
            item: index,
            text: format!("{} {}", sentence(&item.issue), sentence(&item.suggestion.action)),
            severity: item.severity,
            aspect: item.aspect,
            location: item.location.clone(),
        })
        .collect()
}

/// Returns a text on one line that ends like a sentence.
fn sentence(text: &str) -> String {
    let line = one_line(text);
    if line.ends_with(['.', '!', '?', ':', '…', '。']) { line } else { format!("{line}.") }
}
