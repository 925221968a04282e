//! The command line: global options, and one variant per command.

use super::{
    actions, ambiguous, catalogue, clusters, completions, config, dead_letters, demands, demo, detect, edge_cases,
    eval, exit, explain, feedback, forge, import, inbox, init, lineage, man, notify, prompt, proposals, purge, redact,
    redis, refine, reindex, replay, report, retract, review, roster, rules, store, token, turns, validate, verify,
};
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Learns rules for software agents from what people say at review gates.
#[derive(Debug, Parser)]
#[command(name = "feedbackd", version, propagate_version = true, after_help = exit::HELP)]
pub struct Cli {
    /// The configuration file
    #[arg(long, global = true, value_name = "FILE", env = "FEEDBACKD_CONFIG")]
    pub config: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create the store: an empty Git repository with its README and roster
    Init(init::Args),
    /// Run the daemon: ingest decisions and reviews, propose rules, deploy and measure those in force
    Serve,
    /// Ingest events from a file, without Redis: a cold start from history
    Replay(replay::Args),
    /// Import past reviews: a repository's history, through its forge's API
    #[command(subcommand)]
    Import(import::Command),
    /// Forges whose reviews are learned from
    #[command(subcommand)]
    Forge(forge::Command),
    /// Check everything the daemon needs, and explain how to fix problems
    Doctor,
    /// Show or check the configuration
    #[command(subcommand)]
    Config(config::Command),
    /// Show the whole loop, from corrections to a measured rule, on a private Redis server and a private store
    Demo(demo::Args),
    /// Counts of everything, and how far the index has got
    Status,
    /// What is pending for you, most valuable first
    Inbox(inbox::Args),
    /// What reviewers keep asking for, with the figures and the evidence
    Demands(demands::Args),
    /// Decide what is pending for you, one by one, with a key each
    Review(review::Args),
    /// What reviewers said
    #[command(subcommand)]
    Feedback(feedback::Command),
    /// Similar feedback, and what people say belongs together
    #[command(subcommand)]
    Clusters(clusters::Command),
    /// Proposed rules: read, approve, reject or modify them
    #[command(subcommand)]
    Proposals(proposals::Command),
    /// Who may decide, and the roster change pending approval
    #[command(subcommand)]
    Roster(roster::Command),
    /// Tokens that identify a person to programs or browsers: create, list and revoke them
    #[command(subcommand)]
    Token(token::Command),
    /// Rules in force: their effects, removing them, and other tools' files
    #[command(subcommand)]
    Rules(rules::Command),
    /// Print an agent's finished prompt, with the learned rules
    Prompt(prompt::Args),
    /// The known demands: look them up, check them, test a comment
    #[command(subcommand)]
    Catalogue(catalogue::Command),
    /// Why feedback is read as it is, and what would have changed that
    Explain(explain::Args),
    /// Demands made only once
    #[command(subcommand, name = "one-offs", alias = "edge-cases")]
    EdgeCases(edge_cases::Command),
    /// Comments that contradict earlier ones and are pending a decision
    #[command(subcommand, name = "contradictions", alias = "ambiguous")]
    Ambiguous(ambiguous::Command),
    /// Entries that could not be decoded, and resending one after a fix
    #[command(subcommand)]
    DeadLetters(dead_letters::Command),
    /// Withdraw what a reviewer or a feedback taught, and everything that rests on it
    Retract(retract::Args),
    /// Trace what is behind a prompt line or a rule, and what became of feedback
    Lineage(lineage::Args),
    /// How well it works: correction rates, acceptance, times, pending items
    Report(report::Args),
    /// How well the program understands this store's comments, with people's decisions as the ground truth
    Selftest,
    /// The approvals behind every rule in force, recounted from the store
    Verify(verify::Args),
    /// Check whether iteration feedback documents can be acted upon, and list everything wrong with them
    Validate(validate::Args),
    /// Detect whether a program's output or a person's words signal a failure, and of which kind; exits with 6 if so
    Detect(detect::Args),
    /// Print a text as it would be stored, and what is masked in it
    Redact(redact::Args),
    /// Purge a secret or a person from the whole history of the store
    Purge(purge::Args),
    /// Improve a prompt from feedback on its outcome, or show which refinements helped
    Refine(refine::Args),
    /// Conversation turns: users' reactions, and reusable strategies
    #[command(subcommand)]
    Turns(turns::Command),
    /// Agents' actions: what was tried, what worked, and what to try next
    #[command(subcommand)]
    Actions(actions::Command),
    /// Evaluate the understanding on labelled data
    Eval(eval::Args),
    /// Serve an agent's MCP client over standard input and output: rules, past comments, what to try
    Mcp,
    /// Notification recipients, and whether delivery works
    #[command(subcommand)]
    Notify(notify::Command),
    /// Confirm that the store's history is as intended
    #[command(subcommand)]
    Store(store::Command),
    /// Names of the tenant's keys in Redis
    #[command(subcommand)]
    Redis(redis::Command),
    /// Rebuild the index from the store
    Reindex(reindex::Args),
    /// Print the AsyncAPI document of the input and output streams
    Asyncapi,
    /// Print a completion script
    Completions(completions::Args),
    /// Print the manual page, or write all of them to a directory
    Man(man::Args),
}
