//! The signature of a failure: what failures of the same cause share, whatever document, case, time or number they are
//! about.
//!
//! It consists of the inference's name, the class of the cause, the words that describe the cause without volatile
//! parts, and the agent. It excludes the approach that failed: only then can the approaches tried in one situation be
//! compared. Failures without any details share one signature.

use super::cause::{Cause, bounded, classify, classify_text};
use super::result::ActionResult;
use crate::text::ids::short_hash;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// How many words describe a cause.
const MAX_WORDS: usize = 12;
/// The maximum length of a cause, in characters.
const MAX_CHARS: usize = 160;

/// What failures with the same cause share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Signature {
    /// `SIG-` and twelve hexadecimal digits: a function of the other fields.
    pub id: String,
    /// The inference without volatile parts.
    pub inference: String,
    /// The class of the cause.
    pub class: Cause,
    /// The words that describe the cause, without volatile parts; empty if no reason was reported.
    pub cause: String,
    /// The agent.
    pub agent: String,
}

/// Returns the signature of a failed or partial action; that of a success contains only what succeeded.
pub fn signature(result: &ActionResult) -> Signature {
    let class = classify(result).class;
    let cause = if result.is_failure() { telling(result).map(|text| steady_words(&text)) } else { None };
    let cause = cause.unwrap_or_default();
    let inference = steady_name(&result.inference);
    let agent: String = result.agent.trim().to_lowercase().chars().take(100).collect();
    let id = format!("SIG-{}", short_hash(&["action", &inference, class.as_str(), &cause, &agent]));
    Signature { id, inference, class, cause, agent }
}

/// Returns the cause in readable words without volatile parts; `None` if no reason was reported.
pub fn readable_cause(result: &ActionResult) -> Option<String> {
    let text = steady(&telling(result)?);
    let mut words: Vec<&str> = text.split_whitespace().take(2 * MAX_WORDS).collect();
    let hanging = |word: &&str| {
        matches!(
            word.to_lowercase().as_str(),
            "for"
                | "of"
                | "to"
                | "in"
                | "at"
                | "the"
                | "a"
                | "on"
                | "from"
                | "with"
                | "by"
                | "and"
                | "or"
                | "after"
                | "within"
        )
    };
    while words.last().is_some_and(|word| hanging(word) || !word.contains(char::is_alphanumeric)) {
        words.pop();
    }
    let joined = words.join(" ");
    let trimmed = joined.trim_matches(|c: char| !c.is_alphanumeric() && c != ')');
    let text: String = trimmed.chars().take(MAX_CHARS).collect();
    (!text.is_empty()).then_some(text)
}

/// Returns the most informative sentence or line: the first text with a cue, else the first text. Of a trace, its error
/// line.
fn telling(result: &ActionResult) -> Option<String> {
    let text = result.causes().find(|text| classify_text(text).is_some()).or_else(|| result.causes().next())?;
    let text = bounded(text);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    if lines.clone().nth(1).is_none() {
        return Some(text.into_owned());
    }
    let error = lines.clone().rfind(|line| ERROR_LINE.is_match(line));
    let cue = || lines.clone().find(|line| classify_text(line).is_some());
    Some(error.or_else(cue).or_else(|| lines.next())?.to_owned())
}

/// Returns a name such as `unresolved_document_ids`, in lower case and without parts that contain a digit.
fn steady_name(name: &str) -> String {
    let name: String = name.chars().take(MAX_CHARS).collect::<String>().to_lowercase();
    let parts = name.split(|c: char| !c.is_alphanumeric());
    let steady: Vec<&str> =
        parts.filter(|part| !part.is_empty() && !part.contains(|c: char| c.is_ascii_digit())).collect();
    if steady.is_empty() { name.trim().to_owned() } else { steady.join("_") }
}

/// Returns the words of a text that are the same for the same cause.
fn steady_words(text: &str) -> String {
    let text = steady(text).to_lowercase();
    let mut cause = String::new();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').map(|word| word.trim_matches('\''));
    let mut count = 0;
    for word in words.filter(|word| !word.is_empty()).flat_map(parts) {
        if FILLERS.contains(&word.as_str()) || word.len() < 2 {
            continue;
        }
        if count == MAX_WORDS || cause.chars().count() + word.chars().count() >= MAX_CHARS {
            break;
        }
        if !cause.is_empty() {
            cause.push(' ');
        }
        cause.push_str(&word);
        count += 1;
    }
    cause
}

