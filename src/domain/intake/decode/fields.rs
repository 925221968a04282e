//! The fields of one event, taken one by one; the rest is `extra`.
//!
//! Knows how publishers write numbers, flags, lists and null; does not know what a decision is.

use crate::intake::capture::presentable_name;
use crate::intake::event::{RejectCode, Rejection};
use crate::text::redact::{Names, Personal, clean_text, is_hidden, redact, redact_json};
use crate::text::verdict::Severity;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Fields by name. Flat entries only have texts, JSON ones any value.
#[derive(Debug, Default)]
pub(super) struct Fields {
    values: Map<String, Value>,
    /// Names of fields that were not UTF-8; their text is lossy.
    lossy: BTreeSet<String>,
    /// Names of flat fields that occurred more than once with different values.
    repeated: BTreeSet<String>,
    /// Values that could not be read.
    unread: BTreeMap<String, Value>,
}

impl Fields {
    /// Creates the fields of a JSON object.
    pub(super) fn from_object(values: Map<String, Value>) -> Fields {
        Fields { values, ..Fields::default() }
    }

    /// Iterates over all fields, including unreadable values.
    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.values.iter().chain(&self.unread)
    }

    /// Adds a flat field.
    pub(super) fn push_flat(&mut self, name: &str, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            self.lossy.insert(name.to_owned());
        }
        let value = Value::String(text.into_owned());
        match self.values.get(name) {
            None => {
                self.values.insert(name.to_owned(), value);
            }
            Some(first) if *first == value => {}
            Some(first) => {
                self.repeated.insert(name.to_owned());
                let all = self.unread.entry(name.to_owned()).or_insert_with(|| Value::Array(vec![first.clone()]));
                if let Value::Array(all) = all {
                    all.push(value);
                }
            }
        }
    }

    /// Adds the fields of `other` that are missing here.
    pub(super) fn fill_from(&mut self, other: Fields) {
        for (name, value) in other.values {
            if self.values.get(&name).is_none_or(is_null) {
                if other.lossy.contains(&name) {
                    self.lossy.insert(name.clone());
                }
                if other.repeated.contains(&name) {
                    self.repeated.insert(name.clone());
                }
                self.values.insert(name, value);
            }
        }
        for (name, value) in other.unread {
            self.unread.entry(name).or_insert(value);
        }
    }

    /// Removes personal data from values and names.
    pub(super) fn without_personal(self, personal: &Personal) -> Fields {
        let mut without = Fields { lossy: self.lossy, repeated: self.repeated, ..Fields::default() };
        for (name, mut value) in self.values {
            take_out(personal, &name, &mut value);
            let mut name = personal.without(&name).unwrap_or(name);
            while without.values.contains_key(&name) {
                name.push('_');
            }
            without.values.insert(name, value);
        }
        for (name, mut value) in self.unread {
            take_out(personal, &name, &mut value);
            without.unread.insert(personal.without(&name).unwrap_or(name), value);
        }
        without
    }

    /// Removes secrets and hidden characters from values and names.
    pub(super) fn tidied(self) -> Fields {
        let mut tidy = Fields { lossy: self.lossy, repeated: self.repeated, ..Fields::default() };
        for (name, mut value) in self.values {
            tidy_value(&name, &mut value);
            let mut name = tidy_name(&name);
            while tidy.values.contains_key(&name) {
                name.push('_');
            }
            tidy.values.insert(name, value);
        }
        for (name, mut value) in self.unread {
            tidy_value(&name, &mut value);
            tidy.unread.insert(tidy_name(&name), value);
        }
        tidy
    }

    /// Inserts a value if there is none.
    pub(super) fn keep(&mut self, name: &str, value: Value) {
        if !is_null(&value) {
            self.unread.entry(name.to_owned()).or_insert(value);
        }
    }

    /// Takes the value unchanged; `None` if it is missing or null in any spelling.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.values.shift_remove(name).filter(|v| !is_null(v))
    }

    /// Reports whether there is a non-null value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|v| !is_null(v))
    }

    /// Takes a required value.
    pub(super) fn required_value(&mut self, name: &str, expected: &str) -> Result<Value, Rejection> {
        if self.lossy.contains(name) {
            return Err(invalid(name, "not valid UTF-8", expected));
        }
        if self.repeated.contains(name) {
            return Err(invalid(name, "given more than once with different values", "one value"));
        }
        self.take(name).ok_or_else(|| missing(name, expected))
    }

    /// Takes a required text.
    pub(super) fn required(&mut self, name: &str, expected: &str) -> Result<String, Rejection> {
        let value = self.required_value(name, expected)?;
        match scalar_text(&value) {
            Some(text) => Ok(text.trim().to_owned()),
            None => Err(invalid(name, &kind_of(&value), expected)),
        }
    }

    /// Takes an optional text; numbers and flags count as their text.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.read(name, scalar_text)
    }

    /// Takes the agent under any of its names (specification, "Decisions").
    pub(super) fn agent(&mut self) -> Option<String> {
        let mut agent: Option<String> = None;
        for name in ["agent", "agent_name", "requested_by"] {
            match (self.text(name), &agent) {
                (Some(found), None) => agent = Some(found.trim().to_owned()),
                (Some(other), Some(first)) if other.trim() != first => self.keep(name, Value::String(other)),
                _ => {}
            }
        }
        agent
    }

    /// Takes whole seconds from any non-negative number.
    pub(super) fn seconds(&mut self, name: &str) -> Option<u64> {
        self.read(name, |value| {
            let number = match value {
                Value::Number(n) => n.as_f64()?,
                Value::String(s) => s.trim().parse::<f64>().ok()?,
                _ => return None,
            };
            // 1e15 s is beyond any clock, and below the point where floats lose whole seconds.
            (number.is_finite() && (0.0..1e15).contains(&number)).then(|| number.round() as u64)
        })
    }

    /// Takes a flag in any usual spelling.
    pub(super) fn flag(&mut self, name: &str) -> Option<bool> {
        self.read(name, |value| match scalar_text(value)?.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" | "y" | "t" => Some(true),
            "false" | "0" | "no" | "off" | "n" | "f" => Some(false),
            _ => None,
        })
    }

    /// Takes the severity.
    pub(super) fn severity(&mut self, name: &str) -> Option<Severity> {
        self.read(name, |value| match scalar_text(value)?.trim().to_ascii_lowercase().as_str() {
            "low" => Some(Severity::Low),
            "medium" => Some(Severity::Medium),
            "high" => Some(Severity::High),
            _ => None,
        })
    }

    /// Takes a list: a JSON array, its text, or comma-separated text. Empty if missing.
    pub(super) fn list(&mut self, name: &str) -> Vec<String> {
        self.read(name, read_list).unwrap_or_default()
    }

    /// Takes suggested lines verbatim: an empty text means deletion.
    pub(super) fn suggestion(&mut self, name: &str) -> Option<String> {
        match self.values.shift_remove(name)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns everything that was not taken or could not be read.
    pub(super) fn into_extra(self) -> BTreeMap<String, Value> {
        let mut extra = self.unread;
        for (name, value) in self.values {
            if !is_null(&value) {
                extra.entry(name).or_insert(value);
            }
        }
        extra
    }

    /// Reads an optional field; an unreadable value is kept.
    fn read<T>(&mut self, name: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let value = self.take(name)?;
        let found = read(&value);
        if found.is_none() {
            self.keep(name, value);
        }
        found
    }
}

