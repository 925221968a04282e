//! Loads the working set from the index.

use super::channels::Channels;
use super::examples::example;
use super::keys::{advice_key, follow_up_key, injection_key, reading_key, review_key};
use super::value::{Silent, WorkingSet};
use crate::comments::analyzer::Analyzer;
use crate::comments::evaluator::{CommentVectors, remark};
use crate::domain::clusters::Member;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::feedback::is_comment;
use crate::domain::intake::place::{PlaceKind, language};
use crate::domain::intake::submission::{Mark, Resolution, ReviewAction};
use crate::domain::records::layout;
use crate::domain::records::record::{
    AdviceKind, AmbiguousRecord, AmbiguousStatus, Judged, ReviewOutcome, ReviewRecord,
};
use crate::ports::{EmbedError, Index, IndexError, IndexedFeedback};
use crate::queries::QueryError;
use crate::text::ids::{CommitId, fingerprint};
use crate::text::language::comment::compared;
use crate::text::language::direction::Direction;
use jiff::Timestamp;
use std::sync::Arc;
use thiserror::Error;

/// Why the working set cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A rule's text cannot be embedded.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl From<LoadError> for QueryError {
    fn from(error: LoadError) -> QueryError {
        match error {
            LoadError::Index(error) => error.into(),
            LoadError::Embed(error) => error.into(),
        }
    }
}

impl WorkingSet {
    /// Discards the state derived from the index and reloads it.
    pub fn load(
        &mut self,
        index: &dyn Index,
        understanding: &Analyzer,
        head: Option<CommitId>,
        now: Timestamp,
    ) -> Result<(), LoadError> {
        self.forget();
        self.load_feedback(index)?;
        let known = &mut self.known;
        let mut know = |key: &str| known.insert(fingerprint(key)).is_none();
        self.channels = Channels::load(index, self.action_policy, &mut know)?;
        self.load_unreadable(index)?;
        for (_, edge_case) in index.edge_cases()? {
            self.note_number("EDGE", &edge_case.edge_case_id);
        }
        self.load_groups(index)?;
        self.load_rules(index, understanding)?;
        self.load_submitted(index)?;
        let tiebreaks = index.ambiguous()?;
        tiebreaks.iter().for_each(|(_, record)| self.note_decided(record));
        self.unchecked = tiebreaks
            .into_iter()
            .filter(|(_, record)| record.status == AmbiguousStatus::Open)
            .map(|(_, record)| record.feedback_id)
            .collect();
        self.keep_waiting(now);
        self.head = head;
        Ok(())
    }

    /// Applies the decision on a contradiction, if there is one: which feedback no longer contradicts.
    pub fn note_decided(&mut self, record: &AmbiguousRecord) {
        self.remarks.overruled.extend(overruled(record));
        if record.resolved_as == Some(Resolution::NoContradiction) && record.resolved_by.is_some() {
            self.remarks.reconcile(&record.feedback_id);
        }
    }

    fn forget(&mut self) {
        self.remarks = CommentVectors::new(self.remarks.policy);
        self.known.clear();
        self.numbers.clear();
        self.rules.clear();
        self.decided_since = true;
        self.imported.clear();
        self.verdicts.clear();
        self.advised.clear();
        self.silent.clear();
        self.checked.clear();
        self.judged = Judged::default();
        self.examples.clear();
        self.approvals.clear();
        self.refused.clear();
        self.vetted.clear();
    }

    fn load_feedback(&mut self, index: &dyn Index) -> Result<(), IndexError> {
        index.each_feedback(&mut |feedback| {
            self.know(&feedback.id);
            if !feedback.is_comment() {
                self.note_verdict(&feedback.tenant, &feedback.agent, feedback.corrects, None);
            }
            if let Some(id) = &feedback.edge_case {
                self.note_number("EDGE", id);
            }
            if let Some((id, silent)) = silent(&feedback) {
                self.silent.insert(id, Arc::new(silent));
            }
            if let Some((member, cluster)) = member(feedback) {
                self.silent.remove(&member.id);
                self.remarks.groups.restore(member, cluster.as_deref());
            }
        })
    }

