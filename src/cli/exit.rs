//! Exit codes and errors: what happened, what to do, and a code that scripts can branch on.

use crate::app::admin::reindex::ReindexError;
use crate::app::comments::analyzer::EmbedError;
use crate::app::comments::evaluator::KnowledgeError;
use crate::app::queries::{IndexError, QueryError, StoreError};
use crate::app::reports::lineage::{ANYTHING, RULE_TEXT};
use std::process::ExitCode;

/// The `--help` text on exit codes.
pub const HELP: &str = "Exit codes:\n  0  it worked\n  1  it failed; a review was rejected; `doctor` found a \
                        problem;\n     `reindex --check`: the index differs from the store;\n     `catalogue lint`: \
                        the catalogue has errors;\n     `validate`: a document is rejected;\n     `verify`: a rule in \
                        force has too few valid approvals;\n     `rules export --check`: the file would change;\n     \
                        `replay`: lines were rejected, the others are recorded\n  2  the command line is wrong; \
                        `validate`: a file cannot be read\n  3  there is no such feedback, cluster, proposal, rule or \
                        turn\n  4  the configuration is missing or wrong\n  5  the store, the index or Redis cannot be \
                        used, or the daemon does not answer\n  6  `detect`: the text signals a failure";

/// A command's exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Success.
    Ok = 0,
    /// The command failed, a review was rejected, or a check found something.
    Failure = 1,
    /// The command line is invalid.
    Usage = 2,
    /// The requested item does not exist.
    NotFound = 3,
    /// The configuration is missing or invalid.
    Configuration = 4,
    /// The store, the index or Redis is unavailable, or the daemon does not answer.
    Unavailable = 5,
    /// The input signals a failure; reading it succeeded.
    Signal = 6,
}

impl Exit {
    /// Returns the code as a word, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Exit::Ok => "ok",
            Exit::Failure => "failure",
            Exit::Usage => "usage",
            Exit::NotFound => "not_found",
            Exit::Configuration => "configuration",
            Exit::Unavailable => "unavailable",
            Exit::Signal => "signal",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why a command failed.
#[derive(Debug)]
pub struct CliError {
    /// The exit code.
    pub exit: Exit,
    /// What happened, without a full stop.
    pub message: String,
    /// What to do, without a full stop; may be empty.
    pub hint: String,
    /// The reader of the output has gone (`| head`): print nothing.
    pub quiet: bool,
}

impl CliError {
    /// Creates an error from its code, what happened, and what to do.
    pub fn new(exit: Exit, message: impl Into<String>, hint: impl Into<String>) -> CliError {
        CliError { exit, message: message.into(), hint: hint.into(), quiet: false }
    }
}

impl From<std::io::Error> for CliError {
    fn from(e: std::io::Error) -> CliError {
        let gone = e.kind() == std::io::ErrorKind::BrokenPipe;
        let exit = if gone { Exit::Ok } else { Exit::Failure };
        CliError { quiet: gone, ..CliError::new(exit, format!("cannot write the output: {e}"), "") }
    }
}

impl From<StoreError> for CliError {
    fn from(e: StoreError) -> CliError {
        let hint = match &e {
            StoreError::Missing { .. } => {
                "create a store with `feedbackd init`, or set `store.path` in the \
                                           configuration"
            }
            StoreError::Locked { .. } => "stop the other process, or wait until it is done",
            StoreError::Io(_) => "check the disk and the store's permissions",
            StoreError::Damaged(_) => "run `git fsck --full` in the store for details",
            // Git's own message, or one that already contains the advice.
            StoreError::Git(_) => "",
        };
        CliError::new(Exit::Unavailable, e.to_string(), hint)
    }
}

impl From<IndexError> for CliError {
    fn from(e: IndexError) -> CliError {
        let hint = match &e {
            IndexError::Stale(_) => "rebuild it from the store with `feedbackd reindex`",
            IndexError::Io(_) => {
                "a running daemon updates the index itself; if none runs, check the disk and its permissions"
            }
        };
        CliError::new(Exit::Unavailable, e.to_string(), hint)
    }
}

impl From<EmbedError> for CliError {
    fn from(e: EmbedError) -> CliError {
        CliError::new(
            Exit::Unavailable,
            e.to_string(),
            "make it answer, or fix the section embedder of the configuration",
        )
    }
}

impl From<KnowledgeError> for CliError {
    fn from(e: KnowledgeError) -> CliError {
        CliError::new(
            Exit::Unavailable,
            e.to_string(),
            "make it answer, or fix the section knowledge of the configuration",
        )
    }
}

impl From<ReindexError> for CliError {
    fn from(e: ReindexError) -> CliError {
        match e {
            ReindexError::Store(e) => e.into(),
            ReindexError::Index(e) => e.into(),
            ReindexError::Embed(e) => e.into(),
        }
    }
}

impl From<QueryError> for CliError {
    fn from(e: QueryError) -> CliError {
        let message = e.to_string();
        match e {
            QueryError::NotFound { what, nearest, .. } => {
                let list = match what {
                    "cluster" => "feedbackd clusters list",
                    "concern" => "feedbackd catalogue list",
                    "edge case" => "feedbackd one-offs list",
                    "turn" | "session" => "feedbackd turns list",
                    "contradiction" => "feedbackd contradictions list --all",
                    "rule in force" => "feedbackd rules list",
                    "proposal" | RULE_TEXT => "feedbackd proposals list",
                    ANYTHING => "feedbackd proposals list` and `feedbackd feedback list",
                    _ => "feedbackd feedback list",
                };
                let show = if list.contains('`') { "show" } else { "shows" };
                let mut hint = format!("`{list}` {show} the ids");
                if !nearest.is_empty() {
                    hint = format!("did you mean {}? {hint}", nearest.join(" or "));
                }
                CliError::new(Exit::NotFound, message, hint)
            }
            QueryError::Unreadable { .. } => {
                CliError::new(Exit::Failure, message, "fix the file in a clone of the store and push it")
            }
            QueryError::NoWords => {
                CliError::new(Exit::Failure, message, "give a plain sentence with `feedback similar --text`")
            }
            QueryError::Store(e) => e.into(),
            QueryError::Index(e) => e.into(),
            QueryError::Embed(e) => e.into(),
            QueryError::Knowledge(e) => e.into(),
        }
    }
}
