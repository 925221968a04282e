//! Checks the catalogue against itself: every phrasing is read as if it were a comment.

use super::analyzer::{Analyzer, EmbedError};
use crate::parallel;
use crate::text::language::catalogue::{LintIssue, lint_nearness, misread};

/// Returns the findings from reading all phrasings. Takes as long as reading that many comments.
///
/// # Errors
/// If the embedder fails.
pub fn lint_deeply(understanding: &Analyzer) -> Result<Vec<LintIssue>, EmbedError> {
    let (catalogue, embedder) = (understanding.catalogue(), understanding.embedder());
    let all: Vec<usize> = (0..catalogue.concerns().len()).collect();
    let found = parallel::map(all, |concern| misread(catalogue, concern, &|texts| embedder.embed(texts)));
    let found: Vec<Vec<_>> = found.into_iter().collect::<Result<_, _>>()?;
    Ok(lint_nearness(catalogue, &found.concat()))
}
