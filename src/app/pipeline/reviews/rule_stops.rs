//! Stops and resumes rules: out of every prompt and back, whatever their approvals.

use crate::domain::intake::submission::{ALL_RULES, Review};
use crate::domain::records::layout;
use crate::domain::records::record::{RefusalCode, Stopped, StopsRecord, StoredRecord};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::{PipelineError, ReviewResult, refuse};
use crate::pipeline::rules::commands::unknown;
use jiff::Timestamp;
use std::sync::Arc;

/// Removes a rule, or all of them, from every prompt.
pub(crate) fn stop(draft: &mut Draft<'_>, review: &Review, rule_id: Option<&str>, at: Timestamp) -> ReviewResult {
    let reason = may_stop(draft, review)?;
    if let Some(id) = rule_id {
        let Some(rule) = draft.memory.rule(id) else { return Err(unknown(id).into()) };
        if !rule.in_force() {
            return refuse(RefusalCode::NotInForce, format!("{id} is not in force: it is in no prompt"));
        }
    }
    let stopped = Stopped { by: review.reviewer_id.clone(), at: Some(at), reason };
    let effect = match rule_id {
        Some(id) => format!("{id} is in no prompt until it is resumed; its approvals stay"),
        None => "no rule is in any prompt until they are resumed; their approvals stay".to_owned(),
    };
    let before = draft.memory.stops.clone();
    let known = rule_id.map_or(before.all.as_ref(), |id| before.rules.get(id));
    if known.is_some() {
        return refuse(RefusalCode::AlreadyDecided, format!("{} already stopped", subject(rule_id)));
    }
    change(draft, |stops| match rule_id {
        Some(id) => drop(stops.rules.insert(id.to_owned(), stopped)),
        None => stops.all = Some(stopped),
    })?;
    draft.counts.rule_events.push(format!("stop {}", rule_id.unwrap_or(ALL_RULES)));
    Ok(effect)
}

/// Allows a rule, or all of them, into prompts again.
pub(crate) fn resume(draft: &mut Draft<'_>, review: &Review, rule_id: Option<&str>, at: Timestamp) -> ReviewResult {
    let reason = may_stop(draft, review)?;
    let stops = &draft.memory.stops;
    match rule_id {
        Some(id) if !stops.rules.contains_key(id) && stops.all.is_some() => {
            return refuse(
                RefusalCode::Impossible,
                format!("{id} is stopped with all others; resume all, then stop those that should stay out"),
            );
        }
        Some(id) if !stops.rules.contains_key(id) => {
            return refuse(RefusalCode::Impossible, format!("{id} is not stopped"));
        }
        None if stops.all.is_none() && stops.rules.is_empty() => {
            return refuse(RefusalCode::Impossible, "no rule is stopped".to_owned());
        }
        _ => {}
    }
    let resumed = Stopped { by: review.reviewer_id.clone(), at: Some(at), reason };
    change(draft, |stops| {
        stops.resumed = Some(resumed);
        match rule_id {
            Some(id) => drop(stops.rules.remove(id)),
            None => (stops.all, stops.rules) = (None, Default::default()),
        }
    })?;
    draft.counts.rule_events.push(format!("resume {}", rule_id.unwrap_or(ALL_RULES)));
    Ok(format!("{} no longer stopped", subject(rule_id)))
}

/// Checks that an approver stops or resumes and gives a reason: it is one person's word until people decide.
fn may_stop(draft: &Draft<'_>, review: &Review) -> Result<String, crate::pipeline::error::Stop> {
    let by = &review.reviewer_id;
    if !draft.memory.roster.is_approver(by) {
        let message = format!("{by} is not an approver on the roster; only approvers stop and resume rules");
        return refuse(RefusalCode::NotAnApprover, message);
    }
    match review.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => Ok(reason.to_owned()),
        None => refuse(
            RefusalCode::ReasonMissing,
            "a reason is required: people who miss the rule in a prompt need it".to_owned(),
        ),
    }
}

fn change(draft: &mut Draft<'_>, change: impl FnOnce(&mut StopsRecord)) -> Result<(), PipelineError> {
    let mut stops = draft.memory.stops.as_ref().clone();
    change(&mut stops);
    StopsRecord::SCHEMA.clone_into(&mut stops.schema);
    stops.tenant_id = draft.settings.capture.tenant_id();
    draft.memory.stops = Arc::new(stops.clone());
    match draft.open::<StopsRecord>(layout::STOPPED)? {
        Some(stored) => *stored = stops,
        None => draft.staging.put(stops),
    }
    Ok(())
}

fn subject(rule_id: Option<&str>) -> String {
    rule_id.map_or_else(|| "all rules are".to_owned(), |id| format!("{id} is"))
}
