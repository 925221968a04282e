//! The versions of a rule's text, each with its changes.

use crate::domain::records::record::ProposalRecord;
use jiff::Timestamp;
use similar::{ChangeTag, TextDiff};

/// One text of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct TextVersion {
    /// The version, from 1.
    pub version: u32,
    /// The author; none if it was drafted.
    pub by: Option<String>,
    /// When it was made.
    pub at: Timestamp,
    /// The content hash.
    pub content_hash: String,
    /// The text, split where it differs from the previous one.
    pub pieces: Vec<Piece>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// How it changed.
    pub change: Change,
    /// The part.
    pub text: String,
}

/// A change to a part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Unchanged.
    Kept,
    /// Added.
    Added,
    /// Removed.
    Removed,
}

impl TextVersion {
    /// Returns the texts of a rule, oldest first.
    pub fn of(rule: &ProposalRecord) -> Vec<TextVersion> {
        let (mut at, mut by, mut before) = (rule.created_at, None, None::<&str>);
        let mut versions = Vec::new();
        let mut add = |version, text: &str, hash: &str, by: Option<String>, at, before: Option<&str>| {
            let pieces = changes(before.unwrap_or(text), text);
            versions.push(TextVersion { version, by, at, content_hash: hash.to_owned(), pieces });
        };
        for earlier in &rule.earlier_versions {
            add(earlier.version, &earlier.rule_content, &earlier.content_hash, by, at, before);
            (at, by, before) =
                (earlier.replaced_at, Some(earlier.replaced_by.clone()), Some(earlier.rule_content.as_str()));
        }
        add(rule.version, &rule.rule_content, &rule.content_hash, by, at, before);
        versions
    }
}

/// Returns the changes between two texts, word by word.
pub fn changes(old: &str, new: &str) -> Vec<Piece> {
    let diff = TextDiff::from_words(old, new);
    let mut pieces: Vec<Piece> = Vec::new();
    for part in diff.iter_all_changes() {
        let change = match part.tag() {
            ChangeTag::Equal => Change::Kept,
            ChangeTag::Insert => Change::Added,
            ChangeTag::Delete => Change::Removed,
        };
        match pieces.last_mut() {
            Some(last) if last.change == change => last.text.push_str(part.value()),
            _ => pieces.push(Piece { change, text: part.value().to_owned() }),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_that_changed_are_marked() {
        let found = changes("Handle errors in API handlers.", "Handle all errors in handlers.");
        let text: Vec<String> = found
            .iter()
            .map(|p| match p.change {
                Change::Kept => p.text.clone(),
                Change::Added => format!("[+{}]", p.text),
                Change::Removed => format!("[-{}]", p.text),
            })
            .collect();
        assert_eq!(text.concat(), "Handle [+all ]errors in[- API] handlers.");
        assert_eq!(changes("same", "same"), [Piece { change: Change::Kept, text: "same".into() }]);
    }
}
