//! `proposals list|show|approve|reject|modify`: rules offered for review, and what becomes of them.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, percent};
use super::rule_page;
use super::submit::{self, Reviewer};
use crate::app::queries::Queries;
use crate::config::Config;
use crate::domain::records::record::RuleState;
use serde_json::json;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// All proposals and rules, the latest first
    List {
        /// Only those in this state
        #[arg(long, value_enum)]
        state: Option<State>,
        /// Only this agent's
        #[arg(long)]
        agent: Option<String>,
        /// At most so many; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// One proposal with its evidence and its card
    Show {
        /// Its id, e.g. RULE-2026-0001
        id: String,
    },
    /// Say yes to a proposal as it stands now
    ///
    /// Where it is approved already and waits for room: let the rule leave that its card names.
    Approve {
        /// Its id, e.g. RULE-2026-0001
        id: String,
        /// Only if its text still has this hash, as `show` prints it
        #[arg(long, value_name = "HASH")]
        content_hash: Option<String>,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Turn a proposal down; one no suffices. Needs --reason
    Reject {
        /// Its id, e.g. RULE-2026-0001
        id: String,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Give a proposal another text: a new version, earlier approvals are void
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

/// Submits a decision about a proposal; `None` where the command only reads.
pub fn decide(
    command: &Command,
    config: &Config,
    queries: &Queries<'_>,
    out: &mut Output<'_>,
) -> Option<Result<Exit, CliError>> {
    let (id, by, mut action, seen) = match command {
        Command::List { .. } | Command::Show { .. } => return None,
        Command::Approve { id, content_hash, by } => (id, by, json!({"decision": "APPROVE"}), content_hash.clone()),
        Command::Reject { id, by } => (id, by, json!({"decision": "REJECT"}), None),
        Command::Modify { id, text, by } => (id, by, json!({"decision": "MODIFY", "modified_content": text}), None),
    };
    action["proposal_id"] = json!(id);
    // A decision is about the text that stands there now. An unknown id is refused, and recorded, like on the stream.
    if let Some(hash) = seen.or_else(|| queries.proposal_show(id).ok().map(|found| found.record.content_hash)) {
        action["content_hash"] = json!(hash);
    }
    Some(submit::review(config, by, action, out))
}

/// Where a rule stands.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum State {
    /// Awaits its reviewers
    Proposed,
    /// In force
    Active,
    /// Turned down
    Rejected,
    /// No longer in force
    Retired,
}

/// Runs one of them.
pub fn run(command: &Command, queries: &Queries<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match command {
        Command::List { state, agent, limit } => {
            let mut found = queries.proposals(state.map(RuleState::from), agent.as_deref())?;
            if *limit > 0 {
                found.truncate(*limit);
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
        }
        Command::Show { id } => {
            let found = queries.proposal_show(id)?;
            let remarks = queries.remarks_of(&found)?;
            out.answer(&found, |o| rule_page::page(&found, &remarks, o.page_width()))?;
        }
        // `decide` has done these.
        Command::Approve { .. } | Command::Reject { .. } | Command::Modify { .. } => {}
    }
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
