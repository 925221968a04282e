//! `turns list|show|search`: conversation turns, users' reactions to them, and reusable strategies (specification,
//! "Turns").

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, Page, percent, when};
use crate::app::queries::{TurnFilter, TurnHit, TurnPage};
use crate::domain::channels::turn::{FeedbackType, TurnRow};
use crate::text::prose::line;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List the latest turns
    List {
        /// Only this conversation's
        #[arg(long)]
        session: Option<String>,
        /// Only those that the user rejected, accepted, or left open
        #[arg(long, value_enum)]
        status: Option<Status>,
        /// Maximum number; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Show one turn: the user's reaction and its reason, and the context for the next answer
    Show {
        /// The conversation's id
        session: String,
        /// The turn's id
        turn: String,
    },
    /// Find strategies that worked for similar queries: rejected ones are left out, accepted ones come first
    Search {
        /// The words
        #[arg(required = true)]
        words: Vec<String>,
        /// Maximum number; 0 for all
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
}

/// A user's reaction to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Status {
    /// The next turn corrects it, repeats the question or gives up
    Rejected,
    /// The next turn builds on it
    Accepted,
    /// No clear signal, or none yet
    Neutral,
}

/// Runs a subcommand.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match command {
        Command::List { session, status, limit } => {
            let status = status.map(FeedbackType::from);
            let found = context.reading(out)?.queries().turns(&TurnFilter {
                session: session.clone(),
                status,
                limit: *limit,
            })?;
            out.answer(&found, |o| list(&found, o.list_width()))?;
        }
        Command::Show { session, turn } => {
            let found = context.reading(out)?.queries().turn_show(session, turn)?;
            out.answer(&found, |o| show(&found, session, turn, o.page_width()))?;
        }
        Command::Search { words, limit } => {
            let found = context.comparing(out)?.comparisons().turns_search(&words.join(" "), 0, *limit)?;
            out.answer(&found, |o| hits(&found, o.list_width()))?;
        }
    }
    Ok(Exit::Ok)
}

fn list(found: &[TurnRow], width: Option<usize>) -> String {
    if found.is_empty() {
        return "No turns.".to_owned();
    }
    let rows = found.iter().map(|row| {
        let [session, turn] = [row.session_id.clone(), row.turn_id.clone()];
        vec![when(row.timestamp), session, turn, status(row), strategy(row), row.query.clone()]
    });
    page::list(&["time", "session", "turn", "status", "strategy", "said"], rows.collect(), width)
}

fn hits(found: &[TurnHit], width: Option<usize>) -> String {
    if found.is_empty() {
        return "No similar turns, apart from rejected ones.".to_owned();
    }
    let rows = found.iter().map(|hit| {
        let row = &hit.ranked.row;
        let alike = hit.similarity.map_or("-".to_owned(), |s| format!("{s:.2}"));
        let [session, turn] = [row.session_id.clone(), row.turn_id.clone()];
        vec![session, turn, status(row), hit.ranked.formula.clone(), alike, strategy(row), row.query.clone()]
    });
    let header = ["session", "turn", "status", "quality * 0.6 + status * 0.4", "alike", "strategy", "said"];
    page::list(&header, rows.collect(), width)
}

fn status(row: &TurnRow) -> String {
    format!("{} {}", row.user_feedback_status.as_str(), percent(row.feedback_confidence))
}

fn strategy(row: &TurnRow) -> String {
    row.strategy.as_ref().map_or("-".to_owned(), |strategy| strategy.name.clone())
}

fn show(found: &TurnPage, session: &str, turn: &str, width: usize) -> String {
    let result = found.feedback.as_ref().map(|feedback| &feedback.result);
    let verdict = match result {
        Some(result) => format!("{}, {}", result.feedback_type.as_str(), percent(result.confidence)),
        None => "not judged yet".to_owned(),
    };
    let mut page = Page::new(&format!("{turn} of {session}: {verdict}"), width);
    if let Some(event) = &found.turn {
        page.line("time", format!("{} UTC", when(event.timestamp)));
        page.line("agent", event.agent.as_deref().unwrap_or_default());
        page.line("said", &event.user_message);
        page.line("answered", line(&event.response, 600));
        page.line("strategy", event.strategy.as_ref().map_or("", |strategy| &strategy.name));
        page.line("query", event.strategy.as_ref().and_then(|strategy| strategy.query.as_deref()).unwrap_or_default());
    }
    page.line("turn before", found.previous_turn.as_deref().unwrap_or_default());
    if let Some(metadata) = &found.metadata {
        let outcome = metadata.validation_outcome.and_then(|o| serde_json::to_value(o).ok());
        page.line("validation", outcome.as_ref().and_then(|o| o.as_str()).unwrap_or_default());
        page.line("quality", metadata.quality_score.map_or(String::new(), |score| format!("{score:.2}")));
    }
    if let Some(feedback) = &found.feedback {
        let told = feedback.detected_in_turn.as_deref().unwrap_or("the end of the session");
        page.line("why", &feedback.result.rationale);
        let cues: Vec<String> = feedback.result.cues.iter().map(|c| format!("{:+.2} {}", c.weight, c.cue)).collect();
        page.line("cues", cues.join("\n"));
        page.line("told by", format!("{told}, {} UTC", when(feedback.detected_at)));
        page.line("correction", feedback.result.correction_type.map_or("", |kind| kind.in_metadata()));
        page.line("user said", feedback.result.user_said.as_deref().unwrap_or_default());
        page.line("satisfaction", feedback.satisfaction.map_or(String::new(), |score| format!("{score:.1}")));
        if feedback.rejections_in_a_row > 1 {
            page.line("in a row", format!("{} rejections: ask instead of trying again", feedback.rejections_in_a_row));
        }
    }
    page.line("file", &found.path);
    if let Some(feedback) = found.feedback.as_ref().filter(|feedback| !feedback.context.is_empty()) {
        page.block("Context for the next answer:", &feedback.context);
    }
    page.finish()
}

impl From<Status> for FeedbackType {
    fn from(status: Status) -> FeedbackType {
        match status {
            Status::Rejected => FeedbackType::Rejected,
            Status::Accepted => FeedbackType::Accepted,
            Status::Neutral => FeedbackType::Neutral,
        }
    }
}
