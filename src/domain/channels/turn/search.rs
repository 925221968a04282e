//! Which earlier strategies to reuse, how satisfied users were, and when a session is over (specification, "Turns:
//! Strategy search").

use super::record::{TurnRow, ValidationOutcome};
use super::verdict::{FeedbackResult, FeedbackType};
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time without a follow-up after which the session has ended (specification, "Turns: Sessions").
pub const SESSION_TIMEOUT: SignedDuration = SignedDuration::from_mins(30);

/// A reusable strategy, and the reason for its rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedStrategy {
    /// The turn.
    pub row: TurnRow,
    /// `validation_quality * 0.6 + feedback_weight * 0.4`; -0.2 to 0.8.
    pub ranking_score: f64,
    /// The formula with its numbers.
    pub formula: String,
}

/// Returns what a status adds to the ranking (specification, "Turns: Strategy search"): rejected -1.0, accepted 0.5,
/// neutral 0.
pub fn feedback_weight(status: FeedbackType) -> f64 {
    match status {
        FeedbackType::Rejected => -1.0,
        FeedbackType::Accepted => 0.5,
        FeedbackType::Neutral => 0.0,
    }
}

/// Computes the final ranking formula (specification, "Turns"). A quality outside 0 to 1 counts as the nearest bound, a
/// missing one as 0.
pub fn ranking_score(validation_quality: Option<f64>, status: FeedbackType) -> f64 {
    round(quality(validation_quality) * 0.6 + feedback_weight(status) * 0.4)
}

/// Ranks strategies for reuse (specification, "Turns: Strategy search"): rejected turns are excluded; accepted ones
/// come first, then neutral ones, each by validation quality. Ties: the newer, then the id.
pub fn rank(rows: Vec<TurnRow>) -> Vec<RankedStrategy> {
    let mut rows: Vec<TurnRow> =
        rows.into_iter().filter(|row| row.user_feedback_status != FeedbackType::Rejected).collect();
    rows.sort_by(|a, b| {
        (b.user_feedback_status == FeedbackType::Accepted)
            .cmp(&(a.user_feedback_status == FeedbackType::Accepted))
            .then_with(|| quality(b.quality_score).total_cmp(&quality(a.quality_score)))
            .then_with(|| b.timestamp.cmp(&a.timestamp))
            .then_with(|| a.turn_id.cmp(&b.turn_id))
    });
    rows.into_iter()
        .map(|row| {
            let (quality, weight) = (quality(row.quality_score), feedback_weight(row.user_feedback_status));
            let ranking_score = ranking_score(row.quality_score, row.user_feedback_status);
            RankedStrategy {
                formula: format!("{quality:.2} * 0.6 + {weight:.1} * 0.4 = {ranking_score:.2}"),
                ranking_score,
                row,
            }
        })
        .collect()
}

/// Returns the user's satisfaction, -1.0 to 1.0 (specification, "Turns: Satisfaction"). A rejection overrides
/// everything; an unknown outcome has the base 0.
pub fn satisfaction(outcome: Option<ValidationOutcome>, status: FeedbackType) -> f64 {
    let base: f64 = match outcome {
        Some(ValidationOutcome::Approve) => 0.5,
        Some(ValidationOutcome::Revise) => 0.3,
        Some(ValidationOutcome::Retry) => 0.1,
        Some(ValidationOutcome::Fail) => -0.5,
        None => 0.0,
    };
    match status {
        FeedbackType::Rejected => -1.0,
        FeedbackType::Accepted => (base + 0.5).min(1.0),
        FeedbackType::Neutral => base,
    }
}

/// Reports whether nothing followed for 30 minutes.
pub fn expired(last_turn_at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(last_turn_at) >= SESSION_TIMEOUT
}

/// Returns the verdict on a turn without a follow-up.
pub fn session_ended() -> FeedbackResult {
    FeedbackResult {
        feedback_type: FeedbackType::Neutral,
        confidence: 0.5,
        correction_type: None,
        user_said: None,
        rationale: "session ended: nothing followed within 30 minutes".to_owned(),
        cues: Vec::new(),
    }
}

/// Counts the consecutive rejected turns, starting from the newest. `statuses` is ordered from oldest to newest.
pub fn rejections_in_a_row(statuses: &[FeedbackType]) -> usize {
    statuses.iter().rev().take_while(|status| **status == FeedbackType::Rejected).count()
}

fn quality(score: Option<f64>) -> f64 {
    score.filter(|score| score.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0)
}

fn round(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
