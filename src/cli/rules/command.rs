//! The subcommands of `rules` and their dispatch.

use super::in_force::effects;
use super::{effect, export, import, offer};
use crate::app::queries::{Queries, RuleFile};
use crate::cli::context::Context;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::Output;
use crate::cli::page::{self, day};
use crate::cli::proposals::State;
use crate::cli::rule_page;
use crate::cli::submit::{self, Reviewer};
use crate::domain::records::record::ProposalRecord;
use crate::domain::records::record::RuleState;
use crate::domain::rules::in_force::prompt::{self, Place};
use serde_json::{Value, json};

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List rules in force, or in another state
    List {
        /// Only this agent's, in prompt order
        #[arg(long)]
        agent: Option<String>,
        /// Only those in this state
        #[arg(long, value_enum, default_value = "active")]
        state: State,
    },
    /// Show one rule with its texts, approvals and history
    Show {
        /// Its id, e.g. RULE-2026-0001
        id: String,
    },
    /// Show the effect of rules: how often their correction occurred before and after
    Effect(effect::Args),
    /// Write the rules in force to a marked section of another tool's file
    Export(export::Args),
    /// Open pull requests with the rules in force: process [[forges.targets]] at once, as the daemon does
    Offer(offer::Args),
    /// Record the rules in such a file, so that no proposal repeats them
    Import(import::Args),
    /// Remove a rule, or all of them, from every prompt immediately, until resumed. Needs --reason
    Stop {
        #[command(flatten)]
        what: OneOrAll,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Return stopped rules to prompts as approved. Needs --reason
    Resume {
        #[command(flatten)]
        what: OneOrAll,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Take a rule out of force because it is no longer needed. Needs --reason
    Retire {
        /// Its id, e.g. RULE-2026-0001
        id: String,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Take a rule out of force because it should not have been approved. Needs --reason
    #[command(name = "rollback")]
    RollBack {
        /// Its id, e.g. RULE-2026-0001
        id: String,
        #[command(flatten)]
        by: Reviewer,
    },
}

/// A rule, or all of them.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub struct OneOrAll {
    /// Its id, e.g. RULE-2026-0001
    id: Option<String>,
    /// All rules, including those that come into force later
    #[arg(long)]
    all: bool,
}

impl OneOrAll {
    fn decision(&self, decision: &str) -> Value {
        match &self.id {
            Some(id) => json!({"decision": decision, "rule_id": id}),
            None => json!({"decision": decision, "all": true}),
        }
    }
}

/// Runs a subcommand.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let decide = |id: &str, by: &Reviewer, decision: &str, out: &mut Output<'_>| {
        // Typos are reported here if the store is local: on the stream they would be rejected and recorded for ever.
        if let Ok(reading) = context.reading(out) {
            reading.queries().proposal_show(id)?;
        }
        submit::review(&context.config()?, by, json!({"decision": decision, "rule_id": id}), out)
    };
    match command {
        Command::List { agent, state } => {
            let reading = context.reading(out)?;
            let queries = &reading.queries();
            let effects = effects(queries, context)?;
            list(agent.as_deref(), (*state).into(), queries, effects, out)
        }
        Command::Show { id } => rule_page::show(id, &context.reading(out)?.queries(), out),
        Command::Effect(args) => {
            let (policy, now) = context.measuring()?;
            effect::run(args, &context.reading(out)?.queries(), &policy, now, out)
        }
        Command::Export(args) => export::run(args, context, out),
        Command::Offer(args) => offer::run(args, context, out),
        Command::Import(args) => import::run(args, context, out),
        Command::Stop { what, by } => submit::review(&context.config()?, by, what.decision("STOP"), out),
        Command::Resume { what, by } => submit::review(&context.config()?, by, what.decision("RESUME"), out),
        Command::Retire { id, by } => decide(id, by, "RETIRE", out),
        Command::RollBack { id, by } => decide(id, by, "ROLL_BACK", out),
    }
}

fn list(
    agent: Option<&str>,
    state: RuleState,
    queries: &Queries<'_>,
    effects: impl Fn(&str) -> f64,
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let mut found = queries.proposals(Some(state), agent)?;
    // A file that was merely moved among the active ones is not in force.
    found.retain(|file| state != RuleState::Active || file.record.status.in_force());
    if state == RuleState::Active
        && let Some(agent) = agent
    {
        sort(&mut found, agent, effects);
    }
    let stops = queries.stops()?;
    out.answer(&found, |o| {
        if found.is_empty() {
            return "No rules.".to_owned();
        }
        let rows = found.iter().map(|f| {
            let r = &f.record;
            let agents = r.affected_agents.join(", ");
            let since = r.ended_at.unwrap_or_else(|| prompt::since(r));
            let stopped = r.status.in_force() && stops.of(&r.proposal_id).is_some();
            let state = if stopped { format!("{}, stopped", r.status.told()) } else { r.status.told().to_owned() };
            vec![r.proposal_id.clone(), state, day(since), agents, r.rule_content.clone()]
        });
        page::list(&["rule", "state", "since", "agents", "text"], rows.collect(), o.list_width())
    })?;
    Ok(Exit::Ok)
}

/// Sorts in prompt order; rules that do not enter the prompt come last.
fn sort(found: &mut [RuleFile], agent: &str, effects: impl Fn(&str) -> f64) {
    let records: Vec<ProposalRecord> = found.iter().map(|f| f.record.clone()).collect();
    let order = prompt::in_prompt_order(&records, agent, &Place::default(), effects, usize::MAX);
    let place = |id: &str| order.iter().position(|r| r.proposal_id == id).unwrap_or(usize::MAX);
    found.sort_by_key(|f| place(&f.record.proposal_id));
}
