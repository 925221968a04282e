//! `purges.yaml`: what was taken out of the history, by whom, when and why. What it was is not said.

use crate::text::yaml;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The file `purges.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PurgesRecord {
    /// `feedbackd.purges/1`
    pub schema: String,
    /// All of them, the first one first.
    pub purges: Vec<PurgeRecord>,
}

/// One rewriting of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PurgeRecord {
    /// What was taken out: the fingerprint of a secret, or what stands for a person.
    pub what: String,
    /// Who did it, as they said.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Why, in their words.
    pub reason: String,
    /// Where the branch was before; that commit is gone.
    pub old_head: String,
    /// Where it was afterwards, before the commit that adds this.
    pub new_head: String,
    /// How many commits were made anew.
    pub commits: usize,
    /// How many files held it, each content once.
    pub files: usize,
    /// How many names of files and directories.
    pub names: usize,
    /// How many messages and names of authors.
    pub messages: usize,
    /// The rules whose files changed: approvals of their texts may be void.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

impl PurgesRecord {
    /// The file with one more. A file that cannot be read is begun anew: it must not keep a secret in the history.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn with(before: Option<&str>, purge: PurgeRecord) -> Result<String, String> {
        let before: Option<PurgesRecord> = before.and_then(|text| yaml::parse(text).ok());
        let mut purges = before.map(|record| record.purges).unwrap_or_default();
        purges.push(purge);
        yaml::render(&PurgesRecord { schema: "feedbackd.purges/1".to_owned(), purges })
    }
}

impl PurgeRecord {
    /// The commit's subject.
    pub fn subject(&self) -> String {
        let what = if self.what.starts_with("sha256:") { "a secret" } else { "a person" };
        format!("Purge {what} from the history")
    }

    /// The commit's trailers.
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