    /// Registers records that a hand edit made unreadable: a redelivery must not overwrite them.
    fn load_unreadable(&mut self, index: &dyn Index) -> Result<(), IndexError> {
        for (path, _) in index.unreadable()? {
            let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".yaml");
            let name = layout::id_of_name(name);
            if path.starts_with(layout::DECISIONS) {
                self.know(name);
            } else if path.starts_with(layout::REVIEWS) {
                self.know(&review_key(name));
            } else if path.starts_with(layout::INJECTIONS) {
                self.know(&injection_key(name));
            } else if path.starts_with(layout::FOLLOW_UPS) {
                self.know(&follow_up_key(name));
            } else if path.starts_with(layout::ADVICE) {
                self.know(&advice_key(name));
            } else if path.starts_with(layout::READINGS) {
                self.know(&reading_key(name));
            }
            // Nor may another record get its number and thus its path.
            for series in ["RULE", "EDGE"] {
                self.note_number(series, name);
            }
        }
        Ok(())
    }

    /// Loads people's decisions about clusters and their effects; the members are loaded already.
    fn load_groups(&mut self, index: &dyn Index) -> Result<(), IndexError> {
        for cluster in index.clusters()? {
            let plain = cluster.decided_by.is_none() && cluster.not_proposed.is_none();
            if plain && cluster.merged_into.is_none() && cluster.taught_by.is_none() && cluster.kept_apart.is_empty() {
                continue;
            }
            for other in &cluster.kept_apart {
                self.remarks.groups.keep_apart(&cluster.cluster_id, other);
            }
            let key = self.remarks.groups.cluster_named(&cluster.cluster_id);
            let remembered = self.remarks.groups.cluster_mut(key);
            remembered.decided_by = cluster.decided_by;
            remembered.not_proposed = cluster.not_proposed;
            remembered.merged_into = cluster.merged_into;
            remembered.taught_by = cluster.taught_by;
        }
        // For feedback in no cluster, the review is the only record of what is kept apart.
        let mut reviews = index.reviews()?;
        reviews.sort_by(|(_, a), (_, b)| (a.recorded_at, &a.review_id).cmp(&(b.recorded_at, &b.review_id)));
        for (path, review) in reviews {
            if review.outcome != ReviewOutcome::Accepted {
                self.refused.insert(review.review_id, path);
                continue;
            }
            self.know(&review_key(&review.review_id));
            self.judged.add(review.judged.unwrap_or_default());
            match &review.action {
                ReviewAction::KeepApart { a, b } => {
                    self.remarks.groups.keep_apart(a, b);
                }
                // If none asks for the same as another, every pair differs.
                ReviewAction::Sort { same, others, into: None, .. } if same.is_empty() => {
                    for (at, a) in others.iter().enumerate() {
                        for b in &others[..at] {
                            self.remarks.groups.keep_apart(a, b);
                        }
                    }
                }
                _ => {}
            }
            self.load_examples(index, &review)?;
            self.note_approval(review);
        }
        self.refused = self.refused.iter().filter(|(id, _)| !self.knows(&review_key(id))).map(owned).collect();
        Ok(())
    }

    /// Loads a review's marks of single comments as examples for later ones.
    fn load_examples(&mut self, index: &dyn Index, review: &ReviewRecord) -> Result<(), IndexError> {
        let of = |ids: &[String], mark: Mark| ids.iter().map(|id| (id.clone(), mark)).collect::<Vec<_>>();
        let said = match &review.action {
            ReviewAction::Sort { nothing, particular, .. } => {
                [of(nothing, Mark::Nothing), of(particular, Mark::Particular)].concat()
            }
            ReviewAction::Mark { feedback_id, mark, .. } => vec![(feedback_id.clone(), *mark)],
            _ => return Ok(()),
        };
        for (id, mark) in said {
            if let Some(feedback) = index.feedback(&id)?.filter(|feedback| !feedback.retracted) {
                let text = compared(&feedback.text);
                self.examples.add(&feedback.tenant, &feedback.agent, &text, example(mark, &review.review_id, &id));
            }
        }
        Ok(())
    }

    fn load_rules(&mut self, index: &dyn Index, understanding: &Analyzer) -> Result<(), LoadError> {
        let mut rules = index.proposals()?;
        // A cluster shows its latest proposal.
        rules.sort_by(|(_, a), (_, b)| (a.created_at, &a.proposal_id).cmp(&(b.created_at, &b.proposal_id)));
        for (path, record) in rules {
            self.note_rule(&path, record, understanding)?;
        }
        self.edited = self
            .rules()
            .filter(|r| r.was_edited() || r.has_early_hash())
            .map(|r| r.record.proposal_id.clone())
            .collect();
        for (_, import) in index.imports()?.into_iter().rev() {
            self.note_import(&import, understanding)?;
        }
        Ok(())
    }

    fn load_submitted(&mut self, index: &dyn Index) -> Result<(), IndexError> {
        let submitted = index.submitted()?;
        for id in &submitted.reviews {
            // A rejected review may come again under its id.
            if !self.refused.contains_key(id) {
                self.know(&review_key(id));
            }
        }
        submitted.injections.iter().for_each(|id| self.know(&injection_key(id)));
        submitted.follow_ups.iter().for_each(|id| self.know(&follow_up_key(id)));
        for asked in &submitted.advice {
            self.note_advice(&asked.question_hash, asked.kind, &asked.about, asked.again, asked.at, asked.tokens);
            if asked.kind == AdviceKind::Check {
                // Each cluster, followed by its evidence.
                for part in asked.about.chunk_by(|_, next| !is_cluster(next)) {
                    let Some((cluster, evidence)) = part.split_first() else { continue };
                    self.note_checked(cluster, evidence.iter().map(String::as_str));
                }
            }
        }
        for (feedback_id, at, tokens) in &submitted.readings {
            self.note_reading(feedback_id, *at, *tokens);
        }
        Ok(())
    }

    /// Keeps waiting times across a restart: patterns have waited since their last comment.
    fn keep_waiting(&mut self, now: Timestamp) {
        let policy = &self.remarks.policy;
        let waiting = self.remarks.groups.clusters().filter(|(_, cluster)| {
            cluster.proposal.is_none() && cluster.class(policy) == Classification::GeneralizableHigh
        });
        let since = waiting.map(|(_, cluster)| cluster.last_seen.min(now)).min();
        self.waiting_since = since.map(|since| self.waiting_since.unwrap_or(since));
    }
}

