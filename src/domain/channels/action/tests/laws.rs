//! Invariants of all events.

use super::*;
use proptest::prelude::*;

/// Generates events of a few chains, approaches and causes.
fn events() -> impl Strategy<Value = Vec<ActionResult>> {
    let one = (0..3u32, 0..4usize, 0..3usize, 0..4usize, 0..30u32);
    prop::collection::vec(one, 1..40).prop_map(|all| {
        all.into_iter()
            .enumerate()
            .map(|(n, (task, action, kind, reason, at))| {
                let kind = ["action", "action_failed", "action_partial"][kind];
                let action = ["direct_path", "switch_to_case", "switch_case", "ask_user"][action];
                let reason = ["case not set", "permission denied: /a", "timed out", ""][reason];
                let more = json!({ "action": action, "reason": reason, "task_id": format!("T-{task}"),
                    "state": { "available_tools": ["switch_case"] } });
                let mut result = result(at, kind, more);
                // Times repeat; ids do not.
                result.action_id = format!("act-{n}");
                result
            })
            .collect()
    })
}

fn fold<'r>(results: impl IntoIterator<Item = &'r ActionResult>) -> (Actions, Vec<ActionRecord>) {
    let mut actions = Actions::default();
    let records = results.into_iter().filter_map(|result| actions.take(result)).collect();
    (actions, records)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rebuilding_gives_the_same(results in events(), turn in 0..40usize) {
        let (actions, records) = fold(&results);
        let mut rebuilt = Actions::default();
        records.iter().for_each(|record| rebuilt.restore(record));
        prop_assert_eq!(rebuilt.learning(), actions.learning());
        // Nor does the order of the records, which the store lists by time.
        let mut turned = records.clone();
        turned.rotate_left(turn % records.len());
        turned.reverse();
        let mut rebuilt = Actions::default();
        turned.iter().for_each(|record| rebuilt.restore(record));
        prop_assert_eq!(rebuilt.learning(), actions.learning());
        for record in &records {
            prop_assert_eq!(rebuilt.chain(&record.chain), actions.chain(&record.chain));
        }
    }

    #[test]
    fn what_is_learned_does_not_depend_on_arrival(results in events(), turn in 0..40usize) {
        let mut other = results.clone();
        other.rotate_left(turn % results.len());
        other.reverse();
        let (one, two) = (fold(&results).0, fold(&other).0);
        prop_assert_eq!(one.learning(), two.learning());
    }

    #[test]
    fn redelivery_changes_nothing(results in events()) {
        let (mut actions, records) = fold(&results);
        let before = actions.clone();
        prop_assert!(results.iter().all(|result| actions.take(result).is_none()));
        records.iter().for_each(|record| actions.restore(record));
        prop_assert_eq!(before.learning(), actions.learning());
    }

    #[test]
    fn figures_make_sense(results in events()) {
        let (actions, records) = fold(&results);
        for experience in actions.learning().situations() {
            prop_assert!(experience.occurrences > 0);
            for tally in experience.approaches.values() {
                prop_assert!(tally.counts.tried() > 0 && tally.counts.tried() <= results.len() as u64);
                prop_assert_eq!(tally.names.values().sum::<u64>(), tally.counts.tried());
            }
        }
        for record in &records {
            let feedback = &record.feedback;
            prop_assert!(!record.result.is_failure() || !feedback.suggestions.is_empty());
            prop_assert!(feedback.suggestions.windows(2).all(|pair| pair[0].confidence >= pair[1].confidence));
            for s in &feedback.suggestions {
                prop_assert!((0.0..=1.0).contains(&s.confidence) && s.succeeded + s.partly <= s.tried);
                prop_assert!(s.credible.low <= s.credible.high);
            }
            if let Some(fresh) = feedback.suggestions.iter().position(|s| s.failed_here == 0) {
                prop_assert_eq!(fresh, 0, "what failed is never first while something else is left");
            }
        }
    }

    #[test]
    fn nothing_panics(
        text in r"[\s\S]{0,300}", name in r"[\s\S]{0,40}", other in r#"[a-z0-9'"`/\\.:_ \n\[\]()“”é-]{0,200}"#, kind in 0..3usize,
    ) {
        let kind = ["action", "action_failed", "action_partial"][kind];
        let value = event(1, kind, json!({ "inference": name, "action": other, "reason": other, "error": text,
            "details": other, "suggestions": [text, other], "data": { name.clone(): text, "failed": 3, "processed": [1] },
            "state": { "available_tools": [text, other, name], "active_case": other }, "user_input": text }));
        if let Ok(results) = ActionResult::from_value(&value, Timestamp::MAX) {
            let mut actions = Actions::default();
            for result in &results {
                let record = actions.take(result).unwrap();
                prop_assert!(record.signature.cause.chars().count() <= 160);
                prop_assert!(record.feedback.prompt_text().starts_with("[INFERENCE VALIDATION]\n"));
                let mut again = result.clone();
                again.action_id.push('2');
                actions.take(&again);
                let _ = actions.demand(&again);
                let text = serde_json::to_string(&record).unwrap();
                prop_assert_eq!(serde_json::from_str::<ActionRecord>(&text).unwrap(), record);
            }
        }
    }

    #[test]
    fn any_json_is_read_or_refused(text in r#"[\[\]{}":,a-z0-9]{0,60}"#, inner in r"[\s\S]{0,60}") {
        for value in [json!({ "local_inferences": text }), json!({ "type": inner, "state": text, "data": text }), json!(text)] {
            let _ = ActionResult::from_value_or(&value, &Fallback { timestamp: Some(Default::default()), action_id: Some("a".into()),
                session_id: Some("s".into()), agent: Some("g".into()) }, Timestamp::MAX);
        }
    }
}
