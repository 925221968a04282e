//! `proposals list|show|approve|reject|modify`: rules proposed for review, and their outcome.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, percent};
use super::rule_page;
use super::submit::{self, Reviewer};
use super::verify::waits_line;
use crate::app::queries::Queries;
use crate::domain::records::record::RuleState;
use crate::wiring;
use serde_json::{Value, json};

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List all proposals and rules, latest first
    List {
        /// Only those in this state
        #[arg(long, value_enum)]
        state: Option<State>,
        /// Only this agent
        #[arg(long)]
        agent: Option<String>,
        /// Maximum number; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Show one proposal with its evidence and its card
    Show {
        /// Its id, e.g. RULE-2026-0001
        id: String,
    },
    /// Approve the current text of a proposal
    ///
    /// If it is already approved and waiting for a free place: replace the rule named on its card.
    Approve {
        /// Its id, e.g. RULE-2026-0001
        id: String,
        /// Only if its text still has this hash, as printed by `show`
        #[arg(long, value_name = "HASH")]
        content_hash: Option<String>,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Reject a proposal; one rejection suffices. Needs --reason
    Reject {
        /// Its id, e.g. RULE-2026-0001
        id: String,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Change a proposal's text: creates a new version and voids earlier approvals
    Modify {
        /// Its id, e.g. RULE-2026-0001
        id: String,
        /// The new text
        #[arg(long, value_name = "TEXT")]
        text: String,
        #[command(flatten)]
        by: Reviewer,
    },
}

/// A rule's state.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum State {
    /// Awaiting review
    Proposed,
    /// In force
    Active,
    /// Rejected
    Rejected,
    /// No longer in force
    Retired,
}

/// Runs a subcommand.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let reading = context.reading(out)?;
    let queries = &reading.queries();
    match command {
        Command::List { state, agent, limit } => {
            if let Some(waits) = queries.rosters(&wiring::asked(&context.config()?))?.waits {
                out.notice(&format!("a roster change is pending: {}", waits_line(&waits)));
            }
            list(*state, agent.as_deref(), *limit, queries, out)
        }
        Command::Show { id } => rule_page::show(id, queries, out),
        Command::Approve { id, content_hash, by } => {
            let seen = content_hash.clone();
            decide(id, seen, by, json!({"decision": "APPROVE"}), context, queries, out)
        }
        Command::Reject { id, by } => decide(id, None, by, json!({"decision": "REJECT"}), context, queries, out),
        Command::Modify { id, text, by } => {
            let action = json!({"decision": "MODIFY", "modified_content": text});
            decide(id, None, by, action, context, queries, out)
        }
    }
}

/// Submits a decision about the text that was seen: the one with the given hash, or the current one.
fn decide(
    id: &str,
    seen: Option<String>,
    by: &Reviewer,
    mut action: Value,
    context: &Context<'_>,
    queries: &Queries<'_>,
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    action["proposal_id"] = json!(id);
    // Typos are reported here: on the stream they would be rejected and recorded for ever.
    let found = queries.proposal_show(id)?;
    action["content_hash"] = json!(seen.unwrap_or(found.record.content_hash));
    submit::review(&context.config()?, by, action, out)
}

fn list(
    state: Option<State>,
    agent: Option<&str>,
    limit: usize,
    queries: &Queries<'_>,
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let mut found = queries.proposals(state.map(RuleState::from), agent)?;
    if limit > 0 {
        found.truncate(limit);
    }
    out.answer(&found, |o| {
        if found.is_empty() {
            return "No proposals.".to_owned();
        }
        let rows = found.iter().map(|f| {
            let (r, state) = (&f.record, f.state.as_str().to_owned());
            let confidence = percent(r.classification_confidence);
            vec![r.proposal_id.clone(), state, confidence, r.affected_agents.join(", "), r.title.clone()]
        });
        page::list(&["proposal", "state", "confidence", "agents", "title"], rows.collect(), o.list_width())
    })?;
    Ok(Exit::Ok)
}

impl From<State> for RuleState {
    fn from(state: State) -> RuleState {
        match state {
            State::Proposed => RuleState::Proposed,
            State::Active => RuleState::Active,
            State::Rejected => RuleState::Rejected,
            State::Retired => RuleState::Retired,
        }
    }
}
