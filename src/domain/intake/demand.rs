//! Demands from the channels: decisions like those at gates, so that they join the same clusters and can become rules.
//!
//! Each source is a voice: the user, the reviewer of a document, or the reporting program. Unnamed users together are
//! one voice. How much programs count is defined where voices are counted.

use super::capture::UNKNOWN_AGENT;
use super::event::HitlDecision;
use super::voice;
use crate::channels::action::ActionResult;
use crate::channels::channel::{Iteration, Refinement};
use crate::channels::iteration;
use crate::channels::iteration::ItemSeverity;
use crate::channels::signal::{Signal, SignalKind};
use crate::channels::turn;
use crate::channels::turn::{Exchange, FeedbackResult, TurnEvent};
use crate::source::Source;
use crate::text::ids::Gate;
use crate::text::prose::line;
use crate::text::verdict::{Severity, Verdict};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;

/// The gate number for feedback outside of gates.
const NO_GATE: u8 = 99;
/// Maximum length of a comment made from a report, in characters.
const MAX_CHARS: usize = 400;

/// A demand and its origin.
struct Demand<'a> {
    channel: &'static str,
    id: String,
    at: Timestamp,
    agent: Option<&'a str>,
    voice: String,
    tenant: Option<&'a str>,
    session: Option<&'a str>,
    task: Option<&'a str>,
    text: String,
    severity: Option<Severity>,
    /// The channel's own record in the store.
    record: &'a str,
    source: &'a Source,
}

impl Demand<'_> {
    fn decision(self, gates: &BTreeMap<Gate, String>) -> Option<HitlDecision> {
        let agent = self.agent.filter(|agent| !agent.is_empty()).unwrap_or(UNKNOWN_AGENT);
        let at_work = gates.iter().find(|(_, name)| name.as_str() == agent).map(|(gate, _)| *gate);
        let extra = [("channel", self.channel), ("record", self.record)];
        Some(HitlDecision {
            decision_id: self.id,
            gate_id: self.channel.to_owned(),
            gate: at_work.or_else(|| Gate::new(NO_GATE))?,
            epic_id: None,
            task_id: self.task.map(str::to_owned),
            session_id: self.session.map(str::to_owned),
            verdict: Verdict::Rejected,
            reviewer_id: self.voice,
            timestamp: self.at,
            review_duration_seconds: None,
            agent_output_sha: None,
            approved_output_sha: None,
            agent: Some(agent.to_owned()),
            reviewer_comment: Some(self.text),
            comments: Vec::new(),
            correction_summary: None,
            correction_diff: None,
            correction_diff_path: None,
            severity: self.severity,
            consider_for_improvement: None,
            tenant_id: self.tenant.map(str::to_owned),
            tags: vec![self.channel.to_owned()],
            extra: extra.into_iter().map(|(name, value)| (name.to_owned(), Value::String(value.to_owned()))).collect(),
            source: self.source.clone(),
        })
    }
}

/// Returns what a user's correction of a turn demands; `None` if it asks for nothing. `source` is that of the revealing
/// turn.
pub fn from_turn(
    judged: &TurnEvent,
    teller: &TurnEvent,
    source: &Source,
    exchange: &Exchange,
    result: &FeedbackResult,
    record: &str,
    gates: &BTreeMap<Gate, String>,
) -> Option<HitlDecision> {
    let text = turn::demand(exchange, result)?;
    let user = teller.extra.get("user_id").and_then(Value::as_str).filter(|user| !user.trim().is_empty());
    let demand = Demand {
        channel: "turns",
        id: format!("turn-{}-{}", judged.session_id, judged.turn_id),
        at: teller.timestamp,
        agent: judged.agent.as_deref(),
        voice: user.unwrap_or(voice::UNNAMED).to_owned(),
        tenant: judged.tenant_id.as_deref(),
        session: Some(&judged.session_id),
        task: None,
        text,
        severity: None,
        record,
        source,
    };
    demand.decision(gates)
}

/// Returns what a failed output demands: what a person said about it, or what failed.
pub fn from_refinement(
    request: &Refinement,
    signal: &Signal,
    record: &str,
    gates: &BTreeMap<Gate, String>,
) -> Option<HitlDecision> {
    let (text, voice) = match signal.kind {
        SignalKind::UserRejection | SignalKind::PartialSuccess => {
            let user = request.user_id.as_deref().filter(|user| !user.trim().is_empty());
            (line(&request.feedback, MAX_CHARS), user.unwrap_or(voice::UNNAMED).to_owned())
        }
        SignalKind::RuntimeError | SignalKind::VerificationFailure => {
            (failure(signal)?, voice::program(signal.facts.framework.as_deref().unwrap_or("runtime")))
        }
    };
    let demand = Demand {
        channel: "refinements",
        id: format!("refinement-{}", request.refinement_id),
        at: request.timestamp,
        agent: request.agent.as_deref(),
        voice,
        tenant: request.tenant_id.as_deref(),
        session: request.session_id.as_deref(),
        task: request.task_id.as_deref(),
        text,
        severity: None,
        record,
        source: &request.source,
    };
    demand.decision(gates)
}

/// Describes a failure as a comment: what failed and its message. `None` if neither is known.
fn failure(signal: &Signal) -> Option<String> {
    let facts = &signal.facts;
    let said = facts.error_message.clone().or_else(|| match (&facts.expected, &facts.actual) {
        (Some(expected), Some(actual)) => Some(format!("expected {expected}, found {actual}")),
        _ => None,
    });
    let text = match (facts.failing_tests.first(), said) {
        (Some(test), Some(said)) => format!("The test {test} fails: {said}"),
        (Some(test), None) => format!("The test {test} fails"),
        (None, Some(said)) => format!("The code fails: {said}"),
        (None, None) => return None,
    };
    Some(line(&text, MAX_CHARS))
}

/// Returns what a repeated failure demands, together with what helped.
pub fn from_action(
    result: &ActionResult,
    text: String,
    record: &str,
    source: &Source,
    gates: &BTreeMap<Gate, String>,
) -> Option<HitlDecision> {
    let demand = Demand {
        channel: "action_results",
        id: format!("action-{}", result.action_id),
        at: result.timestamp,
        agent: Some(&result.agent),
        voice: format!("{} (actions)", result.agent),
        tenant: result.tenant_id.as_deref(),
        session: Some(&result.session_id),
        task: result.task_id.as_deref(),
        text,
        severity: None,
        record,
        source,
    };
    demand.decision(gates)
}

/// Returns what the items of a review document demand.
pub fn from_iteration(iteration: &Iteration, record: &str, gates: &BTreeMap<Gate, String>) -> Vec<HitlDecision> {
    let document = &iteration.document;
    let demands = iteration::demands(document).into_iter().filter_map(|item| {
        let demand = Demand {
            channel: "iteration_feedback",
            id: format!("iteration-{}-{}", document.id, item.item + 1),
            at: document.timestamp,
            agent: iteration.agent.as_deref(),
            voice: iteration.reviewer_id.clone().unwrap_or_else(|| voice::program("iteration-review")),
            tenant: iteration.tenant_id.as_deref(),
            session: None,
            task: None,
            text: item.text,
            severity: Some(match item.severity {
                ItemSeverity::Critical | ItemSeverity::Major => Severity::High,
                ItemSeverity::Minor => Severity::Medium,
                ItemSeverity::Suggestion => Severity::Low,
            }),
            record,
            source: &iteration.source,
        };
        demand.decision(gates)
    });
    demands.collect()
}
