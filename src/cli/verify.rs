//! `verify`: which approvals every rule in force rests on. It needs no daemon and writes nothing.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{Page, count};
use crate::app::admin::verify::{Basis, Signatures, Verification, VerifiedRule, verify};
use crate::app::queries::{RosterLink, RosterWaits};
use crate::domain::rules::lifecycle::succession::RosterBasis;
use crate::wiring;
use std::path::PathBuf;

/// The command that shows pending changes.
const LOOK: &str = "`feedbackd roster show` shows the change; approve it with `feedbackd roster approve --as ID`";

/// The store to verify.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Another store than the configured one, such as a (bare) clone of it
    #[arg(long, value_name = "PATH")]
    store: Option<PathBuf>,
}

/// Runs the command. Exits with 1 if anything in force rests on too few valid approvals, or its approvers rest on none.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let config = context.config()?;
    let (asked, keys) = (wiring::asked(&config), wiring::commit_keys(&config)?);
    let verified = match &args.store {
        None => verify(&context.reading(out)?.queries(), &asked, &keys)?,
        Some(path) => {
            let mut other = config;
            other.store.path.clone_from(path);
            verify(&wiring::reading(&other)?.queries(), &asked, &keys)?
        }
    };
    let unsigned = verified.commits.as_ref().map_or(0, |commits| commits.unsigned.len());
    let bad = verified.unapproved().count() + verified.unguarded + unsigned;
    out.answer(&verified, |o| show(&verified, o.page_width()))?;
    Ok(if bad > 0 { Exit::Failure } else { Exit::Ok })
}

/// Describes in one line what is pending, and how to decide it.
pub(super) fn waits_line(waits: &RosterWaits) -> String {
    format!("{}: {}; {LOOK}", waits.changes.join("; "), waits.missing)
}

/// Adds every roster that was in force, with what it rests on.
pub(super) fn roster_lines(page: &mut Page, chain: &[RosterLink]) {
    if chain.is_empty() {
        page.line("rests on", "nothing yet: changes need approvals once the daemon has started");
        return;
    }
    page.chapter("What it rests on");
    for link in chain {
        let on = match link.basis {
            RosterBasis::Began => "it was in force when changes began to need approvals".to_owned(),
            RosterBasis::Filled => "there was no approver before".to_owned(),
            RosterBasis::Trusted => "the configuration trusts it (review.trusted_rosters)".to_owned(),
            RosterBasis::Approvals => {
                let by = link.approvals.iter().map(|voice| format!("{} ({})", voice.reviewer_id, voice.review_id));
                format!("approved by {}", by.collect::<Vec<_>>().join(", "))
            }
        };
        let approvers = if link.approvers.is_empty() { "no one".to_owned() } else { link.approvers.join(", ") };
        page.line("since", format!("commit {}: {approvers} may approve; {on}; {}", link.commit.short(), link.hash));
    }
}

fn show(verified: &Verification, width: usize) -> String {
    let mut page = Page::new(&format!("{} in force", count(verified.rules.len() as u64, "rule")), width);
    page.line("store id", verified.store_id.as_deref().unwrap_or("none yet"));
    let kind = if verified.signed { "signed by" } else { "by" };
    page.line("asked", format!("{} per version, {kind} people on the roster at that time", approvals(verified)));
    if let Some(commits) = &verified.commits {
        page.line("commits", signed_commits(commits));
        for commit in &commits.unsigned {
            page.line("NOT SIGNED", format!("commit {commit} is in the daemon's name, but not signed with its key"));
        }
    }
    if verified.unguarded > 0 {
        page.line("roster", "NOTHING: anyone who can push can change it; start the daemon once");
    }
    if let Some(waits) = &verified.roster_waits {
        page.line("roster", format!("a change is pending, and not in use: {}", waits_line(waits)));
    }
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
    if verified.unguarded == 0 {
        page.chapter("Rosters");
        roster_lines(&mut page, &verified.rosters);
    }
    page.finish()
}

fn signed_commits(commits: &Signatures) -> String {
    match &commits.since {
        None => "the daemon's are not signed with the configured key yet".to_owned(),
        Some(since) => format!("the daemon's are signed since {}: {}", since.short(), count(commits.signed, "commit")),
    }
}

fn approvals(verified: &Verification) -> String {
    count(u64::from(verified.needed), "valid approval")
}

fn basis(rule: &VerifiedRule) -> String {
    match rule.basis {
        Basis::Approvals => count(rule.approvals.len() as u64, "valid approval"),
        Basis::BeforeSignatures => "in force since before signatures were required".to_owned(),
        Basis::Nothing => format!("NOTHING: {}", rule.missing),
    }
}
