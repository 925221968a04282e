//! The JSON Schema of review documents (specification, "Review documents: The schema"), and its errors in plain words.
//! What a schema cannot express is not here.

use super::DocumentRule;
use super::diagnostic::{Diagnostic, shown};
use jiff::Timestamp;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The schema as published, without the parts of the specification that are not JSON Schema.
pub const SCHEMA: &str = include_str!("../../../../feedback-store-template/schemas/actionable-feedback.json");

/// More schema errors than a person would read.
const MOST: usize = 1_000;

static SCHEMA_VALUE: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA).expect("a constant"));

static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
    // Formats are only annotations unless enabled.
    jsonschema::draft202012::options().should_validate_formats(true).build(&SCHEMA_VALUE).expect("a constant")
});

/// Returns the schema's errors for a value, in the validator's order.
pub(super) fn errors(value: &Value) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = VALIDATOR.iter_errors(value).take(MOST + 1).map(|e| finding(&e)).collect();
    // A value of the wrong type is also not one of the allowed words.
    let mistyped: HashSet<String> =
        found.iter().filter(|f| f.rule == DocumentRule::SchemaType).map(|f| f.path.clone()).collect();
    found.retain(|f| {
        f.rule == DocumentRule::SchemaType || f.rule == DocumentRule::SchemaMore || !mistyped.contains(&f.path)
    });
    if found.len() > MOST {
        found.truncate(MOST);
        let message = format!("the document has more than {MOST} errors; the rest is not listed");
        found.push(Diagnostic::new(
            "",
            DocumentRule::SchemaMore,
            message,
            format!("more than {MOST} errors"),
            "a document",
        ));
    }
    found
}

fn finding(error: &ValidationError<'_>) -> Diagnostic {
    let path = error.instance_path().as_str();
    let name = name_of(path);
    let value = error.instance();
    let node = node_at(path);
    match error.kind() {
        Kind::Required { property } => {
            let missing = property.as_str().unwrap_or_default();
            let what = node.and_then(|n| n.pointer(&format!("/properties/{missing}"))).map(resolved);
            let message = format!("{name} has no `{missing}`{}", what.and_then(purpose).unwrap_or_default());
            let found = match value.as_object() {
                Some(map) if map.is_empty() => "an empty object".to_owned(),
                Some(map) => format!("only {}", shown(&map.keys().cloned().collect::<Vec<_>>().join(", "))),
                None => kind_of(value),
            };
            Diagnostic::new(
                path,
                DocumentRule::SchemaRequired,
                message,
                found,
                what.map_or("the field".to_owned(), passing),
            )
        }
        Kind::Type { .. } => {
            let wanted = node.and_then(|n| n["type"].as_str()).map_or("another type", type_name);
            let message = format!("{name} is {}, not {wanted}", kind_of(value));
            let mut pass = node.map_or(wanted.to_owned(), passing);
            if wanted == "text" && (value.is_number() || value.is_boolean()) {
                pass = format!("the same in quotes, \"{value}\"");
            }
            if let Some(number) = value.as_str().filter(|t| wanted.ends_with("number") && t.parse::<f64>().is_ok()) {
                pass = format!("the same without quotes, {}", shown(number));
            }
            Diagnostic::new(path, DocumentRule::SchemaType, message, shown_value(value), pass)
        }
        Kind::Enum { options } => {
            let words: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let message = format!("{name} is not one of the allowed values");
            let meant = value.as_str().and_then(|said| {
                let said = said.trim();
                words.iter().find(|word| word.eq_ignore_ascii_case(said))
            });
            let pass = match meant {
                Some(word) => format!("`{word}`, spelled like this"),
                None => format!("one of {}", words.join(", ")),
            };
            Diagnostic::new(path, DocumentRule::SchemaEnum, message, shown_value(value), pass)
        }
        Kind::MinLength { limit } => length(path, &name, value, node, &format!("is shorter than {limit} characters")),
        Kind::MaxLength { limit } => length(path, &name, value, node, &format!("is longer than {limit} characters")),
        Kind::Minimum { limit } => range(path, format!("{name} is below {limit}"), value, node),
        Kind::Maximum { limit } => range(path, format!("{name} is above {limit}"), value, node),
        Kind::MinItems { .. } => {
            let message = format!("{name} is empty: feedback without items cannot be followed");
            Diagnostic::new(path, DocumentRule::SchemaItems, message, "an empty list", "at least one feedback item")
        }
        Kind::Format { format } => format_error(path, &name, value, format),
        other => {
            let message = format!("{name} violates the schema's `{}`: {}", other.keyword(), error.masked());
            Diagnostic::new(
                path,
                DocumentRule::SchemaOther,
                message,
                shown_value(value),
                node.map_or("a value".into(), passing),
            )
        }
    }
}

