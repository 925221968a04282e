//! `rules list|show|effect|export|import|retire|rollback`: rules in force, what they did, and the files of other tools
//! they go to and come from.

mod effect;
mod export;
mod import;

use super::Opener;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, day};
use super::rule_page::{self, words};
use super::submit::{self, Reviewer};
use crate::app::effectiveness;
use crate::app::queries::{Queries, RuleFile};
use crate::config::Config;
use crate::domain::records::record::ProposalRecord;
use crate::domain::records::record::RuleState;
use crate::domain::rules::in_force::prompt::{self, Place};
use serde_json::json;
use std::path::Path;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Rules in force, or in another state
    List {
        /// Only this agent's, in the order of its prompt
        #[arg(long)]
        agent: Option<String>,
        /// Those in this state
        #[arg(long, value_enum, default_value = "active")]
        state: super::proposals::State,
    },
    /// One rule with its texts, its approvals and what happened to it
    Show {
        /// Its id, e.g. RULE-2026-0001
        id: String,
    },
    /// What rules did: how often their correction was made before and after
    Effect(effect::Args),
    /// Write the rules in force to a marked section of another tool's file
    Export(export::Args),
    /// Take note of the rules in such a file, so that no proposal repeats them
    Import(import::Args),
    /// Take a rule out of force: it is not needed any more. Needs --reason
    Retire {
        /// Its id, e.g. RULE-2026-0001
        id: String,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Take a rule out of force: it should not have been approved. Needs --reason
    #[command(name = "rollback")]
    RollBack {
        /// Its id, e.g. RULE-2026-0001
        id: String,
        #[command(flatten)]
        by: Reviewer,
    },
}

/// Submits a decision about a rule in force; `None` where the command does something else.
pub fn decide(command: &Command, config: &Config, out: &mut Output<'_>) -> Option<Result<Exit, CliError>> {
    let (id, by, decision) = match command {
        Command::Retire { id, by } => (id, by, "RETIRE"),
        Command::RollBack { id, by } => (id, by, "ROLL_BACK"),
        _ => return None,
    };
    Some(submit::review(config, by, json!({"decision": decision, "rule_id": id}), out))
}

/// Runs one of them.
pub fn run(
    command: &Command,
    opener: &dyn Opener,
    config: Option<&Path>,
    queries: &Queries<'_>,
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    match command {
        Command::List { agent, state } => {
            let effects = effects(queries, opener, config)?;
            list(agent.as_deref(), (*state).into(), queries, effects, out)
        }
        Command::Show { id } => {
            let found = queries.proposal_show(id)?;
            let remarks = queries.remarks_of(&found)?;
            out.answer(&found, |o| rule_page::page(&found, &remarks, o.page_width()))?;
            Ok(Exit::Ok)
        }
        Command::Effect(args) => {
            let (policy, now) = opener.measuring(config)?;
            effect::run(args, queries, &policy, now, out)
        }
        Command::Export(args) => export::run(args, opener, config, queries, out),
        Command::Import(args) => import::run(args, opener, config, queries, out),
        // `decide` has done these.
        Command::Retire { .. } | Command::RollBack { .. } => Ok(Exit::Ok),
    }
}

/// Every rule in force: its file lies among the active ones, and its status says so.
pub(super) fn in_force(queries: &Queries<'_>) -> Result<Vec<ProposalRecord>, CliError> {
    let found = queries.proposals(Some(RuleState::Active), None)?.into_iter();
    Ok(found.map(|file| file.record).filter(|record| record.status.in_force()).collect())
}

/// The measured effect of each rule, by its id; 0 where nothing is known.
pub(super) fn effects(
    queries: &Queries<'_>,
    opener: &dyn Opener,
    config: Option<&Path>,
) -> Result<impl Fn(&str) -> f64 + use<>, CliError> {
    let (policy, now) = opener.measuring(config)?;
    let measured = effectiveness::effects(queries.index, &in_force(queries)?, &policy, now)?;
    Ok(move |id: &str| measured.get(id).copied().unwrap_or(0.0))
}

fn list(
    agent: Option<&str>,
    state: RuleState,
    queries: &Queries<'_>,
    effects: impl Fn(&str) -> f64,
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let mut found = queries.proposals(Some(state), agent)?;
    // A file that somebody only moved among the active ones is not in force.
    found.retain(|file| state != RuleState::Active || file.record.status.in_force());
    if state == RuleState::Active
        && let Some(agent) = agent
    {
        sort(&mut found, agent, effects);
    }
    out.answer(&found, |o| {
        if found.is_empty() {
            return "No rules.".to_owned();
        }
        let rows = found.iter().map(|f| {
            let r = &f.record;
            let agents = r.affected_agents.join(", ");
            let since = r.ended_at.unwrap_or_else(|| prompt::since(r));
            vec![r.proposal_id.clone(), words(r.status.as_str()), day(since), agents, r.rule_content.clone()]
        });
        page::list(&["rule", "state", "since", "agents", "text"], rows.collect(), o.list_width())
    })?;
    Ok(Exit::Ok)
}

/// In prompt order; what does not enter the prompt comes last.
fn sort(found: &mut [RuleFile], agent: &str, effects: impl Fn(&str) -> f64) {
    let records: Vec<ProposalRecord> = found.iter().map(|f| f.record.clone()).collect();
    let order = prompt::in_prompt_order(&records, agent, &Place::default(), effects, usize::MAX);
    let place = |id: &str| order.iter().position(|r| r.proposal_id == id).unwrap_or(usize::MAX);
    found.sort_by_key(|f| place(&f.record.proposal_id));
}
