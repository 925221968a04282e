//! What a document asks of whoever works on its target, for the evaluator. Whether it joins a pattern is not decided
//! here.

use super::document::{Aspect, Document, ItemSeverity, Location, ReviewVerdict};
use crate::text::prose::one_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one item asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Demand {
    /// Which item of the document, from 0.
    pub item: usize,
    /// The issue and what to do about it, as a reviewer would remark it.
    pub text: String,
    /// How much the issue weighs; never `suggestion`.
    pub severity: ItemSeverity,
    /// What it is about.
    pub aspect: Aspect,
    /// Where it was seen.
    pub location: Location,
}

/// The demands of a document, in its order: none where it accepts, none from what is only a suggestion.
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

/// A text on one line that ends like a sentence.
fn sentence(text: &str) -> String {
    let line = one_line(text);
    if line.ends_with(['.', '!', '?', ':', '…', '。']) { line } else { format!("{line}.") }
}
