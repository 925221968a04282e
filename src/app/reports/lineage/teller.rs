//! Tells the chain; its direction depends on the subject.

use super::answer::{Chapter, Line, Lineage, chapter};
use super::find::{self, RecordFile};
use crate::domain::records::record::{ProposalRecord, ReviewRecord};
use crate::ports::CommitInfo;
use crate::queries::{Queries, QueryError};
use jiff::Timestamp;

/// How many commits of one file are listed.
const COMMITS: usize = 50;

/// Tells the chain.
///
/// # Errors
/// [`QueryError::NotFound`] with the nearest ids if nothing has that name or text.
pub fn lineage(queries: &Queries<'_>, asked: &str) -> Result<Lineage, QueryError> {
    let found = find::find(queries, asked)?;
    let teller = Teller { queries: *queries, reviews: queries.index.reviews()? };
    let chapters = match &found.thing {
        RecordFile::Rule(path, record) => teller.rule(path, record)?,
        RecordFile::Cluster(id) => teller.cluster_alone(id)?,
        RecordFile::Feedback(f) => teller.feedback(f)?,
        RecordFile::EdgeCase(path, record) => teller.edge_case(path, record)?,
        RecordFile::Review(path, record) => teller.review(path, record)?,
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

/// Returns who decided what about a rule, in chronological order.
///
/// # Errors
/// If the index cannot be read.
pub fn decided(queries: &Queries<'_>, rule: &ProposalRecord) -> Result<Vec<Line>, QueryError> {
    Ok(Teller { queries: *queries, reviews: queries.index.reviews()? }.decisions_about(rule))
}

/// Data needed to tell a chain.
pub struct Teller<'a> {
    pub queries: Queries<'a>,
    /// All reviews, latest first.
    pub reviews: Vec<(String, ReviewRecord)>,
}

impl Teller<'_> {
    /// Returns the commits that changed one of the files, oldest first.
    pub fn commits(&self, paths: &[String]) -> Result<Chapter, QueryError> {
        let Some(at) = self.queries.index.commit()? else { return Ok(chapter("commits", "Commits", vec![])) };
        let mut commits = self.queries.store.history(&at, paths, COMMITS)?;
        commits.reverse();
        let title =
            if commits.len() == COMMITS { "The latest commits that changed it" } else { "Commits that changed it" };
        Ok(chapter("commits", title, commits.into_iter().map(commit).collect()))
    }

    /// Returns a rule or proposal by its id.
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
