//! `roster show|approve|reject`: who may decide, and the change of it that waits for approvals.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::Page;
use super::submit::{self, Reviewer};
use super::verify::roster_lines;
use crate::app::queries::Rosters;
use crate::domain::intake::submission::ROSTER;
use crate::domain::rules::lifecycle::roster::Reviewer as Person;
use crate::wiring;
use serde_json::json;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// The roster in force, what it rests on, and the change that waits
    Show,
    /// Say yes to the change of the roster that waits. It takes as many approvers as a rule
    Approve {
        /// Only if it still has this hash, as `show` prints it
        #[arg(long, value_name = "HASH")]
        content_hash: Option<String>,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Turn the change of the roster down: approvals before are void. Needs --reason
    Reject {
        #[command(flatten)]
        by: Reviewer,
    },
}

/// Runs one of them.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let config = context.config()?;
    let rosters = context.reading(out)?.queries().rosters(&wiring::asked(&config))?;
    let (decision, seen, by) = match command {
        Command::Show => {
            out.answer(&rosters, |o| show(&rosters, o.page_width()))?;
            return Ok(Exit::Ok);
        }
        Command::Approve { content_hash, by } => ("APPROVE", content_hash.clone(), by),
        Command::Reject { by } => ("REJECT", None, by),
    };
    let Some(hash) = seen.or_else(|| rosters.waits.map(|waits| waits.hash)) else {
        let message = "no change of the roster waits for approvals".to_owned();
        return Err(CliError::new(Exit::NotFound, message, "`feedbackd roster show` says what is in force"));
    };
    submit::review(&config, by, json!({"decision": decision, "proposal_id": ROSTER, "content_hash": hash}), out)
}

/// The page of the rosters.
pub(super) fn show(rosters: &Rosters, width: usize) -> String {
    let mut page = Page::new("Roster", width);
    for person in &rosters.in_force.reviewers {
        page.line(&person.id, described(person));
    }
    if rosters.in_force.reviewers.is_empty() {
        page.line("people", "nobody");
    }
    if let Some(why) = &rosters.unreadable {
        page.line("unreadable", format!("reviewers.yaml changes nothing until it is mended: {why}"));
    }
    roster_lines(&mut page, &rosters.chain);
    if let Some(waits) = &rosters.waits {
        page.chapter("A change that waits for approvals");
        for change in &waits.changes {
            page.line("change", change.as_str());
        }
        page.line("hash", waits.hash.as_str());
        page.line("commit", waits.commit.short());
        for approval in &waits.approvals {
            page.line("approved", format!("by {}, review {}", approval.reviewer_id, approval.review_id));
        }
        page.line("missing", waits.missing.as_str());
    }
    page.finish()
}

fn described(person: &Person) -> String {
    let name = if person.name.is_empty() { String::new() } else { format!("{}: ", person.name) };
    let keys = match person.ssh_public_keys.len() {
        0 => "no key".to_owned(),
        1 => "1 key".to_owned(),
        n => format!("{n} keys"),
    };
    let roles = if person.roles.is_empty() { "no role".to_owned() } else { person.roles.join(", ") };
    format!("{name}{roles}; {keys}")
}
