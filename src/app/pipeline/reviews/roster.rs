//! Reviews of the roster: approvals and rejections of the pending version.
//!
//! Nothing comes into force here: once a review is durable, the history is read again and determines that.

use crate::domain::intake::submission::{Review, ReviewAction};
use crate::domain::records::record::{RefusalCode, ReviewRecord};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::{ReviewResult, impossible, refuse};

/// Applies a review of the roster; `record` is what will be kept of it.
pub(crate) fn decide_roster(draft: &mut Draft<'_>, review: &Review, record: ReviewRecord) -> ReviewResult {
    let by = review.reviewer_id.as_str();
    let Some(past) = draft.memory.past.clone() else { return impossible("there is no store yet") };
    let Some((succession, waiting)) = past.succession.as_ref().and_then(|all| Some((all, all.waiting.as_ref()?)))
    else {
        return impossible("no roster change is pending; `feedbackd roster show` shows the roster in force");
    };
    let seen = review.content_hash.as_deref();
    if seen != Some(waiting.hash.as_str()) {
        let message = format!(
            "it is for {}, but the pending roster is {}; check it with `feedbackd roster show`, and decide again",
            seen.unwrap_or("no particular version"),
            waiting.hash
        );
        return refuse(RefusalCode::WrongContentHash, message);
    }
    if !succession.in_force().roster.is_approver(by) {
        let message = format!("{by} is not an approver on the roster in force; only they decide who else may");
        return refuse(RefusalCode::NotAnApprover, message);
    }
    let approves = matches!(review.action, ReviewAction::Approve { .. });
    if !approves && review.reason.as_deref().is_none_or(|reason| reason.trim().is_empty()) {
        let message = "a reason is required: the author of the change needs it".to_owned();
        return refuse(RefusalCode::ReasonMissing, message);
    }
    let asked = draft.settings.asked();
    let demands = past.demands(&asked);
    let id = record.review_id.clone();
    draft.memory.roster_reviews.push(record);
    let count = succession.count(waiting, &draft.memory.roster_reviews, &demands);
    if let Some((_, why)) = count.void.iter().find(|(void, _)| approves && *void == id) {
        draft.memory.roster_reviews.pop();
        return refuse(RefusalCode::AlreadyApproved, format!("it does not count: {why}"));
    }
    draft.reload = true;
    let changes = waiting.changes.join("; ");
    if !approves {
        draft.counts.rule_events.push("reject a roster change".to_owned());
        return Ok(format!("the roster change is rejected ({changes}); earlier approvals are void"));
    }
    draft.counts.rule_events.push("approve a roster change".to_owned());
    Ok(if count.is_met() {
        format!("the roster comes into force: {changes}")
    } else {
        format!("{} ({changes})", count.missing)
    })
}
