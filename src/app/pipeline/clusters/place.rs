//! Places each comment: in a cluster, alone, or pending a person's decision because it contradicts others.
//!
//! The effect on it and on others is determined once the whole batch is placed (`decide.rs`).

use super::{contradictions, one_offs};
use crate::comments::evaluator::{Findings, NearComments};
use crate::domain::clusters::evaluate::Judgement;
use crate::domain::clusters::evaluation::{Classification, Evaluation};
use crate::domain::clusters::{JoinOutcome, LOOKED_AT, Member, MemberKey};
use crate::domain::intake::feedback::Feedback;
use crate::domain::intake::submission::Mark;
use crate::domain::records::record::DecisionRecord;
use crate::domain::records::{build, layout};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::pipeline::intake::read::ReadFeedback;
use crate::pipeline::model::readings::note_recorded;
use crate::pipeline::working_set::Silent;
use std::collections::HashSet;
use std::sync::Arc;

/// Places new comments in order.
pub(crate) fn place_all(draft: &mut Draft<'_>, remarks: Vec<ReadFeedback>) -> Result<(), PipelineError> {
    let corrected: HashSet<String> = remarks
        .iter()
        .filter(|read| read.feedback.comment.is_some() && read.feedback.is_correction())
        .map(|read| read.feedback.whole_id().to_owned())
        .collect();
    for read in remarks {
        let feedback = &read.feedback;
        if feedback.comment.is_none() {
            let corrects = feedback.is_correction() || corrected.contains(&feedback.id);
            draft.memory.note_verdict(&feedback.tenant, &feedback.agent, corrects, None);
        }
        draft.memory.know(&feedback.id);
        if let Some(reading) = feedback.reading.clone() {
            note_recorded(draft, feedback, reading);
        }
        let file = layout::decision(feedback.decision.gate, feedback.decision.timestamp, feedback.whole_id());
        let path = match &feedback.comment {
            Some(said) => layout::of_comment(&file, &said.name),
            None => file,
        };
        place(draft, read, path)?;
    }
    Ok(())
}

/// Places one feedback; its record at `path` is staged if it is new. Comments in a cluster, or possibly in one, are
/// evaluated once the whole batch is placed.
pub(crate) fn place(draft: &mut Draft<'_>, read: ReadFeedback, path: String) -> Result<(), PipelineError> {
    let ReadFeedback { feedback, vector } = read;
    let mut judged = draft.evaluator().judge(&feedback, vector.as_ref(), &path)?;
    let revision = draft.staging.get::<DecisionRecord>(&path).map_or(0, |record| record.evaluation.revision);
    let member = judged.member.take();
    let waits = member.is_some() && judged.judgement == Judgement::Correction;
    let mut evaluation = if waits {
        Evaluation::undecided(revision + 1, draft.now)
    } else {
        draft.evaluator().evaluate_alone(&feedback, &judged, revision + 1, draft.now)
    };
    if judged.judgement == Judgement::Contradiction {
        contradictions::open_tiebreak(draft, &feedback, &judged, &path);
    }
    if let Some(marked) = &feedback.marked {
        let like = marked.like.as_deref().unwrap_or_default();
        let what = if marked.mark == Mark::Nothing { "asks for nothing" } else { "is too specific for a rule" };
        evaluation.rationale =
            format!("It says almost the same as {like}, of which people said in {} that it {what}.", marked.by);
        evaluation.confidence = 0.9;
    }
    let comparable = member.is_some();
    if member.is_none() {
        note_silent(draft, &feedback, &evaluation, &path);
    }
    if let Some(member) = member {
        let (key, joined) = join(draft, member, &judged);
        draft.memory.remarks.groups.note_evaluation(key, evaluation.classification, revision);
        if waits {
            evaluation.cluster = joined.cluster.map(|c| draft.memory.remarks.groups.cluster(c).id.clone());
            mark(draft, key, &joined);
        }
        draft.found.insert(key, judged.same);
    }
    if let Some(vector) = vector {
        draft.vectors.insert(feedback.id.clone(), vector);
    }
    // Its demands are in its comments.
    let says_nothing = feedback.comments > 0 && feedback.decision.reviewer_comment.is_none();
    let needs_edge_case = !comparable && !says_nothing && evaluation.classification == Classification::EdgeCase;
    match draft.staging.get_mut::<DecisionRecord>(&path) {
        Some(record) => record.evaluation = evaluation,
        None => {
            let (record, diff) = build::decision(&feedback, evaluation);
            if let (Some(diff), Some(stored)) = (diff, &record.feedback.correction) {
                draft.texts.insert(stored.path.clone(), diff);
            }
            draft.staging.put_at(path.clone(), record);
        }
    }
    if needs_edge_case {
        one_offs::open_edge_case(draft, &path);
    }
    Ok(())
}

/// Remembers feedback that cannot be compared but may ask for something: a language model may understand it.
fn note_silent(draft: &mut Draft<'_>, feedback: &Feedback, evaluation: &Evaluation, path: &str) {
    let asks = evaluation.classification != Classification::Positive && feedback.marked.is_none();
    let says = feedback.text().is_some_and(|text| !text.trim().is_empty());
    let suggests = || feedback.code().is_some_and(|code| code.suggestion.is_some());
    if asks && feedback.reading.is_none() && (says || suggests()) {
        let silent = Silent {
            at: feedback.decision.timestamp,
            tenant: feedback.tenant.clone(),
            agent: feedback.agent.clone(),
            path: path.to_owned(),
        };
        draft.memory.silent.insert(feedback.id.clone(), Arc::new(silent));
    }
}

/// Adds a comment to the others: in a cluster, alone, or pending a person's decision.
fn join(draft: &mut Draft<'_>, mut member: Member, judged: &Findings) -> (MemberKey, JoinOutcome) {
    let policy = draft.memory.remarks.policy;
    let groups = &mut draft.memory.remarks.groups;
    draft.added.add(groups.next_key(), &member, draft.outside.knowledge.as_ref());
    if judged.judgement == Judgement::Contradiction {
        member.classification = Classification::Ambiguous;
        return (groups.restore(member, None), JoinOutcome::default());
    }
    if draft.by_model.places {
        // A language model decides where it belongs.
        return (groups.restore(member, None), JoinOutcome::default());
    }
    let near: NearComments = judged.same.iter().map(|(key, s)| (*key, policy.calibration.cosine(*s))).collect();
    groups.join(member, &near, &policy)
}

/// Marks the comments that a new one may have changed.
fn mark(draft: &mut Draft<'_>, key: MemberKey, joined: &JoinOutcome) {
    draft.marks.unsettled.insert(key);
    draft.marks.unsettled.extend(&joined.moved);
    for left in &joined.left {
        draft.marks.touched.insert(*left);
        draft.marks.left.insert(*left);
        draft.marks.unsettled.extend(&draft.memory.remarks.groups.cluster(*left).members);
    }
    let Some(cluster) = joined.cluster else { return };
    // One more comment may be clear enough for a rule; in a large cluster that is checked only occasionally.
    let groups = &mut draft.memory.remarks.groups;
    let count = groups.cluster(cluster).members.len();
    if count <= LOOKED_AT || count.is_multiple_of(LOOKED_AT) {
        groups.cluster_mut(cluster).not_proposed = None;
    }
    draft.marks.touched.insert(cluster);
    if joined.reclassified {
        let groups = &draft.memory.remarks.groups;
        draft.marks.unsettled.extend(groups.cluster(cluster).members.iter().filter(|m| groups.member(**m).tied));
    }
}
