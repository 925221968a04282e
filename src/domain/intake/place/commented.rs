//! A place as stored in the record, and in words.

use super::kind::PlaceKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known about a commented place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemarkedPlace {
    /// The file.
    pub file: String,
    /// The last line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The language implied by the file's name, as `Python`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The purpose of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<PlaceKind>,
    /// The identifier that the comment is about, if it is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// Returns the common file of the places, if there is only one.
pub fn single_file(places: &[RemarkedPlace]) -> Option<&str> {
    let (first, rest) = places.split_first()?;
    rest.iter().all(|place| place.file == first.file).then_some(first.file.as_str())
}

impl RemarkedPlace {
    /// Formats it as `src/api.py:12 (Python, test, parse_date)`.
    pub fn told(&self) -> String {
        let line = self.line.map_or(String::new(), |line| format!(":{line}"));
        let kind: Option<&'static str> = self.kind.map(Into::into);
        let known: Vec<&str> = [self.language.as_deref(), kind, self.about.as_deref()].into_iter().flatten().collect();
        let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
        format!("{}{line}{known}", self.file)
    }
}
