//! `rules`: its subcommands, and which of them does what.

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
    /// Rules in force, or in another state
    List {
        /// Only this agent's, in the order of its prompt
        #[arg(long)]
        agent: Option<String>,
        /// Those in this state
        #[arg(long, value_enum, default_value = "active")]
        state: State,
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
    /// Offer the rules in force to repositories by pull requests: look at once at [[forges.targets]], as the daemon does
    Offer(offer::Args),
    /// Take note of the rules in such a file, so that no proposal repeats them
    Import(import::Args),
    /// Take a rule, or all of them, out of every prompt at once, until they are resumed. Needs --reason
    Stop {
        #[command(flatten)]
        what: OneOrAll,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Let stopped rules into prompts again, as they were approved. Needs --reason
    Resume {
        #[command(flatten)]
        what: OneOrAll,
        #[command(flatten)]
        by: Reviewer,
    },
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

/// A rule, or all of them.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub struct OneOrAll {
    /// Its id, e.g. RULE-2026-0001
    id: Option<String>,
    /// All rules, those that come into force later too
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

/// Runs one of them.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let decide = |id: &str, by: &Reviewer, decision: &str, out: &mut Output<'_>| {
        // A typo is told here, where the store is: on the stream it would be refused, and recorded for ever.
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
    // A file that somebody only moved among the active ones is not in force.
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

/// In prompt order; what does not enter the prompt comes last.
fn sort(found: &mut [RuleFile], agent: &str, effects: impl Fn(&str) -> f64) {
    let records: Vec<ProposalRecord> = found.iter().map(|f| f.record.clone()).collect();
    let order = prompt::in_prompt_order(&records, agent, &Place::default(), effects, usize::MAX);
    let place = |id: &str| order.iter().position(|r| r.proposal_id == id).unwrap_or(usize::MAX);
    found.sort_by_key(|f| place(&f.record.proposal_id));
}
