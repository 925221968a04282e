//! Identifiers, and the conversion of external names to path components.
//!
//! Ids are derived from the event they describe, so that a redelivery names the same things (specification, "The
//! store").

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The id of a commit in the store: 40 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CommitId(pub String);

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl CommitId {
    /// Returns the first ten digits, for display.
    pub fn short(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }
}

/// Formats bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns an id in eight bytes, for large collections. Two of a million ids collide once in 2^44.
pub fn fingerprint(id: &str) -> u64 {
    let hash = blake3::hash(id.as_bytes());
    hash.as_bytes()[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A canonical gate, `HITL-<n>`.
///
/// Publishers write `HITL-2`, `hitl_2_design` or `hitl2`; all name the same gate (specification, "Decisions").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gate(u8);

impl Gate {
    /// Returns the gate with this number, 1 to 99.
    pub fn new(number: u8) -> Option<Gate> {
        (1..=99).contains(&number).then_some(Gate(number))
    }

    /// Parses any spelling in use; `None` if the text names no gate.
    pub fn parse(text: &str) -> Option<Gate> {
        let lower = text.trim().to_ascii_lowercase();
        let rest = lower.strip_prefix("hitl")?.trim_start_matches(['-', '_', ' ']);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, tail) = rest.split_at(digits);
        if !(tail.is_empty() || tail.starts_with(['-', '_', ' '])) {
            return None;
        }
        Gate::new(number.parse().ok()?)
    }

    /// Returns the number after `HITL-`.
    pub fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HITL-{}", self.0)
    }
}

impl Serialize for Gate {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Gate {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Gate::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a gate (HITL-<n>)")))
    }
}

impl schemars::JsonSchema for Gate {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Gate".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^HITL-[1-9][0-9]?$" })
    }
}

/// Returns a safe path component for an external name.
///
/// A name that matches `[A-Za-z0-9][A-Za-z0-9._-]{0,99}` and that every file system accepts is unchanged. Any other is
/// cleaned, shortened, and given a digest of the original so that it stays unique (specification, "The store").
pub fn safe_name(name: &str) -> String {
    if is_safe_name(name) {
        return name.to_owned();
    }
    let mut clean: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' })
        .take(48)
        .collect();
    if !clean.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        clean.insert(0, 'x');
    }
    format!("{clean}-h{}", short_hash(&[name]))
}

/// Reports whether a name may be used unchanged as a path component.
pub fn is_safe_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let shape = matches!(bytes.first(), Some(c) if c.is_ascii_alphanumeric())
        && bytes.len() <= 100
        && bytes.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-'));
    shape && !name.ends_with('.') && !name.to_ascii_lowercase().ends_with(".lock") && !is_device_name(name)
}

/// Reports whether Windows reserves a name for a device, with or without an extension: a clone there would fail on it.
fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    match stem.as_str() {
        "con" | "prn" | "aux" | "nul" => true,
        s => s.len() == 4 && (s.starts_with("com") || s.starts_with("lpt")) && s.as_bytes()[3].is_ascii_digit(),
    }
}

/// Returns twelve hexadecimal digits that depend on every part and on the boundaries between parts.
pub fn short_hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..12].to_string()
}

/// Returns the id of the cluster that a feedback founds, derived from the founder's id alone.
pub fn cluster_id(founder: &str) -> String {
    format!("CLUSTER-{}", short_hash(&["cluster", founder]))
}

/// Returns a numbered name such as `RULE-2026-0003`; the number grows as needed.
pub fn numbered(prefix: &str, year: i16, number: u32) -> String {
    format!("{prefix}-{year}-{number:04}")
}

/// Parses the year and number of a name written by [`numbered`].
pub fn parse_numbered(prefix: &str, name: &str) -> Option<(i16, u32)> {
    let rest = name.strip_prefix(prefix)?.strip_prefix('-')?;
    let (year, number) = rest.split_once('-')?;
    let number = number.parse().ok().filter(|number| *number <= LAST_NUMBER)?;
    Some((year.parse().ok()?, number))
}

/// Larger numbers are foreign: the next one must always be free.
const LAST_NUMBER: u32 = 99_999_999;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn gates_in_every_spelling() {
        for text in ["HITL-2", "hitl_2_design", "hitl2", "HITL 2", "Hitl-2-anything"] {
            assert_eq!(Gate::parse(text), Gate::new(2), "{text}");
        }
        for text in ["", "2", "HITL-", "HITL-0", "HITL-2x", "gate-2", "HITL-100", "HITL-256"] {
            assert_eq!(Gate::parse(text), None, "{text}");
        }
    }

    #[test]
    fn plain_names_stay() {
        assert_eq!(safe_name("dec-42.a_B"), "dec-42.a_B");
    }

    #[test]
    fn hostile_names_are_replaced() {
        for name in
            ["", "..", "../etc/passwd", "a/b", "a\\b", ".git", "x:y", "a\nb", "con", "NUL.txt", "a.", "a.lock", "é"]
        {
            let safe = safe_name(name);
            assert_ne!(safe, name);
            assert!(is_safe_name(&safe), "{name:?} -> {safe:?}");
        }
    }

    proptest! {
        #[test]
        fn every_name_becomes_safe_and_stays_unique(a in ".{0,200}", b in ".{0,200}") {
            prop_assert!(is_safe_name(&safe_name(&a)));
            prop_assert_eq!(safe_name(&a) == safe_name(&b), a == b);
        }
    }
}
