//! Strategy search, satisfaction, sessions.

use super::*;
use FeedbackType::{Accepted, Neutral, Rejected};
use ValidationOutcome::{Approve, Fail, Retry, Revise};

fn row(turn_id: &str, quality: f64, status: FeedbackType) -> TurnRow {
    TurnRow {
        turn_id: turn_id.to_owned(),
        session_id: "henry".to_owned(),
        tenant_id: None,
        agent: None,
        timestamp: "2026-01-04T10:30:00Z".parse().unwrap(),
        query: "laptops".to_owned(),
        strategy: None,
        validation_outcome: None,
        quality_score: Some(quality),
        user_feedback_status: status,
        feedback_confidence: 0.9,
        rejection_detected_in: None,
    }
}

/// specification, "Turns: Strategy search": the order.
#[test]
fn rejected_out_accepted_first_quality_inside() {
    let rows = vec![
        row("neutral high", 0.99, Neutral),
        row("rejected", 1.0, Rejected),
        row("accepted low", 0.2, Accepted),
        row("neutral low", 0.4, Neutral),
        row("accepted high", 0.8, Accepted),
    ];
    let order: Vec<String> = rank(rows).into_iter().map(|one| one.row.turn_id).collect();
    assert_eq!(order, ["accepted high", "accepted low", "neutral high", "neutral low"]);
}

/// specification, "Turns: Strategy search": the score.
#[test]
fn ranking_formula() {
    for (quality, status, score) in [
        (0.85, Accepted, 0.71),
        (0.85, Neutral, 0.51),
        (0.85, Rejected, 0.11),
        (1.0, Accepted, 0.8),
        (0.0, Rejected, -0.4),
        (f64::NAN, Neutral, 0.0),
        (7.0, Neutral, 0.6),
    ] {
        assert!((ranking_score(Some(quality), status) - score).abs() < 1e-9, "{quality} {status:?}");
    }
    for (status, weight) in [(Rejected, -1.0), (Accepted, 0.5), (Neutral, 0.0)] {
        assert!((feedback_weight(status) - weight).abs() < 1e-12);
    }
    let shown = rank(vec![row("a", 0.85, Accepted)]);
    assert_eq!(shown[0].formula, "0.85 * 0.6 + 0.5 * 0.4 = 0.71");
}

/// specification, "Turns: Satisfaction": both tables.
#[test]
fn satisfaction_table() {
    for (outcome, base, accepted) in [(Approve, 0.5, 1.0), (Revise, 0.3, 0.8), (Retry, 0.1, 0.6), (Fail, -0.5, 0.0)] {
        assert!((satisfaction(Some(outcome), Neutral) - base).abs() < 1e-12);
        assert!((satisfaction(Some(outcome), Accepted) - accepted).abs() < 1e-12);
        assert!((satisfaction(Some(outcome), Rejected) + 1.0).abs() < 1e-12);
    }
    assert!(satisfaction(None, Neutral).abs() < 1e-12);
}

/// specification, "Turns: Sessions": 30 minutes.
#[test]
fn a_session_ends_after_thirty_minutes() {
    let at = |text: &str| text.parse::<jiff::Timestamp>().unwrap();
    let last = at("2026-01-04T10:30:00Z");
    assert!(!expired(last, at("2026-01-04T10:59:59Z")));
    assert!(expired(last, at("2026-01-04T11:00:00Z")));
    assert!(!expired(last, at("2026-01-04T10:00:00Z")));
    let result = session_ended();
    assert_eq!((result.feedback_type, result.correction_type), (Neutral, None));
    assert!(result.rationale.contains("session ended"));
}

#[test]
fn rejections_are_counted_from_the_newest() {
    assert_eq!(rejections_in_a_row(&[Rejected, Accepted, Rejected, Rejected]), 2);
    assert_eq!(rejections_in_a_row(&[Rejected, Rejected, Neutral]), 0);
    assert_eq!(rejections_in_a_row(&[]), 0);
}
