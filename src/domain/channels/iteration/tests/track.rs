//! The effect of feedback over the iterations of one target.

use super::*;
use jiff::{Timestamp, ToSpan};

const EXPIRY: &str = "Missing validation for token expiration timestamp";
const REDOS: &str = "Function validateToken() does not sanitize input before regex evaluation";

/// Severity, line and issue of an item.
type Item<'a> = (ItemSeverity, &'a str, &'a str);

fn review(iteration: u64, score: f64, verdict: ReviewVerdict, items: &[Item<'_>]) -> DocumentSummary {
    let start: Timestamp = "2026-01-25T15:00:00Z".parse().unwrap();
    let mut document = Document::of(&example()).unwrap();
    let base = document.feedback_items[1].clone();
    document.id = format!("{UUID}-{iteration}");
    document.timestamp = start + i64::try_from(iteration).unwrap().hours();
    document.iteration.number = iteration;
    document.overall_assessment.score = score;
    document.overall_assessment.verdict = verdict;
    let item = |(severity, line, issue): &Item<'_>| {
        let mut item = base.clone();
        item.severity = *severity;
        item.location.reference = (*line).to_owned();
        item.issue = (*issue).to_owned();
        item
    };
    document.feedback_items = items.iter().map(item).collect();
    DocumentSummary::of(&document)
}

use ItemSeverity::{Critical, Major, Minor};

#[test]
fn defaults_of_the_specification() {
    // specification, "Review documents: Integration".
    assert_eq!((WINDOW_SIZE, ALERT_THRESHOLD), (5, 3));
}

#[test]
fn the_first_document_has_nothing_to_be_compared_with() {
    let tracking = track(&[], &review(1, 0.4, ReviewVerdict::Refine, &[(Major, "42", EXPIRY)]));
    assert_eq!((tracking.previous.as_ref(), tracking.followed, tracking.delta), (None, None, None));
    assert_eq!(tracking.quality(), None);
    assert_eq!((tracking.repeated.len(), tracking.items[0].times), (0, 1));
}

#[test]
fn followed_feedback_that_helped() {
    let first = review(1, 0.4, ReviewVerdict::Refine, &[(Critical, "9", REDOS), (Major, "42-48", EXPIRY)]);
    let second =
        review(2, 0.7, ReviewVerdict::Refine, &[(Major, "61-67", "Token expiration timestamp is still not validated")]);
    let tracking = track(std::slice::from_ref(&first), &second);
    assert_eq!((tracking.resolved.as_slice(), tracking.open.as_slice()), (&[0][..], &[1][..]));
    let quality = tracking.quality().unwrap();
    assert_eq!(
        serde_json::to_value(&quality).unwrap(),
        json!({
            "feedback_followed": true, "improvement_observed": true, "improvement_delta": 0.3,
            "feedback_clarity_score": 0.5,
        })
    );
    assert_eq!(tracking.repeated.len(), 1);
    assert_eq!((tracking.repeated[0].times, tracking.repeated[0].first_seen), (2, first.timestamp));
    assert_eq!(tracking.alerts, vec![]);
}

#[test]
fn a_critical_item_that_is_still_there_was_not_followed() {
    let first = review(
        1,
        0.4,
        ReviewVerdict::Refine,
        &[(Critical, "9", REDOS), (Major, "42", EXPIRY), (Minor, "3", "Header names the wrong module")],
    );
    let second = review(2, 0.6, ReviewVerdict::Refine, &[(Critical, "12", REDOS)]);
    let tracking = track(std::slice::from_ref(&first), &second);
    assert_eq!((tracking.followed, tracking.improved, tracking.delta), (Some(false), Some(true), Some(0.2)));
    assert_eq!(tracking.quality().unwrap().improvement_observed, Some(false));
    assert_eq!(tracking.clarity, Some(0.6667));
    let softer = track(&[first], &review(2, 0.6, ReviewVerdict::Refine, &[(Minor, "12", REDOS)]));
    assert_eq!(softer.clarity, Some(0.8333));
}

#[test]
fn accepted_and_merely_suggested_feedback_need_not_be_followed() {
    let next = review(2, 0.9, ReviewVerdict::Accept, &[(Minor, "3", REDOS)]);
    let accepted = review(1, 0.9, ReviewVerdict::Accept, &[(Minor, "42", EXPIRY)]);
    assert_eq!(track(&[accepted], &next).followed, None);
    let suggested = review(1, 0.9, ReviewVerdict::Refine, &[(ItemSeverity::Suggestion, "42", EXPIRY)]);
    assert_eq!(track(&[suggested], &next).followed, None);
}

