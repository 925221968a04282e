//! `prompt`: an agent's finished prompt with the learned rules. What was issued is logged.
//!
//! The prompt takes priority: if logging fails, a line on standard error reports it and the prompt is still printed.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::{Output, clean};
use super::{files, rules};
use crate::domain::records::record::ProposalRecord;
use crate::domain::rules::in_force::prompt::{self, Place, build_prompt, hold_out, in_prompt_order};
use crate::text::ids::{Gate, short_hash};
use crate::wiring;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Whose prompt to print, and for what.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent
    #[arg(long)]
    agent: String,
    /// The base prompt; `-` is standard input. Without it only the section with the rules is printed
    #[arg(long, value_name = "FILE")]
    base: Option<PathBuf>,
    /// The agent's session: its decisions are then matched with the rules it received
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Leave out rules that apply only to other gates
    #[arg(long, value_parser = gate)]
    gate: Option<Gate>,
    /// Leave out rules that apply only to other files
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Do not log which rules were issued
    #[arg(long)]
    no_log: bool,
}

fn gate(text: &str) -> Result<Gate, String> {
    Gate::parse(text).ok_or_else(|| "not a gate; use HITL-1, HITL-2, …".to_owned())
}

/// Runs the command.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let reading = context.reading(out)?;
    let queries = &reading.queries();
    let base = args.base.as_deref().map(files::read_existing).transpose()?.unwrap_or_default();
    let records = rules::in_prompts(queries)?;
    let effect = rules::effects(queries, context)?;
    let settings = context.config()?;
    let place = Place { gate: args.gate, path: args.path.as_deref() };
    let chosen = in_prompt_order(&records, &args.agent, &place, effect, settings.rules.max_active_per_agent);
    if let Some(notice) = unknown_agent(&records, &args.agent) {
        out.notice(&notice);
    }
    let now = wiring::now();
    let id = injection_id(args, now, &base);
    let (chosen, held_out) = hold_out(chosen, args.session.as_deref().unwrap_or(&id), settings.effect.holdout_share);
    let finished = build_prompt(&base, prompt::section(&chosen, false).as_deref());
    let injection = json!({
        "injection_id": id,
        "agent": args.agent,
        "session_id": args.session,
        "timestamp": now,
        "rules": chosen.iter().map(|r| json!({"rule_id": r.proposal_id, "version": r.version})).collect::<Vec<_>>(),
        "held_out": held_out,
        "base_hash": hash(&base),
        "prompt_hash": hash(&finished),
    });
    print(&finished, &injection, out)?;
    let nothing = chosen.is_empty() && held_out.is_empty();
    if !args.no_log
        && !nothing
        && let Err(e) = context.submit(&without_nulls(injection))
    {
        out.notice(&format!("the rules that were served are not logged: {}", e.message));
    }
    Ok(Exit::Ok)
}

/// Prints exact bytes to a program, sanitized text to a terminal.
fn print(finished: &str, injection: &Value, out: &mut Output<'_>) -> Result<(), CliError> {
    if out.is_json() {
        let answer = json!({ "prompt": finished, "injection": without_nulls(injection.clone()) });
        out.answer(&answer, |_| String::new())
    } else if out.list_width().is_some() {
        out.raw(clean(finished).as_bytes())
    } else {
        out.raw(finished.as_bytes())
    }
}

/// Unique enough without randomness: two calls in the same nanosecond are different processes.
fn injection_id(args: &Args, now: Timestamp, base: &str) -> String {
    let session = args.session.as_deref().unwrap_or_default();
    let process = std::process::id().to_string();
    let moment = now.as_nanosecond().to_string();
    format!("inj-{}", short_hash(&["injection", &args.agent, session, &moment, &process, base]))
}

/// An agent name that no rule contains is more often a typo than an agent without rules.
fn unknown_agent(rules: &[ProposalRecord], agent: &str) -> Option<String> {
    let known: std::collections::BTreeSet<&str> =
        rules.iter().flat_map(|rule| rule.affected_agents.iter().map(String::as_str)).collect();
    if known.is_empty() || known.contains(agent) {
        return None;
    }
    let known: Vec<&str> = known.into_iter().collect();
    Some(format!("no rule is in force for `{agent}`; there are rules for {}", known.join(", ")))
}

fn hash(text: &str) -> String {
    crate::domain::rules::draft::proposal::content_hash(text)
}

fn without_nulls(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, field| !field.is_null());
    }
    value
}
