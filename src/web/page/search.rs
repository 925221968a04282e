//! `/search`, `/feedback/{id}` and `/lineage/{id}`: comments, and the reasons behind things.

use super::failure::Failure;
use super::frame::Frame;
use super::link;
use super::parts::{Behind, CommentRow, behind};
use super::request::Visit;
use super::text::shown;
use crate::app::queries::views::evidence;
use crate::app::queries::{FeedbackFilter, FeedbackPage, QueryError, SimilarTo};
use crate::app::reports::lineage::{Lineage, lineage};
use crate::text::ids::CommitId;
use crate::text::prose::{count, percent, when, words};
use askama::Template;
use axum::http::StatusCode;

/// Number of comments shown at first and added with each request for more.
const FOUND: usize = 50;
/// Maximum number searched for.
const MOST: usize = 1000;
/// Minimum similarity of search results.
const ALIKE: f64 = 0.5;
/// Number of similar comments shown with a comment.
const NEAR: usize = 5;

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    frame: Frame,
    q: String,
    like: bool,
    note: Option<&'static str>,
    found: Vec<CommentRow>,
    /// The number of results, in words.
    number: String,
    /// The link to more results.
    more: Option<String>,
}

/// Renders `/search?q=`: by words, or by demand.
pub fn search(visit: &Visit) -> Result<String, Failure> {
    let q = visit.option("q").unwrap_or_default();
    let like = visit.option("how") == Some("like");
    let mut note = None;
    let seen = visit.ask(|c| {
        if q.is_empty() {
            return Ok(Vec::new());
        }
        if !like {
            return Ok(c.queries.search(q, MOST)?.iter().map(CommentRow::of).collect());
        }
        match c.similar(&SimilarTo::Text(q.to_owned()), ALIKE, MOST, &FeedbackFilter::default()) {
            Ok(found) => Ok(found.iter().map(alike).collect()),
            Err(QueryError::NoWords) => {
                note = Some("It has no word to compare.");
                Ok(Vec::new())
            }
            Err(error) => Err(error),
        }
    })?;
    let frame = Frame::new(visit, "Search", &seen);
    let mut found = seen.it;
    let all = found.len();
    let shown: usize = visit.option("n").and_then(|n| n.parse().ok()).unwrap_or(FOUND).clamp(1, MOST);
    found.truncate(shown);
    let more = (shown < all).then(|| {
        let how = if like { "like" } else { "words" };
        link::query("/search", &[("q", q), ("how", how), ("n", &(shown + FOUND).to_string())])
    });
    Ok(SearchPage { frame, q: q.to_owned(), like, note, number: number(found.len(), all), found, more }.render()?)
}

fn alike(line: &crate::app::queries::SimilarLine) -> CommentRow {
    let remark = CommentRow::of(&line.feedback);
    CommentRow { class: format!("{} alike · {}", percent(line.similarity), remark.class), ..remark }
}

/// Describes how many were found, and how many are shown.
fn number(shown: usize, all: usize) -> String {
    let found = if all < MOST { count(all as u64, "comment") } else { format!("{MOST} comments or more") };
    if shown < all { format!("The first {shown} of {found}") } else { found }
}

#[derive(Template)]
#[template(path = "feedback.html")]
struct OnePage<'a> {
    frame: Frame,
    page: &'a FeedbackPage,
    behind: Behind<'a>,
    near: Vec<CommentRow>,
    may: bool,
}

/// Renders `/feedback/{id}`: one record with everything linked to it.
pub fn feedback(visit: &Visit) -> Result<String, Failure> {
    let seen = visit.ask(|c| {
        let page = c.queries.feedback_show(&visit.id)?;
        let id = &page.record.feedback.feedback_id;
        let found = evidence(&c.queries, std::iter::once(id))?.pop();
        let filter = FeedbackFilter { agent: Some(page.record.feedback.agent.clone()), ..FeedbackFilter::default() };
        let near = match c.similar(&SimilarTo::Feedback(id.clone()), ALIKE, NEAR, &filter) {
            Ok(near) => near.iter().map(alike).collect(),
            Err(QueryError::NoWords) => Vec::new(),
            Err(error) => return Err(error),
        };
        Ok((page, found, near))
    })?;
    let frame = Frame::new(visit, format!("Feedback {}", visit.id), &seen);
    let (page, found, near) = seen.it;
    let Some(found) = &found else {
        return Err(Failure::new(StatusCode::NOT_FOUND, "It has just been removed from the store."));
    };
    Ok(OnePage { frame, page: &page, behind: behind(found), near, may: visit.may_decide() }.render()?)
}

#[derive(Template)]
#[template(path = "lineage.html")]
struct LineagePage<'a> {
    frame: Frame,
    told: &'a Lineage,
    commits: &'a dyn Fn(&CommitId) -> Option<String>,
}

/// Renders `/lineage/{id}` and `/lineage?q=`: from a line of a prompt to the comments, and back.
pub fn told(visit: &Visit) -> Result<String, Failure> {
    let asked = if visit.id.is_empty() { visit.option("q").unwrap_or_default() } else { &visit.id };
    if asked.is_empty() {
        return search(visit);
    }
    let seen = visit.ask(|c| lineage(&c.queries, asked))?;
    let showing = &visit.pages.services.showing;
    let page = LineagePage {
        frame: Frame::new(visit, format!("Why: {}", seen.it.id), &seen),
        told: &seen.it,
        commits: &|commit| showing.commit_url(commit),
    };
    Ok(page.render()?)
}

/// Returns the address with details on a line's subject.
fn address(part: &str, id: &str, commits: &dyn Fn(&CommitId) -> Option<String>) -> Option<String> {
    match part {
        "commits" => commits(&CommitId(id.to_owned())),
        _ if id.starts_with("RULE-") => Some(link::to("proposals", id)),
        _ if id.starts_with("CLUSTER-") => Some(link::to("groups", id)),
        "remarks" | "feedback" | "class" => Some(link::to("feedback", id)),
        "tiebreaks" => Some(link::to("contradictions", id)),
        _ => None,
    }
}

fn short<'a>(part: &str, id: &'a str) -> &'a str {
    if part == "commits" { id.get(..10).unwrap_or(id) } else { id }
}