/// Returns the finding for a text in the wrong format. `format` is JSON Schema's name of the format.
pub(super) fn format_error(path: &str, name: &str, value: &Value, format: &str) -> Diagnostic {
    let (message, pass) = match format {
        "uuid" => ("is not a UUID", "a UUID such as 3f2b8c1e-7d4a-4e09-9b56-0c1d2e3f4a5b"),
        "date-time" => {
            ("is not a date with a time and an offset", "a time in RFC 3339 format, such as 2026-01-25T15:00:00Z")
        }
        _ => ("has the wrong form", "a value in the format that the schema names"),
    };
    Diagnostic::new(path, DocumentRule::SchemaFormat, format!("{name} {message}"), shown_value(value), pass)
}

fn length(path: &str, name: &str, value: &Value, node: Option<&Value>, what: &str) -> Diagnostic {
    let count = value.as_str().unwrap_or_default().chars().count();
    let found = format!("{count} characters, {}", shown_value(value));
    let pass = node.map_or("a text within the limits".to_owned(), passing);
    Diagnostic::new(path, DocumentRule::SchemaLength, format!("{name} {what}"), found, pass)
}

fn range(path: &str, message: String, value: &Value, node: Option<&Value>) -> Diagnostic {
    Diagnostic::new(
        path,
        DocumentRule::SchemaRange,
        message,
        shown_value(value),
        node.map_or("a number".to_owned(), passing),
    )
}

/// Returns a readable name for a place: "`location.type` of item 1".
pub(super) fn name_of(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    match parts.as_slice() {
        [] => "the document".to_owned(),
        ["feedback_items", index] => item(index),
        ["feedback_items", index, rest @ ..] => format!("`{}` of {}", rest.join("."), item(index)),
        all => format!("`{}`", all.join(".")),
    }
}

fn item(index: &str) -> String {
    format!("item {}", index.parse::<usize>().map_or(0, |i| i.saturating_add(1)))
}

/// Returns the part of the schema that applies to a place of the document.
fn node_at(path: &str) -> Option<&'static Value> {
    let mut node: &'static Value = &SCHEMA_VALUE;
    for part in path.split('/').skip(1) {
        let next = node.pointer(&format!("/properties/{part}"));
        let index = || part.parse::<usize>().ok().and_then(|_| node.get("items"));
        node = resolved(next.or_else(index)?);
    }
    Some(node)
}

fn resolved(node: &'static Value) -> &'static Value {
    let target = node.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#'));
    target.and_then(|pointer| SCHEMA_VALUE.pointer(pointer)).unwrap_or(node)
}

/// Returns the purpose of a field, from the first line of its description: ": Why this action will improve the
/// artifact".
fn purpose(node: &Value) -> Option<String> {
    let first = node.get("description")?.as_str()?.lines().next()?;
    Some(format!(": {}", first.trim().trim_start_matches("REQUIRED: ").trim_end_matches('.')))
}

/// Returns what would pass at a place, as far as the schema defines it.
fn passing(node: &Value) -> String {
    let number = |key: &str| node.get(key).and_then(Value::as_u64);
    if let Some(words) = node.get("enum").and_then(Value::as_array) {
        return format!("one of {}", words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
    }
    match node.get("format").and_then(Value::as_str) {
        Some("uuid") => return "a UUID such as 3f2b8c1e-7d4a-4e09-9b56-0c1d2e3f4a5b".to_owned(),
        Some("date-time") => return "a time such as 2026-01-25T15:00:00Z".to_owned(),
        _ => {}
    }
    let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
    let required = node.get("required").and_then(Value::as_array);
    let fields = required.map(|r| r.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
    match (kind, number("minLength").or(number("minimum")), number("maxLength").or(number("maximum")), fields) {
        ("string", Some(least), Some(most), _) => format!("{least} to {most} characters of text"),
        ("object", _, _, Some(fields)) => format!("an object with {fields}"),
        ("array", ..) => "a list with at least one feedback item".to_owned(),
        (_, Some(least), Some(most), _) => format!("{} from {least} to {most}", type_name(kind)),
        (_, Some(least), None, _) => format!("{} of at least {least}", type_name(kind)),
        _ => type_name(kind).to_owned(),
    }
}

fn type_name(kind: &str) -> &str {
    match kind {
        "object" => "an object",
        "array" => "a list",
        "string" => "text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "null" => "null",
        other => other,
    }
}

fn kind_of(value: &Value) -> String {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    type_name(kind).to_owned()
}

fn shown_value(value: &Value) -> String {
    match value {
        Value::String(text) => format!("“{}”", shown(text)),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(map) if map.is_empty() => "an empty object".to_owned(),
        Value::Object(map) => format!("an object with {}", shown(&map.keys().cloned().collect::<Vec<_>>().join(", "))),
        scalar => scalar.to_string(),
    }
}

/// Adds what the schema passes but the types do not: a time that does not exist.
pub(super) fn readable(value: &Value, found: &mut Vec<Diagnostic>) {
    if found.iter().any(|f| f.path == "/timestamp") {
        return;
    }
    if let Some(time) = value.get("timestamp")
        && time.as_str().is_none_or(|t| t.parse::<Timestamp>().is_err())
    {
        found.push(format_error("/timestamp", "`timestamp`", time, "date-time"));
    }
}
