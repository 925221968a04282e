//! `/questions/{id}`: a question about clustering, with everything needed to answer it.

use super::answers::field;
use super::failure::Failure;
use super::frame::Frame;
use super::request::Visit;
use super::snapshot::Snapshot;
use super::text::shown;
use crate::domain::clusters::question::{Inquiry, ListQuestion, Question, ShownComment, Side};
use crate::text::prose::{count, percent};
use askama::Template;
use axum::http::StatusCode;

/// The marks of a comment: as sent, and in words. The first one is preselected.
const CHOICES: [(&str, &str); 4] = [
    ("same", "Asks for the same"),
    ("others", "For something else"),
    ("nothing", "For nothing"),
    ("particular", "Too particular"),
];
/// Maximum number of reviewers named per side.
const VOICES: usize = 5;

#[derive(Template)]
#[template(path = "question_list.html")]
struct ListPage<'a> {
    frame: Frame,
    id: &'a str,
    q: &'a ListQuestion,
    may: bool,
}

#[derive(Template)]
#[template(path = "question_pair.html")]
struct PairPage<'a> {
    frame: Frame,
    id: &'a str,
    q: &'a Question,
    sides: [&'a Side; 2],
    may: bool,
}

/// Renders `/questions/{id}`: one of the currently most valuable ones.
pub fn one(visit: &Visit) -> Result<String, Failure> {
    let known = visit.pages.services.questions.ask();
    let seen = visit.ask(|c| known.open(&c.queries, None))?;
    let Some(open) = &seen.it else {
        let detail = "Questions about clusters are still being prepared. Reload the page in a moment.";
        return Err(Failure::new(StatusCode::SERVICE_UNAVAILABLE, detail));
    };
    let Some(inquiry) = open.iter().find(|inquiry| inquiry.id() == visit.id) else {
        let detail = format!("“{}” is no longer asked: it was answered, or the clusters have changed since.", visit.id);
        let nearest = open.iter().map(Inquiry::id).collect();
        return Err(Failure { nearest, ..Failure::new(StatusCode::NOT_FOUND, detail) });
    };
    page(visit, &seen, inquiry)
}

fn page<T>(visit: &Visit, seen: &Snapshot<T>, inquiry: &Inquiry) -> Result<String, Failure> {
    let (frame, id, may) = (Frame::new(visit, "Question", seen), visit.id.as_str(), visit.may_decide());
    Ok(match inquiry {
        Inquiry::List(q) => ListPage { frame, id, q, may }.render()?,
        Inquiry::Pair(q) => PairPage { frame, id, q, sides: [&q.a, &q.b], may }.render()?,
    })
}

/// Returns the authors of a side's comments, most frequent first.
fn voices(side: &Side) -> String {
    let mut voices: Vec<(&String, &u64)> = side.reviewers.iter().collect();
    voices.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let named: Vec<String> = voices.iter().take(VOICES).map(|(who, made)| format!("{who} ({made})")).collect();
    match voices.len().saturating_sub(VOICES) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Returns the address of a side: a cluster's, or a comment's.
fn address(side: &Side) -> String {
    super::link::to(if side.is_cluster { "groups" } else { "feedback" }, &side.id)
}

fn remark(said: &ShownComment) -> String {
    super::link::to("feedback", &said.feedback_id)
}
