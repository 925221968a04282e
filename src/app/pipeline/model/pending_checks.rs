//! Patterns that no language model has checked against their evidence yet, and which is checked next.

use super::pending_placements::offered;
use super::quotes::QuotedComment;
use crate::domain::clusters::evaluation::{ActionType, Classification};
use crate::domain::clusters::{Cluster, ClusterKey, ClusterOrComment, Member};
use crate::domain::rules::draft::advice::{BESIDE, CHECKED, CheckQuestion, PATTERNS, SHOWN, ToCheck};
use crate::pipeline::deps::Deps;
use crate::pipeline::rules::proposals::{NO_TEXT, may_propose_again};
use crate::pipeline::settings::Settings;
use crate::pipeline::working_set::{CheckedPattern, WorkingSet};
use crate::ports::KnowledgeError;
use crate::text::ids::CommitId;
use jiff::Timestamp;
use std::collections::{BTreeSet, HashMap};

/// The raw link from which another demand is shown next to a rule.
const LINK: f64 = 0.25;
/// The maximum number of checks of a pattern until the next start, in addition to one for each part of its evidence:
/// each check removes something or is the last.
const TRIES: usize = 8;
/// How much must have been added before a rejected or proposed pattern is checked again: more than may be proposed
/// unchecked, and at least this many.
const GROWN: u64 = 3;
/// The number of checked comments per unchecked comment that may be proposed.
const CHECKED_FOR_ONE: u64 = 4;

/// The unchecked patterns.
#[derive(Default)]
pub(crate) struct PendingChecks {
    /// The head at which nothing more was found.
    looked: Option<Option<CommitId>>,
    tries: HashMap<String, usize>,
    /// Why a rule's wording was rejected, by cluster.
    refused: HashMap<String, String>,
}

impl PendingChecks {
    /// Notes that there may be something to find after all.
    pub fn look_again(&mut self) {
        self.looked = None;
    }

    /// Handles a pattern without a usable check or with rejected wording. Returns true if the model may retry.
    pub fn try_again(&mut self, cluster: &str, why: &str) -> bool {
        self.looked = None;
        self.refused.insert(cluster.to_owned(), why.to_owned()).is_none()
    }

    /// Returns the next patterns to check, the largest first; `None` if none is left. Those `under_way` are left out.
    /// While others are still being placed, returns only patterns without a rule and with a minimum number of comments.
    pub fn next(
        &mut self,
        memory: &WorkingSet,
        outside: &Deps,
        settings: &Settings,
        now: Timestamp,
        under_way: &BTreeSet<String>,
        large: u64,
    ) -> Result<Option<CheckQuestion>, KnowledgeError> {
        if self.looked.as_ref() == Some(&memory.head) {
            return Ok(None);
        }
        let groups = &memory.remarks.groups;
        let mut waiting: Vec<(ClusterKey, &Cluster)> = groups
            .clusters()
            .filter(|(_, cluster)| !under_way.contains(&cluster.id))
            .filter(|(_, cluster)| large == 0 || (cluster.tied() >= large && cluster.proposal.is_none()))
            .filter(|(_, cluster)| self.tries.get(&cluster.id).is_none_or(|tries| *tries < most_tries(cluster)))
            .filter(|(key, cluster)| is_due(memory, settings, now, *key, cluster))
            .collect();
        waiting.sort_by(|(_, a), (_, b)| b.tied().cmp(&a.tied()).then_with(|| a.id.cmp(&b.id)));
        let mut patterns: Vec<ToCheck> = Vec::new();
        let (mut agent, mut shown) = (String::new(), 0);
        for (key, cluster) in waiting {
            let whom = groups.representatives(key, 1).first().map_or("", |member| member.agent.as_str());
            if patterns.len() == PATTERNS || (!patterns.is_empty() && agent != whom) {
                continue;
            }
            // Rejected wording is asked about on its own.
            let refused = self.refused.get(&cluster.id);
            let pattern = to_check(memory, outside, key, refused.map_or("", String::as_str))?;
            let fits = patterns.is_empty() || (refused.is_none() && shown + pattern.comments.len() <= SHOWN);
            if !fits || is_same_as_before(memory, &pattern) {
                continue;
            }
            whom.clone_into(&mut agent);
            shown += pattern.comments.len();
            *self.tries.entry(cluster.id.clone()).or_default() += 1;
            patterns.push(pattern);
            if refused.is_some() {
                break;
            }
        }
        if patterns.is_empty() {
            if large == 0 {
                self.looked = Some(memory.head.clone());
            }
            return Ok(None);
        }
        Ok(Some(CheckQuestion::new(&agent, patterns)))
    }
}

fn most_tries(cluster: &Cluster) -> usize {
    TRIES + cluster.members.len() / CHECKED
}

