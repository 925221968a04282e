//! The cost of an agent's action: events answered per second when every failure is its own case, when one task keeps
//! failing, and when the reason is a whole trace.
//!
//! Runs in-process, without Redis or disk. Parsing the event's JSON is not timed; classifying it, learning from it and
//! ranking the next attempts is. `BENCH_EVENTS` (default 5000) sets the number of events of the first kind; there are a
//! fifth as many of the second and a twenty-fifth of the third.

use feedbackd::domain::channels::action::{ActionResult, Actions};
use jiff::Timestamp;
use serde_json::json;
use std::time::{Duration, Instant};

/// 2026-01-01T10:00:00Z, before the first event.
const START: i64 = 1_767_261_600;
/// Failures per task in the first part.
const ATTEMPTS: usize = 5;

fn main() {
    let count = std::env::var("BENCH_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(5_000);
    let mut actions = Actions::default();
    let cases = (0..count).map(|n| {
        let reason = format!("could not open /data/{n}/a.pdf: case {n} not set at 2026-01-01T10:00:00Z");
        failed(n, n / ATTEMPTS, &reason)
    });
    answered("each of a case of its own", &mut actions, cases);
    let task = (0..count / 5).map(|n| failed(count + n, count, "case metadata manager not initialized"));
    answered("all of one task", &mut actions, task);
    let trace = "Error: at x.py line 7, no such thing\n".repeat(30_000);
    let traces = (0..count / 25).map(|n| failed(2 * count + n, count + 1 + n / ATTEMPTS, &trace));
    answered("with a trace of 1 MB", &mut actions, traces);
    println!("  {} situations are known", actions.learning().situations().count());
}

/// Processes the events in order; generating them is not timed.
fn answered(what: &str, actions: &mut Actions, events: impl Iterator<Item = ActionResult>) {
    let (mut count, mut taken) = (0u32, Duration::ZERO);
    for event in events {
        let start = Instant::now();
        actions.take(&event).expect("an answer");
        taken += start.elapsed();
        count += 1;
    }
    let each = taken.as_secs_f64() * 1e6 / f64::from(count.max(1));
    println!("  {what:<24} {count:>6} events, {:>8.0}/s, {each:>8.1} us each", 1e6 / each);
}

/// A failure as it arrives on the stream.
fn failed(n: usize, task: usize, reason: &str) -> ActionResult {
    let at = Timestamp::from_second(START + n as i64).expect("a time");
    let event = json!({
        "action_id": format!("act-{n}"), "timestamp": at.to_string(), "session_id": "s-1", "task_id": format!("T-{task}"),
        "agent": "kyc-agent", "user_input": "process KYC-2026-001_DOC_001.pdf", "type": "action_failed",
        "inference": "unresolved_document_ids", "action": "direct_path", "reason": reason,
    });
    ActionResult::from_value(&event, jiff::Timestamp::MAX).expect("a result").swap_remove(0)
}
