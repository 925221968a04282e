//! The keys for people and editors: a JSON Schema, and a page in Markdown.
//!
//! Both come from the types and from `config/default.toml`, so neither can disagree with the program. What a key means,
//! and the range it accepts, are its comment in that file.

use super::settings::{Config, DEFAULT_TOML};
use super::tree::{flatten, tree};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The words of `config/default.toml`: of each section, and of each key by its dotted name.
struct Words {
    of: BTreeMap<String, String>,
    /// The sections in the order of the file.
    sections: Vec<String>,
}

impl Words {
    fn read() -> Words {
        let mut words = Words { of: BTreeMap::new(), sections: Vec::new() };
        let mut section = String::new();
        let mut comment: Vec<&str> = Vec::new();
        for line in DEFAULT_TOML.lines() {
            if let Some(said) = line.strip_prefix('#') {
                comment.push(said.trim());
                continue;
            }
            let said = std::mem::take(&mut comment).join(" ");
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = name.to_owned();
                words.sections.push(section.clone());
                words.of.insert(section.clone(), said);
            } else if let Some((key, _)) = line.split_once(" = ") {
                words.of.insert(format!("{section}.{key}"), said);
            }
        }
        words
    }

    fn of(&self, key: &str) -> Option<&str> {
        self.of.get(key).map(String::as_str).filter(|said| !said.is_empty())
    }
}

/// Returns the range that a comment states, as in `Milliseconds, 100 to 3600000.`
fn range(comment: &str) -> Option<(Value, Value)> {
    let number =
        |word: &str| serde_json::from_str(word.trim_end_matches(['.', ',', ';', ':'])).ok().filter(Value::is_number);
    let words: Vec<&str> = comment.split_whitespace().collect();
    words.windows(3).rev().find_map(|three| match three {
        [low, "to", high] => Some((number(low)?, number(high)?)),
        _ => None,
    })
}

/// Returns the JSON Schema (2020-12) of a configuration file: types, defaults, ranges and what each key means.
pub fn schema() -> Value {
    let words = Words::read();
    let mut schema = schemars::schema_for!(Config).to_value();
    for (key, default) in flatten(&tree(&Config::default())) {
        let Some(place) = place(&mut schema, &key) else { continue };
        place.insert("default".to_owned(), default);
        let Some(said) = words.of(&key) else { continue };
        place.insert("description".to_owned(), said.into());
        if let Some((low, high)) = range(said) {
            place.insert("minimum".to_owned(), low);
            place.insert("maximum".to_owned(), high);
        }
    }
    // A file need not name every key.
    optional(&mut schema, &words);
    schema["title"] = json!("Configuration of feedbackd");
    schema["description"] = json!("A key that is not named has its default.");
    schema
}

/// Returns the schema of a key.
fn place<'a>(schema: &'a mut Value, key: &str) -> Option<&'a mut Map<String, Value>> {
    let mut pointer = String::new();
    for name in key.split('.') {
        pointer = format!("{}/properties/{name}", definition(schema, &pointer));
    }
    schema.pointer_mut(&pointer)?.as_object_mut()
}

/// Follows a reference to its definition.
fn definition(schema: &Value, pointer: &str) -> String {
    let reference = schema.pointer(pointer).and_then(|at| at["$ref"].as_str());
    reference.and_then(|reference| reference.strip_prefix('#')).unwrap_or(pointer).to_owned()
}

fn optional(schema: &mut Value, words: &Words) {
    for section in std::iter::once("").chain(words.sections.iter().map(String::as_str)) {
        let mut pointer = String::new();
        for name in section.split('.').filter(|name| !name.is_empty()) {
            pointer = definition(schema, &format!("{pointer}/properties/{name}"));
        }
        if let Some(table) = schema.pointer_mut(&pointer).and_then(Value::as_object_mut) {
            table.remove("required");
        }
    }
}

/// Returns the keys as a page: for each section a table with default and meaning.
pub fn markdown() -> String {
    let words = Words::read();
    let keys = flatten(&tree(&Config::default()));
    let mut page = String::from(
        "# Configuration\n\n<!-- Written by `feedbackd config reference` from config/default.toml. -->\n\nEvery key, its \
         default and what it means.\n`feedbackd config schema` prints the same as a JSON Schema, for editors.\nThe keys of \
         `[[forges.connected]]` are in [forges.md](forges.md), those of `[[notify.webhooks]]` and\n`[[notify.mail]]` in \
         [notifying.md](notifying.md).\n\nAn environment variable overrides the file: `FEEDBACKD__REDIS__URL` is \
         `redis.url`.\n",
    );
    for section in &words.sections {
        let _ = write!(page, "\n## `[{section}]`\n\n");
        if let Some(said) = words.of(section) {
            let _ = write!(page, "{said}\n\n");
        }
        page.push_str("| key | default | meaning |\n|---|---|---|\n");
        for (key, default) in &keys {
            let Some(name) = key.strip_prefix(section.as_str()).and_then(|rest| rest.strip_prefix('.')) else {
                continue;
            };
            if name.contains('.') {
                continue;
            }
            let default = match default {
                Value::String(text) if text.is_empty() => "empty".to_owned(),
                Value::Array(_) => continue,
                other => format!("`{other}`"),
            };
            let said = words.of(key).unwrap_or("").replace('|', "\\|");
            let _ = writeln!(page, "| `{name}` | {default} | {said} |");
        }
    }
    page
}
