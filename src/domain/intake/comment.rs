//! A comment of a decision: what was said about one place of the work, with the code it refers to (specification,
//! "Decisions").

use super::words::words;
use crate::text::language::comment::suggestion;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The side of a diff that a comment is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CommentSide {
    /// On a line of the new version.
    #[default]
    New,
    /// On a line that the work removes.
    Old,
}

/// One comment of a decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comment {
    /// Unique within the decision; the forge's own id if available.
    pub comment_id: String,
    /// What was written; empty if it is only a suggestion.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// The file; `None` if it is about the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The last line it is about, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The number of lines it is about, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// The side of the diff that the line is on; defaults to the new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<CommentSide>,
    /// The hunk up to the line; only its end if it is long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_hunk: Option<String>,
    /// The reviewer's replacement for the commented lines, if separate from the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// The conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The comment it replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<String>,
    /// When it was written; defaults to the decision's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Its URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Unknown fields sent by the publisher.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, serde_json::Value>,
}

/// Maximum length of a comment's stored hunk, in characters, from its end, which holds the commented line.
pub const MAX_HUNK: usize = 2_000;

impl Comment {
    /// Returns the number of lines it is about.
    pub fn line_count(&self) -> usize {
        self.lines.and_then(|lines| usize::try_from(lines).ok()).unwrap_or(1).max(1)
    }

    /// Reports whether it is on a line that the work removes.
    pub fn is_on_old(&self) -> bool {
        self.side == Some(CommentSide::Old)
    }

    /// Returns the replacement for the commented lines: its suggestion, or the one in its body.
    pub fn suggested(&self) -> Option<Vec<&str>> {
        match &self.suggestion {
            Some(text) => Some(text.lines().collect()),
            None => suggestion(&self.body).map(|suggestion| suggestion.lines),
        }
    }

    /// Returns the last lines of its hunk, this many, without diff marks; `None` if it has none.
    pub fn code(&self, lines: usize) -> Option<String> {
        let hunk: Vec<&str> = self.diff_hunk.as_deref()?.lines().filter(|line| !line.starts_with("@@")).collect();
        let last = &hunk[hunk.len().saturating_sub(lines)..];
        let unmarked = last.iter().map(|line| line.strip_prefix(['+', '-', ' ']).unwrap_or(line));
        Some(unmarked.collect::<Vec<_>>().join("\n")).filter(|code| !code.trim().is_empty())
    }

    /// Returns its text apart from suggestions; `None` if there is none.
    pub fn said(&self) -> Option<String> {
        words(None, Some(&self.body))
    }
}

/// Returns the demands of a comment that is a list of them, one per item: two items or more, and little else. Other
/// comments are left whole.
pub fn demands(body: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut besides = 0;
    let mut fence = false;
    for line in body.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with('>') {
            // A list in code, or with code between its items, is not split.
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

/// Maximum number of demands a comment is split into; a longer list is something else, such as a plan.
const MAX_DEMANDS: usize = 12;

/// Returns the text of a list item.
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
