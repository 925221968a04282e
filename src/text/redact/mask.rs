//! Replaces the secrets in a text or JSON value by marks. `finding` locates them.

use super::clean::clean_text;
use super::guard;
use super::search::find;
use super::secret::MARK;
use super::secret_names::{describes, strength};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactedText {
    /// The text, each secret replaced by `[REDACTED:<kind>]`.
    pub text: String,
    /// The kinds found, sorted, each once.
    pub kinds: Vec<&'static str>,
}

/// How often the rules run over the previous result. Two runs suffice for anything but constructed text.
const MAX_PASSES: usize = 8;

/// Replaces every recognised secret. Deterministic; linear in the text.
pub fn redact(text: &str) -> RedactedText {
    let mut kinds = BTreeSet::new();
    let text = redact_into(text, &mut kinds);
    RedactedText { text, kinds: kinds.into_iter().collect() }
}

/// Replaces every secret in the strings and names of a JSON value, and returns the kinds, sorted, each once. `name` is
/// the value's own name: anything called `password` is masked whatever it looks like. Hidden characters are removed
/// too.
pub fn redact_json(name: &str, value: &mut Value) -> Vec<&'static str> {
    let mut kinds = BTreeSet::new();
    redact_value(name, value, &mut kinds);
    kinds.into_iter().collect()
}

fn redact_value(name: &str, value: &mut Value, kinds: &mut BTreeSet<&'static str>) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => {
            if let Some(kind) = guard::number_by_name(name, &number.to_string()) {
                kinds.insert(kind);
                *value = Value::String(format!("{MARK}{kind}]"));
            }
        }
        Value::String(text) => *text = redact_named(name, text, kinds),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(name, item, kinds)),
        Value::Object(map) => redact_object(name, map, kinds),
    }
}

/// Redacts the text of a named field.
fn redact_named(name: &str, text: &str, kinds: &mut BTreeSet<&'static str>) -> String {
    let mut clean = clean_text(text);
    // JSON within JSON: its names count too.
    if clean.trim_start().starts_with(['{', '['])
        && let Ok(mut inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(&clean)
    {
        let before = inner.clone();
        redact_value(name, &mut inner, kinds);
        if inner != before {
            clean = inner.to_string();
        }
    }
    let clean = redact_into(&clean, kinds);
    match guard::secret_by_name(name, &clean) {
        Some(kind) if !clean.contains(MARK) => {
            kinds.insert(kind);
            format!("{MARK}{kind}]")
        }
        _ => clean,
    }
}

/// Below a secret's name every name counts as one, except those that only describe a secret:
/// `{"password": {"value": …}}`.
fn redact_object(name: &str, map: &mut Map<String, Value>, kinds: &mut BTreeSet<&'static str>) {
    let telling = strength(name).is_some();
    // `{"name": "DB_PASSWORD", "value": …}`, the usual form of variable lists.
    let called = ["name", "key", "Name", "Key"].iter().find_map(|field| map.get(*field)?.as_str());
    let called = called.filter(|called| strength(called).is_some()).map(str::to_owned);
    let mut clean = Map::new();
    for (key, mut inner) in std::mem::take(map) {
        let inherited = telling && strength(&key).is_none() && !describes(&key);
        let named = match &called {
            Some(called) if key.eq_ignore_ascii_case("value") => called,
            _ if inherited => name,
            _ => &key,
        };
        redact_value(named, &mut inner, kinds);
        let mut key = redact_into(&clean_text(&key), kinds);
        // Two names may have become equal.
        while clean.contains_key(&key) {
            key.push('_');
        }
        clean.insert(key, inner);
    }
    *map = clean;
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
