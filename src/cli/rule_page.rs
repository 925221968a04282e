//! The page of a proposal or rule: its text and place, evidence for and against, approvals, and history.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::{self, Page, count, day, percent, when};
use super::status::told;
use crate::app::queries::{FeedbackLine, Queries, RuleFile};
use crate::domain::records::record::{Card, ProposalRecord, RuleType, Stopped};
use crate::domain::rules::draft::recalibration;
use crate::domain::rules::in_force::prompt;
pub use crate::text::prose::words;

/// Shows the page of a rule.
pub fn show(id: &str, queries: &Queries<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let found = queries.proposal_show(id)?;
    let text = text(&found, queries, out.page_width())?;
    out.answer(&found, |_| text)?;
    Ok(Exit::Ok)
}

/// Formats the page of a rule.
pub fn text(found: &RuleFile, queries: &Queries<'_>, width: usize) -> Result<String, CliError> {
    let remarks = queries.remarks_of(found)?;
    let stops = queries.stops()?;
    let stopped = stops.of(&found.record.proposal_id).filter(|_| found.record.status.in_force());
    Ok(page(found, &remarks, stopped, width))
}

fn page(found: &RuleFile, remarks: &[FeedbackLine], stopped: Option<&Stopped>, width: usize) -> String {
    let r = &found.record;
    let mut page = Page::new(&format!("{}: {}", r.proposal_id, r.title), width);
    page.line("state", format!("{}, version {}", r.status.told(), r.version));
    if let Some(flag) = &r.flag {
        let proposal = flag.proposal.as_ref().map_or_else(String::new, |id| format!(" ({id})"));
        page.line("flagged", format!("{} UTC: {}{proposal}", when(flag.at), flag.reason));
    }
    if let Some(stopped) = stopped {
        page.line("stopped", told(stopped).trim_start());
    }
    let place = match (r.action_type.enters_prompt(), r.status) {
        (false, _) => "text",
        (true, _) if stopped.is_some() => "would say",
        (true, status) if status.in_force() => "in prompts",
        (true, status) if status.is_open() => "would say",
        (true, _) => "said",
    };
    page.line(place, prompt_text(r));
    page.line("agents", r.affected_agents.join(", "));
    page.line("kind", format!("{}, {}", words(r.action_type.as_str()), kind(r.rule_type)));
    page.line("confidence", percent(r.classification_confidence) + &recalibration::aside(r));
    page.line("because", r.why.as_deref().unwrap_or_default());
    page.line("concern", r.concern.as_deref().unwrap_or_default());
    if let Some(example) = &r.example {
        page.line("before", &example.before);
        page.line("after", &example.after);
        page.line("example from", &example.feedback_id);
    }
    page.line("why", &r.evidence_summary);
    page.line("requested by", r.reviewers.join(", "));
    page.line("evidence", evidence(r));
    for remark in remarks {
        let (who, at) = (&remark.reviewer_id, day(remark.timestamp));
        page.line("said", format!("{who} at {}, {at}: “{}” ({})", remark.gate, remark.text, remark.feedback_id));
    }
    page.line("about rule", r.target_rule.as_deref().unwrap_or_default());
    if let Some(card) = &r.card {
        show_card(&mut page, card);
    }
    for c in &r.conflicts {
        page.line("conflict", format!("with {}: {}", c.with, c.reason));
    }
    page.line("against it", r.dissent.join(", "));
    for a in &r.approvals {
        let signed = if a.signed { ", signed" } else { "" };
        let author = if a.wrote_evidence { ", wrote part of the evidence" } else { "" };
        let of = if a.content_hash == r.content_hash { "" } else { " an earlier text," };
        page.line("approved", format!("{of} {} UTC by {}{signed}{author}", when(a.at), a.reviewer_id).trim_start());
    }
    page.line("reason", r.reason.as_deref().unwrap_or_default());
    page.line("stands for", r.consolidates.join(", "));
    page.line("cluster", r.clusters().collect::<Vec<_>>().join(", "));
    page.line("made", format!("{} UTC", when(r.created_at)));
    if r.status.is_open() {
        page.line("to decide", format!("feedbackd proposals approve|reject|modify {} --as YOU", r.proposal_id));
    }
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
            vec![when(e.at), e.version.to_string(), words(&e.event), by, note]
        });
        text += &format!(
            "\nWhat happened:\n{}",
            page::list(&["when", "version", "what", "by", "note"], rows.collect(), Some(width))
        );
    }
    text
}

fn show_card(page: &mut Page, card: &Card) {
    let of = |n: u64, all: u64, noun: &str| match all {
        0 => format!("none: no past {noun} to compare with"),
        _ => format!("{n} of {all} past {noun}"),
    };
    let named = |ids: &[String]| if ids.is_empty() { String::new() } else { format!(": {}", ids.join(", ")) };
    let applies = of(card.would_apply, card.corrections, "corrections");
    page.line("applies to", format!("{applies}{}", named(&card.would_apply_to)));
    let wrongly = of(card.would_fire_wrongly, card.approvals, "approvals");
    page.line("wrongly on", format!("{wrongly}{}", named(&card.would_fire_wrongly_on)));
    page.line("removed", card.removed.join(", "));
    if let (Some(id), Some(why)) = (&card.displaces, &card.displaces_because) {
        page.line("displaces", format!("{id}: {why}"));
    }
}

/// Formats the number of comments, and the first of them.
fn evidence(r: &ProposalRecord) -> String {
    const SHOWN: usize = 10;
    let shown = r.created_from_feedback_ids.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let more = if r.created_from_feedback_ids.len() > SHOWN { ", … (--json shows all)" } else { "" };
    format!("{}: {shown}{more}", count(r.evidence_count, "comment"))
}

/// Returns the text as it appears in the prompt, if it enters one.
fn prompt_text(rule: &ProposalRecord) -> String {
    if rule.action_type.enters_prompt() { prompt::line_of(rule) } else { rule.rule_content.clone() }
}

fn kind(rule_type: RuleType) -> &'static str {
    match rule_type {
        RuleType::NegativeExample => "negative example",
        RuleType::PositiveExample => "positive example",
        RuleType::Guideline => "guideline",
        RuleType::Constraint => "constraint",
    }
}
