//! `edge-cases list|search|show`: demands made only once.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, Page, when};
use crate::app::queries::{EdgeCaseFile, EdgeCaseFilter, Queries};

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// The latest one-offs
    List(Filter),
    /// One-offs whose comment has all the words
    Search {
        /// The words
        #[arg(required = true)]
        words: Vec<String>,
        #[command(flatten)]
        filter: Filter,
    },
    /// A one-off: the comment, why it is a one-off, and its outcome
    Show {
        /// Its id, e.g. EDGE-2026-0001
        id: String,
    },
}

/// Filter for the list.
#[derive(Debug, clap::Args)]
pub struct Filter {
    /// Only this agent
    #[arg(long)]
    agent: Option<String>,
    /// Only open ones
    #[arg(long)]
    open: bool,
    /// Maximum number; 0 for all
    #[arg(long, default_value_t = 50)]
    limit: usize,
}

/// Runs a subcommand.
pub fn run(command: &Command, queries: &Queries<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let found = match command {
        Command::List(filter) => queries.edge_cases_list(&filter.into())?,
        Command::Search { words, filter } => queries.edge_cases_search(&words.join(" "), &filter.into())?,
        Command::Show { id } => {
            let found = queries.edge_case_show(id)?;
            out.answer(&found, |o| show(&found, o.page_width()))?;
            return Ok(Exit::Ok);
        }
    };
    out.answer(&found, |o| list(&found, o.list_width()))?;
    Ok(Exit::Ok)
}

fn show(found: &EdgeCaseFile, width: usize) -> String {
    let r = &found.record;
    let mut page = Page::new(&format!("{}: {}", r.edge_case_id, r.what), width);
    page.line("feedback", format!("{} by {}, {} UTC", r.feedback_id, r.reviewer_id, when(r.timestamp)));
    page.line("agent", format!("{} at {}", r.agent, r.gate));
    page.line("why", &r.why);
    page.line("resolved", r.resolution.as_deref().unwrap_or("not yet: there is no similar comment"));
    page.line("record", &r.record);
    page.line("file", &found.path);
    page.finish()
}

fn list(found: &[EdgeCaseFile], width: Option<usize>) -> String {
    if found.is_empty() {
        return "No one-offs.".to_owned();
    }
    let rows = found.iter().map(|e| &e.record).map(|e| {
        let state = if e.promoted_to.is_some() { "promoted" } else { "open" };
        vec![e.edge_case_id.clone(), e.feedback_id.clone(), state.into(), e.reviewer_id.clone(), e.what.clone()]
    });
    page::list(&["edge case", "feedback", "state", "reviewer", "said"], rows.collect(), width)
}

impl From<&Filter> for EdgeCaseFilter {
    fn from(f: &Filter) -> EdgeCaseFilter {
        EdgeCaseFilter { agent: f.agent.clone(), open_only: f.open, limit: f.limit }
    }
}
