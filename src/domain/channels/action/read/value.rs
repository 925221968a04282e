//! The fields of one inference, taken one by one and bounded; unknown fields become `extra`.

use crate::channels::action::result::GivenSuggestion;
use crate::text::prose;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The maximum length of a text, in characters: its beginning and end are kept.
pub(super) const MAX_TEXT: usize = 8_000;
/// The maximum length of a name, in characters.
const MAX_NAME: usize = 300;
/// The maximum number of list items kept.
pub(super) const MAX_ITEMS: usize = 100;
/// The maximum size of `data` as JSON.
pub(super) const MAX_DATA_BYTES: usize = 65_536;
/// The maximum size of all unknown fields together as JSON.
const MAX_EXTRA_BYTES: usize = 16_384;

/// Fields by name.
pub(super) struct Fields {
    values: Map<String, Value>,
    unread: BTreeMap<String, Value>,
    shortened: Vec<String>,
}

impl Fields {
    pub(super) fn new(values: &Map<String, Value>) -> Fields {
        Fields { values: values.clone(), unread: BTreeMap::new(), shortened: Vec::new() }
    }

    /// Adds the fields around an inference that it does not have itself.
    pub(super) fn around(mut self, outer: &Map<String, Value>) -> Fields {
        for (name, value) in outer {
            if name != "local_inferences" && !self.has(name) {
                self.values.insert(name.clone(), value.clone());
            }
        }
        self
    }

    /// Takes a value; `None` if it is missing or null in any spelling (specification, "How an entry is encoded").
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.values.shift_remove(name).filter(|value| !is_null(value))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|value| !is_null(value))
    }

    /// Keeps a value as unknown.
    pub(super) fn keep(&mut self, name: &str, value: Value) {
        self.unread.entry(name.to_owned()).or_insert(value);
    }

    /// Reads a field; an unreadable value is kept as unknown.
    pub(super) fn read<T>(&mut self, name: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let value = self.take(name)?;
        let found = read(&value);
        if found.is_none() {
            self.keep(name, value);
        }
        found
    }

    /// Takes a bounded text. Lists and objects become JSON.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.bounded(name, MAX_TEXT)
    }

    /// Takes a bounded name; only scalars are names.
    pub(super) fn name(&mut self, name: &str) -> Option<String> {
        if self.values.get(name).is_some_and(|value| scalar(value).is_none() && !is_null(value)) {
            let value = self.take(name)?;
            self.keep(name, value);
            return None;
        }
        self.bounded(name, MAX_NAME)
    }

    fn bounded(&mut self, name: &str, most: usize) -> Option<String> {
        let value = self.take(name)?;
        let text = scalar(&value).unwrap_or_else(|| value.to_string());
        let (short, cut) = shorten(text.trim(), most);
        if cut {
            self.shortened.push(name.to_owned());
        }
        Some(short)
    }

    pub(super) fn note_shortened(&mut self, names: Vec<String>) {
        self.shortened.extend(names);
    }

    pub(super) fn shortened(&mut self) -> Vec<String> {
        std::mem::take(&mut self.shortened)
    }

    /// Returns the remaining fields, up to a limit.
    pub(super) fn into_extra(self) -> BTreeMap<String, Value> {
        let mut left = MAX_EXTRA_BYTES;
        let mut extra = BTreeMap::new();
        let rest = self.values.into_iter().filter(|(_, value)| !is_null(value));
        for (name, value) in self.unread.into_iter().chain(rest).take(MAX_ITEMS) {
            let bytes = name.len() + value.to_string().len();
            let (name, value) = if bytes <= left { (name, value) } else { (line(&name), Value::from("left out")) };
            left = left.saturating_sub(bytes);
            extra.entry(name).or_insert(value);
        }
        extra
    }
}

/// Parses a text that contains JSON; returns any other value unchanged.
pub(super) fn structured(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        other => other.clone(),
    }
}

/// Reads a list of names: JSON, or text with commas.
pub(super) fn list(value: &Value) -> Option<Vec<String>> {
    let named = |item: &Value| match item {
        // Tools are often listed with their descriptions.
        Value::Object(map) => map.get("name").and_then(scalar),
        other => scalar(other),
    };
    let names: Vec<String> = match structured(value) {
        Value::Array(items) => items.iter().take(MAX_ITEMS).filter_map(named).collect(),
        Value::String(text) => text.split(',').take(MAX_ITEMS).map(str::to_owned).collect(),
        _ => return None,
    };
    let names = names.iter().map(|name| shorten(name.trim(), 200).0);
    Some(names.filter(|name| !name.is_empty()).collect())
}

/// Reads suggestions: names or sentences, or objects with `action` and `confidence`.
pub(super) fn suggestions(value: &Value) -> Option<Vec<GivenSuggestion>> {
    let one = |item: &Value| {
        let (action, confidence) = match item {
            Value::Object(map) => (map.get("action").and_then(scalar)?, map.get("confidence").and_then(Value::as_f64)),
            other => (scalar(other)?, None),
        };
        let action = shorten(action.trim(), MAX_NAME).0;
        let confidence = confidence.filter(|p| (0.0..=1.0).contains(p));
        (!action.is_empty()).then_some(GivenSuggestion { action, confidence })
    };
    match structured(value) {
        Value::Array(items) => Some(items.iter().take(MAX_ITEMS).filter_map(one).collect()),
        single => Some(vec![one(&single)?]),
    }
}

/// Returns a text, number or flag as text.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Shortens a text to a line for messages.
pub(super) fn line(text: &str) -> String {
    prose::line(&shorten(text, 400).0, 80)
}

/// Describes the type of a value in words.
pub(super) fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => format!("the text “{}”", line(text)),
        Value::Number(_) | Value::Bool(_) => format!("`{value}`"),
    }
}

/// Returns the beginning and the end of a text, and whether anything between was cut.
fn shorten(text: &str, most: usize) -> (String, bool) {
    if text.len() <= most {
        return (text.to_owned(), false);
    }
    let head: String = text.chars().take(most - most / 4).collect();
    let mut tail: Vec<char> = text[head.len()..].chars().rev().take(most / 4).collect();
    if head.len() + tail.iter().map(|c| c.len_utf8()).sum::<usize>() >= text.len() {
        return (text.to_owned(), false);
    }
    tail.reverse();
    (format!("{head} … {}", tail.into_iter().collect::<String>()), true)
}

fn is_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => matches!(text.trim(), "" | "null" | "None"),
        _ => false,
    }
}
