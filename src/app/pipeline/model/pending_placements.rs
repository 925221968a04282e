//! Demands that were read but have no place yet: which are asked about next, and which known demands are shown with
//! them.
//!
//! Demands that are near each other are asked about together: one answer then covers which of them ask for the same,
//! and they need the same known demands.

use super::quotes::QuotedComment;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{ClusterOrComment, Clusters, Member, MemberKey};
use crate::domain::rules::draft::advice::{
    DemandOption, EXAMPLES, KNOWN, OneDemand, PLACED, PLACED_AGAIN, PlaceQuestion,
};
use crate::pipeline::deps::Deps;
use crate::pipeline::working_set::{WorkingSet, about_key, again_key, placed_key, reading_key};
use crate::ports::KnowledgeError;
use crate::text::ids::CommitId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many of the nearest known demands each demand adds to a question, and from which raw link on.
const NEAREST: usize = 7;
const LINK: f64 = 0.04;
/// The number of demands from which they are placed although others are still unread.
const MANY: usize = 2 * PLACED;
/// The raw link from which something is near enough for a second try, and how many of the nearest are considered.
const SECOND_LINK: f64 = 0.15;
const SECOND_NEAREST: usize = 4;
/// The size up to which a pattern is hardly one.
const SMALL: usize = 2;
/// How many demands outside patterns get a second try even if everything near them was shown before.
const SECOND_LOOK: usize = 10;

/// Unplaced demands.
#[derive(Default)]
pub(crate) struct PendingPlacements {
    waiting: Vec<String>,
    /// Parts of questions that yielded nothing as a whole.
    parts: Vec<Vec<String>>,
    /// The head at which nothing more was found.
    looked: Option<Option<CommitId>>,
    /// Demands whose questions ran concurrently and which may ask for the same, with what was shown with each.
    beside: BTreeMap<String, Arc<BTreeSet<String>>>,
}

impl PendingPlacements {
    /// Handles a question without a usable answer: it is asked again in halves. Returns false if it shows a single
    /// demand.
    pub fn refuse(&mut self, question: &PlaceQuestion) -> bool {
        let about = question.about();
        let (a, b) = about.split_at(about.len() / 2);
        if !a.is_empty() {
            self.parts.extend([a.to_vec(), b.to_vec()]);
        }
        !a.is_empty()
    }

    /// Puts back a question that could not be sent or was not answered.
    pub fn put_back(&mut self, question: &PlaceQuestion) {
        self.waiting.extend(question.about());
        self.looked = None;
    }

    /// Reports whether there are enough to be placed well although others are still unread.
    pub fn are_many(&mut self, memory: &WorkingSet, under_way: &BTreeSet<String>) -> bool {
        if self.waiting.len() < MANY && self.looked.as_ref() != Some(&memory.head) {
            self.waiting = gather(memory);
            self.looked = Some(memory.head.clone());
        }
        self.waiting.iter().filter(|id| !under_way.contains(*id)).count() >= MANY
    }

    /// Returns the next demands to place; `None` if nothing is left. `under_way` are those being asked about. Demands
    /// outside patterns get a second try only once everything is read.
    pub fn next(
        &mut self,
        memory: &WorkingSet,
        outside: &Deps,
        under_way: &BTreeSet<String>,
        all_read: bool,
    ) -> Result<Option<PlaceQuestion>, KnowledgeError> {
        while let Some(part) = self.parts.pop() {
            let keys: Vec<MemberKey> = part.iter().filter_map(|id| to_place(memory, id)).collect();
            if !keys.is_empty() {
                return Ok(Some(question(memory, outside, &keys, false)?));
            }
        }
        if self.waiting.is_empty() && self.looked.as_ref() != Some(&memory.head) {
            self.waiting = gather(memory);
        }
        self.waiting.retain(|id| !under_way.contains(id) && to_place(memory, id).is_some());
        if let Some(keys) = nearest_together(memory, &self.waiting, PLACED) {
            let question = question(memory, outside, &keys, false)?;
            let asked = question.about();
            self.waiting.retain(|id| !asked.contains(id));
            let shown: Arc<BTreeSet<String>> =
                Arc::new(asked.iter().cloned().chain(question.known.iter().map(|known| known.about.clone())).collect());
            self.beside.extend(asked.into_iter().map(|id| (id, Arc::clone(&shown))));
            return Ok(Some(question));
        }
        if under_way.is_empty() && all_read {
            if let Some(question) = self.second_look(memory, outside)? {
                return Ok(Some(question));
            }
            self.looked = Some(memory.head.clone());
        }
        Ok(None)
    }