/// Normalises a word for comparison: contractions expanded, one spelling, no plural.
fn parts(word: &str) -> Vec<String> {
    if let Some(verb) = word.strip_suffix("n't") {
        let verb = if verb == "ca" { "can" } else { verb };
        return vec![verb.to_owned(), "not".to_owned()];
    }
    if word == "cannot" {
        return vec!["can".to_owned(), "not".to_owned()];
    }
    let word = word.strip_suffix("'s").unwrap_or(word);
    if let Some(stem) = word.strip_prefix("un").filter(|stem| stem.starts_with("initiali")) {
        return vec!["not".to_owned(), stem.replace("ise", "ize")];
    }
    let word = word.replace("ised", "ized").replace("ising", "izing").replace("isation", "ization");
    let plural = word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    vec![if plural { word[..word.len() - 1].to_owned() } else { word }]
}

/// Removes from a text what varies between occurrences: times, addresses, paths, quoted names, ids, numbers.
fn steady(text: &str) -> String {
    let mut text = MODULE.replace_all(&bounded(text), " $1").into_owned();
    for pattern in VOLATILE.iter() {
        text = pattern.replace_all(&text, " ").into_owned();
    }
    // A quoted sentence is the message itself; a quoted name is a name.
    text = QUOTED
        .replace_all(&text, |found: &regex::Captures<'_>| {
            let inside = (1..found.len()).find_map(|n| found.get(n)).map_or("", |m| m.as_str());
            let prose = inside.split_whitespace().count() >= 3;
            format!(
                "{}{}",
                &found[0][..found[0].len() - found[0].trim_start().len()],
                if prose { format!(" {inside} ") } else { " ".to_owned() }
            )
        })
        .into_owned();
    let text = WITH_DIGIT.replace_all(&text, |found: &regex::Captures<'_>| {
        let token = &found[0];
        if KNOWN.contains(&token.to_lowercase().as_str()) { token.to_owned() } else { " ".to_owned() }
    });
    EMPTY.replace_all(&text, " ").into_owned()
}

/// Words that reveal nothing about a cause. "Not" and "no" do.
const FILLERS: &[&str] = &[
    "a",
    "an",
    "the",
    "is",
    "was",
    "were",
    "are",
    "be",
    "been",
    "being",
    "has",
    "have",
    "had",
    "of",
    "to",
    "in",
    "for",
    "on",
    "at",
    "by",
    "with",
    "from",
    "and",
    "or",
    "that",
    "this",
    "it",
    "its",
    "there",
    "please",
    "so",
    "while",
    "when",
    "because",
    "as",
    "error",
    "exception",
    "errno",
    "failed",
    "failure",
    "could",
    "would",
];

/// Names with digits that are not ids.
const KNOWN: &[&str] = &[
    "utf8", "utf-8", "utf16", "base64", "sha1", "sha256", "md5", "ipv4", "ipv6", "http2", "http3", "oauth2", "s3",
    "x509", "log4j", "e2e", "k8s", "i18n", "python3", "h264", "mp3", "mp4",
];

static VOLATILE: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?",
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,15}://[^\s'\x22`<>)\]]+",
        r"\b[a-zA-Z0-9._+-]+@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+",
        // Windows and Unix paths, and relative ones with a separator and an extension.
        r"\b[A-Za-z]:\\[^\s'\x22`:;,)]*",
        r"(?:~|\.{1,2})?/[\w.@%+~-]+(?:/[\w.@%+~-]*)*",
        r"\b[\w.@%+-]+(?:[/\\][\w.@%+-]+)+",
        // File names.
        r"\b[\w-]+(?:\.[\w-]+)*\.(?:pdf|docx?|xlsx?|pptx?|csv|tsv|json|ya?ml|xml|html?|txt|md|png|jpe?g|gif|tiff?|zip|gz|tar|py|rs|js|ts|go|java|log|ini|toml|db|sqlite)\b",
        r"\b\d+(?:[.,]\d+)? ?(?:ms|s|secs?|seconds?|min|minutes?|h|hours?|days?|[kKmMgG]?i?[bB]|bytes?|%)(?:\b|$)",
        r"\b0[xX][0-9a-fA-F]+\b",
        r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
    ]
    .iter()
    .map(|pattern| Regex::new(pattern).expect("a constant"))
    .collect()
});
/// The type of an exception with its module: only the type is kept.
static MODULE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:[a-z_][a-z0-9_]*\.)+([A-Z][A-Za-z]*(?:Error|Exception))\b").expect("a constant")
});
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:^|[\s(\[{=:,])(?:'([^'\n]*)'|"([^"\n]*)"|`([^`\n]*)`|“([^”\n]*)”|‘([^’\n]*)’)"#)
        .expect("a constant")
});
/// A word that contains a digit, with the parts attached to it.
static WITH_DIGIT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\w#%$€-]*\d[\w%-]*(?:[.,:]\d[\w%-]*)*").expect("a constant"));
static EMPTY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\[({][\s,;]*[\])}]").expect("a constant"));
static ERROR_LINE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:[\w.]*(?:error|exception)|fatal|panic\w*)\b[^a-z]").expect("a constant"));
