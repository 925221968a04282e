//! Answers that compare comments by what they demand.

use super::answers::SimilarLine;
use super::error::QueryError;
use super::lists::Queries;
use crate::comments::analyzer::Analyzer;
use crate::ports::FeedbackFilter;
use crate::text::language::comment;
use crate::text::language::similarity::{Calibration, DemandVector};

/// The reference for a similarity search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimilarTo {
    /// A feedback id; that record itself is not listed.
    Feedback(String),
    /// Any text.
    Text(String),
}

/// Answers questions that compare comments. Cheap to create: it only borrows.
#[derive(Clone, Copy)]
pub struct Comparisons<'a> {
    /// Store and index. The index's vectors come from the same understanding.
    pub queries: Queries<'a>,
    pub understanding: &'a Analyzer,
}

impl Comparisons<'_> {
    /// Returns similar feedback, most similar first, by exact comparison with all records. `threshold` is a calibrated
    /// similarity, 0 to 1 (the specification's is 0.8). `limit` 0 means no limit. Of the filter only `agent` and
    /// `tenant` apply.
    pub fn similar(
        &self,
        to: &SimilarTo,
        threshold: f64,
        limit: usize,
        filter: &FeedbackFilter,
    ) -> Result<Vec<SimilarLine>, QueryError> {
        let (itself, vector) = self.vector(to)?;
        let calibration = Calibration::new(self.understanding.t80());
        self.near(&vector, &calibration, itself.as_deref(), threshold, limit, filter)
    }

    /// Like [`Comparisons::similar`], for a vector; `itself` is not listed.
    pub(crate) fn near(
        &self,
        vector: &DemandVector,
        calibration: &Calibration,
        itself: Option<&str>,
        threshold: f64,
        limit: usize,
        filter: &FeedbackFilter,
    ) -> Result<Vec<SimilarLine>, QueryError> {
        let mut found: Vec<(f64, String)> = vec![];
        self.queries.index.each_feedback(&mut |f| {
            let wanted = |want: &Option<String>, is: &str| want.as_deref().is_none_or(|w| w == is);
            if itself == Some(f.id.as_str()) || !wanted(&filter.agent, &f.agent) || !wanted(&filter.tenant, &f.tenant) {
                return;
            }
            let similarity = f.vector.as_ref().map(|v| calibration.similarity(v.cosine(vector)));
            if let Some(similarity) = similarity.filter(|s| *s >= threshold) {
                found.push((similarity, f.id));
            }
        })?;
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        if limit > 0 {
            found.truncate(limit);
        }
        let mut lines = vec![];
        for (similarity, id) in found {
            if let Some(f) = self.queries.index.feedback(&id)? {
                lines.push(SimilarLine { similarity, feedback: f.into() });
            }
        }
        Ok(lines)
    }

    fn vector(&self, to: &SimilarTo) -> Result<(Option<String>, DemandVector), QueryError> {
        let (id, text) = match to {
            SimilarTo::Feedback(id) => {
                let found = self.queries.feedback(id)?;
                if let Some(vector) = found.vector {
                    return Ok((Some(found.id), vector));
                }
                // A comment without a demand has no vector in the index, but may be looked up.
                (Some(found.id), found.text)
            }
            SimilarTo::Text(text) => (None, text.clone()),
        };
        let understood = self.understanding.read(&comment::compared(&text), None, false)?;
        Ok((id, understood.ok_or(QueryError::NoWords)?.vector))
    }
}
