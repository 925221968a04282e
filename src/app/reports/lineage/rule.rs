//! Backwards from a rule: its texts, who approved each, the proposal, and its basis.

use super::answer::{Chapter, Line, because, chapter, day, said};
use super::teller::Teller;
use crate::domain::intake::submission::{ALL_RULES, Mark, ReviewAction};
use crate::domain::records::layout;
use crate::domain::records::record::{ProposalRecord, ProposalStatus, ReviewOutcome, ReviewRecord};
use crate::domain::rules::draft::recalibration;
use crate::queries::QueryError;
use crate::text::prose;
use crate::text::prose::{count, one_line, percent};

impl Teller<'_> {
    /// Tells the whole chain behind a rule.
    pub(super) fn rule(&self, path: &str, r: &ProposalRecord) -> Result<Vec<Chapter>, QueryError> {
        let mut chapters = vec![
            chapter("rule", format!("{}: {}", r.proposal_id, r.title), standing(path, r)),
            chapter("versions", "Its texts", texts(r)),
            chapter("reviews", "Who decided", self.decisions_about(r)),
            chapter("life", "What happened to it", life(r)),
            chapter("proposal", "Why it was proposed", proposed(r)),
        ];
        let clusters: Vec<&str> = r.clusters().collect();
        chapters.push(self.clusters(&clusters)?);
        chapters.push(self.evidence(&r.created_from_feedback_ids, r.evidence_count)?);
        chapters.push(self.tiebreaks(&r.created_from_feedback_ids, &r.dissent)?);
        chapters.push(self.prompts(&r.proposal_id)?);
        chapters.push(self.commits(&layout::rule_paths(&r.proposal_id))?);
        Ok(chapters)
    }

    /// Returns reviews of a rule in chronological order, then approvals whose review has no file.
    pub(super) fn decisions_about(&self, r: &ProposalRecord) -> Vec<Line> {
        let mut lines: Vec<Line> = vec![];
        for (path, review) in &self.reviews {
            if about_rule(&review.action) == Some(&r.proposal_id) {
                lines.push(decision(path, review, Some(r)));
            }
        }
        for a in &r.approvals {
            if !self.reviews.iter().any(|(_, review)| review.review_id == a.review_id) {
                lines.push(Line {
                    at: Some(a.at),
                    who: Some(a.reviewer_id.clone()),
                    id: Some(a.review_id.clone()),
                    path: None,
                    text: format!(
                        "{} approved {}{}",
                        a.reviewer_id,
                        version_of_hash(r, &a.content_hash),
                        r.proposal_id
                    ),
                });
            }
        }
        lines.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        lines
    }

    /// Tells which prompts a rule went into.
    pub(super) fn prompts(&self, rule: &str) -> Result<Chapter, QueryError> {
        let injections = self.queries.index.injections()?;
        let with: Vec<_> =
            injections.iter().filter(|(_, i)| i.rules.iter().any(|x| x.rule_id == rule)).map(|(_, i)| i).collect();
        let line = match (with.last(), with.first()) {
            (Some(first), Some(last)) => {
                let mut agents: Vec<&str> = with.iter().map(|i| i.agent.as_str()).collect();
                agents.sort_unstable();
                agents.dedup();
                let range = match day(first.timestamp) == day(last.timestamp) {
                    true => format!("on {}", day(first.timestamp)),
                    false => format!("from {} to {}", day(first.timestamp), day(last.timestamp)),
                };
                let of = prose::list(agents.into_iter(), 5);
                said(None, format!("{rule} entered {} of {of}, {range}.", count(with.len() as u64, "prompt")))
            }
            _ => return Ok(chapter("prompts", "In prompts", vec![])),
        };
        Ok(chapter("prompts", "In prompts", vec![line]))
    }
}

/// Returns the rule that a review is about.
pub(super) fn about_rule(action: &ReviewAction) -> Option<&String> {
    match action {
        ReviewAction::Approve { proposal_id }
        | ReviewAction::Reject { proposal_id }
        | ReviewAction::Modify { proposal_id, .. } => Some(proposal_id),
        ReviewAction::Retire { rule_id } | ReviewAction::RollBack { rule_id } => Some(rule_id),
        ReviewAction::Stop { rule_id } | ReviewAction::Resume { rule_id } => rule_id.as_ref(),
        ReviewAction::Snooze { item, .. } | ReviewAction::Wake { item } if item.starts_with("RULE-") => Some(item),
        _ => None,
    }
}

