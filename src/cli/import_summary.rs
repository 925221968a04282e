//! The summary lines of the commands that read a history.

use super::page;
use crate::app::forges::history::Tally;

/// Formats the period, what was submitted, by whom and about which agents.
pub fn lines(tally: &Tally, dry_run: bool) -> String {
    let mut text = String::new();
    if let (Some(first), Some(last)) = (tally.first, tally.last) {
        text += &format!("  from {} to {} UTC\n", page::when(first), page::when(last));
    }
    if !dry_run {
        text += &format!("  {} submitted, {} already known\n", tally.handed_over, tally.known);
    }
    for (what, named) in [("by", &tally.reviewers), ("about", &tally.agents)] {
        if !named.is_empty() {
            text += &format!("  {what}: {}\n", page::most(named));
        }
    }
    text
}
