//! Entries that could not be decoded, and resending one.

use super::rows::{decision, list, one};
use crate::api::operation::{Decides, LIMIT, Operation};
use crate::api::request::{ApiRequest, Parameter};
use crate::api::response::{ApiResponse, refused, told};
use crate::api::submission::person;
use crate::app::admin::dead_letters;
use crate::app::admin::dead_letters::{ResendError, SentAgain, replaced};
use crate::app::queries::RecordLocation;
use crate::dead_letter_retry::{editor, unsent};
use crate::domain::records::record::DeadLetterRecord;
use crate::problem::Problem;
use crate::services::Services;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const STREAM: &[Parameter] =
    &[Parameter::new("stream", "the key of its stream, if several streams have an entry with this id")];

/// The calls about dead letters.
pub const DEAD_LETTERS: &[Operation] = &[
    list(
        "/dead-letters",
        "listDeadLetters",
        "Entries that could not be decoded, redacted and shortened, latest first",
        &[LIMIT],
        |g| g.subschema_for::<Letters>(),
        all,
    ),
    Operation {
        query: STREAM,
        ..one(
            "/dead-letters/{entry}",
            "getDeadLetter",
            "One entry that could not be decoded, redacted and shortened, and whether it was sent again",
            |g| g.subschema_for::<Letter>(),
            |services, asked| told(&letter(services, asked)?),
        )
    },
    Operation {
        query: STREAM,
        ..one(
            "/dead-letters/{entry}/original",
            "getOriginal",
            "The original entry, with everything that its record leaves out; needs the scope `admin`",
            |g| g.subschema_for::<Original>(),
            original,
        )
    },
    Operation {
        query: STREAM,
        answer: |g| g.subschema_for::<SentAgain>(),
        ..decision(
            "/dead-letters/{entry}/send",
            "sendDeadLetter",
            "Adds the entry to its stream again, once, unchanged or fixed; needs the scope `admin`",
            |g| g.subschema_for::<Edits>(),
            Decides::Something,
            send,
        )
    },
];

/// Dead letters, latest first.
#[derive(Serialize, JsonSchema)]
struct Letters {
    /// The requested number of them.
    dead_letters: Vec<RecordLocation<DeadLetterRecord>>,
}

/// A dead letter.
#[derive(Serialize, JsonSchema)]
struct Letter {
    /// The stored record.
    #[serde(flatten)]
    letter: RecordLocation<DeadLetterRecord>,
    /// Who resent it; null if it was not resent.
    sent_again: Option<SentAgain>,
}

/// An entry as received.
#[derive(Serialize, JsonSchema)]
struct Original {
    /// Its fields, in order.
    fields: Vec<Field>,
}

/// A field of an entry.
#[derive(Serialize, JsonSchema)]
struct Field {
    /// Its name.
    name: String,
    /// Its text.
    text: String,
}

/// The fixes. If empty, it is resent as received.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edits {
    /// Replacement texts for whole fields of the entry; null removes one. JSON in a field is text here, too.
    #[serde(default)]
    fields: BTreeMap<String, Option<String>>,
}

fn all(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let mut dead_letters = services.channels.ask(|c| c.queries.dead_letters()).map_err(refused)?;
    dead_letters.truncate(asked.limit()?);
    told(&Letters { dead_letters })
}

fn found(services: &Services, asked: &ApiRequest) -> Result<RecordLocation<DeadLetterRecord>, Problem> {
    let (entry, stream) = (asked.part("entry"), asked.option("stream"));
    services.channels.ask(|c| dead_letters::one(&c.queries, entry, stream)).map_err(refused)
}

fn letter(services: &Services, asked: &ApiRequest) -> Result<Letter, Problem> {
    let letter = found(services, asked)?;
    let sent = services.resending.sent(std::iter::once(&letter.record));
    let sent = sent.map_err(|error| unsent(&ResendError::Bus(error)))?;
    Ok(Letter { letter, sent_again: sent.into_iter().next().flatten() })
}

fn original(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    editor(person(asked)?)?;
    let fields = services.resending.original(&found(services, asked)?.record).map_err(|error| unsent(&error))?;
    told(&Original { fields: fields.into_iter().map(|(name, text)| Field { name, text }).collect() })
}

fn send(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let who = editor(person(asked)?)?;
    let edits = if asked.body.is_empty() { Edits::default() } else { asked.json()? };
    let letter = found(services, asked)?.record;
    let sent = || {
        let fields = replaced(services.resending.original(&letter)?, edits.fields);
        services.resending.send(&letter, &fields, who, services.channels.clock.now())
    };
    told(&sent().map_err(|error| unsent(&error))?)
}