#[test]
fn an_issue_alerts_at_the_third_review_and_keeps_its_name() {
    let mut window: Vec<DocumentSummary> = Vec::new();
    let mut names = Vec::new();
    for (n, line) in ["42-48", "45-51", "130-136", "20", "22", "24", "26"].iter().enumerate() {
        let n = n as u64 + 1;
        let issue =
            if n.is_multiple_of(2) { EXPIRY } else { "Validation of the token expiration timestamp is missing" };
        let new = review(n, 0.4, ReviewVerdict::Refine, &[(Major, line, issue)]);
        let tracking = track(&window, &new);
        assert_eq!(tracking.alerts.len(), usize::from(n >= 3), "review {n}");
        assert_eq!(tracking.items[0].times as u64, n.min(6), "five earlier ones count");
        names.push(tracking.items[0].fingerprint.clone());
        if n == 3 {
            assert_eq!(
                tracking.alerts[0].message,
                "The same completeness issue was raised in 3 reviews of src/auth/validate.ts, last in iteration 3: \
                 Validation of the token expiration timestamp is missing (line 130-136)"
            );
        }
        window.push(new.named(&tracking));
    }
    names.dedup();
    assert_eq!(names.len(), 1);
}

#[test]
fn only_earlier_documents_of_the_same_target_count_in_whatever_order() {
    let all: Vec<DocumentSummary> =
        (1..=7).map(|n| review(n, 0.1 * n as f64, ReviewVerdict::Refine, &[(Major, "42", EXPIRY)])).collect();
    let mut other = all[4].clone();
    other.target_path = "src/other.ts".into();
    other.id = "other".into();
    let window = [all[6].clone(), all[1].clone(), other, all[0].clone(), all[2].clone(), all[3].clone()];
    let tracking = track(&window, &all[3]);
    assert_eq!(tracking.previous.as_deref(), Some(all[2].id.as_str()));
    assert_eq!((tracking.items[0].times, tracking.delta), (4, Some(0.1)));
}

#[test]
fn an_issue_that_was_gone_and_comes_back_is_repeated() {
    let first = review(1, 0.4, ReviewVerdict::Refine, &[(Major, "42", EXPIRY)]);
    let second = review(2, 0.6, ReviewVerdict::Refine, &[(Major, "9", REDOS)]);
    let tracking = track(&[first, second], &review(3, 0.5, ReviewVerdict::Refine, &[(Major, "44", EXPIRY)]));
    assert_eq!((tracking.repeated.len(), tracking.repeated[0].times), (1, 2));
    assert_eq!((tracking.followed, tracking.improved), (Some(true), Some(false)));
}

#[test]
fn rates_with_their_counts() {
    let issue = |n| review(n, 0.2 * n as f64, ReviewVerdict::Refine, &[(Major, "42", EXPIRY)]);
    let (first, second) = (issue(1), issue(2));
    let third = review(3, 0.7, ReviewVerdict::Escalate, &[(Major, "9", REDOS)]);
    let all = [track(&[], &first), track(std::slice::from_ref(&first), &second), track(&[first, second], &third)];
    let rates = Rates::of(&all);
    let rate = |count, of, rate| Rate { count, of, rate: Some(rate) };
    assert_eq!(
        rates,
        Rates {
            documents: 3,
            follow_rate: rate(1, 2, 0.5),
            improvement_rate: rate(1, 1, 1.0),
            repeat_rate: rate(1, 3, 0.3333),
            escalation_rate: rate(1, 3, 0.3333),
            mean_delta: Some(0.25),
        }
    );
    assert_eq!(Rates::of(&[]), Rates::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_reviews_are_compared(issues in prop::collection::vec(("[a-z ]{0,30}|\\PC{0,30}", "[0-9]{1,3}|\\PC{0,8}"), 0..8), order in any::<bool>()) {
        let items: Vec<Item<'_>> = issues.iter().map(|(issue, line)| (Major, line.as_str(), issue.as_str())).collect();
        let mut window: Vec<DocumentSummary> = (1..=6).map(|n| review(n, 0.5, ReviewVerdict::Refine, &items)).collect();
        let new = review(7, 0.5, ReviewVerdict::Refine, &items);
        let tracking = track(&window, &new);
        if order {
            window.reverse();
        }
        prop_assert_eq!(&tracking, &track(&window, &new));
        prop_assert_eq!(tracking.items.len(), items.len());
        prop_assert!(tracking.items.iter().all(|item| item.times == 6), "{:?}", tracking.items);
        prop_assert!(tracking.resolved.is_empty());
    }
}
