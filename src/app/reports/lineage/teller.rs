//! Tells the chain: what is asked about decides which way it is told.

use super::answer::{Chapter, Line, Lineage, chapter};
use super::find::{self, Thing};
use crate::domain::records::record::{ProposalRecord, ReviewRecord};
use crate::ports::CommitInfo;
use crate::queries::{Queries, QueryError};
use jiff::Timestamp;

/// So many commits of one file are told.
const COMMITS: usize = 50;

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

/// Who decided what of a rule, in the order of time.
///
/// # Errors
/// Where the index cannot be read.
pub fn decided(queries: &Queries<'_>, rule: &ProposalRecord) -> Result<Vec<Line>, QueryError> {
    Ok(Teller { queries: *queries, reviews: queries.index.reviews()? }.decisions_about(rule))
}

/// What is needed to tell.
pub struct Teller<'a> {
    pub queries: Queries<'a>,
    /// All of them, the latest first.
    pub reviews: Vec<(String, ReviewRecord)>,
}

impl Teller<'_> {
    /// The commits that changed one of the files, the oldest first.
    pub fn commits(&self, paths: &[String]) -> Result<Chapter, QueryError> {
        let Some(at) = self.queries.index.commit()? else { return Ok(chapter("commits", "Commits", vec![])) };
        let mut commits = self.queries.store.history(&at, paths, COMMITS)?;
        commits.reverse();
        let title =
            if commits.len() == COMMITS { "The latest commits that changed it" } else { "Commits that changed it" };
        Ok(chapter("commits", title, commits.into_iter().map(commit).collect()))
    }

    /// A rule or proposal by its id.
    pub fn rule_by_id(&self, id: &str) -> Result<Option<(String, ProposalRecord)>, QueryError> {
        Ok(self.queries.index.record(id)?)
    }
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
