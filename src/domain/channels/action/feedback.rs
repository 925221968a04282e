//! The answer to an action's result: what happened, why, what to try, and the recipient (specification, "Actions").
//!
//! A failure is never answered with silence: the sender of an empty report is told that it was empty, and what to
//! report.

use super::answer::{
    ActionFeedback, AgentMessage, Context, Escalation, HistoryEntry, LocalInference, Route, RouteTo, Suggestion,
};
use super::cause::{Cause, classify};
use super::chain::{Chain, ChainPosition};
use super::guarded::{guarded, guarded_history};
use super::result::{ActionKind, ActionResult, Confidence};
use super::signature::signature;
use super::statistics::ActionStatistics;
use super::suggest::suggest;
use super::text;
use crate::text::prose::line;

/// How many attempts an answer lists.
pub const MAX_HISTORY: usize = 20;

/// The settings of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The number of attempts after which people are asked (specification, "Actions: Escalation"); 1 or more.
    pub max_attempts: u32,
    /// The maximum number of suggestions.
    pub max_suggestions: usize,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { max_attempts: 5, max_suggestions: 5 }
    }
}

/// Returns the answer to a result that is in its chain; `None` if it is not.
pub fn respond(
    result: &ActionResult,
    chain: &Chain,
    learning: &ActionStatistics,
    policy: &Policy,
) -> Option<ActionFeedback> {
    let standing = chain.standing(&result.action_id)?;
    let classed = classify(result);
    let signature = signature(result);
    let history = guarded_history(chain.history(&result.action_id, MAX_HISTORY));
    let result = &guarded(result);
    let failed = result.is_failure();
    let mut suggestions = Vec::new();
    if failed {
        suggestions = suggest(result, &signature, Some(&standing), learning, policy.max_suggestions.max(1));
    }
    let missing = missing(result);
    let (confidence, reason) = standing.confidence(result.confidence.unwrap_or(Confidence::High));
    let tries = standing.tries.max(result.attempt.filter(|_| failed).unwrap_or(0));
    let used_up = failed && tries >= policy.max_attempts.max(1);
    let tried = || guarded_history(chain.history(&standing.this.action_id, super::chain::MAX_KEPT));
    let escalation =
        (used_up && standing.escalated_at.is_none()).then(|| escalate(result, tried(), &suggestions, tries, policy));
    let summary = text::brief(result, &classed, &suggestions);
    let local = LocalInference {
        kind: result.kind,
        inference: result.inference.clone(),
        confidence,
        action: Some(action(result)),
        details: result.details.clone(),
        data: result.data.clone(),
        feedback: failed.then(|| text::explain(result, &classed, &suggestions, &history, &missing)),
        note: result.note.clone(),
    };
    Some(ActionFeedback {
        action_id: result.action_id.clone(),
        timestamp: result.timestamp,
        session_id: result.session_id.clone(),
        agent: result.agent.clone(),
        tenant_id: result.tenant_id.clone(),
        task_id: result.task_id.clone(),
        user_input: result.user_input.clone(),
        local_inferences: vec![local],
        context: context(result),
        what_happened: what_happened(result, &standing),
        why: why(result, classed.class),
        route: route(result, used_up, &summary),
        summary,
        class: classed.class,
        cue: classed.cue,
        signature: signature.id,
        confidence,
        reason,
        suggestions,
        feedback_history: history,
        attempt: standing.number,
        tries,
        max_attempts: policy.max_attempts.max(1),
        missing,
        escalation,
        escalated_at: standing.escalated_at,
    })
}

pub(super) fn action(result: &ActionResult) -> String {
    if let Some(given) = result.action.as_deref().filter(|action| action.contains(' ')) {
        return given.to_owned();
    }
    let name = result.action.as_deref();
    match (result.kind, name) {
        (ActionKind::Success, Some(name)) => format!("{name} succeeded"),
        (ActionKind::Failed, Some(name)) => format!("{name} was tried and failed"),
        (ActionKind::Partial, Some(name)) => format!("{name} was tried and succeeded in part"),
        (_, None) => text::headline(&result.inference, result.kind),
    }
}

