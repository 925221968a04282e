//! Repository files that contain an agent's rules, kept up to date by pull requests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The prefix of the daemon's own branches: no target can use it.
const OWN: &str = "feedbackd/";

/// `[[forges.targets]]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetConfig {
    /// The forge, by its `name` in `[[forges.connected]]`.
    pub forge: String,
    /// `owner/name`
    pub repository: String,
    /// The agent whose rules are written.
    pub agent: String,
    /// The target branch; empty: the repository's default.
    #[serde(default)]
    pub base: String,
    /// The files.
    #[serde(default = "agents_md")]
    pub files: Vec<TargetFile>,
}

/// A file that agents read automatically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TargetFile {
    #[serde(rename = "AGENTS.md")]
    AgentsMd,
    #[serde(rename = "CLAUDE.md")]
    ClaudeMd,
    #[serde(rename = ".cursor/rules/feedbackd.mdc")]
    Cursor,
    #[serde(rename = ".github/copilot-instructions.md")]
    Copilot,
}

impl TargetConfig {
    /// Reports whether both write a file on the same branch, as far as known here: the default branch also has a name.
    pub(super) fn shares_a_file(&self, other: &TargetConfig) -> bool {
        let is_one_base = self.base == other.base || self.base.is_empty() || other.base.is_empty();
        is_one_base && self.files.iter().any(|file| other.files.contains(file))
    }

    pub(super) fn checks(&self) -> [(bool, &'static str); 4] {
        let is_twice = |(n, file): (usize, &TargetFile)| self.files[..n].contains(file);
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"~^:?*[\\".contains(c);
        [
            (!self.agent.trim().is_empty(), "its `agent` must not be empty"),
            (self.base.chars().all(is_plain) && !self.base.contains(".."), "its `base` is not a valid branch name"),
            (!self.base.starts_with(OWN), "its `base` must not be one of feedbackd's own branches"),
            (
                !self.files.is_empty() && !self.files.iter().enumerate().any(is_twice),
                "its `files` must name at least one file, each only once",
            ),
        ]
    }
}

fn agents_md() -> Vec<TargetFile> {
    vec![TargetFile::AgentsMd]
}
