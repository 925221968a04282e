//! Parsing of documents from text: JSON (one value or several) or YAML (one document or several), with the line of each
//! place.
//!
//! Size, depth, and repetition by aliases are bounded. `check` decides whether a value is an actionable-feedback
//! document.

use super::json;
use super::parsed::{Lines, ParseError, Parsed, error, step};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{DuplicateKeyPolicy, Spanned};
use std::fmt;

/// The maximum size of a text, in bytes.
pub const MAX_BYTES: usize = 1_000_000;

/// How many values aliases may add to a text.
const MAX_REPEATED: usize = 10_000;

/// How many values a text may hold.
const MAX_NODES: usize = 200_000;

/// Parses the values of a JSON or YAML text.
///
/// # Errors
/// See [`read`].
pub fn parse(text: &str) -> Result<Vec<Value>, ParseError> {
    Ok(read(text)?.into_iter().map(|parsed| parsed.value).collect())
}

/// Parses the values of a JSON or YAML text, with the lines of their places.
///
/// # Errors
/// If the text is larger than [`MAX_BYTES`], empty, neither JSON nor YAML, or names a field twice.
pub fn read(text: &str) -> Result<Vec<Parsed>, ParseError> {
    if text.len() > MAX_BYTES {
        let message = format!("the text has {} bytes; at most {MAX_BYTES} are read", text.len());
        return Err(error(None, message, "Put each document into its own file."));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = if text.trim_start().starts_with(['{', '[']) {
        // Apparent JSON may be YAML in its flow style.
        match json::read(text) {
            Err(json::Failure::Syntax(said)) => yaml(text).map_err(|_| said)?,
            Err(json::Failure::Twice(said)) => return Err(said),
            Ok(parsed) => parsed,
        }
    } else {
        yaml(text)?
    };
    if parsed.is_empty() {
        return Err(error(None, "the text contains no document", "Write a document as JSON or YAML."));
    }
    Ok(parsed)
}

fn yaml(text: &str) -> Result<Vec<Parsed>, ParseError> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: MAX_NODES,
            max_events: 4 * MAX_NODES,
            max_aliases: MAX_REPEATED,
            max_recorded_anchor_events: 100_000,
            max_recorded_anchor_bytes: 8 * MAX_BYTES,
            max_total_scalar_bytes: 8 * MAX_BYTES,
            max_depth: 64,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_REPEATED,
            max_replay_stack_depth: 16,
            max_alias_expansions_per_anchor: 1_000,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        // `no` is a word, as in YAML 1.2.
        strict_booleans: true,
        with_snippet: false,
    };
    let nodes: Vec<Spanned<Node>> = serde_saphyr::from_multiple_with_options(text, options).map_err(|e| wrong(&e))?;
    let parsed = nodes.into_iter().map(|node| {
        let mut lines = Lines::default();
        lines.note("", line_of(&node));
        let value = node.value.settle(&mut String::new(), &mut lines);
        Parsed { value, lines }
    });
    Ok(parsed.collect())
}

pub(super) fn wrong(e: &serde_saphyr::Error) -> ParseError {
    let line = e.location().and_then(|at| usize::try_from(at.line()).ok()).filter(|line| *line > 0);
    let said = e.without_snippet().to_string();
    let first = said.lines().next().unwrap_or("it cannot be read").trim();
    // The line is reported separately.
    let first = first.rfind(" at line ").map_or(first, |at| &first[..at]);
    let hint = if said.contains("duplicate") {
        "Write each field once."
    } else if said.contains("budget") || said.contains("limit") || said.contains("alias") {
        "Do not use aliases, and put each document into its own file."
    } else if said.contains("tab") {
        "Indent with spaces."
    } else if said.contains("non-finite") {
        "Write a finite number."
    } else {
        "Close brackets and quotation marks, indent with spaces, and put text with `: ` or `#` in quotes."
    };
    error(line, format!("invalid YAML: {first}"), hint)
}

fn line_of<T>(at: &Spanned<T>) -> usize {
    usize::try_from(at.referenced.line()).unwrap_or_default().max(1)
}

/// A YAML value with the lines of its places.
enum Node {
    Scalar(Value),
    List(Vec<Spanned<Node>>),
    Map(Vec<(Spanned<String>, Node)>),
}

impl Node {
    /// Returns the value and records the lines of its places. The budget bounds the depth.
    fn settle(self, pointer: &mut String, lines: &mut Lines) -> Value {
        let length = pointer.len();
        match self {
            Node::Scalar(value) => value,
            Node::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for (index, item) in items.into_iter().enumerate() {
                    step(pointer, &index.to_string());
                    lines.note(pointer, line_of(&item));
                    list.push(item.value.settle(pointer, lines));
                    pointer.truncate(length);
                }
                Value::Array(list)
            }
            Node::Map(fields) => {
                let mut map = Map::new();
                for (key, inner) in fields {
                    step(pointer, &key.value);
                    lines.note(pointer, line_of(&key));
                    let inner = inner.settle(pointer, lines);
                    map.insert(key.value, inner);
                    pointer.truncate(length);
                }
                Value::Object(map)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(Nodes)
    }
}

struct Nodes;

impl<'de> Visitor<'de> for Nodes {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON allows")
    }

    fn visit_bool<E>(self, v: bool) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Bool(v)))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Node, E> {
        Ok(Node::Scalar(v.into()))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Node, E> {
        Ok(Node::Scalar(v.into()))
    }

    fn visit_i128<E: serde::de::Error>(self, v: i128) -> Result<Node, E> {
        self.visit_f64(v as f64)
    }

    fn visit_u128<E: serde::de::Error>(self, v: u128) -> Result<Node, E> {
        self.visit_f64(v as f64)
    }

    fn visit_f64<E>(self, v: f64) -> Result<Node, E> {
        Ok(Node::Scalar(Number::from_f64(v).map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E>(self, v: &str) -> Result<Node, E> {
        Ok(Node::Scalar(v.into()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Node, D::Error> {
        Node::deserialize(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element::<Spanned<Node>>()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            fields.push((key, map.next_value::<Node>()?));
        }
        Ok(Node::Map(fields))
    }
}
