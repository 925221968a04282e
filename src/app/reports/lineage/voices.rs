//! What people said: the clusters behind a rule, their comments, and opposing comments.

use super::answer::{Chapter, Line, REMARKS, because, chapter, day, said};
use super::rule::decision;
use super::teller::Teller;
use crate::domain::intake::submission::ReviewAction;
use crate::domain::records::layout;
use crate::domain::records::record::{AmbiguousRecord, AmbiguousStatus, ClusterRecord, DecisionRecord};
use crate::ports::{FeedbackFilter, IndexedFeedback};
use crate::queries::QueryError;
use crate::text::prose;
use crate::text::prose::{count, one_line};
use crate::text::verdict::Verdict;
use std::collections::HashSet;

impl Teller<'_> {
    /// Tells the requested cluster, with its comments and its rule.
    pub(super) fn cluster_alone(&self, id: &str) -> Result<Vec<Chapter>, QueryError> {
        let mut chapters = vec![self.clusters(&[id])?];
        let cluster = self.queries.index.record::<ClusterRecord>(id)?.map(|(_, record)| record);
        let filter = FeedbackFilter { cluster: Some(id.to_owned()), limit: REMARKS, ..FeedbackFilter::default() };
        let mut latest = self.queries.index.list(&filter)?;
        latest.reverse();
        let all = cluster.as_ref().map_or(0, |c| c.members).max(latest.len() as u64);
        let title = if all > latest.len() as u64 {
            format!("The latest {REMARKS} of {all} comments")
        } else {
            "Remarks".into()
        };
        chapters.push(chapter("remarks", title, latest.iter().map(|f| self.remark(f)).collect()));
        if let Some(rule) = cluster.as_ref().and_then(|c| c.proposal.as_ref()) {
            chapters.extend(self.rule_in_short(rule)?);
        }
        chapters.push(self.commits(&[layout::cluster(id)])?);
        Ok(chapters)
    }

    /// Tells each cluster in a sentence, and what people changed about it.
    pub(super) fn clusters(&self, ids: &[&str]) -> Result<Chapter, QueryError> {
        let mut lines = vec![];
        for id in ids.iter().filter(|id| !id.is_empty()) {
            let Some((_, c)) = self.queries.index.record::<ClusterRecord>(id)? else {
                lines.push(Line {
                    id: Some((*id).to_owned()),
                    ..said(None, format!("{id}, which has no file any more"))
                });
                continue;
            };
            let merged = c.merged_into.as_ref().map_or_else(String::new, |into| format!("; merged into {into}"));
            let text = format!(
                "{id}, “{}”: {} by {}, {} to {}{merged}",
                one_line(&c.title),
                count(c.members, "comment"),
                count(c.reviewer_count, "reviewer"),
                day(c.first_seen),
                day(c.last_seen)
            );
            let path = Some(layout::cluster(&c.cluster_id));
            lines.push(Line { id: Some(c.cluster_id.clone()), path, ..said(Some(c.first_seen), text) });
            if let Some(why) = &c.not_proposed {
                lines.push(said(None, format!("It has no proposal: {}", one_line(why))));
            }
        }
        let touches = |action: &ReviewAction| match action {
            ReviewAction::MergeClusters { from, into } => ids.iter().any(|id| id == from || id == into),
            ReviewAction::SplitCluster { cluster_id, .. } | ReviewAction::WordRule { cluster_id, .. } => {
                ids.iter().any(|id| id == cluster_id)
            }
            ReviewAction::MoveFeedback { into, .. } => ids.iter().any(|id| id == into),
            ReviewAction::Same { a, b } | ReviewAction::KeepApart { a, b } => ids.iter().any(|id| id == a || id == b),
            ReviewAction::Sort { into, .. } => into.as_ref().is_some_and(|into| ids.iter().any(|id| id == into)),
            _ => false,
        };
        let changes = self.reviews.iter().rev().filter(|(_, r)| touches(&r.action));
        lines.extend(changes.map(|(path, r)| decision(path, r, None)));
        Ok(chapter("cluster", if ids.len() > 1 { "The clusters" } else { "The cluster" }, lines))
    }

    /// Tells the first comments that support a rule, in chronological order.
    pub(super) fn evidence(&self, ids: &[String], all: u64) -> Result<Chapter, QueryError> {
        let mut found = vec![];
        for id in ids {
            found.extend(self.queries.index.feedback(id)?);
        }
        found.sort_by(|a, b| (a.timestamp, &a.id).cmp(&(b.timestamp, &b.id)));
        let known = found.len();
        found.truncate(REMARKS);
        let mut lines: Vec<Line> = found.iter().map(|f| self.remark(f)).collect();
        if known < ids.len() {
            let gone = count((ids.len() - known) as u64, "comment");
            lines.push(said(None, format!("{gone} it names cannot be found in the store")));
        }
        let all = all.max(ids.len() as u64);
        let title = match all > found.len() as u64 {
            true => format!("What people said, the first {} of {all}", found.len()),
            false => "What people said".to_owned(),
        };
        Ok(chapter("remarks", title, lines))
    }

    /// Tells one comment in its own words, from its record.
    pub(super) fn remark(&self, f: &IndexedFeedback) -> Line {
        // An unreadable record was edited by hand; the index has its earlier text.
        let record: Option<DecisionRecord> = self.queries.decision(&f.path).ok();
        let text = record.as_ref().and_then(DecisionRecord::text).unwrap_or_else(|| f.text.clone());
        let words = match one_line(&text) {
            empty if empty.is_empty() => "no comment".to_owned(),
            text => format!("“{text}”"),
        };
        let did = match f.verdict {
            Verdict::Approved => "approved",
            Verdict::Rejected => "rejected",
            Verdict::ApprovedWithChanges => "approved with changes",
        };
        let withdrawn = record.and_then(|r| r.feedback.retracted_by).map(|id| format!(" (withdrawn by {id})"));
        let withdrawn = withdrawn.unwrap_or_default();
        Line {
            at: Some(f.timestamp),
            who: Some(f.reviewer.clone()),
            id: Some(f.id.clone()),
            path: Some(f.path.clone()),
            text: format!("{} {did} at {}: {words}{withdrawn}", f.reviewer, f.gate),
        }
    }

    /// Tells tiebreaks in which the evidence, or opposing feedback, takes a side.
    pub(super) fn tiebreaks(&self, evidence: &[String], dissent: &[String]) -> Result<Chapter, QueryError> {
        let ours: HashSet<&str> = evidence.iter().chain(dissent).map(String::as_str).collect();
        let mut lines = vec![];
        let all = self.queries.index.ambiguous()?;
        let takes_side = |a: &AmbiguousRecord| {
            ours.contains(a.feedback_id.as_str()) || a.other_side.iter().any(|s| ours.contains(s.feedback_id.as_str()))
        };
        let with: Vec<_> = all.iter().rev().filter(|(_, a)| takes_side(a)).collect();
        for (path, a) in with.iter().take(REMARKS) {
            lines.extend(self.tiebreak(path, a));
        }
        let more = with.len().saturating_sub(REMARKS);
        if more > 0 {
            lines.push(said(None, format!("and {more} more")));
        }
        Ok(chapter("tiebreaks", "What was contradicted", lines))
    }

    /// Tells a tiebreak: both sides, and how it was decided.
    pub(super) fn tiebreak(&self, path: &str, a: &AmbiguousRecord) -> Vec<Line> {
        let this = &a.this_side;
        let other = a.other_side.iter().map(|s| format!("{} said “{}”", s.reviewer_id, one_line(&s.text)));
        let other: Vec<String> = other.collect();
        let other = prose::list(other.iter().map(String::as_str), 3);
        let text =
            format!("{} said “{}” where {other}: {}", this.reviewer_id, one_line(&this.text), one_line(&a.question));
        let id = Some(a.feedback_id.clone());
        let opened = Line { id, path: Some(path.to_owned()), ..said(Some(a.opened_at), text) };
        if a.status == AmbiguousStatus::Open {
            return vec![opened, said(None, "It is pending a decision.")];
        }
        let review = a.resolved_by.as_ref().and_then(|id| self.reviews.iter().find(|(_, r)| r.review_id == *id));
        let who = review.map(|(_, r)| r.reviewer_id.clone());
        let by = who.clone().or_else(|| a.resolved_by.clone()).unwrap_or_else(|| "someone".into());
        let how = match (a.resolved_as, &a.resolution) {
            (Some(how), _) => how.as_str().to_owned(),
            (None, Some(words)) => format!("“{}”", one_line(words)),
            (None, None) => "decided".to_owned(),
        };
        let why = because(a.rationale.as_ref());
        let decided = Line {
            who,
            id: a.resolved_by.clone(),
            path: review.map(|(path, _)| path.clone()),
            ..said(a.resolved_at, format!("{by} decided {how}{why}"))
        };
        vec![opened, decided]
    }
}
