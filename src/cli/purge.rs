//! `purge`: removes a secret or a person from the whole history; a preview unless `--yes` is given.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{Page, count, paragraph};
use super::runtime::runtime;
use crate::app::admin::purge::{Fingerprint, Purge};
use crate::wiring::{self, PurgeNotes, PurgeOf};
use serde_json::json;

/// What to remove.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["secret_fingerprint", "reviewer"])))]
pub struct Args {
    /// The secret with this fingerprint, as printed by `feedbackd redact --fingerprint`
    #[arg(long, value_name = "FINGERPRINT", value_parser = fingerprint)]
    secret_fingerprint: Option<Fingerprint>,
    /// This person: id, and name on the roster
    #[arg(long, value_name = "ID")]
    reviewer: Option<String>,
    /// Only show where it occurs (the default without --yes)
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Remove it; the daemon must be stopped. Needs --as and --reason
    #[arg(long, requires_all = ["who", "reason"])]
    yes: bool,
    /// Also rewrite the branch at the Git host (remote.url), if there was no other push meanwhile. Without this option
    /// a purge is refused if there is one: it would bring everything back
    #[arg(long, requires = "yes")]
    force_remote: bool,
    /// Who you are; kept in the history
    #[arg(long = "as", value_name = "ID", env = "FEEDBACKD_REVIEWER")]
    who: Option<String>,
    /// Why, in your words; kept in the history
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

fn fingerprint(text: &str) -> Result<Fingerprint, String> {
    Fingerprint::parse(text)
        .ok_or_else(|| "no fingerprint; `feedbackd redact --fingerprint` prints one (sha256:…:…)".to_owned())
}

/// What a purge cannot reach.
const BEYOND: &str = "It is still in every clone, backup and mirror of the store, and known to its readers. Everyone \
                      must clone again, and push nothing from an old clone: that would bring it back. A secret that \
                      was seen is compromised: replace it wherever it is used.";

/// Shows where it occurs, and removes it if confirmed.
pub fn run(args: &Args, context: Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let config = context.config()?;
    let of = match (&args.secret_fingerprint, &args.reviewer) {
        (Some(fingerprint), _) => PurgeOf::Secret(*fingerprint),
        (None, reviewer) => PurgeOf::Person(reviewer.clone().unwrap_or_default()),
    };
    let (true, Some(who), Some(reason)) = (args.yes, &args.who, &args.reason) else {
        let found = wiring::purge_survey(&config, &of)?;
        out.answer(&found, |o| show(&found, &PurgeNotes::default(), o.page_width()))?;
        return Ok(Exit::Ok);
    };
    let (done, notes) = runtime()?.block_on(wiring::purge(&config, &of, who, reason, args.force_remote))?;
    let mut answer = json!(done);
    answer["entries_removed"] = json!(notes.entries.iter().map(|(_, removed)| removed).sum::<usize>());
    answer["left"] = json!(notes.left);
    out.answer(&answer, |o| show(&done, &notes, o.page_width()))?;
    Ok(if notes.left.is_empty() { Exit::Ok } else { Exit::Unavailable })
}

fn show(purge: &Purge, notes: &PurgeNotes, width: usize) -> String {
    let found = &purge.found;
    if !purge.is_needed() && notes.entries.is_empty() && notes.left.is_empty() {
        return format!("{} does not occur in {}.", purge.what, count(found.commits_seen as u64, "commit"));
    }
    let mut page = Page::new(if purge.done { "Removed from the history" } else { "Found in the history" }, width);
    page.line("what", &purge.what);
    page.line("files", format!("{}, {} in all", found.files, count(found.times as u64, "place")));
    page.line("file names", found.names.to_string());
    page.line("messages", found.messages.to_string());
    page.line("unreachable", count(found.unreachable as u64, "object"));
    page.line("rewritten", format!("{} of {}", found.commits, count(found.commits_seen as u64, "commit")));
    if found.signatures > 0 {
        page.line("unsigned", format!("{} lose their signature", count(found.signatures as u64, "commit")));
    }
    if !purge.rules.is_empty() {
        page.line("rules", purge.rules.join(", "));
        page.line("", "Approvals of a changed text are void: `feedbackd verify` lists them.");
    }
    for path in found.paths.iter().take(20) {
        page.line("in", path);
    }
    if found.paths.len() > 20 {
        page.line("in", format!("and {} more", found.paths.len() - 20));
    }
    if let Some(outcome) = &purge.outcome {
        page.line("branch", format!("{} before, {} now", outcome.old_head.short(), outcome.new_head.short()));
        page.line("gone", count(outcome.removed as u64, "object"));
        for (stream, removed) in &notes.entries {
            page.line("entries", format!("{removed} of {stream}"));
        }
    }
    let said = match (&purge.outcome, notes.left.is_empty()) {
        (None, _) => "Nothing was changed. To remove it, stop the daemon and add --yes, --as and --reason.".to_owned(),
        (Some(_), true) => BEYOND.to_owned(),
        (Some(_), false) => format!("{}. {BEYOND}", notes.left.join(". ")),
    };
    page.finish() + "\n" + &paragraph(&said, width, 0)
}
