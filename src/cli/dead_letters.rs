//! `dead-letters list|show|send`: entries that could not be understood, and sending one again, mended.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, Page};
use super::runtime::runtime;
use crate::app::dead_letters::{self, Fields, STREAM};
use crate::app::queries::Located;
use crate::domain::records::record::DeadLetterRecord;
use crate::wiring;
use serde::Serialize;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Entries that could not be understood, the latest first
    List {
        /// At most so many; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// One of them: what is wrong with it, and its fields, redacted and shortened
    Show {
        /// The entry's id, e.g. 1768212000000-0
        id: String,
    },
    /// Send one to its stream again, whole and mended
    Send {
        /// The entry's id
        id: String,
        /// Give a field another value, in its `data` where it has that; without a value the field is taken out
        #[arg(long, value_name = "FIELD=VALUE")]
        set: Vec<String>,
        /// Do it. Without this it only shows what would be sent
        #[arg(long)]
        yes: bool,
    },
}

/// What is sent, or would be.
#[derive(Serialize)]
struct Sent {
    /// The stream, without the tenant's prefix.
    stream: String,
    /// The fields, in their order.
    fields: Fields,
    /// Whether it was sent.
    sent: bool,
}

/// Runs one of them.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let reading = context.reading(out)?;
    match command {
        Command::List { limit } => {
            let mut found = reading.queries().dead_letters()?;
            if *limit > 0 {
                found.truncate(*limit);
            }
            out.answer(&found, |o| list(&found, o.list_width()))?;
        }
        Command::Show { id } => {
            let found = dead_letters::one(&reading.queries(), id)?;
            out.answer(&found, |o| show(&found, o.page_width()))?;
        }
        Command::Send { id, set, yes } => {
            let letter = dead_letters::one(&reading.queries(), id)?.record;
            let sent = send(&letter, set, *yes, context)?;
            out.answer(&sent, |o| told(&sent, o.page_width()))?;
        }
    }
    Ok(Exit::Ok)
}

fn send(letter: &DeadLetterRecord, set: &[String], yes: bool, context: &Context<'_>) -> Result<Sent, CliError> {
    let config = context.config()?;
    let runtime = runtime()?;
    let letters = runtime.block_on(wiring::entries(&config, STREAM))?;
    let wrong = |e: dead_letters::MendError| CliError::new(Exit::Failure, e.to_string(), "nothing was sent");
    let fields = dead_letters::mended(dead_letters::original(&letters, letter).map_err(wrong)?, set).map_err(wrong)?;
    let prefix = format!("tenant:{}:", config.redis.tenant);
    let stream = letter.source.stream.strip_prefix(&prefix).unwrap_or(&letter.source.stream).to_owned();
    if yes {
        runtime.block_on(wiring::append(&config, &stream, &fields))?;
    }
    Ok(Sent { stream, fields, sent: yes })
}

fn list(found: &[Located<DeadLetterRecord>], width: Option<usize>) -> String {
    if found.is_empty() {
        return "No dead letters.".to_owned();
    }
    let rows = found.iter().map(|letter| &letter.record).map(|r| {
        let (id, code) = (r.source.entry_id.clone(), r.code.as_str().to_owned());
        vec![id, code, r.source.stream.clone(), r.message.clone()]
    });
    page::list(&["entry", "code", "stream", "what is wrong"], rows.collect(), width)
}

fn show(found: &Located<DeadLetterRecord>, width: usize) -> String {
    let r = &found.record;
    let mut page = Page::new(&format!("{}: {}", r.source.entry_id, r.code.as_str()), width);
    page.line("stream", &r.source.stream);
    page.line("field", r.field.as_deref().unwrap_or_default());
    page.line("what is wrong", &r.message);
    for (name, value) in &r.fields {
        page.line(name, value);
    }
    page.line("to mend it", format!("feedbackd dead-letters send {} --set FIELD=VALUE", r.source.entry_id));
    page.line("file", &found.path);
    page.finish()
}

fn told(sent: &Sent, width: usize) -> String {
    let title = if sent.sent { "Sent to" } else { "Would be sent (--yes) to" };
    let mut page = Page::new(&format!("{title} {}", sent.stream), width);
    for (name, value) in &sent.fields {
        page.line(name, value);
    }
    page.finish()
}