/// Returns what one review decided. `rule` is the one it is about, if any.
pub(super) fn decision(path: &str, review: &ReviewRecord, rule: Option<&ProposalRecord>) -> Line {
    let line = |text| Line {
        at: Some(review.timestamp),
        who: Some(review.reviewer_id.clone()),
        id: Some(review.review_id.clone()),
        path: Some(path.to_owned()),
        text,
    };
    if review.outcome == ReviewOutcome::Refused {
        // Nothing was done, so it must not read as if it had been.
        let why = review.refusal.as_ref().map_or_else(String::new, |r| format!(": {}", one_line(&r.message)));
        let (what, subject) = (review.action.word(), review.action.subject());
        return line(format!("Refused: {}'s {what} of {subject}{why}", review.reviewer_id));
    }
    let version = review.content_hash.as_deref().zip(rule).map_or_else(String::new, |(h, r)| version_of_hash(r, h));
    let did = match &review.action {
        ReviewAction::Approve { proposal_id } => format!("approved {version}{proposal_id}"),
        ReviewAction::Reject { proposal_id } => format!("rejected {proposal_id}"),
        ReviewAction::Modify { proposal_id, modified_content, .. } => {
            format!("gave {proposal_id} another text, “{}”", one_line(modified_content))
        }
        ReviewAction::Retire { rule_id } => format!("retired {rule_id}"),
        ReviewAction::RollBack { rule_id } => format!("rolled back {rule_id}"),
        ReviewAction::Stop { rule_id } => format!("stopped {}", rule_id.as_deref().unwrap_or(ALL_RULES)),
        ReviewAction::Resume { rule_id } => format!("resumed {}", rule_id.as_deref().unwrap_or(ALL_RULES)),
        ReviewAction::WithdrawImport { import } => format!("withdrew the import {import}"),
        ReviewAction::Resolve { feedback_id, resolution } => {
            format!("decided the contradiction of {feedback_id} as {}", resolution.as_str())
        }
        ReviewAction::MergeClusters { from, into } => format!("merged {from} into {into}"),
        ReviewAction::SplitCluster { cluster_id, feedback_ids } => {
            let moved = prose::list(feedback_ids.iter().map(String::as_str), 5);
            format!("split {moved} off {cluster_id}")
        }
        ReviewAction::WordRule { cluster_id, rule_content } => {
            format!("wrote a rule for {cluster_id}, “{}”", one_line(rule_content))
        }
        ReviewAction::MoveFeedback { feedback_id, into } => format!("moved {feedback_id} to {into}"),
        ReviewAction::Same { a, b } => format!("said that {a} and {b} ask for the same"),
        ReviewAction::KeepApart { a, b } => format!("said that {a} and {b} ask for different things"),
        ReviewAction::Sort { same, others, nothing, particular, .. } => {
            let shown = same.len() + others.len() + nothing.len() + particular.len();
            format!("said of {shown} comments which of them ask for the same")
        }
        ReviewAction::Mark { feedback_id, mark, demand } => match (mark, demand) {
            (Mark::Nothing, _) => format!("said that {feedback_id} asks for nothing"),
            (Mark::Particular, _) => format!("said that {feedback_id} is too specific for a rule"),
            (Mark::Demand, demand) => {
                format!("said that {feedback_id} asks for {}", demand.as_deref().unwrap_or("more"))
            }
        },
        ReviewAction::Retract { reviewer: Some(who), .. } => format!("withdrew everything {who} said"),
        ReviewAction::Retract { feedback_id, .. } => {
            format!("withdrew {}", feedback_id.as_deref().unwrap_or("nothing"))
        }
        ReviewAction::Snooze { item, until } => format!("snoozed {item} until {until}"),
        ReviewAction::Wake { item } => format!("put {item} back into the inbox"),
    };
    let signed = if review.signed { ", signed" } else { "" };
    let outcome = review.effect.as_ref().map_or_else(String::new, |effect| format!(": {}", one_line(effect)));
    line(format!("{} {did}{signed}{}{outcome}", review.reviewer_id, because(review.reason.as_ref())))
}

/// Returns `version 2 of ` if the hash is that of a text the rule has or had.
fn version_of_hash(r: &ProposalRecord, hash: &str) -> String {
    let earlier = r.earlier_versions.iter().find(|v| v.content_hash == hash).map(|v| v.version);
    match earlier.or((r.content_hash == hash).then_some(r.version)) {
        Some(version) => format!("version {version} of "),
        None => "another text of ".to_owned(),
    }
}