/// Removes secrets and hidden characters from a value. An id with a secret is replaced by the same words everywhere, so
/// that it still names one thing.
fn tidy_value(name: &str, value: &mut Value) {
    tidy_ids(name, value);
    redact_json(name, value);
}

fn tidy_ids(name: &str, value: &mut Value) {
    match value {
        Value::String(text) if is_id(name) => *text = presentable_name(text),
        // A flat field may hold JSON.
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            let Ok(mut inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) else { return };
            let before = inner.clone();
            tidy_ids(name, &mut inner);
            if inner != before {
                *text = inner.to_string();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| tidy_ids(name, item)),
        Value::Object(map) => map.iter_mut().for_each(|(name, value)| tidy_ids(name, value)),
        _ => {}
    }
}

/// Reports whether the field of this name is an identifier.
fn is_id(name: &str) -> bool {
    const NAMES: [&str; 7] = ["id", "agent", "agent_name", "requested_by", "reviewer", "supervisor", "part_of"];
    name.ends_with("_id") || NAMES.contains(&name)
}

/// Removes personal data from a value. A flat field may hold JSON, whose names show what is an id.
fn take_out(personal: &Personal, name: &str, value: &mut Value) {
    const RULES: Names = Names { is_id, stays };
    if let Value::String(text) = value
        && text.trim_start().starts_with(['{', '['])
        && let Ok(mut inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text)
    {
        let before = inner.clone();
        personal.take_out(name, &mut inner, &RULES);
        if inner != before {
            *text = inner.to_string();
        }
        return;
    }
    personal.take_out(name, value, &RULES);
}

