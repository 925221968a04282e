//! `/`: the caller's pending items, what is snoozed, what was decided today, and where to go next.

use super::failure::Failure;
use super::frame::Frame;
use super::inbox_filter::InboxFilter;
use super::link;
use super::parts::Tab;
use super::request::Visit;
use super::selected;
use super::snapshot::Snapshot;
use super::snooze::SnoozeDays;
use super::text::shown;
use crate::app::decisions::inbox::{Inbox, Item, Kind, Section, SnoozedItem, Whose, with_questions};
use crate::app::queries::views::ItemRepositories;
use crate::app::reports::lineage::{Decided, decided_since};
use crate::redirect;
use crate::text::prose::when;
use askama::Template;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;
use strum::IntoEnumIterator;

/// The tabs beside those of the sections: as in the address, and as shown.
const SNOOZED: (&str, &str) = ("snoozed", "Snoozed");
const DONE: (&str, &str) = ("done", "Done today");

#[derive(Template)]
#[template(path = "inbox.html")]
struct InboxPage<'a> {
    frame: Frame,
    inbox: &'a Inbox,
    tabs: Vec<Tab>,
    filter: &'a InboxFilter,
    agents: BTreeSet<String>,
    repositories: BTreeSet<String>,
    /// The selected tab; empty for all sections.
    show: &'static str,
    /// This page, with its tab and filter.
    here: String,
    /// The sections that are shown, with their items.
    sections: Vec<(&'static str, Vec<Row<'a>>)>,
    snoozed: Vec<&'a SnoozedItem>,
    done: Vec<&'a Decided>,
    done_by_others: Vec<&'a Decided>,
    days: SnoozeDays,
    /// Whether several items can be decided at once.
    selects: bool,
    may: bool,
}

/// An item with what the page does with it.
struct Row<'a> {
    item: &'a Item,
    address: String,
    /// Whether it can be selected.
    selectable: bool,
    /// The field with the hash of the listed text, if it is a proposal.
    hash_field: Option<String>,
}

impl Row<'_> {
    fn of(item: &Item) -> Row<'_> {
        let selectable = !matches!(item.kind, Kind::Question | Kind::RosterChange);
        let hash_field = (item.kind == Kind::Proposal).then(|| selected::field(&item.id));
        Row { item, address: address(item), selectable, hash_field }
    }
}

/// Renders `/`: pending items, in sections; `show` selects one of them, the snoozed items or today's decisions, and
/// `agent`, `repository` and `q` filter them.
pub fn page(visit: &Visit) -> Result<String, Failure> {
    let mut seen = waits(visit)?;
    let repositories = visit.ask(|c| {
        let commit = c.queries.index.commit()?;
        visit.pages.repositories.at((), commit, || ItemRepositories::read(&c.queries))
    })?;
    let repositories = repositories.it;
    let all = seen.it.items.iter().chain(seen.it.snoozed.iter().map(|one| &one.item));
    let agents = all.clone().flat_map(|item| item.agent.split(", ")).filter(|agent| !agent.is_empty());
    let agents: BTreeSet<String> = agents.map(str::to_owned).collect();
    let named: BTreeSet<String> = all.flat_map(|item| repositories.of(&item.id)).cloned().collect();
    let filter = InboxFilter::of(visit);
    seen.it.items.retain(|item| filter.passes(item, &repositories));
    seen.it.snoozed.retain(|one| filter.passes(&one.item, &repositories));

    let decided = visit.ask(|c| decided_since(&c.queries, midnight(visit)))?.it;
    let is_own = |one: &&Decided| visit.who().is_none_or(|who| one.line.who.as_deref() == Some(who));
    let (done, done_by_others): (Vec<&Decided>, Vec<&Decided>) = decided.iter().partition(is_own);

    let wanted = visit.option("show").unwrap_or_default();
    let section = wanted.parse::<Section>().ok();
    let show = match section {
        Some(section) => section.into(),
        None => [SNOOZED.0, DONE.0].into_iter().find(|name| *name == wanted).unwrap_or_default(),
    };
    let of = |section: Section| seen.it.items.iter().filter(move |item| item.kind.section() == section);
    let tab = |value: &str, name, count| Tab { address: filter.address(value), name, count, here: show == value };
    let mut tabs = vec![tab("", "All", seen.it.items.len())];
    tabs.extend(Section::iter().map(|section| tab(section.into(), section.heading(), of(section).count())));
    tabs.push(tab(SNOOZED.0, SNOOZED.1, seen.it.snoozed.len()));
    tabs.push(tab(DONE.0, DONE.1, done.len()));

    let is_list = show.is_empty() || section.is_some();
    let shown = Section::iter().filter(|one| is_list && section.is_none_or(|wanted| wanted == *one));
    let sections: Vec<_> = shown
        .map(|section| (section.heading(), of(section).map(Row::of).collect::<Vec<_>>()))
        .filter(|(_, rows)| !rows.is_empty())
        .collect();
    let any = sections.iter().flat_map(|(_, rows)| rows).any(|row| row.selectable);
    let page = InboxPage {
        frame: Frame::new(visit, "Inbox", &seen),
        inbox: &seen.it,
        tabs,
        here: filter.address(show),
        filter: &filter,
        agents,
        repositories: named,
        show,
        snoozed: seen.it.snoozed.iter().filter(|_| show == SNOOZED.0).collect(),
        done,
        done_by_others,
        days: SnoozeDays::from(visit.today()),
        selects: any && visit.may_decide() && !visit.pages.services.asked.signed,
        may: visit.may_decide(),
        sections,
    };
    Ok(page.render()?)
}

/// Returns the beginning of the day, in UTC.
fn midnight(visit: &Visit) -> Timestamp {
    visit.today().to_zoned(TimeZone::UTC).map_or_else(|_| visit.now(), |day| day.timestamp())
}

/// Handles `/next?after=`: the next pending item; the inbox if there is none.
pub fn next(visit: &Visit) -> Result<Response, Failure> {
    let next = after(visit, visit.option("after").unwrap_or_default())?;
    Ok(redirect::to(&next).into_response())
}

/// Returns the address of the next inbox item, never this one again.
pub fn after(visit: &Visit, id: &str) -> Result<String, Failure> {
    let all = all_waits(visit)?.it;
    let held = held_items(visit);
    let at = all.items.iter().position(|item| item.id == id).map_or(0, |at| at + 1);
    let next = all.items[at..].iter().find(|item| item.id != id && !held.contains(&item.id));
    Ok(next.map_or_else(|| "/".to_owned(), address))
}

/// Returns what is pending, without what its author decided a moment ago.
fn waits(visit: &Visit) -> Result<Snapshot<Inbox>, Failure> {
    let mut seen = all_waits(visit)?;
    let held = held_items(visit);
    seen.it.items.retain(|item| !held.contains(&item.id));
    Ok(seen)
}

fn all_waits(visit: &Visit) -> Result<Snapshot<Inbox>, Failure> {
    let whose = Whose { who: visit.who(), agent: None };
    let services = &visit.pages.services;
    // Before opening the index: this may take a moment.
    let known = services.questions.ask();
    Ok(visit.ask(|c| with_questions(&c.queries, whose, &services.asked, &known, visit.now()))?)
}

/// Returns the items whose decision can still be taken back.
fn held_items(visit: &Visit) -> Vec<String> {
    visit.held().map_or_else(Vec::new, |call| call.items)
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
