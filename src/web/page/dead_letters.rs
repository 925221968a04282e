//! `/dead-letters`: entries that could not be decoded, and fixing and resending one.
//!
//! The record of a dead letter is redacted; the original is shown only to people who may fix it.

use super::failure::Failure;
use super::frame::Frame;
use super::link;
use super::request::Visit;
use super::snapshot::Snapshot;
use super::text::shown;
use crate::app::admin::dead_letters;
use crate::app::admin::dead_letters::{EntryFields, ResendError, SentAgain, replaced};
use crate::app::queries::RecordLocation;
use crate::dead_letter_retry::{editor, unsent};
use crate::domain::records::record::DeadLetterRecord;
use crate::redirect;
use crate::text::prose::when;
use crate::text::redact::hidden_characters;
use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use serde::de::IgnoredAny;
use std::fmt::Write as _;

/// Maximum number listed.
const LISTED: usize = 200;

#[derive(Template)]
#[template(path = "dead_letters.html")]
struct ListPage<'a> {
    frame: Frame,
    found: Vec<(&'a RecordLocation<DeadLetterRecord>, Option<SentAgain>)>,
    unknown: Option<String>,
}

/// Renders `/dead-letters`: all of them.
pub fn list(visit: &Visit) -> Result<String, Failure> {
    let mut seen = visit.ask(|c| c.queries.dead_letters())?;
    seen.it.truncate(LISTED);
    let sent = visit.pages.services.resending.sent(seen.it.iter().map(|letter| &letter.record));
    let (sent, unknown) = sent.map_or_else(|error| (Vec::new(), Some(error.to_string())), |sent| (sent, None));
    let found = seen.it.iter().zip(sent.into_iter().chain(std::iter::repeat(None))).collect();
    Ok(ListPage { frame: Frame::new(visit, "Dead letters", &seen), found, unknown }.render()?)
}

#[derive(Template)]
#[template(path = "dead_letter.html")]
struct LetterPage<'a> {
    frame: Frame,
    letter: &'a RecordLocation<DeadLetterRecord>,
    may: bool,
    sent: Option<SentAgain>,
    fields: Vec<(String, String)>,
    /// Why the original is unavailable.
    gone: Option<String>,
    /// Why the edited entry would not decode.
    wrong: Option<String>,
}

/// Renders `/dead-letters/{id}`: one of them.
pub fn one(visit: &Visit) -> Result<String, Failure> {
    let seen = found(visit, &visit.id)?;
    let may = visit.caller.as_ref().is_some_and(|caller| editor(caller).is_ok());
    let fields = if may { visit.pages.services.resending.original(&seen.it.record) } else { Ok(Vec::new()) };
    let (fields, gone) = match fields {
        Ok(fields) => (fields.into_iter().map(|(name, text)| (name, written(&text))).collect(), None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    page(visit, &seen, may, fields, gone, None)
}

fn page(
    visit: &Visit,
    seen: &Snapshot<RecordLocation<DeadLetterRecord>>,
    may: bool,
    fields: EntryFields,
    gone: Option<String>,
    wrong: Option<String>,
) -> Result<String, Failure> {
    let sent = visit.pages.services.resending.sent(std::iter::once(&seen.it.record));
    let (sent, unknown) =
        sent.map_or_else(|error| (None, Some(error.to_string())), |sent| (sent.into_iter().next().flatten(), None));
    let frame = Frame::new(visit, format!("Dead letter {}", seen.it.record.source.entry_id), seen);
    Ok(LetterPage { frame, letter: &seen.it, may, sent, fields, gone: gone.or(unknown), wrong }.render()?)
}

fn found(visit: &Visit, id: &str) -> Result<Snapshot<RecordLocation<DeadLetterRecord>>, Failure> {
    Ok(visit.ask(|c| dead_letters::one(&c.queries, id, visit.option("stream")))?)
}

/// Handles `POST /dead-letters/send`: resends one of them.
pub fn send(visit: &Visit) -> Result<Response, Failure> {
    let caller = visit.caller.as_ref().ok_or_else(Failure::nobody)?;
    let who = editor(caller)?;
    let seen = found(visit, visit.option("id").unwrap_or_default())?;
    let letter = &seen.it.record;
    let resending = &visit.pages.services.resending;
    let original = resending.original(letter).map_err(|error| unsent(&error))?;
    let is_edited = visit.option("as") != Some("it_came");
    let fields = if is_edited { filled(visit, &original) } else { original.clone() };
    match resending.send(letter, &fields, who, visit.now()) {
        Ok(_) => Ok(redirect::to(&address(letter)).into_response()),
        Err(ResendError::Rejected(rejection)) => {
            let fields = fields.into_iter().map(|(name, text)| (name, written(&text))).collect();
            let page = page(visit, &seen, true, fields, None, Some(rejection.message))?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, Html(page)).into_response())
        }
        Err(error) => Err(unsent(&error).into()),
    }
}

/// Returns the submitted fields. Unedited ones stay byte for byte: a browser sends other line ends.
fn filled(visit: &Visit, original: &[(String, String)]) -> EntryFields {
    let raw = |name: &str| visit.all(name).first().map(|text| text.replace("\r\n", "\n"));
    let before = |name: &String| original.iter().find(|(field, _)| field == name).map(|(_, text)| text);
    let mut fields = EntryFields::new();
    for (place, name) in visit.all("name").iter().enumerate() {
        let Some(text) = raw(&format!("text.{place}")).filter(|text| !text.is_empty()) else { continue };
        let same = before(name).filter(|before| written(before).replace("\r\n", "\n") == text);
        fields.push((name.clone(), same.cloned().unwrap_or(text)));
    }
    let more = visit.option("more").map(|name| (name.to_owned(), raw("more_text").filter(|text| !text.is_empty())));
    replaced(fields, more.filter(|(_, text)| text.is_some()))
}

/// Returns a text for manual editing. In JSON, invisible characters are written as equivalent escapes.
fn written(text: &str) -> String {
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, c) in hidden_characters(text).filter(|(_, c)| !c.is_ascii_whitespace()) {
        out.push_str(&text[from..at]);
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
        from = at + c.len_utf8();
    }
    out.push_str(&text[from..]);
    out
}

/// Returns the address of a letter's page.
fn address(letter: &DeadLetterRecord) -> String {
    link::query(&link::to("dead-letters", &letter.source.entry_id), &[("stream", &letter.source.stream)])
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn what_nobody_sees_is_written_by_its_code_in_json_alone() {
        let hidden = "{\"a\": \"x\u{202e}\u{e0041}\",\n\"b\": 1, \"b\": 2}";
        let text = written(hidden);
        assert_eq!(text, "{\"a\": \"x\\u202e\\udb40\\udc41\",\n\"b\": 1, \"b\": 2}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&text), read(hidden));
        assert_eq!(written("no json \u{202e}"), "no json \u{202e}");
    }
}
