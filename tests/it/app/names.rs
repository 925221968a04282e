//! File names: no two differ only in case, and files of an earlier version are found where they are.

use crate::harness::run::{Run, decision, git, push};
use feedbackd::app::pipeline::EntryOutcome;
use feedbackd::app::queries::Queries;
use feedbackd::domain::intake::event::StreamKind;
use feedbackd::domain::records::layout;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn turn(session: &str, turn: &str, minute: u8, text: &str) -> Value {
    json!({"turn_id": turn, "session_id": session, "timestamp": format!("2026-01-12T10:{minute:02}:00Z"),
        "user_message": text, "response": "Here are business laptops.", "user_id": "ann"})
}

#[test]
fn no_two_names_are_the_same_on_a_file_system_that_takes_no_notice_of_capitals() {
    let mut run = Run::new();
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    let corrected = |id: &str, task: &str| {
        let mut event = decision(id, "ann", "REJECTED", Some("Check the return value"));
        (event["task_id"], event["correction_diff"]) = (json!(task), json!(diff));
        event
    };
    run.send(&[corrected("Dec-a1", "Task-1"), corrected("dec-A1", "task-1"), corrected("dec-a1", "TASK-1")]);
    run.hear(
        StreamKind::Turns,
        &[turn("S-1", "t-1", 1, "hello"), turn("s-1", "T-1", 2, "hello"), turn("s-1", "t-1", 3, "hello")],
    );
    let action = |id: &str| {
        json!({"action_id": id, "session_id": "s", "agent": "a", "action": "click", "event": "action_failed",
            "timestamp": "2026-01-12T10:00:00Z", "error": "no such element"})
    };
    run.hear(StreamKind::ActionResults, &[action("Act-1"), action("act-1")]);
    let paths = run.paths("feedback/");
    assert!(paths.len() >= 6 + 3, "{paths:#?}");
    let folded: BTreeSet<String> = paths.iter().map(|path| path.to_lowercase()).collect();
    assert_eq!(folded.len(), paths.len(), "{paths:#?}");
}

#[test]
fn what_an_earlier_version_wrote_is_found_and_changed_where_it_lies() {
    let mut run = Run::new();
    let said = decision("Dec-A", "ann", "REJECTED", Some("Check the return value"));
    run.send(std::slice::from_ref(&said));
    run.hear(StreamKind::Turns, &[turn("S", "T1", 1, "find me laptops under $1000")]);
    // The earlier name.
    let clone = run.clone_store();
    let renamed: Vec<String> = run
        .paths("feedback/")
        .iter()
        .filter_map(|path| {
            let earlier = layout::earlier(path)?;
            std::fs::create_dir_all(clone.join(&earlier).parent().unwrap()).unwrap();
            std::fs::rename(clone.join(path), clone.join(&earlier)).unwrap();
            Some(earlier)
        })
        .collect();
    assert!(renamed.iter().any(|path| path == "feedback/turns/S/T1/metadata.json"), "{renamed:?}");
    git(&["add", "-A"], &clone);
    push(&clone, "As an earlier version wrote it");
    run.restart();

    let again = run.send(&[said]);
    assert!(matches!(again.outcomes[..], [EntryOutcome::Duplicate(_)]), "{:?}", again.outcomes);
    run.hear(StreamKind::Turns, &[turn("S", "T2", 2, "No, I meant gaming laptops not business laptops")]);
    let metadata = run.json("feedback/turns/S/T1/metadata.json");
    assert_eq!(metadata["user_feedback"]["correction_type"], "explicit_correction", "{metadata:#}");
    let of_first: Vec<String> = run.paths("feedback/turns/").into_iter().filter(|path| path.contains("/T1")).collect();
    assert!(of_first.iter().all(|path| path.starts_with("feedback/turns/S/T1/")), "{of_first:?}");
    let pipeline = run.pipeline.as_ref().unwrap();
    let page = Queries::new(pipeline.store(), pipeline.index()).turn_show("S", "T1").unwrap();
    assert!(page.feedback.is_some() && page.path == "feedback/turns/S/T1/metadata.json", "{}", page.path);
}
