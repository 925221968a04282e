//! Agents' calls: the rules in force for them, their prompt section, and reporting which rules entered a prompt.
//! Answered from RAM, because agents call before every piece of work.

use super::operation::{Body, Decides, JSON, Operation, UNFIT, UNREADABLE, Verb};
use super::request::{ApiRequest, Parameter, bad};
use super::response::{ApiResponse, refused, told};
use super::submission::SOURCE;
use crate::app::decisions::submission::{SubmissionOutcome, review_id};
use crate::auth::Scope;
use crate::domain::intake::submission::InjectedRule;
use crate::domain::rules::draft::proposal::content_hash;
use crate::domain::rules::in_force::prompt::{ActiveRule, AgentRules, Place};
use crate::problem::Problem;
use crate::services::Services;
use crate::submission;
use crate::text::ids::Gate;
use jiff::Timestamp;
use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;

const PLACE: &[Parameter] = &[
    Parameter::new("path", "leave out rules that do not apply to this file"),
    Parameter::new("gate", "leave out rules that do not apply to this gate: `HITL-4`")
        .of(|_| json_schema!({ "type": "string", "pattern": "^HITL-[1-9][0-9]?$" })),
];

/// The agents' calls.
pub const AGENTS: &[Operation] = &[
    Operation {
        verb: Verb::Get,
        path: "/agents/{agent}/rules",
        id: "getAgentRules",
        summary: "The rules in force for an agent, in prompt order, as its key in Redis lists them",
        query: PLACE,
        body: None,
        answer: |g| g.subschema_for::<Rules>(),
        problems: &[UNREADABLE],
        decides: Decides::Nothing,
        call: |services, asked| {
            let found = found(services, asked)?;
            told(&Rules { agent: found.agent.clone(), rules: found.active.clone() })
        },
    },
    Operation {
        verb: Verb::Get,
        path: "/agents/{agent}/prompt",
        id: "getAgentPrompt",
        summary: "The section for an agent's prompt, as its key in Redis holds it, and the rules in it",
        query: PLACE,
        body: None,
        answer: |g| g.subschema_for::<Prompt>(),
        problems: &[UNREADABLE],
        decides: Decides::Nothing,
        call: |services, asked| told(&Prompt::of(&*found(services, asked)?)),
    },
    Operation {
        verb: Verb::Post,
        path: "/agents/{agent}/injected",
        id: "tellInjected",
        summary: "Reports which rules were in a prompt, so that their effect can be measured",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Injected>() }),
        answer: |g| g.subschema_for::<SubmissionOutcome>(),
        problems: &[UNREADABLE, UNFIT],
        decides: Decides::Something,
        call: injected,
    },
];

/// The rules in force for an agent.
#[derive(Debug, Serialize, JsonSchema)]
struct Rules {
    /// The agent.
    agent: String,
    /// Its rules in prompt order; empty if it has none.
    rules: Vec<ActiveRule>,
}

/// The section for an agent's prompt.
#[derive(Debug, Serialize, JsonSchema)]
struct Prompt {
    /// The agent.
    agent: String,
    /// The section, ready to append to the base prompt; null if there are no rules.
    prompt: Option<String>,
    /// Its rules, in order: what to report when it was used.
    rules: Vec<InjectedRule>,
    /// BLAKE3 of the section.
    prompt_hash: String,
}

impl Prompt {
    fn of(found: &AgentRules) -> Prompt {
        let prompt = found.prompt.clone();
        let rule = |rule: &ActiveRule| InjectedRule { rule_id: rule.id.clone(), version: rule.version };
        Prompt {
            agent: found.agent.clone(),
            prompt_hash: content_hash(prompt.as_deref().unwrap_or_default()),
            prompt,
            rules: found.active.iter().map(rule).collect(),
        }
    }
}

/// Which rules entered a prompt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Injected {
    /// The rules, in prompt order.
    rules: Vec<InjectedRule>,
    /// Rules held out, to compare prompts with and without them.
    #[serde(default)]
    held_out: Vec<String>,
    /// The agent's session: its decisions are then compared with the rules it had.
    session_id: Option<String>,
    /// The id of this report: resending it has no further effect. Generated if absent.
    injection_id: Option<String>,
    /// When the prompt was built; now if absent.
    #[schemars(with = "Option<String>")]
    timestamp: Option<Timestamp>,
    /// A hash of the prompt without its rules; that of an empty one if absent.
    base_hash: Option<String>,
    /// A hash of the prompt as used; that of the section if the section was all of it.
    prompt_hash: String,
}

fn found(services: &Services, asked: &ApiRequest) -> Result<Arc<AgentRules>, Problem> {
    let gate = asked.option("gate").map(|text| {
        Gate::parse(text).ok_or_else(|| bad(format!("`gate`: `{text}` is not a gate; use HITL-1, HITL-2, …")))
    });
    let place = Place { gate: gate.transpose()?, path: asked.option("path") };
    Ok(services.channels.in_force().map_err(refused)?.at(asked.part("agent"), &place))
}

fn injected(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    if let Some(caller) = &asked.caller {
        caller.may(Scope::Decide)?;
    }
    let notice: Injected = asked.json()?;
    let now = services.channels.clock.now();
    let agent = asked.part("agent");
    let id = notice.injection_id.unwrap_or_else(|| {
        let unique = format!("{agent} {:?} {}", notice.session_id, now.as_nanosecond());
        review_id(SOURCE, now, &unique)
    });
    let mut payload = json!({
        "injection_id": id,
        "agent": agent,
        "timestamp": notice.timestamp.unwrap_or(now),
        "rules": notice.rules,
        "held_out": notice.held_out,
        "base_hash": notice.base_hash.unwrap_or_else(|| content_hash("")),
        "prompt_hash": notice.prompt_hash,
    });
    if let Some(session) = notice.session_id {
        payload["session_id"] = json!(session);
    }
    told(&submission::hand_over(services, SOURCE, &payload)?)
}
