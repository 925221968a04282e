//! Why something is as it is: from a line of a prompt, a rule, a cluster, an edge case, a review or a feedback to
//! everything that led to it, and from a feedback to everything that followed.
//!
//! All of it stands in Git; the index only says where. What is told is a chain of chapters in plain words, with dates,
//! people and files. Nothing is judged here, and nothing is written.

mod find;
mod forward;
mod rule;
mod voices;

use crate::app::queries::{Queries, QueryError};
use crate::domain::prose::{count, one_line};
use crate::domain::records::layout;
use crate::domain::records::record::{ProposalRecord, ReviewRecord};
use crate::ports::CommitInfo;
use find::Thing;
use jiff::Timestamp;
use serde::Serialize;

/// What an id can name here, as an error says it.
pub const ANYTHING: &str = "rule, feedback, cluster, edge case or review";
/// What a line can name.
pub const RULE_TEXT: &str = "rule with a text like";
/// So many remarks are told, and so many commits of one file.
pub const REMARKS: usize = 10;
const COMMITS: usize = 50;

/// The answer to *why*.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lineage {
    /// What was asked about.
    pub asked: String,
    /// What that is.
    pub kind: Kind,
    /// Its id.
    pub id: String,
    /// How it was found.
    pub found_by: FoundBy,
    /// One sentence for people about how it was found; empty where the id was given.
    pub note: String,
    /// The chain, in the order in which it is read.
    pub chapters: Vec<Chapter>,
}

/// What can be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A rule, or a proposal of one.
    Rule,
    /// A cluster.
    Cluster,
    /// A feedback.
    Feedback,
    /// An edge case.
    EdgeCase,
    /// A review.
    Review,
}

/// How it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// By its id.
    Id,
    /// By the id at the end of a prompt's line.
    LineEnd,
    /// By its text, which is the same.
    SameText,
    /// By its text, which shares most words.
    SimilarText,
}

/// A part of the chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chapter {
    /// What it is about, for programs; the values are stable.
    pub part: &'static str,
    /// The same for people.
    pub title: String,
    /// What is told.
    pub lines: Vec<Line>,
}

/// One sentence.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// When it happened.
    pub at: Option<Timestamp>,
    /// Who did it.
    pub who: Option<String>,
    /// What it is about: the id of a record, or a commit.
    pub id: Option<String>,
    /// The file it stands in.
    pub path: Option<String>,
    /// In words; who did it is among them.
    pub text: String,
}

/// Tells the chain.
///
/// # Errors
/// [`QueryError::NotFound`] with the nearest ids where nothing is known by that name or text.
pub fn lineage(queries: &Queries<'_>, asked: &str) -> Result<Lineage, QueryError> {
    let found = find::find(queries, asked)?;
    let teller = Teller { queries: *queries, reviews: queries.index.reviews()? };
    let chapters = match &found.thing {
        Thing::Rule(path, record) => teller.rule(path, record)?,
        Thing::Cluster(id) => teller.cluster_alone(id)?,
        Thing::Feedback(f) => teller.feedback(f)?,
        Thing::EdgeCase(path, record) => teller.edge_case(path, record)?,
        Thing::Review(path, record) => teller.review(path, record)?,
    };
    Ok(Lineage {
        asked: asked.trim().to_owned(),
        kind: found.thing.kind(),
        id: found.thing.id(),
        found_by: found.by,
        note: found.note,
        chapters: chapters.into_iter().filter(|c| !c.lines.is_empty()).collect(),
    })
}

/// What is needed to tell.
struct Teller<'a> {
    queries: Queries<'a>,
    /// All of them, the latest first.
    reviews: Vec<(String, ReviewRecord)>,
}

impl Teller<'_> {
    /// The commits that changed one of the files, the oldest first.
    fn commits(&self, paths: &[String]) -> Result<Chapter, QueryError> {
        let Some(at) = self.queries.index.commit()? else { return Ok(chapter("commits", "Commits", vec![])) };
        let mut commits = self.queries.store.history(&at, paths, COMMITS)?;
        commits.reverse();
        let title =
            if commits.len() == COMMITS { "The latest commits that changed it" } else { "Commits that changed it" };
        Ok(chapter("commits", title, commits.into_iter().map(commit).collect()))
    }

    /// A rule or proposal by its id.
    fn rule_by_id(&self, id: &str) -> Result<Option<(String, ProposalRecord)>, QueryError> {
        Ok(self.queries.index.proposals()?.into_iter().find(|(_, r)| r.proposal_id == id))
    }
}

/// Every place that a rule's file can have in its life.
fn rule_paths(id: &str) -> Vec<String> {
    ["proposed", "active", "rejected", "retired"].map(|d| format!("{}{d}/{id}.yaml", layout::RULES)).into()
}

fn commit(c: CommitInfo) -> Line {
    Line {
        at: Timestamp::from_second(c.seconds).ok(),
        text: format!("{} by {}: {}", c.id.short(), c.author, c.subject),
        who: Some(c.author),
        id: Some(c.id.0),
        path: None,
    }
}

fn chapter(part: &'static str, title: impl Into<String>, lines: Vec<Line>) -> Chapter {
    Chapter { part, title: title.into(), lines }
}

/// A sentence about nobody.
fn said(at: Option<Timestamp>, text: impl Into<String>) -> Line {
    Line { at, text: text.into(), ..Line::default() }
}

/// `, saying “…”`, or nothing.
fn because(reason: Option<&String>) -> String {
    reason.map_or_else(String::new, |r| format!(", saying “{}”", one_line(r)))
}

fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}
