//! A comment of a decision: what was said of one place of the work, with the code it stands on (specification,
//! "Decisions").

use super::words::words;
use crate::text::language::comment::suggestion;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// On which side of a diff a comment stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CommentSide {
    /// On a line as the work has it.
    #[default]
    New,
    /// On a line that the work removes.
    Old,
}

/// One comment of a decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comment {
    /// Unique within the decision; the forge's own id where there is one.
    pub comment_id: String,
    /// What was written; empty where it only suggests.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// The file; none if it is about the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The last line that it is about, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// How many lines it is about, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// The side of the diff on which the line is; the new one if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<CommentSide>,
    /// The hunk up to the line, its end where it is long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_hunk: Option<String>,
    /// What the reviewer would put in place of the commented lines, where it is told apart from the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// The conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The comment that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<String>,
    /// When it was written; the decision's time if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Fields the publisher sent that are not known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, serde_json::Value>,
}

/// The longest part of a hunk that is kept of a comment, in characters, from its end: there is the line it is about.
pub const MAX_HUNK: usize = 2_000;

impl Comment {
    /// How many lines it is about.
    pub fn line_count(&self) -> usize {
        self.lines.and_then(|lines| usize::try_from(lines).ok()).unwrap_or(1).max(1)
    }

    /// Whether it stands on a line that the work removes.
    pub fn is_on_old(&self) -> bool {
        self.side == Some(CommentSide::Old)
    }

    /// The lines that it would put in place of those it stands on: its suggestion, or the one in its body.
    pub fn suggested(&self) -> Option<Vec<&str>> {
        match &self.suggestion {
            Some(text) => Some(text.lines().collect()),
            None => suggestion(&self.body).map(|suggestion| suggestion.lines),
        }
    }

    /// The last lines of its hunk, as many as these, without marks of the diff; `None` where it has none.
    pub fn code(&self, lines: usize) -> Option<String> {
        let hunk: Vec<&str> = self.diff_hunk.as_deref()?.lines().filter(|line| !line.starts_with("@@")).collect();
        let last = &hunk[hunk.len().saturating_sub(lines)..];
        let unmarked = last.iter().map(|line| line.strip_prefix(['+', '-', ' ']).unwrap_or(line));
        Some(unmarked.collect::<Vec<_>>().join("\n")).filter(|code| !code.trim().is_empty())
    }

    /// What it says beside suggestions; `None` where it says nothing.
    pub fn said(&self) -> Option<String> {
        words(None, Some(&self.body))
    }
}

/// The demands of a comment that is a list of them, each an item of its own: two items or more, and little else. The words
/// of a comment that is none are left whole.
pub fn demands(body: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut besides = 0;
    let mut fence = false;
    for line in body.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with('>') {
            // A list in code, or with code between its items, is not taken apart.
            return Vec::new();
        }
        fence |= trimmed.starts_with("~~~");
        if trimmed.is_empty() {
            continue;
        }
        match item(trimmed) {
            // A nested item belongs to the one above it.
            Some(text) if !line.starts_with([' ', '\t']) => items.push(text.to_owned()),
            _ => match items.last_mut() {
                Some(last) if line.starts_with([' ', '\t']) => {
                    last.push(' ');
                    last.push_str(trimmed);
                }
                _ => besides += 1,
            },
        }
    }
    if fence || items.len() < 2 || besides > 1 || items.len() > MAX_DEMANDS {
        return Vec::new();
    }
    items
}

/// The most demands that one comment is taken apart into; a longer list is something else, such as a plan.
const MAX_DEMANDS: usize = 12;

/// What an item of a list says.
fn item(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '•', '+']).or_else(|| {
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if !(1..=2).contains(&digits) {
            return None;
        }
        line[digits..].strip_prefix(['.', ')'])
    })?;
    let text = rest.strip_prefix([' ', '\t'])?.trim();
    (text.chars().filter(|c| c.is_alphanumeric()).count() >= 3).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_list_of_demands_is_taken_apart() {
        assert_eq!(demands("- requireNonNull?\n- indent?"), ["requireNonNull?", "indent?"]);
        assert_eq!(
            demands("Two things:\n1. Rename it.\n2) Add a test\n   for the empty list."),
            ["Rename it.", "Add a test for the empty list.",]
        );
    }

    #[test]
    fn what_is_no_list_of_demands_stays_whole() {
        for text in [
            "Rename it.",
            "- only one",
            "Use this:\n```\n- a\n- b\n```",
            "I thought about it.\nAnd more.\n- one of these\n- or that",
            "> - quoted\n> - list\nno",
            "- ab\n- c",
            "1. a\n2024. b",
        ] {
            assert_eq!(demands(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_suggestion_is_its_own_or_that_of_the_body() {
        let inside = Comment { body: "Shorter:\n```suggestion\nx = 1\n```".to_owned(), ..Comment::default() };
        assert_eq!((inside.suggested(), inside.said().as_deref()), (Some(vec!["x = 1"]), Some("Shorter:")));
        let beside = Comment { suggestion: Some("y\nz".to_owned()), ..inside };
        assert_eq!(beside.suggested(), Some(vec!["y", "z"]));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([-*•] |[0-9]{1,3}[.)] |\n|\\PC{0,6}| ){0,20}") {
            let items = demands(&text);
            prop_assert!(items.is_empty() || (2..=MAX_DEMANDS).contains(&items.len()));
        }
    }
}