    /// Returns demands that are no pattern on their own, along with what was unknown when they were placed, and with a
    /// wider threshold.
    fn second_look(&mut self, memory: &WorkingSet, outside: &Deps) -> Result<Option<PlaceQuestion>, KnowledgeError> {
        let groups = &memory.remarks.groups;
        let (mut worth, mut others, mut named) = (Vec::new(), Vec::new(), BTreeSet::new());
        self.beside.retain(|id, _| {
            let key = groups.key_of(id).filter(|key| !groups.member(*key).withdrawn);
            let group = key.map(|key| groups.group_of(key));
            !memory.knows(&again_key(id)) && group.is_some_and(|group| is_small(memory, group) && named.insert(group))
        });
        for (id, shown) in &self.beside {
            let Some(key) = groups.key_of(id) else { continue };
            let near = outside.evaluator(memory).groups_like(key, SECOND_LINK, SECOND_NEAREST)?;
            match near.iter().any(|(other, _)| !was_shown(groups, *other, shown)) {
                _ if near.is_empty() => {}
                true => worth.push(id.clone()),
                false => others.push(id.clone()),
            }
        }
        if worth.is_empty() && others.len() < SECOND_LOOK {
            return Ok(None);
        }
        worth.append(&mut others);
        let Some(keys) = nearest_together(memory, &worth, PLACED_AGAIN) else { return Ok(None) };
        let question = question(memory, outside, &keys, true)?;
        question.about().iter().for_each(|id| drop(self.beside.remove(id)));
        Ok(Some(question))
    }
}

/// Reports whether a cluster is no pattern, or hardly one, and may be merged into another as a whole.
fn is_small(memory: &WorkingSet, group: ClusterOrComment) -> bool {
    let groups = &memory.remarks.groups;
    match group {
        ClusterOrComment::Lone(_) => true,
        ClusterOrComment::Cluster(key) => {
            let cluster = groups.cluster(key);
            let is_pattern = cluster.class(&memory.remarks.policy) == Classification::GeneralizableHigh;
            let is_small = !is_pattern || cluster.members.len() <= SMALL;
            is_small && cluster.proposal.is_none() && !groups.is_peoples(key)
        }
    }
}

/// Reports whether a question showing all this showed a cluster or one of its comments.
fn was_shown(groups: &Clusters, group: ClusterOrComment, shown: &BTreeSet<String>) -> bool {
    shown.contains(groups.group_id(group))
        || groups.group_members(group).iter().any(|key| shown.contains(&groups.member(*key).id))
}

/// Returns the first of some demands with those nearest to it.
fn nearest_together(memory: &WorkingSet, waiting: &[String], most: usize) -> Option<Vec<MemberKey>> {
    let groups = &memory.remarks.groups;
    let mut keys = waiting.iter().filter_map(|id| groups.key_of(id));
    let first = keys.next()?;
    let seed = groups.member(first);
    let mut near: Vec<(f64, MemberKey)> = keys
        .map(|key| (groups.member(key), key))
        .filter(|(member, _)| member.agent == seed.agent && member.tenant == seed.tenant)
        .map(|(member, key)| (seed.vector.cosine(&member.vector), key))
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    Some(std::iter::once(first).chain(near.into_iter().map(|(_, key)| key)).take(most).collect())
}

