//! Reusable strategies of earlier turns (specification, "Turns: Strategy search").

use super::channels::cut;
use super::error::QueryError;
use super::similarity::Comparisons;
use crate::domain::channels::turn::{FeedbackType, RankedStrategy, content_stems, rank};
use crate::ports::TurnQuery;
use serde::Serialize;
use std::collections::HashMap;

/// Minimum similarity for an earlier query to match.
pub const ALIKE: f64 = 0.5;

/// A turn with a reusable strategy, and what it shares with the search words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnHit {
    /// The turn and its rank.
    #[serde(flatten)]
    pub ranked: RankedStrategy,
    /// The probability that its query means the same, 0 to 1; absent if a text has no known word or was not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The stems of the shared content words.
    pub shared: Vec<String>,
}

impl Comparisons<'_> {
    /// Returns turns whose query resembles the words, as reusable strategies (specification, "Turns: Strategy search").
    /// Rejected ones are omitted; accepted ones come first. The queries of the latest `compared` turns may also match
    /// by meaning; older ones must share a word. 0 means all, as it does for `limit`.
    pub fn turns_search(&self, words: &str, compared: usize, limit: usize) -> Result<Vec<TurnHit>, QueryError> {
        let mut rows = self.queries.index.turns(&TurnQuery::default())?;
        rows.retain(|row| row.user_feedback_status != FeedbackType::Rejected && !row.query.trim().is_empty());
        let mut left = if compared == 0 { rows.len() } else { compared };
        let texts = rows.iter().take(left).map(|row| row.query.clone());
        self.understanding.prepare(&mut texts.chain([words.to_owned()]))?;
        let (like, asked) = (self.understanding.compared_with(words)?, content_stems(words));
        let mut why: HashMap<(String, String), (Option<f64>, Vec<String>)> = HashMap::new();
        let mut alike = Vec::new();
        for row in rows {
            let compare = left > 0;
            left = left.saturating_sub(1);
            let similarity = if compare { like.similarity(&row.query)? } else { None };
            let shared: Vec<String> = asked.intersection(&content_stems(&row.query)).cloned().collect();
            if similarity.is_some_and(|s| s >= ALIKE) || !shared.is_empty() {
                why.insert((row.session_id.clone(), row.turn_id.clone()), (similarity, shared));
                alike.push(row);
            }
        }
        let hit = |ranked: RankedStrategy| {
            let key = (ranked.row.session_id.clone(), ranked.row.turn_id.clone());
            let (similarity, shared) = why.remove(&key).unwrap_or_default();
            TurnHit { ranked, similarity, shared }
        };
        let mut found: Vec<TurnHit> = rank(alike).into_iter().map(hit).collect();
        cut(&mut found, limit);
        Ok(found)
    }
}
