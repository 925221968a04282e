//! Whether notification endpoints can be reached, as far as known without sending anything.

use super::check::{Check, Verdict, ok, problem, warning};
use crate::app::notifications::EndpointState;
use crate::cli::notify::stands;
use crate::config::Config;
use crate::wiring;

const NAME: &str = "notices";

/// Returns a line for each endpoint.
pub(super) fn check_notices(config: &Config) -> Vec<Check> {
    if !config.notify.is_on() {
        return Vec::new();
    }
    if let Err(error) = wiring::notify_check(config) {
        let hint = "fix that endpoint in the configuration; docs/notifying.md has an example of each";
        return vec![problem(NAME, error.to_string(), hint)];
    }
    match wiring::notify_states(config) {
        Ok(states) => states.iter().map(|(name, style, state)| check(name, style, state.as_ref())).collect(),
        Err(error) => vec![problem(NAME, error.to_string(), "run this as the daemon's user")],
    }
}

fn check(name: &str, style: &str, state: Option<&EndpointState>) -> Check {
    let waiting = state.map_or(0, |state| state.waiting);
    let finding = format!("{name} ({style}): {}, {waiting} wait", stands(state));
    let failing = state.is_some_and(|state| {
        let failed = state.failed.as_ref().map(|(at, _)| *at);
        failed.is_some() && failed > state.delivered_at
    });
    let verdict =
        if state.is_some_and(|state| state.disabled_at.is_some()) || failing { Verdict::Warning } else { Verdict::Ok };
    match verdict {
        Verdict::Ok => ok(NAME, finding),
        _ => warning(NAME, finding, format!("`feedbackd notify test {name}` shows the response")),
    }
}
