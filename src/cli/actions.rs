//! `actions history|suggest|learned`: what agents tried, what worked, and what to try next (specification, "Actions").

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, count};
use crate::app::queries::ActionFilter;
use crate::domain::channels::action::{
    ActionResult, Actions, EXPERIENCE_COLUMNS, Experience, HISTORY_COLUMNS, SUGGESTION_COLUMNS, Signature, Suggestion,
    experience_rows, history_rows, signature, suggestion_rows,
};
use crate::wiring;
use serde::Serialize;
use serde_json::json;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// What was tried, latest first
    History {
        /// Only this session
        #[arg(long, conflicts_with = "agent")]
        session: Option<String>,
        /// Only this agent
        #[arg(long)]
        agent: Option<String>,
        /// Maximum number; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// What to try after a failure, ranked by what worked in the same situation
    Suggest(Failure),
    /// What was learned: each situation, what was tried in it, and how often it worked
    Learned {
        /// Maximum number of lines; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
}

/// A failure to ask about.
#[derive(Debug, clap::Args)]
pub struct Failure {
    /// What the system found, e.g. unresolved_document_ids
    #[arg(long)]
    inference: String,
    /// Why it failed
    #[arg(long)]
    reason: Option<String>,
    /// The agent; by default the one that met this most often
    #[arg(long)]
    agent: Option<String>,
    /// The tools that can be called
    #[arg(long, value_delimiter = ',')]
    tools: Option<Vec<String>>,
    /// What was tried and failed
    #[arg(long)]
    action: Option<String>,
}

/// The answer of `suggest`.
#[derive(Debug, Serialize)]
struct Answer {
    /// What similar failures share.
    signature: Signature,
    /// Number of known similar failures.
    occurrences: u64,
    /// Best first.
    suggestions: Vec<Suggestion>,
}

/// Runs a subcommand.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let reading = context.reading(out)?;
    let queries = reading.queries();
    let policy = wiring::channel_settings(&context.config()?).actions;
    match command {
        Command::History { session, agent, limit } => {
            let filter = ActionFilter { session: session.clone(), agent: agent.clone(), limit: *limit };
            let found = queries.actions_history(&filter)?;
            out.answer(&found, |o| table(&HISTORY_COLUMNS, history_rows(&found), "No actions.", o))?;
        }
        Command::Suggest(failure) => {
            let actions = queries.actions(policy)?;
            let answer = suggest(failure, &actions)?;
            out.answer(&answer, |o| {
                let rows = suggestion_rows(&answer.suggestions);
                let table = table(&SUGGESTION_COLUMNS, rows, "There are no suggestions.", o);
                format!("{}\n\n{table}", about(&answer))
            })?;
        }
        Command::Learned { limit } => {
            let actions = queries.actions(policy)?;
            let most = if *limit == 0 { usize::MAX } else { *limit };
            let situations: Vec<&Experience> = actions.learning().situations().collect();
            let rows = || experience_rows(actions.learning(), most);
            out.answer(&situations, |o| table(&EXPERIENCE_COLUMNS, rows(), "Nothing has failed yet.", o))?;
        }
    }
    Ok(Exit::Ok)
}

fn suggest(failure: &Failure, actions: &Actions) -> Result<Answer, CliError> {
    let result = result(failure, failure.agent.as_deref().unwrap_or("-"))?;
    let inference = signature(&result).inference;
    let met = actions.learning().situations().filter(|s| s.signature.inference == inference);
    let most = met.max_by_key(|s| s.occurrences).map(|s| s.signature.agent.clone());
    let result = match most.filter(|_| failure.agent.is_none()) {
        Some(agent) => self::result(failure, &agent)?,
        None => result,
    };
    let signature = signature(&result);
    let occurrences = actions.learning().experience(&signature.id).map_or(0, |known| known.occurrences);
    Ok(Answer { occurrences, suggestions: actions.suggest(&result), signature })
}

/// Builds the failure as an agent would report it, in a session of its own.
fn result(failure: &Failure, agent: &str) -> Result<ActionResult, CliError> {
    let now = wiring::now();
    let mut event = json!({
        "action_id": "asked", "timestamp": now.to_string(), "session_id": "-", "agent": agent,
        "type": "action_failed", "inference": failure.inference, "reason": failure.reason, "action": failure.action,
    });
    if let Some(tools) = &failure.tools {
        event["state"] = json!({ "available_tools": tools });
    }
    let wrong = |message: String| CliError::new(Exit::Usage, message, "`feedbackd actions learned` shows inferences");
    let read = ActionResult::from_value(&event, now).map_err(|problem| wrong(problem.to_string()))?;
    read.into_iter().next().ok_or_else(|| wrong("there is nothing to ask about".to_owned()))
}

fn about(answer: &Answer) -> String {
    let Signature { id, inference, class, cause, agent } = &answer.signature;
    let cause = if cause.is_empty() { "no reason given" } else { cause };
    format!("{id}: {inference}, {} ({cause}), {agent}; {} known", class.as_str(), count(answer.occurrences, "failure"))
}

fn table<const N: usize>(header: &[&str; N], rows: Vec<[String; N]>, none: &str, out: &Output<'_>) -> String {
    if rows.is_empty() {
        return none.to_owned();
    }
    page::list(header, rows.into_iter().map(Vec::from).collect(), out.list_width())
}
