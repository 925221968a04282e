//! `demands`: what reviewers keep asking for, with the evidence.

use super::comment_source::CommentSource;
use super::context::Context;
use super::demands_text;
use super::exit::{CliError, Exit};
use super::feedback::since;
use super::model::ModelArgs;
use super::output::Output;
use super::page::paragraph;
use super::rehearsal;
use super::source_lesson::{self, Keep, Wanted};
use crate::app::decisions::questions;
use crate::app::forges::history::Tally;
use crate::app::pipeline::clusters::inquiries;
use crate::app::reports::demands::{DemandFilter, Demands, MOST, SHOWN, demands, left_out, puzzles};
use crate::wiring;
use jiff::Timestamp;
use serde::Serialize;
use std::path::PathBuf;

/// Filters for demands.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Read the reviews of this repository now, with no store, no Redis and no configuration, and write nothing:
    /// github:OWNER/NAME, gitlab:GROUP/NAME, gitea:URL, forgejo:URL, gerrit:URL, clone:PATH, or the repository's address.
    /// The token is that of GITHUB_TOKEN, GITLAB_TOKEN … or of `gh auth login`
    #[arg(long, value_name = "SOURCE", conflicts_with = "repository")]
    from: Option<CommentSource>,
    /// Only from this repository of a forge, OWNER/NAME
    #[arg(long)]
    repository: Option<String>,
    /// Only about this agent's work
    #[arg(long)]
    agent: Option<String>,
    /// Only from this day or time on (UTC if no offset is given)
    #[arg(long, value_name = "DATE", value_parser = since)]
    since: Option<Timestamp>,
    /// Only before this day or time
    #[arg(long, value_name = "DATE", value_parser = since)]
    until: Option<Timestamp>,
    /// Maximum number of patterns, up to 100
    #[arg(long, default_value_t = SHOWN)]
    limit: usize,
    /// Omit the questions about comments, which take a moment to find
    #[arg(long)]
    no_questions: bool,
    /// With --from: also write it as a self-contained HTML page
    #[arg(long, value_name = "FILE", requires = "from")]
    page: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArgs,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let filter = DemandFilter {
        repository: args.repository.clone(),
        agent: args.agent.clone(),
        since: args.since,
        until: args.until,
        limit: args.limit.clamp(1, MOST),
    };
    if let Some(source) = &args.from {
        return from_source(args, source, filter, context, out);
    }
    if args.model.is_named() {
        let what = "--model, --no-model and --model-answers belong to --from";
        return Err(CliError::new(Exit::Usage, what, "the daemon asks the model that is configured in [model]"));
    }
    let mut found = if args.no_questions {
        demands(&context.reading(out)?.queries(), &filter)?
    } else {
        let comparing = context.comparing(out)?;
        let remembered = context.remembered(comparing.understanding())?;
        let (agent, now) = (args.agent.as_deref(), wiring::now());
        let asked = inquiries::inquiries(&comparing.comparisons(), remembered, agent, questions::SHOWN, now)?;
        let found = demands(&comparing.reading().queries(), &filter)?;
        Demands { questions: Some(puzzles(&asked)), ..found }
    };
    found.left_out = left_out(&wiring::noted(&context.config()?), args.repository.as_deref());
    out.answer(&found, |o| demands_text::text(&found, true, o.page_width()))?;
    Ok(Exit::Ok)
}

/// What `demands --from` answers.
#[derive(Serialize)]
struct Answer<'a> {
    source: String,
    repository: &'a str,
    since: Option<Timestamp>,
    #[serde(flatten)]
    tally: &'a Tally,
    demands: &'a Demands,
    notes: Vec<String>,
    /// The page that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    /// The command that goes on from here.
    next: String,
}

fn from_source(
    args: &Args,
    source: &CommentSource,
    filter: DemandFilter,
    context: &Context<'_>,
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    if args.since.zip(args.until).is_some_and(|(since, until)| until <= since) {
        return Err(CliError::new(Exit::Usage, "--until is before --since", "give a later date"));
    }
    // The source is read from then to then, so nothing else of the filter is left to do.
    let filter = DemandFilter { limit: filter.limit, ..DemandFilter::default() };
    let (since, until, agent) = (args.since, args.until, args.agent.as_deref());
    let wanted = Wanted { source, since, until, agent, model: &args.model, filter };
    let mut lesson = source_lesson::read(&wanted, &context.config()?, Keep::Nothing, out)?;
    if args.no_questions {
        lesson.outcome.demands.questions = None;
    }
    let notes: Vec<String> = rehearsal::rejected(&lesson.outcome).into_iter().collect();
    if let Some(path) = &args.page {
        rehearsal::write(path, &lesson.outcome.demands, &lesson.repository, &notes)?;
    }
    let page = args.page.as_ref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
    let from = lesson.since.map_or_else(String::new, |since| format!(" --since {}", since.strftime("%Y-%m-%d")));
    let answer = Answer {
        source: source.to_string(),
        repository: &lesson.repository,
        since: lesson.since,
        tally: &lesson.tally,
        demands: &lesson.outcome.demands,
        notes,
        page: page.map(|page| page.display().to_string()),
        next: format!("feedbackd init --from {source}{from}"),
    };
    out.answer(&answer, |o| {
        let width = o.page_width();
        let mut said = lesson.told(width) + "\n";
        answer.notes.iter().for_each(|note| said += &paragraph(note, width, 0));
        said += &demands_text::text(answer.demands, false, width);
        if answer.demands.more_patterns + answer.demands.more_by_one > 0 {
            said += &format!("\n--limit {MOST} shows more patterns.");
        }
        said += "\nNothing was written.";
        if let Some(page) = &answer.page {
            said += &format!(" The page: file://{page}");
        }
        said + &format!("\nTo keep this in a store, and to have rules proposed from it:\n  {}\n", answer.next)
    })?;
    Ok(Exit::Ok)
}
