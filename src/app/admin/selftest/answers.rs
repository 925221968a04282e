//! People's answers about comments, read from the store's history: a review names clusters, and only history shows
//! their members at that moment.

use crate::domain::intake::submission::ReviewAction;
use crate::domain::records::layout;
use crate::domain::records::record::{DecisionRecord, ReviewOutcome, ReviewRecord};
use crate::domain::reporting::score::Answer;
use crate::ports::FileChange;
use crate::queries::{Queries, QueryError};
use crate::text::yaml;
use std::collections::{BTreeMap, HashMap};

/// Prefix of language models, whose answers are not people's.
const MODEL: &str = "model:";

/// Returns all answers in the order in which they were given.
pub fn of_people(queries: &Queries<'_>) -> Result<Vec<Answer>, QueryError> {
    let any = queries.index.reviews()?.into_iter().any(|(_, review)| teaches(&review));
    let (true, Some(head)) = (any, queries.index.commit()?) else { return Ok(Vec::new()) };
    let (mut groups, mut answers) = (ClusterHistory::default(), Vec::new());
    let mut before = None;
    for commit in queries.store.commits(None, &head)? {
        let (mut reviews, mut moved) = (Vec::new(), Vec::new());
        queries.store.for_each_change(before.as_ref(), &commit.id, &mut |file| {
            if file.path.starts_with(layout::REVIEWS) {
                reviews.extend(read::<ReviewRecord>(&file).filter(teaches));
            } else if file.path.starts_with(layout::DECISIONS)
                && let Some(record) = read::<DecisionRecord>(&file)
            {
                moved.push((record.feedback.feedback_id, record.evaluation.cluster));
            }
            Ok(())
        })?;
        reviews.sort_by(|a, b| {
            (a.recorded_at, a.timestamp, &a.review_id).cmp(&(b.recorded_at, b.timestamp, &b.review_id))
        });
        // Clusters that arrived or changed in the same commit are already placed.
        for (id, cluster) in moved.iter().filter(|(id, _)| !groups.of.contains_key(id)).cloned().collect::<Vec<_>>() {
            groups.of.insert(id, cluster);
        }
        reviews.iter().for_each(|review| groups.answer(&review.action, &mut answers));
        groups.of.extend(moved);
        before = Some(commit.id);
    }
    Ok(answers)
}

fn teaches(review: &ReviewRecord) -> bool {
    let about_groups = matches!(
        review.action,
        ReviewAction::Same { .. }
            | ReviewAction::KeepApart { .. }
            | ReviewAction::MergeClusters { .. }
            | ReviewAction::MoveFeedback { .. }
            | ReviewAction::SplitCluster { .. }
            | ReviewAction::Sort { .. }
    );
    about_groups && review.outcome == ReviewOutcome::Accepted && !review.reviewer_id.starts_with(MODEL)
}

fn read<T: serde::de::DeserializeOwned>(file: &FileChange) -> Option<T> {
    // A file broken by a manual edit contributes nothing; `doctor` names it.
    yaml::parse(std::str::from_utf8(file.content.as_deref()?).ok()?).ok()
}

/// The clusters of comments at a point in history.
#[derive(Default)]
struct ClusterHistory {
    of: HashMap<String, Option<String>>,
    /// Merged clusters, each keyed by the other.
    together: BTreeMap<String, String>,
}

impl ClusterHistory {
    fn answer(&mut self, action: &ReviewAction, answers: &mut Vec<Answer>) {
        let mut say = |same: bool, a: Vec<String>, b: Vec<String>| {
            if !a.is_empty() && !b.is_empty() {
                answers.push(Answer { same, a, b });
            }
        };
        match action {
            ReviewAction::Same { a, b } | ReviewAction::MergeClusters { from: a, into: b } => {
                let (of_a, of_b) = (self.members(a), self.members(b));
                for id in of_a.iter().chain(&of_b) {
                    self.of.insert(id.clone(), Some(b.clone()));
                }
                self.together.insert(a.clone(), b.clone());
                self.together.insert(b.clone(), a.clone());
                say(true, of_a, of_b);
            }
            ReviewAction::KeepApart { a, b } => say(false, self.members(a), self.members(b)),
            ReviewAction::MoveFeedback { feedback_id, into } => {
                let here = self.of.insert(feedback_id.clone(), None).flatten();
                let left = here.map(|cluster| self.members(&cluster)).unwrap_or_default();
                let there = self.members(into);
                self.of.insert(feedback_id.clone(), Some(into.clone()));
                say(true, vec![feedback_id.clone()], there);
                say(false, vec![feedback_id.clone()], left);
            }
            ReviewAction::SplitCluster { cluster_id, feedback_ids } => {
                let left = self.members(cluster_id).into_iter().filter(|id| !feedback_ids.contains(id)).collect();
                for id in feedback_ids {
                    self.of.insert(id.clone(), None);
                }
                say(false, feedback_ids.clone(), left);
            }
            ReviewAction::Sort { same, others, nothing, particular, into } => {
                let there = into.as_ref().map(|into| self.members(into)).unwrap_or_default();
                let together: Vec<String> = there.iter().chain(same).cloned().collect();
                for id in same.iter().chain(others).chain(nothing).chain(particular) {
                    self.of.insert(id.clone(), None);
                }
                match together.split_first() {
                    Some((first, rest)) => {
                        say(true, vec![first.clone()], rest.to_vec());
                        say(false, together.clone(), others.clone());
                    }
                    None => others.iter().enumerate().for_each(|(at, a)| {
                        say(false, vec![a.clone()], others[at + 1..].to_vec());
                    }),
                }
            }
            _ => {}
        }
    }

    /// Returns a cluster's comments, or the single named one, ordered by id.
    fn members(&self, id: &str) -> Vec<String> {
        if self.of.contains_key(id) {
            return vec![id.to_owned()];
        }
        let of = |cluster: &str| -> Vec<String> {
            let inside = self.of.iter().filter(|(_, c)| c.as_deref() == Some(cluster));
            inside.map(|(id, _)| id.clone()).collect()
        };
        let mut members = of(id);
        if members.is_empty()
            && let Some(other) = self.together.get(id)
        {
            members = of(other);
        }
        members.sort();
        members
    }
}
