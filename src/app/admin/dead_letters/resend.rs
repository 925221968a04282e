//! Sends a dead letter to its stream again, once. Command line, API and page all use this.
//!
//! Entries that would not decode are not sent. It waits for nothing: the daemon reads the entry like any other.

use super::edit::{EditError, original};
use crate::domain::intake::decode::{DecodeLimits, Decoded, decode};
use crate::domain::intake::event::{RawEntry, Rejection, StreamKind};
use crate::domain::records::record::DeadLetterRecord;
use crate::ports::{BusError, DeadLetters, EntryFields, SentAgain};
use jiff::Timestamp;
use thiserror::Error;

/// Sends dead letters back to their streams.
pub struct DeadLetterResender {
    /// Limits and the tenant for decoding.
    pub limits: DecodeLimits,
    /// The streams being read, by their full keys.
    pub streams: Vec<(String, StreamKind)>,
    /// Where the entries are stored.
    pub letters: Box<dyn DeadLetters>,
}

/// Why a dead letter was not sent again.
#[derive(Debug, Error)]
pub enum ResendError {
    /// It cannot be restored, or a change to it is invalid.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// It would still be rejected.
    #[error("it could not be decoded: {}", .0.message)]
    Rejected(Rejection),
    /// The stream is not read.
    #[error("the stream {0} is not read; send it where it belongs by hand")]
    NotRead(String),
    /// It was already sent again.
    #[error("{} already sent it again at {}, as the entry {}; nothing was sent now", .0.by, .0.at, .0.entry_id)]
    Already(SentAgain),
    /// Redis cannot be queried.
    #[error(transparent)]
    Bus(#[from] BusError),
}

impl DeadLetterResender {
    /// Returns the original entry.
    ///
    /// # Errors
    /// If it is gone or not text, or Redis cannot be queried.
    pub fn original(&self, letter: &DeadLetterRecord) -> Result<EntryFields, ResendError> {
        Ok(original(self.letters.find(&key(letter))?)?)
    }

    /// Returns by whom, when and as which entry each of these was sent again, if it was.
    ///
    /// # Errors
    /// If Redis cannot be queried.
    pub fn sent<'a>(
        &self,
        letters: impl Iterator<Item = &'a DeadLetterRecord>,
    ) -> Result<Vec<Option<SentAgain>>, BusError> {
        self.letters.sent(&letters.map(key).collect::<Vec<_>>())
    }

    /// Checks that an entry with these fields would be understood on the letter's stream.
    ///
    /// # Errors
    /// Why it would not.
    pub fn check(
        &self,
        letter: &DeadLetterRecord,
        fields: &[(String, String)],
        now: Timestamp,
    ) -> Result<(), ResendError> {
        let stream = &letter.source.stream;
        let Some((_, kind)) = self.streams.iter().find(|(key, _)| key == stream) else {
            return Err(ResendError::NotRead(stream.clone()));
        };
        let fields: Vec<_> = fields.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect();
        let entry = RawEntry {
            stream: stream.clone(),
            kind: *kind,
            id: format!("{}-0", now.as_millisecond()),
            gate_request: self.letters.gate_request(*kind, &fields)?,
            fields,
            oversize: None,
        };
        match decode(&entry, &self.limits, now) {
            Decoded::Rejected(rejection) => Err(ResendError::Rejected(rejection)),
            _ => Ok(()),
        }
    }

    /// Adds an entry with these fields to the letter's stream, unless already done.
    ///
    /// # Errors
    /// If it would not be understood, was sent before, or Redis cannot be queried.
    pub fn send(
        &self,
        letter: &DeadLetterRecord,
        fields: &[(String, String)],
        by: &str,
        now: Timestamp,
    ) -> Result<SentAgain, ResendError> {
        self.check(letter, fields, now)?;
        let note = SentAgain { by: by.to_owned(), at: now, entry_id: String::new() };
        let sent = self.letters.send_once(&key(letter), &letter.source.stream, fields, &note)?;
        let sent = sent.map_err(ResendError::Already)?;
        let of = &letter.source;
        tracing::info!(stream = of.stream, entry = of.entry_id, by, again = sent.entry_id, "dead letter sent again");
        Ok(sent)
    }
}

/// Returns a letter's key in the dead letter stream.
fn key(letter: &DeadLetterRecord) -> String {
    format!("dead_letter:{}:{}", letter.source.stream, letter.source.entry_id)
}
