//! `lineage`: why a line is in a prompt, and what became of a comment.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{Page, day};
use crate::app::queries::Queries;
use crate::app::reports::lineage::{Kind, Lineage, lineage};

/// What to ask about.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A line copied from a prompt, or the id of a rule, feedback, cluster, one-off or review
    #[arg(value_name = "PROMPT-LINE|ID", allow_hyphen_values = true)]
    asked: String,
}

/// Runs the command.
pub fn run(args: &Args, queries: &Queries<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let found = lineage(queries, &args.asked)?;
    out.answer(&found, |o| text(&found, o.page_width()))?;
    Ok(Exit::Ok)
}

fn text(found: &Lineage, width: usize) -> String {
    let asks = match found.kind {
        Kind::Feedback | Kind::EdgeCase => "Outcome of",
        Kind::Rule | Kind::Cluster | Kind::Review => "Why",
    };
    let mut page = Page::new(&format!("{asks} {}", found.id), width);
    page.line("", &found.note);
    for chapter in &found.chapters {
        page.chapter(&chapter.title);
        for line in &chapter.lines {
            page.line(&line.at.map(day).unwrap_or_default(), &line.text);
            page.line("", line.path.as_deref().unwrap_or_default());
        }
    }
    page.finish()
}