/// Returns the number of unchecked comments of a pattern.
pub(crate) fn unchecked(memory: &WorkingSet, key: ClusterKey) -> u64 {
    let groups = &memory.remarks.groups;
    let checked = memory.checked.get(&groups.cluster(key).id);
    groups.tied_members(key).iter().filter(|member| !is_checked(checked, member)).count() as u64
}

/// Reports whether so little of a pattern is unchecked that the rest speaks for it.
pub(crate) fn is_nearly_checked(memory: &WorkingSet, key: ClusterKey) -> bool {
    let cluster = memory.remarks.groups.cluster(key);
    let known = memory.checked.get(&cluster.id).map_or(0, |checked| checked.evidence.len() as u64);
    unchecked(memory, key) * CHECKED_FOR_ONE <= known
}

/// Returns by how many comments a pattern must grow to be checked again, given how many were checked.
fn grown_by(known: u64) -> u64 {
    GROWN.max(known / CHECKED_FOR_ONE + 1)
}

/// Reports whether a pattern is due for a check.
fn is_due(memory: &WorkingSet, settings: &Settings, now: Timestamp, key: ClusterKey, cluster: &Cluster) -> bool {
    let groups = &memory.remarks.groups;
    if cluster.class(&memory.remarks.policy) != Classification::GeneralizableHigh {
        return false;
    }
    let checked = memory.checked.get(&cluster.id);
    let known = checked.map_or(0, |checked| checked.evidence.len() as u64);
    let grown = unchecked(memory, key) >= grown_by(known);
    let rule = cluster.proposal.as_deref().and_then(|id| memory.rule(id));
    match rule.filter(|rule| rule.is_living()) {
        // What people decided on or worded is left to them.
        Some(rule) if !rule.is_pending() || groups.is_peoples(key) => false,
        Some(rule) => {
            let record = &rule.record;
            let own = record.cluster_id == cluster.id && record.action_type == ActionType::CreateRule;
            own && record.target_rule.is_none() && record.approvals.is_empty() && (known == 0 || grown)
        }
        None if !may_propose_again(memory, settings, now, cluster) => false,
        None => match &cluster.not_proposed {
            None => true,
            Some(why) if why.starts_with(NO_TEXT) => known == 0 || grown,
            // Checking a rejected cluster again is worth the price once it has changed.
            Some(_) => checked.is_some() && grown,
        },
    }
}

/// Reports whether exactly this evidence was checked before: a restart must not repeat a question that left nothing to
/// do.
fn is_same_as_before(memory: &WorkingSet, pattern: &ToCheck) -> bool {
    let Some(checked) = memory.checked.get(&pattern.about) else { return false };
    pattern.refused.is_empty()
        && pattern.evidence().count() == checked.last
        && pattern.evidence().all(|id| checked.evidence.contains(id))
}

fn is_checked(checked: Option<&CheckedPattern>, member: &Member) -> bool {
    checked.is_some_and(|checked| checked.evidence.contains(&member.id))
}

fn to_check(memory: &WorkingSet, outside: &Deps, key: ClusterKey, refused: &str) -> Result<ToCheck, KnowledgeError> {
    let groups = &memory.remarks.groups;
    let cluster = groups.cluster(key);
    let checked = memory.checked.get(&cluster.id);
    let tied = groups.tied_members(key);
    let (old, mut shown): (Vec<&Member>, Vec<&Member>) =
        tied.into_iter().partition(|member| is_checked(checked, member));
    // Unchecked evidence first, then checked evidence if there is room.
    shown.truncate(CHECKED);
    let room = CHECKED - shown.len();
    shown.extend(old.into_iter().take(room));
    let quoted: Vec<QuotedComment> =
        shown.iter().map(|member| QuotedComment::of_member(outside, memory, member)).collect();
    let mut others = Vec::new();
    if let Some(key_of_first) = groups.representatives(key, 1).first().and_then(|member| groups.key_of(&member.id)) {
        let near = outside.evaluator(memory).groups_like(key_of_first, LINK, 2 * BESIDE)?;
        others.extend(near.into_iter().map(|(group, _)| group).filter(|group| match group {
            ClusterOrComment::Cluster(other) => *other != key && groups.cluster(*other).tied() > 1,
            ClusterOrComment::Lone(_) => false,
        }));
    }
    let own = offered(memory, ClusterOrComment::Cluster(key));
    let worded = checked.and_then(|checked| checked.worded.as_ref()).map(|worded| worded.rule.as_str());
    let others = others.into_iter().map(|group| offered(memory, group));
    let rule = worded.unwrap_or(own.demand);
    Ok(ToCheck::new(&cluster.id, rule, quoted.iter().map(QuotedComment::said), others, refused))
}
