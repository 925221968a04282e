//! `edge-cases list|search`: remarks that were made once.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::page;
use crate::app::queries::{EdgeCaseFile, EdgeCaseFilter, Queries};

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// The latest edge cases
    List(Filter),
    /// Edge cases whose remark has all the words
    Search {
        /// The words
        #[arg(required = true)]
        words: Vec<String>,
        #[command(flatten)]
        filter: Filter,
    },
}

/// What to list.
#[derive(Debug, clap::Args)]
pub struct Filter {
    /// Only this agent's
    #[arg(long)]
    agent: Option<String>,
    /// Only those that are still open
    #[arg(long)]
    open: bool,
    /// At most so many; 0 for all
    #[arg(long, default_value_t = 50)]
    limit: usize,
}

/// Runs one of them.
pub fn run(command: &Command, queries: &Queries<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let found = match command {
        Command::List(filter) => queries.edge_cases_list(&filter.into())?,
        Command::Search { words, filter } => queries.edge_cases_search(&words.join(" "), &filter.into())?,
    };
    out.answer(&found, |o| list(&found, o.list_width()))?;
    Ok(Exit::Ok)
}

fn list(found: &[EdgeCaseFile], width: Option<usize>) -> String {
    if found.is_empty() {
        return "No edge cases.".to_owned();
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
