//! `/`: the caller's pending items, and where to go next.

use super::failure::Failure;
use super::frame::Frame;
use super::link;
use super::parts::Tab;
use super::request::Visit;
use super::snapshot::Snapshot;
use super::text::shown;
use crate::app::decisions::inbox::{Inbox, Item, Kind, Section, Whose, with_questions};
use crate::redirect;
use crate::text::prose::when;
use askama::Template;
use axum::response::{IntoResponse, Response};
use strum::IntoEnumIterator;

#[derive(Template)]
#[template(path = "inbox.html")]
struct InboxPage<'a> {
    frame: Frame,
    inbox: &'a Inbox,
    tabs: Vec<Tab>,
    /// The sections that are shown, with their items and these items' addresses.
    sections: Vec<(&'static str, Vec<(String, &'a Item)>)>,
}

/// Renders `/`: pending items, in sections; `show` selects one.
pub fn page(visit: &Visit) -> Result<String, Failure> {
    let seen = waits(visit)?;
    let wanted = visit.option("show").and_then(|show| show.parse::<Section>().ok());
    let of = |section: Section| seen.it.items.iter().filter(move |item| item.kind.section() == section);
    let mut tabs =
        vec![Tab { address: "/".to_owned(), name: "All", count: seen.it.items.len(), here: wanted.is_none() }];
    tabs.extend(Section::iter().map(|section| Tab {
        address: format!("/?show={}", <&str>::from(section)),
        name: section.heading(),
        count: of(section).count(),
        here: wanted == Some(section),
    }));
    let shown = Section::iter().filter(|section| wanted.is_none_or(|wanted| wanted == *section));
    let sections = shown
        .map(|section| (section.heading(), of(section).map(|item| (address(item), item)).collect::<Vec<_>>()))
        .filter(|(_, items)| !items.is_empty())
        .collect();
    Ok(InboxPage { frame: Frame::new(visit, "Inbox", &seen), inbox: &seen.it, tabs, sections }.render()?)
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
