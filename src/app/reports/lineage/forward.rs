//! Forwards from a feedback, a one-off or a review: what became of it.

use super::answer::{Chapter, Line, chapter, day, said};
use super::rule::{about_rule, decision};
use super::teller::Teller;
use crate::domain::intake::submission::ReviewAction;
use crate::domain::records::layout::file_and_comment;
use crate::domain::records::record::{
    AmbiguousRecord, ClusterRecord, DecisionRecord, EdgeCaseRecord, EdgeCaseStatus, FollowUpRecord, ReviewRecord,
};
use crate::ports::IndexedFeedback;
use crate::queries::{QueryError, RecordLocation};
use crate::text::prose::{count, one_line, percent};

impl Teller<'_> {
    /// Tells everything that followed from a feedback.
    pub(super) fn feedback(&self, f: &IndexedFeedback) -> Result<Vec<Chapter>, QueryError> {
        let record = self.queries.decision(&f.path)?;
        let mut remark = vec![self.remark(f)];
        if let Some(c) = &record.feedback.correction {
            let lines = (c.lines_added, c.lines_removed);
            let text = format!("The correction: {} added, {} removed", count(lines.0 as u64, "line"), lines.1);
            remark.push(Line { path: Some(c.path.clone()), ..said(None, text) });
        }
        let mut chapters = vec![
            chapter("feedback", format!("{}: about the work of {}", f.id, f.agent), remark),
            chapter("class", "How it was classified", vec![class(&record)]),
            chapter("retraction", "It was withdrawn", self.retraction(&record)),
            chapter("follow_ups", "Later comments on the forge", self.follow_ups(&record)?),
        ];
        chapters.push(self.opened_edge_case(record.feedback.edge_case.as_deref())?);
        let mut tiebreaks = vec![];
        for (path, a) in self.queries.index.with_id::<AmbiguousRecord>(&f.id)? {
            tiebreaks.extend(self.tiebreak(&path, &a));
        }
        chapters.push(chapter("tiebreaks", "What it contradicts", tiebreaks));
        let mut rule = record.evaluation.proposed_action.as_ref().map(|a| a.proposal_id.clone());
        if let Some(cluster) = &record.evaluation.cluster {
            chapters.push(self.clusters(&[cluster])?);
            let found = self.queries.index.record::<ClusterRecord>(cluster)?;
            rule = rule.or(found.and_then(|(_, c)| c.proposal));
        }
        if let Some(rule) = rule {
            chapters.extend(self.rule_in_short(&rule)?);
        }
        chapters.push(chapter("reviews", "What people decided about it", self.reviews_of_feedback(&f.id)));
        chapters.push(self.commits(&[file_and_comment(&f.path).0.to_owned()])?);
        Ok(chapters)
    }

    /// Tells a one-off, and what became of its feedback.
    pub(super) fn edge_case(&self, path: &str, r: &EdgeCaseRecord) -> Result<Vec<Chapter>, QueryError> {
        let mut chapters = vec![chapter("edge_case", format!("The one-off {}", r.edge_case_id), edge_case(path, r))];
        if let Some(f) = self.queries.index.feedback(&r.feedback_id)? {
            chapters.extend(self.feedback(&f)?.into_iter().filter(|c| c.part != "edge_case"));
        }
        Ok(chapters)
    }

    /// Tells a review, and what it was about.
    pub(super) fn review(&self, path: &str, r: &ReviewRecord) -> Result<Vec<Chapter>, QueryError> {
        let rule = match about_rule(&r.action) {
            Some(id) => self.rule_by_id(id)?,
            None => None,
        };
        let line = decision(path, r, rule.as_ref().map(|(_, rule)| rule));
        let mut chapters = vec![chapter("review", format!("The review {}", r.review_id), vec![line])];
        if let Some((path, rule)) = &rule {
            chapters.extend(self.rule(path, rule)?);
            return Ok(chapters);
        }
        match &r.action {
            ReviewAction::MergeClusters { into, .. } => chapters.extend(self.cluster_alone(into)?),
            ReviewAction::SplitCluster { cluster_id, .. } | ReviewAction::WordRule { cluster_id, .. } => {
                chapters.extend(self.cluster_alone(cluster_id)?)
            }
            ReviewAction::Same { a, b } | ReviewAction::KeepApart { a, b } => {
                for id in [a, b] {
                    if let Some(f) = self.queries.index.feedback(id)? {
                        chapters.extend(self.feedback(&f)?);
                    } else {
                        chapters.extend(self.cluster_alone(id)?);
                    }
                }
            }
            ReviewAction::Resolve { feedback_id, .. }
            | ReviewAction::MoveFeedback { feedback_id, .. }
            | ReviewAction::Mark { feedback_id, .. }
            | ReviewAction::Retract { feedback_id: Some(feedback_id), .. } => {
                if let Some(f) = self.queries.index.feedback(feedback_id)? {
                    chapters.extend(self.feedback(&f)?);
                }
            }
            _ => {}
        }
        Ok(chapters)
    }

    /// Tells what became of a proposal: who decided, and where it is in force.
    pub(super) fn rule_in_short(&self, id: &str) -> Result<Vec<Chapter>, QueryError> {
        let Some((path, r)) = self.rule_by_id(id)? else {
            let line = Line { id: Some(id.to_owned()), ..said(None, format!("{id}, which has no file any more")) };
            return Ok(vec![chapter("rule", "The proposal", vec![line])]);
        };
        let mut all = self.rule(&path, &r)?;
        // The chain behind the rule leads back here; only what followed is told.
        all.retain(|c| matches!(c.part, "rule" | "versions" | "reviews" | "prompts"));
        Ok(all)
    }

    fn retraction(&self, record: &DecisionRecord) -> Vec<Line> {
        let Some(id) = &record.feedback.retracted_by else { return vec![] };
        match self.reviews.iter().find(|(_, r)| r.review_id == *id) {
            Some((path, review)) => vec![decision(path, review, None)],
            None => {
                let text = format!("The review {id} withdrew it: nothing is learned from it any more");
                vec![Line { id: Some(id.clone()), ..said(None, text) }]
            }
        }
    }

    fn follow_ups(&self, record: &DecisionRecord) -> Result<Vec<Line>, QueryError> {
        let line = |one: RecordLocation<FollowUpRecord>| Line {
            id: Some(one.record.follow_up_id.clone()),
            path: Some(one.path),
            ..said(Some(one.record.timestamp), one.record.told())
        };
        Ok(self.queries.follow_ups(&record.decision_id)?.into_iter().map(line).collect())
    }

    fn opened_edge_case(&self, id: Option<&str>) -> Result<Chapter, QueryError> {
        let Some(id) = id else { return Ok(chapter("edge_case", "", vec![])) };
        let found = self.queries.index.record(id)?;
        let lines = found.map(|(path, e)| edge_case(&path, &e));
        Ok(chapter("edge_case", "The one-off it opened", lines.unwrap_or_default()))
    }

    fn reviews_of_feedback(&self, id: &str) -> Vec<Line> {
        let about = |action: &ReviewAction| match action {
            ReviewAction::MoveFeedback { feedback_id, .. } => feedback_id == id,
            ReviewAction::Same { a, b } | ReviewAction::KeepApart { a, b } => a == id || b == id,
            ReviewAction::SplitCluster { feedback_ids, .. } => feedback_ids.iter().any(|f| f == id),
            ReviewAction::Mark { feedback_id, .. } => feedback_id == id,
            ReviewAction::Sort { same, others, nothing, particular, .. } => {
                [same, others, nothing, particular].into_iter().flatten().any(|f| f == id)
            }
            _ => false,
        };
        let reviews = self.reviews.iter().rev().filter(|(_, r)| about(&r.action));
        reviews.map(|(path, r)| decision(path, r, None)).collect()
    }
}

fn class(record: &DecisionRecord) -> Line {
    let e = &record.evaluation;
    let again = if e.revision > 1 { format!(", evaluated {} times", e.revision) } else { String::new() };
    let sure = percent(e.confidence);
    let text = format!("{} ({sure} sure{again}): {}", e.classification.as_str(), one_line(&e.rationale));
    said(Some(e.evaluated_at), text)
}

fn edge_case(path: &str, e: &EdgeCaseRecord) -> Vec<Line> {
    let fate = match (e.status, &e.promoted_to, &e.resolution) {
        (EdgeCaseStatus::Promoted, Some(to), _) => format!("similar comments arrived, and it became part of {to}"),
        (_, _, Some(resolution)) => one_line(resolution),
        (EdgeCaseStatus::Promoted, None, None) => "similar comments arrived".to_owned(),
        (EdgeCaseStatus::Open, _, None) => "there is no similar comment yet".to_owned(),
    };
    let text = format!("{}, opened on {}: {fate}", e.edge_case_id, day(e.timestamp));
    let (id, path) = (Some(e.edge_case_id.clone()), Some(path.to_owned()));
    vec![Line { id, path, ..said(Some(e.timestamp), text) }]
}
