//! `ambiguous list|show|resolve`: comments that contradict earlier ones, and people's decisions on which side holds.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, Page, when};
use super::submit::{self, Reviewer};
use crate::app::queries::AmbiguousFile;
use crate::domain::records::record::{AmbiguousStatus, Side};
use serde_json::json;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Pending ones, latest first
    List {
        /// Only this agent
        #[arg(long)]
        agent: Option<String>,
        /// Include decided ones
        #[arg(long)]
        all: bool,
        /// Maximum number; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// One contradiction with both sides
    Show {
        /// The feedback's id
        id: String,
    },
    /// Decide one. Needs --reason
    Resolve {
        /// The feedback's id
        id: String,
        /// The decision
        #[arg(value_enum)]
        resolution: Resolution,
        #[command(flatten)]
        by: Reviewer,
    },
}

/// The resolution of a contradiction.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Resolution {
    /// The new comment holds in general: a proposal follows
    Generalizable,
    /// The new comment holds in this case only
    EdgeCase,
    /// Nothing is learned from the new comment
    Ignore,
    /// Both hold: they do not contradict each other
    NoContradiction,
}

/// Runs a subcommand.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match command {
        Command::List { agent, all, limit } => list(agent.as_deref(), *all, *limit, context, out),
        Command::Show { id } => {
            let found = context.reading(out)?.queries().ambiguous_show(id)?;
            out.answer(&found, |o| show(&found, o.page_width()))?;
            Ok(Exit::Ok)
        }
        Command::Resolve { id, resolution, by } => {
            let resolution = match resolution {
                Resolution::Generalizable => "GENERALIZABLE",
                Resolution::EdgeCase => "EDGE_CASE",
                Resolution::Ignore => "IGNORE",
                Resolution::NoContradiction => "NO_CONTRADICTION",
            };
            // Typos are reported here, where the store is available: on the stream they would be rejected and recorded
            // forever.
            if let Ok(reading) = context.reading(out) {
                reading.queries().ambiguous_show(id)?;
            }
            let action = json!({"feedback_id": id, "resolution": resolution});
            submit::review(&context.config()?, by, action, out)
        }
    }
}

fn list(
    agent: Option<&str>,
    decided: bool,
    limit: usize,
    context: &Context<'_>,
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let mut found = context.reading(out)?.queries().ambiguous_list(agent, decided)?;
    if limit > 0 {
        found.truncate(limit);
    }
    out.answer(&found, |o| {
        if found.is_empty() {
            return "No contradictions are pending.".to_owned();
        }
        let rows = found.iter().map(|f| {
            let r = &f.record;
            let state = match r.status {
                AmbiguousStatus::Open => "open",
                AmbiguousStatus::Resolved => r.resolved_as.map_or("resolved", |as_what| as_what.as_str()),
            };
            let opened = when(r.opened_at);
            vec![r.feedback_id.clone(), state.to_owned(), opened, r.agent.clone(), r.question.clone()]
        });
        page::list(&["feedback", "state", "since (UTC)", "agent", "question"], rows.collect(), o.list_width())
    })?;
    Ok(Exit::Ok)
}

/// Renders the page of one contradiction.
pub(super) fn show(found: &AmbiguousFile, width: usize) -> String {
    let r = &found.record;
    let mut page = Page::new(&format!("{}: {}", r.feedback_id, r.question), width);
    page.line("agent", format!("{} at {}", r.agent, r.gate));
    page.line("this side", side(&r.this_side));
    for other in &r.other_side {
        page.line("other side", side(other));
    }
    page.line("since", format!("{} UTC", when(r.opened_at)));
    match &r.resolution {
        Some(resolution) => page.line("decided", resolution),
        None => page.line(
            "to decide",
            format!(
                "feedbackd contradictions resolve {} generalizable|edge-case|ignore|no-contradiction --as YOU --reason WHY",
                r.feedback_id
            ),
        ),
    };
    page.line("file", &found.path);
    page.finish()
}

fn side(side: &Side) -> String {
    format!(
        "{} ({}, {} UTC, {}): “{}”",
        side.reviewer_id,
        side.decision.as_str(),
        when(side.timestamp),
        side.feedback_id,
        side.text
    )
}
