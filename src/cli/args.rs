//! The command line as it is written: the options that every command has, and one variant for each command.

use super::{
    actions, ambiguous, catalogue, clusters, completions, config, dead_letters, demands, demo, detect, edge_cases,
    eval, exit, explain, feedback, forge, import, inbox, init, lineage, man, notify, prompt, proposals, purge, redact,
    refine, reindex, replay, report, retract, review, roster, rules, store, token, turns, validate, verify,
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
    /// Make the store: an empty Git repository with its README and roster
    Init(init::Args),
    /// Run the daemon: take in decisions and reviews, propose rules, deploy and measure those in force
    Serve,
    /// Take in events from a file, without Redis: a cold start from history
    Replay(replay::Args),
    /// Read what was reviewed before: a repository's history, by its forge's API
    #[command(subcommand)]
    Import(import::Command),
    /// Forges whose reviews are learned from
    #[command(subcommand)]
    Forge(forge::Command),
    /// Look at everything the daemon needs, and say how to mend what is wrong
    Doctor,
    /// Show or check the configuration
    #[command(subcommand)]
    Config(config::Command),
    /// Show the whole loop, from corrections to a measured rule, on a private Redis server and a private store
    Demo(demo::Args),
    /// How much of everything there is, and how far the index has got
    Status,
    /// What waits for you, what is worth most first
    Inbox(inbox::Args),
    /// What reviewers keep asking for, with the figures and the evidence
    Demands(demands::Args),
    /// Decide what waits for you, one after the other, with a key each
    Review(review::Args),
    /// What reviewers said
    #[command(subcommand)]
    Feedback(feedback::Command),
    /// Feedback about the same thing, and what people say belongs together
    #[command(subcommand)]
    Clusters(clusters::Command),
    /// Rules offered for review: read them, approve, reject or modify them
    #[command(subcommand)]
    Proposals(proposals::Command),
    /// Who may decide, and the change of it that waits for approvals
    #[command(subcommand)]
    Roster(roster::Command),
    /// What stands for a person where programs or browsers ask: make, list and revoke tokens
    #[command(subcommand)]
    Token(token::Command),
    /// Rules in force: what they did, taking them out, and the files of other tools
    #[command(subcommand)]
    Rules(rules::Command),
    /// Print an agent's finished prompt, with the rules that were learned
    Prompt(prompt::Args),
    /// The demands that are known: look them up, check them, try a remark on them
    #[command(subcommand)]
    Catalogue(catalogue::Command),
    /// Why a feedback is read as it is, and what would have changed that
    Explain(explain::Args),
    /// Remarks that were made once
    #[command(subcommand)]
    EdgeCases(edge_cases::Command),
    /// Remarks that contradict earlier ones and wait for a person
    #[command(subcommand)]
    Ambiguous(ambiguous::Command),
    /// Entries that could not be understood, and sending one again, mended
    #[command(subcommand)]
    DeadLetters(dead_letters::Command),
    /// Withdraw what a reviewer or a feedback taught, and everything that rests on it
    Retract(retract::Args),
    /// Why: what is behind a line of a prompt or a rule, and what became of a feedback
    Lineage(lineage::Args),
    /// How well it works: correction rates, acceptance, times, what waits
    Report(report::Args),
    /// How well the program understands this store's remarks, with what people decided as the truth
    Selftest,
    /// On which approvals every rule in force rests, counted again from the store
    Verify(verify::Args),
    /// Whether documents of iteration feedback can be acted upon, with everything that is wrong with them
    Validate(validate::Args),
    /// Whether a program's output or a person's words signal a failure, and of which kind; exits with 6 where they do
    Detect(detect::Args),
    /// Print a text as it would be stored, and what is masked in it
    Redact(redact::Args),
    /// Take a secret or a person out of the whole history of the store
    Purge(purge::Args),
    /// Make a prompt better by what is said about its outcome, or show which refinements helped
    Refine(refine::Args),
    /// Conversation turns: what users made of them, and which strategies may be used again
    #[command(subcommand)]
    Turns(turns::Command),
    /// Agents' actions: what was tried, what worked, and what to try next
    #[command(subcommand)]
    Actions(actions::Command),
    /// Check the understanding on labelled data
    Eval(eval::Args),
    /// Answer an agent's MCP client over standard input and output: rules, past remarks, what to try
    Mcp,
    /// Who is told what happened, and whether that arrives
    #[command(subcommand)]
    Notify(notify::Command),
    /// Say that the store's history is as it shall be
    #[command(subcommand)]
    Store(store::Command),
    /// Make the index anew from the store
    Reindex(reindex::Args),
    /// Print the AsyncAPI document of the streams that are read and written
    Asyncapi,
    /// Print a completion script
    Completions(completions::Args),
    /// Print the manual page, or write all of them to a directory
    Man(man::Args),
}
