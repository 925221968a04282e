//! `purges.yaml`: what was removed from the history, by whom, when and why. The content itself is not given.

use crate::text::yaml;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The file `purges.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PurgesRecord {
    /// `feedbackd.purges/1`
    pub schema: String,
    /// All purges, first to last.
    pub purges: Vec<PurgeRecord>,
}

/// One rewrite of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PurgeRecord {
    /// What was removed: the fingerprint of a secret, or a person's pseudonym.
    pub what: String,
    /// Who did it, by their own account.
    pub by: String,
    /// When it was made.
    pub at: Timestamp,
    /// Why, in their words.
    pub reason: String,
    /// The branch head before; that commit is gone.
    pub old_head: String,
    /// The branch head after, before the commit that adds this.
    pub new_head: String,
    /// How many commits were rewritten.
    pub commits: usize,
    /// How many files contained it, each content once.
    pub files: usize,
    /// How many file and directory names.
    pub names: usize,
    /// How many messages and author names.
    pub messages: usize,
    /// The rules whose files changed: approvals of their texts may be void.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

impl PurgesRecord {
    /// Returns the file with one more purge. An unreadable file is started over: it must not keep a secret in the
    /// history.
    ///
    /// # Errors
    /// If it cannot be serialized.
    pub fn with(before: Option<&str>, purge: PurgeRecord) -> Result<String, String> {
        let before: Option<PurgesRecord> = before.and_then(|text| yaml::parse(text).ok());
        let mut purges = before.map(|record| record.purges).unwrap_or_default();
        purges.push(purge);
        yaml::render(&PurgesRecord { schema: "feedbackd.purges/1".to_owned(), purges })
    }
}

impl PurgeRecord {
    /// Returns the commit's subject.
    pub fn subject(&self) -> String {
        let what = if self.what.starts_with("sha256:") { "a secret" } else { "a person" };
        format!("Purge {what} from the history")
    }

    /// Returns the commit's trailers.
    pub fn trailers(&self) -> Vec<(String, String)> {
        let text = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        vec![
            text("Purged", &self.what),
            text("Purged-by", &self.by),
            text("Old-head", &self.old_head),
            text("New-head", &self.new_head),
        ]
    }
}
