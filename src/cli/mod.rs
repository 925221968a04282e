//! The command line: a file or folder per subcommand, thin over the service layer.
//!
//! A command asks the service layer one question and shows the answer, as text for people or, with `--json`, as one
//! JSON document. Nothing here opens a store or an index: that is the [`Opener`]'s job.
//!
//! To add a command, add a file or folder here, a variant in `args.rs` and an arm in `dispatch.rs`.

mod actions;
mod ambiguous;
mod args;
mod asyncapi;
mod catalogue;
mod clone_progress;
mod clusters;
mod comment_source;
mod completions;
mod config;
mod context;
mod dead_letters;
mod demands;
mod demands_text;
mod demo;
mod detect;
mod dispatch;
mod doctor;
mod edge_cases;
mod eval;
mod exit;
mod explain;
mod failures;
mod feedback;
mod files;
mod forge;
mod help;
mod history_progress;
mod import;
mod import_clone;
mod import_summary;
mod inbox;
mod init;
mod lineage;
mod links;
mod man;
mod mcp;
mod model;
mod notify;
mod opener;
mod output;
mod page;
mod plots;
mod progress_bar;
mod prompt;
mod proposals;
mod purge;
mod question_lists;
mod questions;
mod readings;
mod redact;
mod redis;
mod refine;
mod rehearsal;
mod reindex;
mod replay;
mod report;
mod retract;
mod review;
mod roster;
mod rule_page;
mod rules;
mod runtime;
mod selftest;
mod serve;
mod sign;
mod source_lesson;
mod status;
mod store;
mod submit;
mod terminal;
mod token;
mod turns;
mod validate;
mod verify;

pub use args::{Cli, Command};
pub use dispatch::{invoke, main};
pub use exit::{CliError, Exit};
pub use opener::Opener;
pub use output::Output;
pub use submit::SubmissionOutcome;