/// Tells a rule's status.
fn standing(path: &str, r: &ProposalRecord) -> Vec<Line> {
    let agents = r.affected_agents.join(", ");
    let since = |at: Option<jiff::Timestamp>| at.map_or_else(String::new, |at| format!(" since {}", day(at)));
    let on = |at: Option<jiff::Timestamp>| at.map_or_else(String::new, |at| format!(" on {}", day(at)));
    let status = match r.status {
        ProposalStatus::Pending => "It is pending".to_owned(),
        ProposalStatus::Approved => format!("It was approved{} and is not in force yet", on(r.decided_at)),
        ProposalStatus::Active => format!("It is in force{}", since(r.activated_at)),
        ProposalStatus::Flagged => format!("It is in force{}, and under review", since(r.activated_at)),
        ProposalStatus::Rejected => format!("It was rejected{}", on(r.decided_at)),
        ProposalStatus::Expired => format!("It expired{}: it was not decided in time", on(r.decided_at)),
        ProposalStatus::Retired => format!("It was retired{} and left force", on(r.ended_at)),
        ProposalStatus::RolledBack => format!("It was rolled back{} and left force", on(r.ended_at)),
    };
    let mut lines = vec![Line {
        id: Some(r.proposal_id.clone()),
        path: Some(path.to_owned()),
        text: format!("{status}; for {agents}.{}", because_of_end(r)),
        ..Line::default()
    }];
    if let Some(flag) = &r.flag {
        lines.push(said(Some(flag.at), format!("It was flagged: {}", one_line(&flag.reason))));
    }
    lines
}

fn because_of_end(r: &ProposalRecord) -> String {
    r.reason.as_ref().map_or_else(String::new, |reason| format!(" The reason: “{}”.", one_line(reason)))
}

/// Returns every text with its time and author.
fn texts(r: &ProposalRecord) -> Vec<Line> {
    let mut lines = vec![];
    let (mut from, mut by) = (r.created_at, None::<String>);
    let text = |version: u32, content: &str, by: &Option<String>| {
        let by = by.as_ref().map_or_else(String::new, |who| format!(", by {who}"));
        format!("Version {version}{by}: “{}”", one_line(content))
    };
    for v in &r.earlier_versions {
        lines.push(Line { who: by.clone(), ..said(Some(from), text(v.version, &v.rule_content, &by)) });
        (from, by) = (v.replaced_at, Some(v.replaced_by.clone()));
    }
    lines.push(Line { who: by.clone(), ..said(Some(from), text(r.version, &r.rule_content, &by)) });
    lines
}

fn life(r: &ProposalRecord) -> Vec<Line> {
    let line = |e: &crate::domain::records::record::LifeEvent| {
        let by = e.by.as_ref().map_or_else(String::new, |who| format!(" by {who}"));
        let note = e.note.as_ref().map_or_else(String::new, |n| format!(": {}", one_line(n)));
        // `approved_by` already names its person.
        let event = e.event.strip_suffix("_by").unwrap_or(&e.event).replace('_', " ");
        let text = format!("{}{by}, version {}{note}", prose::capitalise(&event), e.version);
        Line { who: e.by.clone(), ..said(Some(e.at), text) }
    };
    r.history.iter().map(line).collect()
}

fn proposed(r: &ProposalRecord) -> Vec<Line> {
    let mut lines = vec![];
    if let Some(at) = r.pattern_since {
        lines.push(said(Some(at), "The comment that made it a pattern was made"));
    }
    let sure = percent(r.classification_confidence);
    let (alone, why) = (recalibration::aside(r), one_line(&r.evidence_summary));
    lines.push(said(Some(r.created_at), format!("It was proposed ({sure} sure{alone}): {why}")));
    lines.push(said(None, format!("Asked for by {}", prose::list(r.reviewers.iter().map(String::as_str), 10))));
    if let Some(c) = &r.card {
        lines.push(said(None, format!("Its card: {}", c.told())));
        if let Some(out) = &c.displaces {
            let why = c.displaces_because.as_ref().map_or_else(String::new, |w| format!(": {}", one_line(w)));
            lines.push(said(None, format!("It would replace {out}{why}")));
        }
    }
    for c in &r.conflicts {
        let line = said(None, format!("It contradicts {}: {}", c.with, one_line(&c.reason)));
        lines.push(Line { id: Some(c.with.clone()), ..line });
    }
    if let Some(target) = &r.target_rule {
        lines.push(Line { id: Some(target.clone()), ..said(None, format!("It is about {target}")) });
    }
    if !r.consolidates.is_empty() {
        lines.push(said(None, format!("It covers {} as well", r.consolidates.join(", "))));
    }
    lines
}
