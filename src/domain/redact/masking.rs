//! Replaces the secrets in a text or in a JSON value by marks. Where a secret may be is the work of `rules` and `pem`.

use super::clean::clean_text;
use super::rules::{RULES, SET};
use super::secret::{MARK, Secret};
use super::{guard, pem};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// The text, each secret replaced by `[REDACTED:<kind>]`.
    pub text: String,
    /// The kinds that were found, sorted, each once.
    pub kinds: Vec<&'static str>,
}

/// How often the rules run over what the previous run left. Two suffice for anything but constructed text.
const MAX_PASSES: usize = 8;

/// Replaces every secret that is recognised. Deterministic; time is linear in the text.
pub fn redact(text: &str) -> Redacted {
    let mut kinds = BTreeSet::new();
    let text = redact_into(text, &mut kinds);
    Redacted { text, kinds: kinds.into_iter().collect() }
}

/// Replaces every secret in the strings of a JSON value and in the names within it, and returns the kinds, sorted,
/// each once. `name` is the value's own name: what is called `password` is masked whatever it looks like. Hidden
/// characters go as well.
pub fn redact_json(name: &str, value: &mut Value) -> Vec<&'static str> {
    let mut kinds = BTreeSet::new();
    redact_value(name, value, &mut kinds);
    kinds.into_iter().collect()
}

fn redact_value(name: &str, value: &mut Value, kinds: &mut BTreeSet<&'static str>) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => {
            let mut clean = redact_into(&clean_text(text), kinds);
            if !clean.contains(MARK)
                && let Some(kind) = guard::secret_by_name(name, &clean)
            {
                kinds.insert(kind);
                clean = format!("{MARK}{kind}]");
            }
            *text = clean;
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(name, item, kinds)),
        Value::Object(map) => {
            let mut clean = Map::new();
            for (key, mut inner) in std::mem::take(map) {
                redact_value(&key, &mut inner, kinds);
                let mut key = redact_into(&clean_text(&key), kinds);
                // Two names may have become one.
                while clean.contains_key(&key) {
                    key.push('_');
                }
                clean.insert(key, inner);
            }
            *map = clean;
        }
    }
}

fn redact_into(text: &str, kinds: &mut BTreeSet<&'static str>) -> String {
    let mut text = text.to_owned();
    for _ in 0..MAX_PASSES {
        let found = find(&text);
        if found.is_empty() {
            break;
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for secret in &found {
            out.push_str(&text[at..secret.start]);
            out.push_str(MARK);
            out.push_str(secret.kind);
            out.push(']');
            at = secret.end;
            kinds.insert(secret.kind);
        }
        out.push_str(&text[at..]);
        text = out;
    }
    text
}

/// The secrets in a text, in order, none overlapping; where rules overlap, the earlier rule counts.
pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut found: Vec<Secret> = pem::find(text);
    let matched = SET.matches(text);
    for index in matched.iter() {
        let rule = &RULES[index];
        let known = found.len();
        for captures in rule.regex.captures_iter(text) {
            let Some((start, end)) = guard::masked(&captures) else { continue };
            if start == end || text[start..end].contains(MARK) || overlaps(&found[..known], start, end) {
                continue;
            }
            if (rule.guard)(&captures, text) {
                let kind = captures.name("key").map_or(rule.kind, |key| guard::kind(key.as_str()));
                found.push(Secret { start, end, kind });
            }
        }
        // One rule's matches come in order; sorted runs keep the look-up above logarithmic.
        found.sort_by_key(|secret| secret.start);
    }
    found
}

/// Whether one of `found`, sorted and without overlaps, shares a byte with the range.
fn overlaps(found: &[Secret], start: usize, end: usize) -> bool {
    let first = found.partition_point(|secret| secret.end <= start);
    found.get(first).is_some_and(|secret| secret.start < end)
}
