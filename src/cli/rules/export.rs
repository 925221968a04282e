//! `rules export`: the rules in force in a marked section of another tool's file.

use super::in_force::{effects, in_prompts};
use crate::cli::context::Context;
use crate::cli::exit::{CliError, Exit};
use crate::cli::files;
use crate::cli::output::Output;
use crate::cli::page::count;
use crate::domain::rules::in_force::export::{Format, merge};
use crate::domain::rules::in_force::prompt::{self, Place};
use serde::Serialize;
use std::path::PathBuf;

/// What to write, and where.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The tool whose file is written
    #[arg(long, value_enum)]
    format: Tool,
    /// The file, e.g. AGENTS.md or .cursor/rules/feedback.mdc; only the section between the markers is changed. With -,
    /// a new file's content goes to standard output
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    /// Only this agent's rules; by default those of all agents, each with its agents
    #[arg(long)]
    agent: Option<String>,
    /// Write nothing; exit with 1 if the file would change
    #[arg(long)]
    check: bool,
}

/// Tools with a rules file.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Tool {
    /// AGENTS.md
    AgentsMd,
    /// CLAUDE.md
    ClaudeMd,
    /// .cursor/rules/*.mdc
    Cursor,
    /// .github/copilot-instructions.md
    Copilot,
}

/// The result of an export.
#[derive(Debug, Serialize)]
struct ExportResult {
    file: String,
    rules: usize,
    changed: bool,
    written: bool,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let reading = context.reading(out)?;
    let queries = &reading.queries();
    let records = in_prompts(queries)?;
    let effect = effects(queries, context)?;
    let chosen = match &args.agent {
        Some(agent) => prompt::in_prompt_order(&records, agent, &Place::default(), effect, prompt::MAX_ACTIVE),
        None => prompt::for_everybody(&records, effect, prompt::MAX_ACTIVE),
    };
    let section = prompt::section(&chosen, args.agent.is_none());
    if args.to.as_os_str() == "-" {
        return print(section.as_deref(), args, out);
    }
    let existing = files::read(&args.to)?.unwrap_or_default();
    let name = args.to.display().to_string();
    let new = merge(&existing, section.as_deref(), args.format.into())
        .map_err(|e| CliError::new(Exit::Failure, format!("{name}: {e}"), "nothing was written"))?;
    let changed = new != existing;
    if changed && !args.check {
        files::write(&args.to, &new)?;
    }
    let done = ExportResult { file: name, rules: chosen.len(), changed, written: changed && !args.check };
    out.answer(&done, |_| {
        let rules = count(done.rules as u64, "rule");
        match (done.changed, done.written) {
            (false, _) => format!("{} is up to date: {rules}.", done.file),
            (true, true) => format!("Wrote {rules} to {}.", done.file),
            (true, false) => format!("{} would change: {rules}.", done.file),
        }
    })?;
    Ok(if done.changed && args.check { Exit::Failure } else { Exit::Ok })
}

/// Prints to standard output: there is no file to change, so nothing to check.
fn print(section: Option<&str>, args: &Args, out: &mut Output<'_>) -> Result<Exit, CliError> {
    if args.check || out.is_json() {
        let message = "--to - prints the text itself and cannot be combined with --check or --json";
        return Err(CliError::new(Exit::Usage, message, "name a file, or leave the option out"));
    }
    let text = merge("", section, args.format.into())
        .map_err(|e| CliError::new(Exit::Failure, e.to_string(), "nothing was printed"))?;
    if text.is_empty() {
        out.notice("no rule is in force here, so nothing is printed");
    }
    out.raw(text.as_bytes())?;
    Ok(Exit::Ok)
}

impl From<Tool> for Format {
    fn from(tool: Tool) -> Format {
        match tool {
            Tool::AgentsMd => Format::AgentsMd,
            Tool::ClaudeMd => Format::ClaudeMd,
            Tool::Cursor => Format::Cursor,
            Tool::Copilot => Format::Copilot,
        }
    }
}
