//! `verify`: on which approvals every rule in force rests. It needs no daemon and writes nothing.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{Page, count};
use crate::app::verify::{Asked, Basis, Verified, VerifiedRule, verify};
use crate::config::Config;
use crate::wiring;
use std::path::PathBuf;

/// Which store.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Another store than the configured one, such as a clone of it (bare)
    #[arg(long, value_name = "PATH")]
    store: Option<PathBuf>,
}

/// Runs it. Exit code 1 where something in force rests on too few valid approvals.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let config = context.config()?;
    let asked = asked(&config);
    let verified = match &args.store {
        None => verify(&context.reading(out)?.queries(), &asked)?,
        Some(path) => {
            let mut other = config;
            other.store.path.clone_from(path);
            verify(&wiring::reading(&other)?.queries(), &asked)?
        }
    };
    let bad = verified.unapproved().count();
    out.answer(&verified, |o| show(&verified, o.page_width()))?;
    Ok(if bad > 0 { Exit::Failure } else { Exit::Ok })
}

/// What the configuration asks of approvals.
pub(super) fn asked(config: &Config) -> Asked {
    Asked {
        min_approvals: config.review.min_approvals,
        signed: config.review.require_signatures,
        tenant: config.redis.tenant.clone(),
    }
}

fn show(verified: &Verified, width: usize) -> String {
    let mut page = Page::new(&format!("{} in force", count(verified.rules.len() as u64, "rule")), width);
    page.line("store id", verified.store_id.as_deref().unwrap_or("none yet"));
    let kind = if verified.signed { "signed by" } else { "by" };
    page.line("asked", format!("{} of each version, {kind} people of the roster as it was then", approvals(verified)));
    for rule in &verified.rules {
        page.chapter(&format!("{} version {}", rule.rule_id, rule.version));
        page.line("agents", rule.agents.join(", "));
        page.line("rests on", basis(rule));
        for approval in &rule.approvals {
            let key =
                approval.signing_key.as_deref().map_or_else(|| "not signed".to_owned(), |key| format!("key {key}"));
            let commit = approval.commit.as_ref().map_or("", |commit| commit.short());
            let when = approval.at.strftime("%Y-%m-%d %H:%M:%SZ");
            page.line(
                "",
                format!("{} on {when}, review {}, {key}, commit {commit}", approval.reviewer_id, approval.review_id),
            );
        }
        for void in &rule.void {
            page.line("void", format!("review {}: {}", void.review_id, void.why));
        }
    }
    for agent in &verified.agents {
        let bad = agent.lines.iter().filter(|line| line.basis == Basis::Nothing).count();
        page.chapter(&format!("Prompt of {}", agent.agent));
        page.line("lines", format!("{}, {bad} of them without enough approvals", agent.lines.len()));
    }
    page.finish()
}

fn approvals(verified: &Verified) -> String {
    count(u64::from(verified.needed), "valid approval")
}

fn basis(rule: &VerifiedRule) -> String {
    match rule.basis {
        Basis::Approvals => count(rule.approvals.len() as u64, "valid approval"),
        Basis::BeforeSignatures => "being in force before signatures were required".to_owned(),
        Basis::Nothing => format!("NOTHING: {}", rule.missing),
    }
}
