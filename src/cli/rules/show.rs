//! The page of one rule: what it says, whom it is for, who approved it, and what happened to it.

use super::super::page::{self, Page, count, percent, when};
use super::words;
use crate::app::queries::RuleFile;
use crate::domain::prompt;
use crate::domain::record::{ProposalRecord, RuleType};

pub(super) fn page(found: &RuleFile, width: usize) -> String {
    let r = &found.record;
    let mut page = Page::new(&format!("{}: {}", r.proposal_id, r.title), width);
    page.line("state", format!("{}, version {}", words(r.status.as_str()), r.version));
    if let Some(flag) = &r.flag {
        let proposal = flag.proposal.as_ref().map_or_else(String::new, |id| format!(" ({id})"));
        page.line("flagged", format!("{} UTC: {}{proposal}", when(flag.at), flag.reason));
    }
    page.line("in prompts", prompt_text(r));
    page.line("agents", r.affected_agents.join(", "));
    page.line("kind", format!("{}, {}", words(r.action_type.as_str()), kind(r.rule_type)));
    page.line("confidence", percent(r.classification_confidence));
    page.line("why", &r.evidence_summary);
    page.line("evidence", format!("{} by {}", count(r.evidence_count, "remark"), r.reviewers.join(", ")));
    for a in &r.approvals {
        let signed = if a.signed { ", signed" } else { "" };
        let author = if a.wrote_evidence { ", wrote part of the evidence" } else { "" };
        page.line("approved", format!("{} UTC by {}{signed}{author}", when(a.at), a.reviewer_id));
    }
    page.line("reason", r.reason.as_deref().unwrap_or_default());
    page.line("stands for", r.consolidates.join(", "));
    page.line("cluster", &r.cluster_id);
    page.line("content hash", &r.content_hash);
    page.line("file", &found.path);
    let mut text = page.finish();
    if !r.earlier_versions.is_empty() {
        let rows = r
            .earlier_versions
            .iter()
            .map(|v| vec![v.version.to_string(), when(v.replaced_at), v.replaced_by.clone(), v.rule_content.clone()]);
        let list = page::list(&["version", "replaced", "by", "text"], rows.collect(), Some(width));
        text += &format!("\nEarlier texts:\n{list}");
    }
    if !r.history.is_empty() {
        let rows = r.history.iter().map(|e| {
            let (by, note) = (e.by.clone().unwrap_or_default(), e.note.clone().unwrap_or_default());
            vec![when(e.at), words(&e.event), by, note]
        });
        text +=
            &format!("\nWhat happened:\n{}", page::list(&["when", "what", "by", "note"], rows.collect(), Some(width)));
    }
    text
}

/// The bullet as the prompt has it, without heading and mark.
fn prompt_text(rule: &ProposalRecord) -> String {
    let section = prompt::section(&[rule], false).unwrap_or_default();
    let bullet = section.split_once("\n\n").map_or("", |(_, bullet)| bullet);
    bullet.strip_prefix("- ").unwrap_or(bullet).to_owned()
}

fn kind(rule_type: RuleType) -> &'static str {
    match rule_type {
        RuleType::NegativeExample => "negative example",
        RuleType::PositiveExample => "positive example",
        RuleType::Guideline => "guideline",
        RuleType::Constraint => "constraint",
    }
}
