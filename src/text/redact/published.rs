//! The published rules of Betterleaks, by the author of Gitleaks, through the crate `veloci`. They know the key formats
//! of several hundred vendors, and are updated with the crate.
//!
//! Secrets without a vendor's format are left to `rules` and `guard`, which know more names and mask fewer ids.

use super::secret::{Secret, merge};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use veloci::detect::{BETTERLEAKS_RULESET, Detector, LeafContext, RulesetDetector};

/// Unused rules: `generic-*` guesses from names, client ids are no secrets, and `pem` knows where a key ends.
const LEFT_OUT: [&str; 3] = ["generic-*", "*-client-id", "private-key"];

/// Bytes scanned at a time. The engine copies the surroundings of a match, so a long text takes more than its share.
const WINDOW: usize = 8 * 1024;

/// Overlap of consecutive windows, in bytes. No finding is longer.
const OVERLAP: usize = 2 * 1024;

static DETECTOR: LazyLock<RulesetDetector> = LazyLock::new(|| {
    // A text's author must not be able to disable a rule in it.
    BETTERLEAKS_RULESET.clone().allow_signatures(Vec::<String>::new()).exclude_rules(LEFT_OUT)
});

/// The rules' names, kept for the program's lifetime.
static KINDS: LazyLock<BTreeMap<&'static str, &'static str>> =
    LazyLock::new(|| BETTERLEAKS_RULESET.rule_ids().map(|id| (id, kind(id))).collect());

/// Returns the kind for a rule's finding: our own rules' name if both know it.
fn kind(id: &'static str) -> &'static str {
    match id {
        id if id.starts_with("github") => "github-token",
        id if id.starts_with("gitlab") => "gitlab-token",
        id if id.starts_with("slack-webhook") => "slack-webhook",
        id if id.starts_with("slack") => "slack-token",
        id if id.starts_with("stripe") => "stripe-key",
        id if id.starts_with("anthropic") => "anthropic-key",
        id if id.starts_with("openai") => "openai-key",
        "aws-access-token" => "aws-access-key",
        "npm-access-token" => "npm-token",
        "private-key" => "private-key",
        id if id.starts_with("jwt") => "jwt",
        id => id,
    }
}

/// Returns the secrets in a text that a published rule knows, in order and without overlaps.
pub(super) fn find(text: &str) -> Vec<Secret> {
    // Prose has no such words, and needs no further check.
    if !has_run(text) {
        return Vec::new();
    }
    let mut found = detect(text);
    if let Some(parted) = parted(text) {
        found.extend(detect(&parted));
    }
    merge(found)
}

/// Replaces the signs at word edges with spaces, preserving the length; `None` if nothing changes.
///
/// Published rules require a space, a quote or the end after a key: they miss a key before a full stop or `.env`, or
/// among letters of another script.
fn parted(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    for (at, b) in bytes.iter().enumerate() {
        let inside = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
        let (before, after) = (inside(at.checked_sub(1)), inside(Some(at + 1)));
        let edge = match b {
            b'.' => !before || !after || is_extension(&bytes[at + 1..]),
            b'_' | b'-' | b':' | b'/' => {
                !before && !matches!(bytes.get(at.wrapping_sub(1)), Some(b'_' | b'-'))
                    || !after && !matches!(bytes.get(at + 1), Some(b'_' | b'-'))
            }
            b'=' | b'+' | b'"' | b'\'' | b'`' | b'\\' | b'~' => false,
            b => !b.is_ascii() || b.is_ascii_punctuation(),
        };
        out.push(if edge { b' ' } else { *b });
    }
    let parted = String::from_utf8(out).ok()?;
    (parted != text).then_some(parted)
}

/// Reports whether a word begins with a few letters and then ends: `env`.
fn is_extension(bytes: &[u8]) -> bool {
    let length = bytes.iter().take(8).take_while(|b| b.is_ascii_alphanumeric()).count();
    length <= 5 && !bytes.get(length).is_some_and(|b| matches!(b, b'_' | b'-' | b'=' | b'+'))
}

fn detect(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = boundary(text, start + WINDOW);
        let mut detections = Vec::new();
        DETECTOR.detect(&text[start..end], &LeafContext::default(), &mut detections);
        for detection in detections {
            let id = detection.label.rsplit(':').next().unwrap_or_default();
            let kind = KINDS.get(id).copied().unwrap_or("secret");
            found.push(Secret { start: start + detection.range.start, end: start + detection.range.end, kind });
        }
        if end == text.len() {
            break;
        }
        start = boundary(text, end - OVERLAP);
    }
    found
}

/// Reports whether there is a run of letters, digits and signs as long as the shortest key.
fn has_run(text: &str) -> bool {
    let mut run = 0;
    text.bytes().any(|b| {
        run = if b.is_ascii_alphanumeric() || b"+/_-=.~:%".contains(&b) { run + 1 } else { 0 };
        run >= SHORTEST
    })
}

/// The length of the shortest key that a published rule knows, in bytes.
const SHORTEST: usize = 14;

/// Returns the first character boundary from `at` on.
fn boundary(text: &str, at: usize) -> usize {
    (at.min(text.len())..=text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(text.len())
}