pub(super) fn context(result: &ActionResult) -> Context {
    let state = result.state.clone().unwrap_or_default();
    Context {
        workflow_state: state.workflow_state,
        active_case: state.active_case,
        available_tools: state.available_tools.unwrap_or_default(),
        recent_actions: state.recent_actions,
    }
}

pub(super) fn what_happened(result: &ActionResult, standing: &ChainPosition<'_>) -> String {
    let mut text = text::headline(&result.inference, result.kind);
    if let Some(approach) = &standing.this.approach {
        text.push_str(&format!(" ({})", approach.name));
    }
    text.push_str(&format!(", attempt {}", standing.number));
    if !result.user_input.is_empty() {
        text.push_str(&format!(", for “{}”", line(&result.user_input, 120)));
    }
    if standing.came_back {
        text.push_str("; what succeeded before did not help, the same failure came back");
    }
    text.push('.');
    text
}

pub(super) fn why(result: &ActionResult, class: Cause) -> String {
    match (result.kind, text::reason_line(result)) {
        (ActionKind::Success, Some(reason)) => reason,
        (ActionKind::Success, None) => "It succeeded.".to_owned(),
        (_, Some(reason)) => reason,
        (_, None) if class == Cause::Unknown => "No reason was given.".to_owned(),
        (_, None) => format!("No reason was given. Likely: {}.", class.usually()),
    }
}

/// Returns what a failure should report to be actionable.
pub(super) fn missing(result: &ActionResult) -> Vec<String> {
    if !result.is_failure() {
        return Vec::new();
    }
    let mut missing = Vec::new();
    if text::reason_line(result).is_none() {
        missing.push("`reason` or `error` (what the failing step said)".to_owned());
        if result.action.is_none() {
            missing.push("`action` (the approach that was tried)".to_owned());
        }
        if result.state.is_none() {
            missing.push("`state` (active case, workflow state, available tools, recent actions)".to_owned());
        }
    }
    missing
}

pub(super) fn route(result: &ActionResult, used_up: bool, summary: &str) -> Route {
    let message = result
        .supervisor
        .as_ref()
        .filter(|_| result.is_failure())
        .map(|_| AgentMessage { agent: result.agent.clone(), feedback: summary.to_owned() });
    let (to, name) = match (used_up, &message) {
        (true, _) => (RouteTo::People, None),
        (false, Some(_)) => (RouteTo::Supervisor, result.supervisor.clone()),
        (false, None) => (RouteTo::Agent, Some(result.agent.clone())),
    };
    Route { to, name, message }
}

fn escalate(
    result: &ActionResult,
    tried: Vec<HistoryEntry>,
    suggestions: &[Suggestion],
    tries: u32,
    policy: &Policy,
) -> Escalation {
    let failed: Vec<&str> = {
        let mut names: Vec<&str> = Vec::new();
        for entry in tried.iter().filter(|entry| entry.result != "success") {
            if !names.contains(&entry.action.as_str()) && names.len() < 10 {
                names.push(&entry.action);
            }
        }
        names
    };
    let asked = if result.user_input.is_empty() {
        String::new()
    } else {
        format!(" for “{}”", line(&result.user_input, 120))
    };
    let why = text::reason_line(result).unwrap_or_else(|| "no reason was given".to_owned());
    let question = format!(
        "{tries} attempts failed{asked} ({} are allowed): {}. The last one: {why}. What should {} do?",
        policy.max_attempts.max(1),
        failed.join(", "),
        result.agent
    );
    let untried = suggestions.iter().filter(|s| s.failed_here == 0).map(|s| s.action.clone()).collect();
    Escalation { attempts: tries, question, tried, untried }
}
