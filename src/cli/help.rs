//! `feedbackd --help` in groups: the commands in the order in which a user meets them.

use super::args::Cli;
use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
use clap::{Command, CommandFactory, FromArgMatches, Parser};
use std::ffi::OsString;

/// The groups of commands. Every command is in exactly one.
const GROUPS: [(&str, &[&str]); 8] = [
    ("Start", &["init", "serve", "demo", "doctor", "status", "config"]),
    ("Look", &["demands", "report", "feedback", "lineage", "explain"]),
    ("Decide", &["inbox", "review", "proposals", "rules", "roster"]),
    ("Bring in", &["import", "replay", "forge"]),
    ("Teach", &["clusters", "catalogue", "contradictions", "one-offs", "retract"]),
    ("Serve agents", &["prompt", "mcp", "turns", "actions", "refine", "detect", "validate"]),
    ("Administer", &["token", "notify", "dead-letters", "verify", "redact", "purge", "store", "redis", "reindex"]),
    ("Develop and package", &["selftest", "eval", "asyncapi", "completions", "man"]),
];

/// Parses a command line. The groups are built only if the help is asked for.
///
/// # Errors
/// If it is wrong, or asks for the help or the version.
pub fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    match Cli::try_parse_from(args) {
        Err(e) if matches!(e.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand) => {
            command().try_get_matches_from(args).and_then(|given| Cli::from_arg_matches(&given))
        }
        parsed => parsed,
    }
}

/// Returns the command line with its help in groups.
fn command() -> Command {
    let command = Cli::command();
    let mut template = String::from("{about}\n\n{usage-heading} {usage}\n");
    for (title, names) in GROUPS {
        let mut listed = Command::new("feedbackd")
            .disable_help_subcommand(true)
            .help_template("{subcommands}")
            .subcommands(names.iter().filter_map(|name| command.find_subcommand(name)).cloned());
        template += &format!("\n{title}:\n{}\n", listed.render_help().to_string().trim_end());
    }
    command.help_template(template + "\nOptions:\n{options}\n\n{after-help}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        grouped.sort_unstable();
        let all = Cli::command();
        let mut names: Vec<&str> = all.get_subcommands().map(Command::get_name).collect();
        names.sort_unstable();
        assert_eq!(grouped, names);
    }

    #[test]
    fn the_help_names_them_with_what_they_do() {
        let help = command().render_help().to_string();
        assert!(help.contains("\nLook:\n  demands   What reviewers keep asking for"), "{help}");
        assert!(help.contains("\nOptions:\n") && help.contains("Exit codes:"), "{help}");
        assert!(!help.contains("{subcommands}"), "{help}");
    }
}
