//! Details from comments' records that the working set does not keep: corrections, and the places the comments are
//! about.

use crate::domain::clusters::{LOOKED_AT, Member};
use crate::domain::intake::place::{RemarkedPlace, suggested};
use crate::domain::records::record::{DecisionRecord, ProposalRecord, Registered, Scope};
use crate::domain::rules::draft::proposal;
use crate::domain::rules::draft::proposal::ScopeProposal;
use crate::domain::rules::in_force::prompt::{Place, may_apply};
use crate::pipeline::batch::draft::Draft;
use std::collections::HashSet;

/// How many other comments are checked to learn what an agent's comments are about.
const OTHERS: usize = 200;

/// Returns the correction that came with a comment, as it is or will be stored.
pub(crate) fn diff_of(draft: &Draft<'_>, member: &Member) -> Option<String> {
    let path = match told_by(draft, member, kept_diff)?? {
        KeptDiff::Text(diff) => return Some(diff),
        KeptDiff::At(path) => path,
    };
    if let Some(diff) = draft.texts.get(&path) {
        return Some(diff.clone());
    }
    let head = draft.memory.head.as_ref()?;
    // Examples are optional: an unreadable one is skipped.
    draft.outside.store.read(head, &path).ok()?.and_then(|bytes| String::from_utf8(bytes).ok())
}

/// A diff in the record itself, or the path to it.
enum KeptDiff {
    Text(String),
    At(String),
}

fn kept_diff(record: &DecisionRecord) -> Option<KeptDiff> {
    if let Some(said) = &record.comment {
        // The comment's own suggestion: the decision's correction also includes those of its other comments.
        return suggested([&said.comment]).map(KeptDiff::Text);
    }
    let feedback = &record.feedback;
    let correction = feedback.correction.as_ref()?;
    // With several comments, it is unclear which one the cluster is about.
    (!correction.suggested || feedback.places.len() == 1).then(|| KeptDiff::At(correction.path.clone()))
}

/// Returns data from a comment's record, as it is or will be stored; `None` if it cannot be read.
fn told_by<T>(draft: &Draft<'_>, member: &Member, of: impl Fn(&DecisionRecord) -> T) -> Option<T> {
    if let Some(record) = draft.staging.get::<DecisionRecord>(&member.path) {
        return Some(of(record));
    }
    let stored = draft.load::<DecisionRecord>(&member.path).ok()??.record;
    Some(of(DecisionRecord::of(&stored)?))
}

/// Returns the places a rule is for, if all comments behind it are about such places and others are not.
pub(crate) fn narrowed(draft: &Draft<'_>, content: &str, members: &[&Member]) -> Option<ScopeProposal> {
    let mut behind = Vec::new();
    for member in members.iter().take(LOOKED_AT) {
        behind.push(Some(places(draft, member)).filter(|places| !places.is_empty())?);
    }
    let first = members.first()?;
    let ids: HashSet<&str> = members.iter().map(|member| member.id.as_str()).collect();
    let is_other = |m: &&Member| {
        m.tenant == first.tenant && m.agent == first.agent && !m.withdrawn && !ids.contains(m.id.as_str())
    };
    let mut others: Vec<&Member> =
        draft.memory.remarks.groups.members().map(|(_, member)| member).filter(is_other).collect();
    // The latest first, since an agent's work changes.
    others.sort_by_key(|member| std::cmp::Reverse(member.at));
    let others: Vec<_> = others.into_iter().take(OTHERS).map(|member| places(draft, member)).collect();
    proposal::narrow(content, &behind, &others)
}

/// Removes the scope that the program proposed if one of these comments is about another place; returns true if it did.
/// A text that already has approvals keeps its scope.
pub(crate) fn widen(draft: &Draft<'_>, record: &mut ProposalRecord, members: &[&Member]) -> bool {
    if record.scope_because.is_none() || !record.approvals.is_empty() {
        return false;
    }
    let inside = |place: &RemarkedPlace| may_apply(&record.scope, &Place { gate: None, path: Some(&place.file) });
    let fits = |places: &Vec<RemarkedPlace>| !places.is_empty() && places.iter().all(inside);
    if members.iter().take(LOOKED_AT).all(|member| fits(&places(draft, member))) {
        return false;
    }
    record.scope = Scope::default();
    record.scope_because = None;
    record.content_hash = proposal::hash_of(record);
    true
}

fn places(draft: &Draft<'_>, member: &Member) -> Vec<RemarkedPlace> {
    told_by(draft, member, |record| record.feedback.places.clone()).unwrap_or_default()
}
