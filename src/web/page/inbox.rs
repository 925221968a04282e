//! `/`: the caller's pending items, and where to go next.

use super::failure::Failure;
use super::frame::Frame;
use super::link;
use super::request::Visit;
use super::snapshot::Snapshot;
use super::text::shown;
use crate::app::decisions::inbox::{Inbox, Item, Kind, Whose, with_questions};
use crate::redirect;
use crate::text::prose::when;
use askama::Template;
use axum::response::{IntoResponse, Response};

#[derive(Template)]
#[template(path = "inbox.html")]
struct InboxPage<'a> {
    frame: Frame,
    inbox: &'a Inbox,
    items: Vec<(String, &'a Item)>,
}

/// Renders `/`: pending items.
pub fn page(visit: &Visit) -> Result<String, Failure> {
    let seen = waits(visit)?;
    let items = seen.it.items.iter().map(|item| (address(item), item)).collect();
    Ok(InboxPage { frame: Frame::new(visit, "Inbox", &seen), inbox: &seen.it, items }.render()?)
}

/// Handles `/next?after=`: the next pending item; the inbox if there is none.
pub fn next(visit: &Visit) -> Result<Response, Failure> {
    let next = after(visit, visit.option("after").unwrap_or_default())?;
    Ok(redirect::to(&next).into_response())
}

/// Returns the address of the next inbox item, never this one again.
pub fn after(visit: &Visit, id: &str) -> Result<String, Failure> {
    let inbox = waits(visit)?.it;
    let at = inbox.items.iter().position(|item| item.id == id).map_or(0, |at| at + 1);
    let next = inbox.items[at..].iter().find(|item| item.id != id);
    Ok(next.map_or_else(|| "/".to_owned(), address))
}

fn waits(visit: &Visit) -> Result<Snapshot<Inbox>, Failure> {
    let whose = Whose { who: visit.who(), agent: visit.option("agent") };
    let services = &visit.pages.services;
    // Before opening the index: this may take a moment.
    let known = services.questions.ask();
    Ok(visit.ask(|c| with_questions(&c.queries, whose, &services.asked, &known, visit.now()))?)
}

fn address(item: &Item) -> String {
    match item.kind {
        Kind::Proposal => link::to("proposals", &item.id),
        Kind::FlaggedRule => link::to("rules", &item.id),
        Kind::Contradiction => link::to("contradictions", &item.id),
        Kind::MixedGroup => link::to("groups", &item.id),
        Kind::RosterChange => "/roster".to_owned(),
        Kind::Question => link::to("questions", &item.id),
    }
}

fn worth(worth: f64) -> String {
    format!("{worth:.1}")
}
