//! `feedbackd replay`, as a process on its own store.

use crate::harness::daemon::{Site, git};
use crate::harness::streams::decision;
use feedbackd::domain::records::layout;

/// A port without a listener, never contacted.
const NO_REDIS: &str = "redis://127.0.0.1:1";

#[test]
fn a_state_directory_of_another_store_is_made_anew() {
    let mut site = Site::new(NO_REDIS);
    let events = site.path("events.jsonl");
    let lines = ["d1", "d2"].map(|id| decision(id, "ann", "REJECTED", Some("Handle the timeout")).to_string());
    std::fs::write(&events, lines.join("\n")).unwrap();
    let events = events.to_str().unwrap();
    let first = site.run(&["replay", events]);
    assert_eq!(first.code, Some(0), "{first:?}");
    // Another store, with the same directory for derived data.
    let other = site.path("other.git");
    site.set("STORE__PATH", other.to_str().unwrap());
    assert_eq!(site.run(&["init"]).code, Some(0));
    let status = site.run(&["status"]);
    assert!(status.err.contains("which the store does not have"), "{status:?}");
    let second = site.run(&["replay", events]);
    assert!(second.out.contains("2 recorded, 0 already known"), "{second:?}");
    let records = git(&other, &["ls-tree", "-r", "--name-only", "main", layout::DECISIONS]);
    assert_eq!(records.lines().count(), 2, "{records}");
    assert!(site.run(&["status"]).out.starts_with("2 feedback records"));
}
