//! A configuration as a tree of keys, and a list of its leaves.

use super::problem::Origin;
use super::settings::Config;
use serde_json::Value;

/// A key's setting in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// `section.key`
    pub key: String,
    /// Its value; the password in a URL is masked.
    pub value: serde_json::Value,
    /// Where it came from.
    pub origin: Origin,
}

impl Config {
    /// Returns every key in the order of `config/default.toml`, with its value (secrets masked) and its origin.
    pub fn effective(&self) -> Vec<Setting> {
        flatten(&tree(self))
            .into_iter()
            .map(|(key, value)| {
                let origin = self.origin(&key);
                Setting { key, value, origin }
            })
            .collect()
    }
}

/// Returns a whole configuration as a tree; secrets are masked.
pub(super) fn tree(config: &Config) -> Value {
    serde_json::to_value(config).expect("sections hold texts, numbers and maps with text keys")
}

/// Returns a tree's leaves with their dotted keys, in order.
pub(super) fn flatten(tree: &Value) -> Vec<(String, Value)> {
    fn walk(prefix: &str, value: &Value, into: &mut Vec<(String, Value)>) {
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                    walk(&key, value, into);
                }
            }
            leaf => into.push((prefix.to_owned(), leaf.clone())),
        }
    }
    let mut leaves = Vec::new();
    walk("", tree, &mut leaves);
    leaves
}
