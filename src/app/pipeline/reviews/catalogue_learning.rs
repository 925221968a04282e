//! Collects what people confirmed for the store's catalogue, and writes the catalogue.
//!
//! What becomes of it is decided in `domain::language::catalogue::learned`. Comments are taken from the working set,
//! where they are redacted.

use crate::domain::channels::action::Policy;
use crate::domain::clusters;
use crate::domain::clusters::Member;
use crate::domain::records::record::{ProposalRecord, ProposalStatus};
use crate::pipeline::error::{PipelineError, RACES};
use crate::pipeline::state::Pipeline;
use crate::pipeline::working_set::WorkingSet;
use crate::ports::{ChangeSet, CommitOutcome, FileWrite};
use crate::queries::{Comparisons, QueryError};
use crate::text::language::catalogue::learned::Taught;
use crate::text::language::catalogue::{Towards, Work};
use crate::text::language::comment;
use crate::text::language::direction::Direction;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap};

/// Statements by a language model do not count as people's.
const MODEL: &str = "model:";
/// How many comments of a cluster are examined.
const LOOK_AT: usize = 256;

/// Returns the clusters whose members people confirmed, by stating what belongs to them or by approving the rule
/// drafted from their concern.
///
/// # Errors
/// If the index cannot be read.
pub fn taught(
    comparisons: &Comparisons<'_>,
    policy: clusters::Policy,
    now: Timestamp,
) -> Result<Vec<Taught>, QueryError> {
    let Comparisons { queries, understanding } = comparisons;
    let mut loaded = WorkingSet::new(policy, Policy::default());
    loaded.load(queries.index, understanding, None, now)?;
    let (memory, catalogue) = (&loaded.remarks.groups, understanding.catalogue());
    let reviews = queries.index.reviews()?.into_iter();
    let reviewers: HashMap<String, String> = reviews.map(|(_, r)| (r.review_id, r.reviewer_id)).collect();
    let proposals = queries.index.proposals()?.into_iter();
    let rules: HashMap<String, ProposalRecord> = proposals.map(|(_, r)| (r.proposal_id.clone(), r)).collect();
    let mut groups = Vec::new();
    for (key, cluster) in memory.clusters().filter(|(_, cluster)| !cluster.members.is_empty()) {
        // For something that a model taught, the model is named in place of a review.
        let by_people = |review: &String| {
            !review.starts_with(MODEL) && reviewers.get(review).is_none_or(|who| !who.starts_with(MODEL))
        };
        let rule = cluster.proposal.as_ref().and_then(|id| rules.get(id));
        let approved = rule.filter(|r| r.status == ProposalStatus::Approved);
        let of_approved = approved.and_then(|r| r.concern.clone());
        if !cluster.taught_by.as_ref().is_some_and(by_people) && of_approved.is_none() {
            continue;
        }
        let concern = of_approved.or_else(|| memory.concern(key, catalogue).map(|c| c.id.clone()));
        let members: Vec<&Member> = cluster.members.iter().take(LOOK_AT).map(|m| memory.member(*m)).collect();
        let usable = rule.filter(|r| !matches!(r.status, ProposalStatus::Rejected | ProposalStatus::RolledBack));
        groups.push(Taught {
            cluster: cluster.id.clone(),
            remarks: remarks(&members, concern.as_deref()),
            concern,
            gates: gates(&members),
            direction: match cluster.pointing.direction {
                Direction::More => Towards::More,
                Direction::Less => Towards::Less,
                Direction::Unclear => Towards::Change,
            },
            rule: usable.map(|r| r.rule_content.trim().to_owned()),
        });
    }
    Ok(groups)
}

/// Returns the comments' texts: first those not read as the concern, which teach most, then in chronological order.
fn remarks(members: &[&Member], concern: Option<&str>) -> Vec<String> {
    let read_so = |m: &Member| concern.is_some() && m.voiced.as_ref().map(|v| v.concern.as_str()) == concern;
    let mut members: Vec<&&Member> =
        members.iter().filter(|m| m.voiced.as_ref().is_none_or(|voiced| !voiced.waived)).collect();
    members.sort_by_key(|m| (read_so(m), m.at, m.id.clone()));
    members.into_iter().map(|m| comment::compared(&m.text)).collect()
}

/// Returns the kinds of work that the comments are about, the most frequent first.
fn gates(members: &[&Member]) -> Vec<Work> {
    let mut counts: BTreeMap<Work, usize> = BTreeMap::new();
    members.iter().filter_map(|m| Work::at(m.gate)).for_each(|work| *counts.entry(work).or_default() += 1);
    let mut works: Vec<(Work, usize)> = counts.into_iter().collect();
    works.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    works.into_iter().map(|(work, _)| work).collect()
}

impl Pipeline {
    /// Writes one file of the store's catalogue in its own commit and activates it; without a text, removes it. Returns
    /// false if the store already has it.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn write_catalogue(
        &mut self,
        path: &str,
        text: Option<&str>,
        subject: &str,
        now: Timestamp,
    ) -> Result<bool, PipelineError> {
        let mut change = ChangeSet { subject: subject.to_owned(), ..ChangeSet::default() };
        match text {
            Some(text) => change.writes.push(FileWrite { path: path.to_owned(), content: text.into() }),
            None => change.removes.push(path.to_owned()),
        }
        for _ in 0..RACES {
            match self.outside.store.commit(self.memory.head.as_ref(), &change)? {
                CommitOutcome::Unchanged(_) => return Ok(false),
                CommitOutcome::Committed(_) => return self.take_up(now).map(|()| true),
                CommitOutcome::Moved(_) => self.take_up(now)?,
            }
        }
        Err(PipelineError::Busy)
    }
}