fn is_cluster(id: &str) -> bool {
    id.starts_with("CLUSTER-")
}

fn owned((id, path): (&String, &String)) -> (String, String) {
    (id.clone(), path.clone())
}

/// Returns the feedback that a decided contradiction excludes from later contradictions: the losing side, or both if
/// the two do not contradict each other.
fn overruled(record: &AmbiguousRecord) -> Vec<String> {
    match record.resolved_as {
        None => Vec::new(),
        Some(Resolution::Generalizable) => record.other_side.iter().map(|side| side.feedback_id.clone()).collect(),
        Some(Resolution::EdgeCase | Resolution::Ignore) => vec![record.feedback_id.clone()],
        Some(Resolution::NoContradiction) => {
            let others = record.other_side.iter().map(|side| &side.feedback_id);
            std::iter::once(&record.feedback_id).chain(others).cloned().collect()
        }
    }
}

/// Returns feedback that asks, or may ask, for something but cannot be compared.
fn silent(feedback: &IndexedFeedback) -> Option<(String, Silent)> {
    let asks = feedback.classification != Classification::Positive && !feedback.retracted && feedback.mark.is_none();
    let silent = || Silent {
        at: feedback.timestamp,
        tenant: feedback.tenant.clone(),
        agent: feedback.agent.clone(),
        path: feedback.path.clone(),
    };
    // A comment without words may contain a suggestion.
    let may_say = !feedback.text.trim().is_empty() || is_comment(&feedback.id);
    (asks && may_say).then(|| (feedback.id.clone(), silent()))
}

/// Returns the comment behind a feedback if it can be compared, with its cluster's id.
pub fn member(feedback: IndexedFeedback) -> Option<(Member, Option<String>)> {
    let vector = feedback.vector?;
    let compared = feedback.demand || feedback.direction != Direction::Unclear;
    if !compared || feedback.classification == Classification::Positive {
        return None;
    }
    let is_review = is_comment(&feedback.id) || feedback.repository.is_some();
    let tied = matches!(feedback.classification, Classification::GeneralizableHigh | Classification::GeneralizableLow);
    let member = Member {
        id: feedback.id,
        tenant: feedback.tenant,
        agent: feedback.agent,
        reviewer: feedback.reviewer,
        verdict: feedback.verdict,
        gate: feedback.gate,
        task: feedback.task.filter(|_| is_review),
        at: feedback.timestamp,
        direction: feedback.direction,
        outright: feedback.outright,
        place: feedback.file.as_deref().and_then(PlaceKind::of),
        language: feedback.file.as_deref().and_then(language),
        voiced: feedback.voiced,
        text: remark(&feedback.text),
        path: feedback.path,
        vector,
        classification: feedback.classification,
        revision: feedback.revision,
        edge_case: feedback.edge_case,
        cluster: None,
        tied,
        sentence: feedback.sentence,
        judged: feedback.judged,
        withdrawn: false,
    };
    Some((member, feedback.cluster))
}
