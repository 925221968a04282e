//! `roster show|add|approve|reject`: who may decide, and the pending change to the roster.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::Page;
use super::submit::{self, Reviewer};
use super::verify::roster_lines;
use crate::app::queries::Rosters;
use crate::config::Config;
use crate::domain::intake::submission::ROSTER;
use crate::domain::rules::lifecycle::roster::Reviewer as Person;
use crate::wiring;
use serde_json::json;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Show the roster in force, what it rests on, and the pending change
    Show,
    /// Add the first people to the roster, all at once. Once it has an approver, changes are pushed and need approvals
    Add {
        /// A person as ID or ID=NAME; the id is the reviewer_id in decisions
        #[arg(required = true, value_name = "ID[=NAME]")]
        people: Vec<String>,
        /// What they may do: approver, reviewer or both
        #[arg(long = "role", value_name = "ROLE", default_value = "approver", value_parser = ["approver", "reviewer"])]
        roles: Vec<String>,
        /// Who makes the change, for the commit; by default the first of the people
        #[arg(long = "as", value_name = "ID", env = "FEEDBACKD_REVIEWER")]
        who: Option<String>,
    },
    /// Approve the pending change to the roster. It takes as many approvers as a rule
    Approve {
        /// Only if it still has this hash, as printed by `show`
        #[arg(long, value_name = "HASH")]
        content_hash: Option<String>,
        #[command(flatten)]
        by: Reviewer,
    },
    /// Reject the pending change to the roster: voids earlier approvals. Needs --reason
    Reject {
        #[command(flatten)]
        by: Reviewer,
    },
}

/// Runs a subcommand.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let config = context.config()?;
    if let Command::Add { people, roles, who } = command {
        return add(&config, people, roles, who.as_deref(), out);
    }
    let rosters = context.reading(out)?.queries().rosters(&wiring::asked(&config))?;
    let (decision, seen, by) = match command {
        Command::Show | Command::Add { .. } => {
            out.answer(&rosters, |o| show(&rosters, o.page_width()))?;
            return Ok(Exit::Ok);
        }
        Command::Approve { content_hash, by } => ("APPROVE", content_hash.clone(), by),
        Command::Reject { by } => ("REJECT", None, by),
    };
    let Some(hash) = seen.or_else(|| rosters.waits.map(|waits| waits.hash)) else {
        let message = "no roster change is pending".to_owned();
        return Err(CliError::new(Exit::NotFound, message, "`feedbackd roster show` shows the roster in force"));
    };
    submit::review(&config, by, json!({"decision": decision, "proposal_id": ROSTER, "content_hash": hash}), out)
}

fn add(
    config: &Config,
    people: &[String],
    roles: &[String],
    who: Option<&str>,
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let person = |text: &String| {
        let (id, name) = text.split_once('=').unwrap_or((text, ""));
        let (id, name) = (id.trim().to_owned(), name.trim().to_owned());
        match id.is_empty() || text.contains(char::is_control) {
            true => Err(CliError::new(Exit::Usage, format!("{text:?} names no person"), "write ID or ID=NAME")),
            false => Ok(Person { id, name, roles: roles.to_vec(), ssh_public_keys: Vec::new() }),
        }
    };
    let people = people.iter().map(person).collect::<Result<Vec<Person>, CliError>>()?;
    let by = who.unwrap_or(&people[0].id);
    let commit = wiring::add_to_roster(config, &people, by)?
        .map_err(|why| CliError::new(Exit::Failure, why, "`feedbackd roster show` lists its members"))?;
    let ids: Vec<&str> = people.iter().map(|person| person.id.as_str()).collect();
    out.answer(&json!({ "added": ids, "commit": commit }), |_| {
        format!("{} on the roster, as {}; a running daemon picks it up", ids.join(", "), commit.short())
    })?;
    Ok(Exit::Ok)
}

/// Formats the page of rosters.
pub(super) fn show(rosters: &Rosters, width: usize) -> String {
    let mut page = Page::new("Roster", width);
    for person in &rosters.in_force.reviewers {
        page.line(&person.id, described(person));
    }
    if rosters.in_force.reviewers.is_empty() {
        page.line("people", "none");
    }
    if let Some(why) = &rosters.unreadable {
        page.line("unreadable", format!("reviewers.yaml has no effect until it is fixed: {why}"));
    }
    roster_lines(&mut page, &rosters.chain);
    if let Some(waits) = &rosters.waits {
        page.chapter("Change pending approval");
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
