//! `dead-letters list|show|send`: entries that could not be decoded, and resending one after a fix.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, Page, when};
use crate::app::admin::dead_letters;
use crate::app::admin::dead_letters::{EntryFields, ResendError, SentAgain};
use crate::app::queries::RecordLocation;
use crate::domain::records::record::DeadLetterRecord;
use crate::wiring;
use serde::Serialize;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Entries that could not be decoded, latest first
    List {
        /// Maximum number; 0 for all
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// One dead letter: its error and its fields, redacted and shortened
    Show {
        /// The entry's id, e.g. 1768212000000-0
        id: String,
    },
    /// Resend one to its stream, complete and fixed
    Send {
        /// The entry's id
        id: String,
        /// Set a field to another value, within its `data` if present there; without a value the field is removed
        #[arg(long, value_name = "FIELD=VALUE")]
        set: Vec<String>,
        /// The sender, recorded with it
        #[arg(long = "as", value_name = "ID", env = "FEEDBACKD_REVIEWER", default_value = "the command line")]
        by: String,
        /// Send it. Without this, only show what would be sent
        #[arg(long)]
        yes: bool,
    },
}

/// What is, or would be, sent.
#[derive(Serialize)]
struct SendAnswer {
    /// The stream, without the tenant's prefix.
    stream: String,
    /// The fields, in order.
    fields: EntryFields,
    /// Whether it was sent.
    sent: bool,
    /// Its entry id.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_id: Option<String>,
}

/// Runs a subcommand.
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
            let found = dead_letters::one(&reading.queries(), id, None)?;
            let again = sent_again(&found.record, context)?;
            out.answer(&found, |o| show(&found, &again, o.page_width()))?;
        }
        Command::Send { id, set, by, yes } => {
            let letter = dead_letters::one(&reading.queries(), id, None)?.record;
            let sent = send(&letter, set, by, *yes, context)?;
            out.answer(&sent, |o| told(&sent, o.page_width()))?;
        }
    }
    Ok(Exit::Ok)
}

fn send(
    letter: &DeadLetterRecord,
    set: &[String],
    by: &str,
    yes: bool,
    context: &Context<'_>,
) -> Result<SendAnswer, CliError> {
    let config = context.config()?;
    let resending = wiring::resending(&config)?;
    let wrong = |e: ResendError| CliError::new(Exit::Failure, e.to_string(), "nothing was sent");
    let fields = resending.original(letter).map_err(wrong)?;
    let fields = dead_letters::edited(fields, set).map_err(|e| wrong(e.into()))?;
    let now = wiring::now();
    let entry_id = if yes {
        let SentAgain { entry_id, .. } = resending.send(letter, &fields, by, now).map_err(wrong)?;
        Some(entry_id)
    } else {
        resending.check(letter, &fields, now).map_err(wrong)?;
        None
    };
    let stream = letter.source.stream.strip_prefix(&config.redis.key("")).unwrap_or(&letter.source.stream).to_owned();
    Ok(SendAnswer { stream, fields, sent: yes, entry_id })
}

fn list(found: &[RecordLocation<DeadLetterRecord>], width: Option<usize>) -> String {
    if found.is_empty() {
        return "No dead letters.".to_owned();
    }
    let rows = found.iter().map(|letter| &letter.record).map(|r| {
        let (id, code) = (r.source.entry_id.clone(), r.code.as_str().to_owned());
        vec![id, code, r.source.stream.clone(), r.message.clone()]
    });
    page::list(&["entry", "code", "stream", "problem"], rows.collect(), width)
}

/// Describes whether it was resent; the record remains readable if Redis is unavailable.
fn sent_again(letter: &DeadLetterRecord, context: &Context<'_>) -> Result<String, CliError> {
    let resending = wiring::resending(&context.config()?)?;
    Ok(match resending.sent(std::iter::once(letter)) {
        Ok(sent) => match sent.into_iter().flatten().next() {
            Some(SentAgain { by, at, entry_id }) => format!("by {by} on {}, as the entry {entry_id}", when(at)),
            None => "not yet".to_owned(),
        },
        Err(error) => format!("unknown: {error}"),
    })
}

fn show(found: &RecordLocation<DeadLetterRecord>, again: &str, width: usize) -> String {
    let r = &found.record;
    let mut page = Page::new(&format!("{}: {}", r.source.entry_id, r.code.as_str()), width);
    page.line("stream", &r.source.stream);
    page.line("field", r.field.as_deref().unwrap_or_default());
    page.line("problem", &r.message);
    for (name, value) in &r.fields {
        page.line(name, value);
    }
    page.line("sent again", again);
    page.line("to fix it", format!("feedbackd dead-letters send {} --set FIELD=VALUE", r.source.entry_id));
    page.line("file", &found.path);
    page.finish()
}

fn told(sent: &SendAnswer, width: usize) -> String {
    let title = if sent.sent { "Sent to" } else { "Would be sent (--yes) to" };
    let mut page = Page::new(&format!("{title} {}", sent.stream), width);
    for (name, value) in &sent.fields {
        page.line(name, value);
    }
    page.finish()
}
