//! Problems of a configuration, and the origins of its values.

use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The prefix of every key's variable `FEEDBACKD__SECTION__KEY`.
pub(super) const PREFIX: &str = "FEEDBACKD__";

/// Why no configuration was loaded.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A file cannot be read.
    #[error("cannot read {path} ({what}): {source}\n  hint: check that the file exists and that this user may read it")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What named it.
        what: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{path} is not valid TOML: {message}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        message: String,
    },
    /// Keys or values that are not allowed; never empty.
    #[error("{}", problem_list(.0))]
    Invalid(Vec<Problem>),
}

/// One wrong key or value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// `section.key`
    pub key: String,
    /// The key's environment variable.
    pub variable: String,
    /// Where the wrong value came from.
    pub origin: Origin,
    /// The value found; secrets are masked.
    pub found: String,
    /// What is allowed, with the unit.
    pub allowed: String,
    /// What to do.
    pub hint: String,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The built-in default.
    Default,
    /// This file.
    File(PathBuf),
    /// This environment variable.
    Environment(String),
    /// A systemd credential.
    Credential,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File(path) => write!(f, "file {}", path.display()),
            Origin::Environment(name) => write!(f, "environment {name}"),
            Origin::Credential => f.write_str("systemd credential"),
        }
    }
}

/// Returns a key's environment variable.
pub(super) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.to_uppercase().replace('.', "__").replace('-', "_"))
}

/// Reads a file; `what` is what named it.
pub(super) fn read_file(path: &Path, what: &str) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
        path: path.to_owned(),
        what: what.to_owned(),
        source,
    })
}

fn problem_list(problems: &[Problem]) -> String {
    let mut text = match problems.len() {
        1 => "the configuration has a problem:".to_owned(),
        n => format!("the configuration has {n} problems:"),
    };
    for p in problems {
        let origin = match &p.origin {
            Origin::Environment(_) => "in the environment".to_owned(),
            other => format!("in the {other}"),
        };
        text.push_str(&format!("\n  {} ({}): found {} {origin}", p.key, p.variable, p.found));
        if !p.allowed.is_empty() {
            text.push_str(&format!("; allowed: {}", p.allowed));
        }
        if !p.hint.is_empty() {
            text.push_str(&format!("\n    hint: {}", p.hint));
        }
    }
    text
}
