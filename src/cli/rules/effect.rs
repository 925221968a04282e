//! `feedbackd rules effect`: the effect of the rules in force.

use crate::app::queries::Queries;
use crate::app::reports::effectiveness;
use crate::app::reports::effectiveness::{MeasurePolicy, RuleEffect};
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::Output;
use crate::cli::page::{self, Page, count, when};
use crate::domain::interval::{Change, Interval, Rate};
use jiff::Timestamp;

/// Which rules.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this rule, with every figure explained
    #[arg(value_name = "RULE")]
    rule: Option<String>,
    /// Only rules of this agent
    #[arg(long)]
    agent: Option<String>,
}

/// Runs the command.
pub fn run(
    args: &Args,
    queries: &Queries<'_>,
    policy: &MeasurePolicy,
    now: Timestamp,
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let found = effectiveness::answer(queries, args.rule.as_deref(), args.agent.as_deref(), policy, now)?;
    match found.as_slice() {
        [one] if args.rule.is_some() => out.answer(one, |o| show(one, o.page_width()))?,
        all => out.answer(&all, |o| list(all, o.list_width()))?,
    }
    Ok(Exit::Ok)
}

fn list(all: &[RuleEffect], width: Option<usize>) -> String {
    if all.is_empty() {
        return "No rules in force.".to_owned();
    }
    let rows = all.iter().map(|e| {
        let a = &e.assessment;
        let rate = |r: &Option<Rate>| r.map_or("-".to_owned(), |r| short(&r));
        let verdict = a.verdict.as_str().to_owned();
        vec![e.rule_id.clone(), verdict, rate(&a.before), rate(&a.after), a.exposures.to_string(), e.agents.join(", ")]
    });
    page::list(&["rule", "verdict", "before", "after", "n", "agents"], rows.collect(), width)
}

fn show(e: &RuleEffect, width: usize) -> String {
    let a = &e.assessment;
    let mut page = Page::new(&format!("{}: {}", e.rule_id, e.title), width);
    page.line("verdict", a.verdict.as_str());
    page.line("why", &a.explained);
    page.line("in force", format!("since {} UTC, version {}, {}", when(e.activated_at), e.version, e.status.as_str()));
    page.line("agents", e.agents.join(", "));
    if let Some(rate) = &a.before {
        page.line("before", long(rate));
    }
    if let Some(rate) = &a.after {
        page.line("after", long(rate));
    }
    if let Some(c) = &a.change {
        page.line("change", change(c));
    }
    page.line(
        "set aside",
        match a.set_aside {
            0 => String::new(),
            n => format!("{} while it was stabilizing", count(n, "decision")),
        },
    );
    page.line("in prompts", format!("effect {:+.3} corrections saved per decision", a.effect));
    if let Some(held) = &e.holdout {
        if let Some(rate) = &held.with {
            page.line("with it", long(rate));
        }
        if let Some(rate) = &held.without {
            page.line("held out", long(rate));
        }
        if let Some(c) = &held.change {
            page.line("difference", change(c));
        }
    }
    page.line("still asked", e.still_broken.iter().take(5).cloned().collect::<Vec<_>>().join(", "));
    page.finish()
}

fn short(r: &Rate) -> String {
    format!("{} % ({})", whole(r.rate), bounds(r.interval))
}

fn long(r: &Rate) -> String {
    let of = count(r.tally.decisions, "decision");
    format!("{} of {of}: {} %, probably {} %", r.tally.corrections, whole(r.rate), bounds(r.interval))
}

/// In points, since a change between percentages is not a percentage.
fn change(c: &Change) -> String {
    let points = |x: f64| format!("{:+}", whole(x));
    let (low, high) = (points(c.interval.low), points(c.interval.high));
    format!("{} points, probably {low} to {high}", points(c.difference))
}

fn bounds(i: Interval) -> String {
    format!("{} to {}", whole(i.low), whole(i.high))
}

fn whole(share: f64) -> i64 {
    (share * 100.0).round() as i64
}