fn question(
    memory: &WorkingSet,
    outside: &Deps,
    keys: &[MemberKey],
    again: bool,
) -> Result<PlaceQuestion, KnowledgeError> {
    let (groups, evaluator) = (&memory.remarks.groups, outside.evaluator(memory));
    // The working set keeps one line of each.
    let quoted: Vec<QuotedComment> =
        keys.iter().map(|key| QuotedComment::of_member(outside, memory, groups.member(*key))).collect();
    let asked: BTreeSet<ClusterOrComment> = keys.iter().filter(|_| again).map(|key| groups.group_of(*key)).collect();
    let mut near: BTreeMap<ClusterOrComment, f64> = BTreeMap::new();
    for (key, quoted) in keys.iter().zip(&quoted) {
        let mut found = vec![evaluator.groups_like(*key, LINK, 4 * NEAREST)?];
        for vector in quoted.further.iter().filter_map(|demand| outside.understanding.demand(demand).ok()?) {
            found.push(evaluator.groups_like_another(*key, &vector, LINK, 4 * NEAREST)?);
        }
        for found in found {
            let known = found.into_iter().filter(|(group, _)| is_known(memory, *group, keys) && !asked.contains(group));
            for (group, link) in known.take(NEAREST) {
                let best = near.entry(group).or_insert(link);
                *best = best.max(link);
            }
        }
    }
    let mut near: Vec<(ClusterOrComment, f64)> = near.into_iter().collect();
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let offered = near.iter().take(KNOWN).map(|(group, _)| offered(memory, *group));
    let demands = keys.iter().zip(&quoted).flat_map(|(key, quoted)| {
        let member = groups.member(*key);
        let group = match groups.group_of(*key) {
            group @ ClusterOrComment::Cluster(_) if again => {
                Some((groups.group_id(group), groups.group_members(group).len()))
            }
            _ => None,
        };
        // A comment is in one cluster, possibly for any of its demands. A cluster stands only for its common demand.
        let further = quoted.further.iter().filter(move |_| group.is_none()).map(String::as_str);
        let all = member.sentence.as_deref().into_iter().chain(further);
        all.map(move |demand| OneDemand { about: &member.id, group, demand, comment: quoted.said().text })
    });
    let agent = keys.first().map_or("", |key| groups.member(*key).agent.as_str());
    Ok(PlaceQuestion::new(agent, again, demands, offered))
}

/// Returns a cluster in the form shown in a question.
pub(crate) fn offered(memory: &WorkingSet, group: ClusterOrComment) -> DemandOption<'_> {
    let groups = &memory.remarks.groups;
    let shown: Vec<&Member> = match group {
        ClusterOrComment::Cluster(key) => groups.representatives(key, EXAMPLES),
        ClusterOrComment::Lone(key) => vec![groups.member(key)],
    };
    DemandOption {
        about: groups.group_id(group),
        demand: demand(memory, group, &shown),
        comments: groups.group_members(group).len(),
        examples: shown.iter().map(|member| member.text.as_str()).collect(),
    }
}

/// Returns what a cluster asks for: the words of its rule, or the reading of its most typical comment.
fn demand<'m>(memory: &'m WorkingSet, group: ClusterOrComment, shown: &[&'m Member]) -> &'m str {
    let groups = &memory.remarks.groups;
    let rule = match group {
        ClusterOrComment::Cluster(key) => groups.cluster(key).proposal.as_deref().and_then(|id| memory.rule(id)),
        ClusterOrComment::Lone(_) => None,
    };
    let read = || shown.iter().find_map(|member| member.sentence.as_deref());
    let said = || shown.first().map_or("", |member| member.text.as_str());
    rule.filter(|rule| rule.is_living()).map_or_else(|| read().unwrap_or_else(said), |rule| &rule.record.rule_content)
}

/// Reports whether a cluster's place is known: it is neither being asked about nor waiting to be.
fn is_known(memory: &WorkingSet, group: ClusterOrComment, asked: &[MemberKey]) -> bool {
    match group {
        ClusterOrComment::Cluster(_) => true,
        ClusterOrComment::Lone(key) => {
            !asked.contains(&key) && memory.knows(&placed_key(&memory.remarks.groups.member(key).id))
        }
    }
}

/// Returns a demand that has no place yet. People's decisions are kept, and so is anything certain without a model.
fn to_place(memory: &WorkingSet, id: &str) -> Option<MemberKey> {
    let groups = &memory.remarks.groups;
    let key = groups.key_of(id)?;
    is_open(memory, groups, groups.member(key)).then_some(key)
}

fn is_open(memory: &WorkingSet, groups: &Clusters, member: &Member) -> bool {
    !member.withdrawn
        && !member.tied
        && member.sentence.is_some()
        && member.classification != Classification::Ambiguous
        && !member.cluster.is_some_and(|cluster| groups.is_peoples(cluster))
        && memory.knows(&reading_key(&member.id))
        && !memory.knows(&placed_key(&member.id))
        // In the form that earlier versions used.
        && !memory.knows(&about_key(std::slice::from_ref(&member.id)))
}

/// Collects the unplaced demands, the oldest first.
fn gather(memory: &WorkingSet) -> Vec<String> {
    let groups = &memory.remarks.groups;
    let mut open: Vec<&Member> =
        groups.members().map(|(_, member)| member).filter(|member| is_open(memory, groups, member)).collect();
    open.sort_unstable_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    open.into_iter().map(|member| member.id.clone()).collect()
}
