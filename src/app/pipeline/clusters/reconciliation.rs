//! Comments that turn out to contradict nothing: they are processed again like any other.

use super::contradictions::{ContradictionDecision, decide_tiebreak, open_tiebreak_of};
use super::place::place;
use crate::domain::clusters::evaluate::is_contrary;
use crate::domain::clusters::{Member, MemberKey};
use crate::domain::intake::submission::Resolution;
use crate::domain::records::record::{AmbiguousRecord, DecisionRecord};
use crate::domain::records::restore;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::pipeline::intake::read::ReadFeedback;
use crate::text::prose::count;

/// Why a contradiction found by an earlier build is withdrawn.
const WITHDRAWN: &str = "Withdrawn: the two are not held against each other any more, because they are not said outright by \
                         two people, or because they are about lines of code.";

/// Processes a held-back comment again, as one that does not contradict what it was held back for.
pub(crate) fn come_again(draft: &mut Draft<'_>, key: MemberKey) -> Result<(), PipelineError> {
    let policy = draft.memory.remarks.policy;
    let member = draft.memory.remarks.groups.member(key);
    let (path, vector) = (member.path.clone(), member.vector.clone());
    let Some(record) = draft.open::<DecisionRecord>(&path)?.cloned() else { return Ok(()) };
    draft.memory.remarks.groups.take_out(key, &policy);
    draft.reload = true;
    let feedback = restore::feedback(&record);
    draft.staging.put_at(path.clone(), record);
    place(draft, ReadFeedback { feedback, vector: Some(vector) }, path)
}

/// Withdraws open contradictions from an earlier build that do not count under the present rules. Each is checked once
/// after a start.
pub(crate) fn withdraw_unfounded(draft: &mut Draft<'_>) -> Result<(), PipelineError> {
    let mut withdrawn = 0;
    for id in std::mem::take(&mut draft.memory.unchecked) {
        let Some(key) = draft.memory.remarks.groups.key_of(&id) else { continue };
        let Some(record) = open_tiebreak_of(draft, &id)?.cloned() else { continue };
        if is_founded(draft, key, &record) {
            continue;
        }
        let decided = ContradictionDecision {
            resolved_as: Resolution::NoContradiction,
            resolution: WITHDRAWN.to_owned(),
            rationale: None,
            by: None,
            at: draft.now,
        };
        decide_tiebreak(draft, &id, decided)?;
        come_again(draft, key)?;
        withdrawn += 1;
    }
    if withdrawn > 0 {
        draft.counts.rule_events.push(format!("withdraw {}", count(withdrawn, "contradiction")));
    }
    Ok(())
}

/// Reports whether the present rules find a comment to contradict one of the other side. If none of that side is known
/// any more, people decide.
fn is_founded(draft: &Draft<'_>, key: MemberKey, record: &AmbiguousRecord) -> bool {
    let groups = &draft.memory.remarks.groups;
    let member = groups.member(key);
    let others: Vec<&Member> = record
        .other_side
        .iter()
        .filter_map(|side| groups.key_of(&side.feedback_id))
        .map(|other| groups.member(other))
        .collect();
    others.is_empty() || (member.outright && others.iter().any(|other| is_contrary(member, other)))
}
