//! `refine`: improves a prompt based on feedback about its outcome (specification, "Refinement"), and shows which
//! refinements helped.
//!
//! Standard output contains only the refined prompt, so that it can be piped; the summary goes to standard error.

use super::context::Context;
use super::detect::TextContext;
use super::exit::{CliError, Exit};
use super::files;
use super::output::{Output, clean};
use super::page::{list, percent};
use crate::app::queries::Queries;
use crate::config::Config;
use crate::domain::channels::refine::{self, ActionEffect, HARD_LIMIT, Outcome, RefineConfig, StopReason};
use crate::wiring;
use std::path::{Path, PathBuf};

/// What to refine, and with which feedback.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The prompt: a file, - for standard input, or the text itself
    #[arg(long, value_name = "FILE|TEXT", required_unless_present = "effectiveness")]
    prompt: Option<String>,
    /// The output or feedback about the outcome: a file, - for standard input
    #[arg(long, value_name = "FILE", required_unless_present = "effectiveness")]
    feedback: Option<PathBuf>,
    #[command(flatten)]
    seen: TextContext,
    /// The iteration of the task, counted from 1: earlier ones count towards the limit
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    iteration: u32,
    /// Maximum iterations per task; default: refine.max_refinement_iterations of the configuration
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(HARD_LIMIT)))]
    max_iterations: Option<u32>,
    /// Show instead how often each action led to success, from the store's records
    #[arg(long, conflicts_with_all = ["prompt", "feedback", "iteration", "max_iterations", "exit_code", "tool", "report", "user"])]
    effectiveness: bool,
}

/// Refines a prompt, or shows the effect of refinements.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    if args.effectiveness {
        effectiveness(&context.reading(out)?.queries(), out)
    } else {
        refine_prompt(args, &context.config()?, out)
    }
}

fn refine_prompt(args: &Args, config: &Config, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let (prompt, feedback) = (args.prompt.as_deref().unwrap_or_default(), args.feedback.as_deref());
    let feedback = feedback.unwrap_or(Path::new("-"));
    if prompt == "-" && feedback.as_os_str() == "-" {
        let hint = "name a file for one of them";
        return Err(CliError::new(Exit::Usage, "prompt and feedback cannot both be read from standard input", hint));
    }
    let prompt = prompt_of(prompt)?;
    let text = files::read_output(feedback)?;
    let settings = wiring::channel_settings(config).refine;
    let settings = RefineConfig {
        max_refinement_iterations: args.max_iterations.unwrap_or(settings.max_refinement_iterations),
        ..settings
    };
    let done = args.iteration.saturating_sub(1);
    let outcome = args.seen.observe(&text, |seen| refine::refine(&prompt, seen, &settings, done, wiring::now()))?;
    if out.is_json() {
        out.answer(&outcome, |_| String::new())?;
        return Ok(Exit::Ok);
    }
    // Exact bytes to a program, sanitized text to a terminal.
    match out.list_width() {
        Some(_) => out.raw(format!("{}\n", clean(outcome.refined_prompt.trim_end())).as_bytes())?,
        None => out.raw(outcome.refined_prompt.as_bytes())?,
    }
    told(&outcome).iter().for_each(|line| out.notice(line));
    Ok(Exit::Ok)
}

/// Returns the named or given prompt. Anything that looks like a path is one: a mistyped file name is not a prompt.
fn prompt_of(said: &str) -> Result<String, CliError> {
    let path = Path::new(said);
    if said == "-" || path.exists() {
        return files::read_existing(path);
    }
    let one_word = !said.is_empty() && !said.contains(char::is_whitespace);
    if one_word && (said.contains(['/', '\\']) || path.extension().is_some_and(|ending| !ending.is_empty())) {
        let hint = "check the path; to pass a prompt that looks like one, use --prompt - and standard input";
        return Err(CliError::new(Exit::Failure, format!("there is no file {said}"), hint));
    }
    Ok(said.to_owned())
}

/// Describes what was done, line by line.
fn told(outcome: &Outcome) -> Vec<String> {
    let mut lines: Vec<String> = outcome.signal.iter().map(|signal| signal.rationale.clone()).collect();
    for entry in &outcome.iterations {
        let applied: Vec<&str> = entry.actions_applied.iter().map(|action| action.as_str()).collect();
        let applied = if applied.is_empty() { "nothing new".to_owned() } else { applied.join(", ") };
        lines.push(format!("iteration {}: {applied}", entry.iteration));
    }
    let why = match outcome.stopped {
        StopReason::NoSignal => "the feedback signals no failure, so the prompt is unchanged",
        StopReason::GoodEnough => "that is clear enough, so nothing more is added",
        StopReason::MaxIterations => "no iteration is left",
        StopReason::NothingLeft => "the feedback has nothing more to add",
    };
    lines.push(format!("the prompt's wording scores {:.1} of 10: {why}", outcome.analysis.score));
    if outcome.signal.is_some() {
        lines.push("the score rates the wording alone; only a new run shows whether the work passes now".to_owned());
    }
    lines
}

/// Shows the success rates of the actions.
fn effectiveness(queries: &Queries<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let effects = queries.refinements()?.all();
    out.answer(&effects, |o| {
        if effects.iter().all(|effect| effect.applied == 0) {
            return "No prompt has been refined yet.".to_owned();
        }
        let rows = effects.iter().map(row).collect();
        list(&["feedback", "action", "applied", "known", "successes", "rate", "95 % between"], rows, o.list_width())
    })?;
    Ok(Exit::Ok)
}

fn row(effect: &ActionEffect) -> Vec<String> {
    let between = effect.low.zip(effect.high).map(|(low, high)| format!("{} and {}", percent(low), percent(high)));
    let mut row = vec![effect.feedback_type.as_str().to_owned(), effect.action.as_str().to_owned()];
    row.extend([effect.applied, effect.judged, effect.succeeded].map(|n| n.to_string()));
    row.extend([effect.rate.map(percent), between].map(|cell| cell.unwrap_or_else(|| "-".to_owned())));
    row
}
