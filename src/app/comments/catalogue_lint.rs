//! The catalogue held against itself: every phrasing is read as if somebody said it.

use super::analyzer::{EmbedError, Understanding};
use crate::parallel;
use crate::text::language::catalogue::{LintFinding, lint_nearness, misread};

/// What reading all phrasings shows. Takes as long as reading as many remarks does.
///
/// # Errors
/// When the embedder fails.
pub fn lint_deeply(understanding: &Understanding) -> Result<Vec<LintFinding>, EmbedError> {
    let (catalogue, embedder) = (understanding.catalogue(), understanding.embedder());
    let all: Vec<usize> = (0..catalogue.concerns().len()).collect();
    let found = parallel::map(all, |concern| misread(catalogue, concern, &|texts| embedder.embed(texts)));
    let found: Vec<Vec<_>> = found.into_iter().collect::<Result<_, _>>()?;
    Ok(lint_nearness(catalogue, &found.concat()))
}
