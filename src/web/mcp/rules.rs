//! The rules that apply to an agent and the files it works on.

use super::shapes::{Rules, RulesOf};
use super::state::McpState;
use crate::domain::rules::in_force::prompt::{ActiveRule, Place, may_apply};

/// Returns the rules that apply to the agent and to at least one of the files.
pub fn rules(desk: &McpState, asked: RulesOf) -> Result<Rules, String> {
    let in_force = desk.channels.in_force().map_err(|error| format!("{error}; try again later"))?;
    let known: Vec<&str> = in_force.agents().filter(|a| !a.active.is_empty()).map(|a| a.agent.as_str()).collect();
    let agent = match (asked.agent, known.as_slice()) {
        (Some(agent), _) => agent,
        (None, [only]) => (*only).to_owned(),
        (None, []) => return Err("no agent has rules yet; name your agent in `agent`".to_owned()),
        (None, several) => {
            return Err(format!("several agents have rules; name yours in `agent`: {}", several.join(", ")));
        }
    };
    let holds = |rule: &ActiveRule| {
        let at = |path: &String| may_apply(&rule.scope, &Place { gate: None, path: Some(path) });
        asked.paths.is_empty() || asked.paths.iter().any(at)
    };
    let all = in_force.at(&agent, &Place::default());
    Ok(Rules { agent, rules: all.active.iter().filter(|rule| holds(rule)).cloned().collect() })
}
