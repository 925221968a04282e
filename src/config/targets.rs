//! Files of repositories that are to hold an agent's rules, kept up to date by a pull request.

use serde::{Deserialize, Serialize};

/// How branches of ours begin: no rules can be for one.
const OWN: &str = "feedbackd/";

/// `[[forges.targets]]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetConfig {
    /// The forge, as `name` in `[[forges.connected]]` calls it.
    pub forge: String,
    /// `owner/name`
    pub repository: String,
    /// Whose rules.
    pub agent: String,
    /// The branch they are for; empty: the repository's usual one.
    #[serde(default)]
    pub base: String,
    /// The files.
    #[serde(default = "agents_md")]
    pub files: Vec<TargetFile>,
}

/// A file that agents read by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Whether both write a file of one branch, as far as that is known here: the usual branch has a name, too.
    pub(super) fn shares_a_file(&self, other: &TargetConfig) -> bool {
        let is_one_base = self.base == other.base || self.base.is_empty() || other.base.is_empty();
        is_one_base && self.files.iter().any(|file| other.files.contains(file))
    }

    pub(super) fn checks(&self) -> [(bool, &'static str); 4] {
        let is_twice = |(n, file): (usize, &TargetFile)| self.files[..n].contains(file);
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"~^:?*[\\".contains(c);
        [
            (!self.agent.trim().is_empty(), "its `agent` must say whose rules"),
            (self.base.chars().all(is_plain) && !self.base.contains(".."), "its `base` is no name of a branch"),
            (!self.base.starts_with(OWN), "its `base` must not be a branch of ours"),
            (
                !self.files.is_empty() && !self.files.iter().enumerate().any(is_twice),
                "its `files` must name one file or more, each once",
            ),
        ]
    }
}

fn agents_md() -> Vec<TargetFile> {
    vec![TargetFile::AgentsMd]
}
