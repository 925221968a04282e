//! `notify`: who is notified of what, and whether delivery works.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page;
use crate::app::notifications::{Delivery, EndpointState};
use crate::wiring;
use serde_json::json;

/// The subcommands for notifications.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List the recipients, how much is queued for each, and the last response
    List,
    /// Send a test notification to one endpoint, and print the response
    ///
    /// It bypasses the queue. Successful delivery re-enables a disabled endpoint.
    Test(Test),
}

/// Its options.
#[derive(Debug, clap::Args)]
pub struct Test {
    /// The endpoint, as listed by `feedbackd notify list`
    name: String,
}

/// Runs the command.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let config = context.config()?;
    let Command::Test(Test { name }) = command else {
        let states = wiring::notify_states(&config)?;
        let width = out.list_width();
        let answer: Vec<_> = states
            .iter()
            .map(|(name, style, state)| {
                let state = state.as_ref();
                json!({
                    "name": name, "style": style, "waiting": state.map_or(0, |state| state.waiting),
                    "disabled_at": state.and_then(|state| state.disabled_at),
                    "delivered_at": state.and_then(|state| state.delivered_at),
                    "failed_at": state.and_then(|state| state.failed.as_ref().map(|(at, _)| at)),
                    "error": state.and_then(|state| state.failed.as_ref().map(|(_, why)| why)),
                })
            })
            .collect();
        out.answer(&answer, |_| {
            if states.is_empty() {
                return "No notifications are sent: the configuration has no [[notify.webhooks]] and no \
                        [[notify.mail]].\n"
                    .to_owned();
            }
            let row = |(name, style, state): &(String, &'static str, Option<EndpointState>)| {
                let waiting = state.as_ref().map_or(0, |state| state.waiting);
                vec![name.clone(), (*style).to_owned(), waiting.to_string(), stands(state.as_ref())]
            };
            page::list(&["name", "style", "waiting", "last"], states.iter().map(row).collect(), width)
        })?;
        return Ok(Exit::Ok);
    };
    let Some(said) = wiring::notify_test(&config, name)? else {
        return Err(CliError::new(
            Exit::NotFound,
            format!("there is no endpoint or person named {name}"),
            "`feedbackd notify list` lists them",
        ));
    };
    match said {
        Delivery::Taken(said) => {
            out.answer(&json!({ "name": name, "delivered": true, "answer": said }), |_| {
                format!("{name} accepted the test: {said}.\n")
            })?;
            Ok(Exit::Ok)
        }
        Delivery::Gone => Err(CliError::new(
            Exit::Failure,
            format!("{name} no longer accepts notifications (HTTP status 410)"),
            "remove it from the configuration, or give it another URL",
        )),
        Delivery::Failed { why, .. } => {
            Err(CliError::new(Exit::Failure, format!("delivery to {name} failed: {why}"), ""))
        }
    }
}

/// Describes an endpoint's state.
pub(super) fn stands(state: Option<&EndpointState>) -> String {
    let Some(state) = state else { return "no notifications were sent to it yet".to_owned() };
    let day = |at: &jiff::Timestamp| at.strftime("%Y-%m-%d %H:%M").to_string();
    if let Some(at) = &state.disabled_at {
        return format!("it has accepted no notifications since {}", day(at));
    }
    match (&state.delivered_at, &state.failed) {
        (None, None) => "nothing was sent yet".to_owned(),
        (delivered, Some((failed, why))) if delivered.as_ref().is_none_or(|at| at < failed) => {
            format!("failed {}: {why}", day(failed))
        }
        (Some(at), _) => format!("accepted one {}", day(at)),
        (None, Some((at, why))) => format!("failed {}: {why}", day(at)),
    }
}
