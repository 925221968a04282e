//! Agents' reports, made safe for other programs: answers are built from such texts, records keep the originals.

use super::answer::HistoryEntry;
use super::result::ActionResult;
use crate::json::change_texts;
use crate::text::language::guard::{LEFT_OUT, harmless_value, orders};

/// Returns a result whose texts hide nothing, open no part of a prompt and give the reader no orders.
pub(super) fn guarded(result: &ActionResult) -> ActionResult {
    let texts = || -> serde_json::Result<ActionResult> {
        let mut value = serde_json::to_value(result)?;
        change_texts(&mut value, &text);
        // The user's request may contain orders.
        value["user_input"] = harmless_value(&result.user_input).into();
        serde_json::from_value(value)
    };
    texts().unwrap_or_else(|_| result.clone())
}

/// Does the same for earlier attempts.
pub(super) fn guarded_history(history: Vec<HistoryEntry>) -> Vec<HistoryEntry> {
    let entry = |entry: HistoryEntry| HistoryEntry {
        action: text(&entry.action),
        reason: entry.reason.as_deref().map(text),
        ..entry
    };
    history.into_iter().map(entry).collect()
}

fn text(said: &str) -> String {
    if orders(said).is_empty() { harmless_value(said) } else { LEFT_OUT.to_owned() }
}
