//! The details for a decision: the same pages as the commands show, and the numbered comments.

use crate::app::decisions::inbox::{Changed, Item, Kind};
use crate::app::queries::{FeedbackLine, Queries};
use crate::app::rules::approval_history::ApprovalRequirements;
use crate::cli::exit::CliError;
use crate::cli::page::paragraph;
use crate::cli::{ambiguous, clusters, question_lists, questions, roster, rule_page};
use crate::domain::clusters::question::{Inquiry, ShownComment};
use crate::domain::records::record::ProposalRecord;
use similar::{ChangeTag, TextDiff};

/// The number of comments with a digit.
pub const NUMBERED: usize = 9;

/// Returns an item's text and its comments.
///
/// # Errors
/// If the item no longer exists, or the store cannot be read.
pub fn detail(
    item: &Item,
    queries: &Queries<'_>,
    asked: &ApprovalRequirements,
    width: usize,
) -> Result<(String, Vec<ShownComment>), CliError> {
    Ok(match (item.kind, &item.question) {
        (Kind::Proposal | Kind::FlaggedRule, _) => {
            let rule = queries.proposal_show(&item.id)?;
            let remarks = queries.remarks_of(&rule)?;
            let since = item.changed_since_approved.as_ref().map(|changed| since(&rule.record, changed, width));
            (since.unwrap_or_default() + &rule_page::text(&rule, queries, width)?, said(remarks))
        }
        (Kind::Contradiction, _) => {
            let found = queries.ambiguous_show(&item.id)?;
            let this = &found.record.this_side;
            let said = ShownComment {
                feedback_id: this.feedback_id.clone(),
                reviewer_id: this.reviewer_id.clone(),
                text: this.text.clone(),
            };
            (ambiguous::show(&found, width), vec![said])
        }
        (Kind::RosterChange, _) => (roster::show(&queries.rosters(asked)?, width), Vec::new()),
        (Kind::Question, Some(Inquiry::List(list))) => (question_lists::head(list, None, width), list.remarks.clone()),
        (Kind::Question, Some(Inquiry::Pair(pair))) => (questions::pair(pair, width), Vec::new()),
        (Kind::Question, None) => (String::new(), Vec::new()),
        (Kind::MixedGroup, _) => {
            // All of them: an answer about a cluster covers each of its comments.
            let found = queries.cluster_show(&item.id, 0)?;
            (clusters::facts(&found, width), found.members.into_iter().map(line).collect())
        }
    })
}

fn said(remarks: Vec<FeedbackLine>) -> Vec<ShownComment> {
    remarks.into_iter().take(NUMBERED).map(line).collect()
}

fn line(f: FeedbackLine) -> ShownComment {
    ShownComment { feedback_id: f.feedback_id, reviewer_id: f.reviewer_id, text: f.text }
}

/// Describes what changed since this person's approval.
fn since(rule: &ProposalRecord, changed: &Changed, width: usize) -> String {
    let earlier = rule.earlier_versions.iter().find(|earlier| earlier.version == changed.approved_version);
    let Some(earlier) = earlier else { return String::new() };
    let head = format!("Since you approved version {} ([-taken out-], {{+put in+}}):\n", changed.approved_version);
    head + &paragraph(&difference(&earlier.rule_content, &rule.rule_content), width, 2) + "\n"
}

/// Marks the words that differ.
fn difference(before: &str, after: &str) -> String {
    let mut told = String::new();
    for change in TextDiff::from_words(before, after).iter_all_changes() {
        let word = change.value();
        match change.tag() {
            _ if word.trim().is_empty() => told += word,
            ChangeTag::Equal => told += word,
            ChangeTag::Delete => told += &format!("[-{word}-]"),
            ChangeTag::Insert => told += &format!("{{+{word}+}}"),
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_marked_word_by_word() {
        let told = difference("Log every failed call.", "Log and count every call.");
        assert!(told.contains("Log ") && told.contains("{+count+}") && told.contains("[-failed-]"), "{told}");
        assert_eq!(difference("same", "same"), "same");
    }
}
