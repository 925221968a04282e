//! `/contradictions` and `/contradictions/{id}`: comments that ask for the opposite of earlier ones, with both sides.

use super::failure::Failure;
use super::frame::Frame;
use super::parts::{Behind, behind};
use super::request::Visit;
use super::snooze::SnoozeForm;
use super::text::shown;
use crate::app::queries::AmbiguousFile;
use crate::app::queries::views::evidence;
use crate::domain::records::record::{AmbiguousRecord, AmbiguousStatus};
use crate::text::prose::{when, words};
use askama::Template;

#[derive(Template)]
#[template(path = "contradictions.html")]
struct ListPage<'a> {
    frame: Frame,
    found: &'a [AmbiguousFile],
    all: bool,
}

/// Renders `/contradictions`: pending ones; with `?all=1` also decided ones.
pub fn list(visit: &Visit) -> Result<String, Failure> {
    let all = visit.option("all").is_some();
    let seen = visit.ask(|c| c.queries.ambiguous_list(visit.option("agent"), all))?;
    let page = ListPage { frame: Frame::new(visit, "Contradictions", &seen), found: &seen.it, all };
    Ok(page.render()?)
}

#[derive(Template)]
#[template(path = "contradiction.html")]
struct OnePage<'a> {
    frame: Frame,
    r: &'a AmbiguousRecord,
    open: bool,
    this: Vec<Behind<'a>>,
    others: Vec<Behind<'a>>,
    path: &'a str,
    snooze: &'a SnoozeForm,
    may: bool,
}

/// Renders `/contradictions/{id}`: both sides.
pub fn one(visit: &Visit) -> Result<String, Failure> {
    let seen = visit.ask(|c| {
        let found = c.queries.ambiguous_show(&visit.id)?;
        let this = evidence(&c.queries, std::iter::once(&found.record.this_side.feedback_id))?;
        let named = found.record.other_side.iter().map(|side| &side.feedback_id);
        let others = evidence(&c.queries, named)?;
        let snooze = SnoozeForm::of(visit, &c, &found.record.feedback_id, found.record.opened_at)?;
        Ok((found, this, others, snooze))
    })?;
    let (found, this, others, snooze) = &seen.it;
    let r = &found.record;
    let page = OnePage {
        frame: Frame::new(visit, format!("Contradiction {}", r.feedback_id), &seen),
        r,
        open: r.status == AmbiguousStatus::Open,
        this: this.iter().map(behind).collect(),
        others: others.iter().map(behind).collect(),
        path: &found.path,
        snooze,
        may: visit.may_decide(),
    };
    Ok(page.render()?)
}

/// Returns who says the opposite of whom.
fn sides(r: &AmbiguousRecord) -> String {
    match r.other_side.first() {
        Some(other) => format!("{} says the opposite of what {} said.", r.this_side.reviewer_id, other.reviewer_id),
        None => r.question.clone(),
    }
}
