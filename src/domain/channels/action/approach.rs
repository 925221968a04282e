//! Names of approaches and tools, compared loosely: `switch_to_case("KYC-1")`, `switchCase` and `switch_case` are the
//! same.
//!
//! It does not know which approach helps.

use super::result::{ActionKind, ActionResult};
use crate::text::redact::clean_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Words that do not distinguish names.
const FILLERS: &[&str] =
    &["to", "the", "a", "an", "of", "for", "by", "with", "from", "in", "on", "tool", "use", "call", "try", "first"];
/// A text with more words than this is a sentence about an approach, not its name.
const MAX_WORDS: usize = 4;
/// How much of a name is read, in characters.
const MAX_NAME: usize = 80;

/// An approach that was tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Approach {
    /// The key for comparison.
    pub key: String,
    /// The original spelling, without arguments.
    pub name: String,
}

impl Approach {
    /// Returns the approach with that name; `None` if the text is a sentence or empty.
    pub fn named(text: &str) -> Option<Approach> {
        let head: String = clean_text(text).trim().chars().take(MAX_NAME).collect();
        let bare = head.split(['(', '{', '[']).next().unwrap_or_default();
        // Namespaces: `mcp__kyc__switch_case`, `kyc.switch_case`, `tools/switch_case`.
        let bare = bare.trim().trim_matches(|c: char| !c.is_alphanumeric());
        let bare = bare.rsplit("__").next().unwrap_or(bare);
        let bare = bare.rsplit(['.', '/', ':']).next().unwrap_or(bare).trim();
        if bare.split_whitespace().count() > MAX_WORDS {
            return None;
        }
        let words = words(bare);
        if words.is_empty() {
            return None;
        }
        let telling: Vec<String> =
            words.iter().filter(|word| !FILLERS.contains(&word.as_str())).map(|word| singular(word)).collect();
        let key = if telling.is_empty() { words.join("_") } else { telling.join("_") };
        Some(Approach { key, name: words.join("_") })
    }

    /// Returns the approach that a result tried. A success without a named approach is attributed to its inference.
    pub fn of(result: &ActionResult) -> Option<Approach> {
        let named = result.action.as_deref().and_then(Approach::named);
        match result.kind {
            ActionKind::Success => named.or_else(|| Approach::named(&result.inference)),
            ActionKind::Failed | ActionKind::Partial => named,
        }
    }
}

/// Returns the key of a name; empty if it is not a name.
pub fn key(name: &str) -> String {
    Approach::named(name).map(|approach| approach.key).unwrap_or_default()
}

/// Finds the tool that a name refers to: one with the same key, or whose key ends with it (`kyc_switch_case`).
pub fn find_tool<'t>(name: &str, tools: &'t [String]) -> Option<&'t str> {
    let wanted = key(name);
    if wanted.is_empty() {
        return None;
    }
    let ending = format!("_{wanted}");
    let long = wanted.contains('_');
    let exact = tools.iter().find(|tool| key(tool) == wanted);
    exact.or_else(|| tools.iter().find(|tool| long && key(tool).ends_with(&ending))).map(String::as_str)
}

/// Returns the words of a name in lower case. A word with a digit and more than two characters is an argument or an id.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        lower_before = c.is_lowercase();
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
    }
    let is_id = |word: &str| word.chars().any(|c| c.is_ascii_digit()) && word.chars().count() > 2;
    words.retain(|word| !word.is_empty() && !is_id(word) && !word.chars().all(|c| c.is_ascii_digit()));
    words.truncate(8);
    words
}

fn singular(word: &str) -> String {
    let plural = word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if plural { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}