/// Reports whether a field is exempt: reviewers keep the id named in the roster; a signature is compared, not stored.
fn stays(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "reviewer_id",
        "reviewer",
        "user_id",
        "supervisor",
        "requested_by",
        "signature",
        "content_hash",
        "timestamp",
        "agent_output_sha",
    ];
    NAMES.contains(&name)
}

fn tidy_name(name: &str) -> String {
    let lines = redact(&clean_text(name)).text;
    redact(&lines.replace(['\n', '\t'], " ")).text
}

/// Reads a list of texts; `None` if the value is not such a list.
pub(super) fn read_list(value: &Value) -> Option<Vec<String>> {
    let texts = |items: &[Value]| {
        let items = items.iter().filter(|v| !is_null(v));
        items.map(|v| scalar_text(v).map(|t| t.trim().to_owned())).collect::<Option<Vec<_>>>()
    };
    match value {
        Value::Array(items) => texts(items),
        Value::String(text) if text.trim_start().starts_with('[') => match serde_json::from_str(text) {
            Ok(Value::Array(items)) => texts(&items),
            // "[wip], style" is still a list of words.
            _ => Some(split_commas(text)),
        },
        Value::String(text) => Some(split_commas(text)),
        Value::Number(_) | Value::Bool(_) => scalar_text(value).map(|t| vec![t]),
        Value::Null | Value::Object(_) => None,
    }
}

fn split_commas(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned).collect()
}

/// Reports whether a value counts as null (specification, "How an entry is encoded").
pub(super) fn is_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => is_null_text(text),
        _ => false,
    }
}

/// Reports whether a text counts as null (specification, "How an entry is encoded").
pub(super) fn is_null_text(text: &str) -> bool {
    matches!(text.trim(), "" | "null" | "None")
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Describes the kind of a value, for messages.
pub(super) fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "a JSON boolean".into(),
        Value::Number(n) => format!("the number {n}"),
        Value::String(text) => quoted(text),
        Value::Array(_) => "a JSON array".into(),
        Value::Object(_) => "a JSON object".into(),
    }
}

/// Creates the rejection of a missing required field.
pub(super) fn missing(field: &str, expected: &str) -> Rejection {
    Rejection {
        code: RejectCode::MissingField,
        field: Some(field.to_owned()),
        message: format!("`{field}` is missing or empty; expected {expected}."),
    }
}

/// Creates the rejection of an unreadable field.
pub(super) fn invalid(field: &str, found: &str, expected: &str) -> Rejection {
    Rejection {
        code: RejectCode::InvalidField,
        field: Some(field.to_owned()),
        message: format!("`{}` is {found}; expected {expected}.", shown(field)),
    }
}

/// Quotes an external text for a message.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", shown(text))
}

/// Formats an external text for a message: without secrets, on one line, at most 60 characters.
pub(super) fn shown(text: &str) -> String {
    const MAX: usize = 60;
    // Redact before truncating, because half a secret is not recognised; the head suffices.
    let head: String = text.chars().take(2048).collect();
    let mut out = String::new();
    for (taken, c) in redact(&head).text.chars().enumerate() {
        if taken == MAX {
            out.push('…');
            break;
        }
        match c {
            c if c.is_control() || is_hidden(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}
