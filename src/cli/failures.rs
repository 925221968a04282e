//! What the failures of the layers below mean on the command line: an exit code and a hint for each.

use super::exit::{CliError, Exit};
use crate::app::pipeline::PipelineError;
use crate::app::publishing::BusError;
use crate::config::ConfigError;
use crate::daemon::DaemonError;
use crate::wiring::WiringError;

impl From<ConfigError> for CliError {
    fn from(e: ConfigError) -> CliError {
        CliError::new(
            Exit::Configuration,
            e.to_string(),
            "the commented default.toml lists every key (config/ in the source, share/doc/feedbackd/ where it is installed)",
        )
    }
}

impl From<BusError> for CliError {
    fn from(e: BusError) -> CliError {
        match e {
            BusError::Unavailable(_) => {
                CliError::new(Exit::Unavailable, e.to_string(), "is it running, and does redis.url name it?")
            }
            BusError::Refused { message, hint } => CliError::new(Exit::Unavailable, format!("redis: {message}"), hint),
        }
    }
}

impl From<PipelineError> for CliError {
    fn from(e: PipelineError) -> CliError {
        match e {
            PipelineError::Store(e) => e.into(),
            PipelineError::Index(e) => e.into(),
            PipelineError::Reindex(e) => e.into(),
            PipelineError::Embed(e) => e.into(),
            PipelineError::Knowledge(e) => e.into(),
            PipelineError::TurnedBack { .. }
            | PipelineError::RostersRewritten { .. }
            | PipelineError::Busy
            | PipelineError::Record(_) => CliError::new(Exit::Failure, e.to_string(), ""),
        }
    }
}

impl From<WiringError> for CliError {
    fn from(e: WiringError) -> CliError {
        match e {
            WiringError::Config(e) => e.into(),
            WiringError::Store(e) => e.into(),
            WiringError::Bus(e) => e.into(),
            WiringError::Pipeline(e) => e.into(),
            WiringError::Reindex(e) => e.into(),
            WiringError::Embed(e) => e.into(),
            WiringError::Knowledge(e) => e.into(),
            WiringError::Model(_) => CliError::new(
                Exit::Failure,
                e.to_string(),
                "look at model.url and model.api_key_file in the configuration",
            ),
            WiringError::Notices(_) => CliError::new(
                Exit::Configuration,
                e.to_string(),
                "look at that endpoint in the configuration; docs/notifying.md has an example of each",
            ),
            WiringError::Queue(_) => CliError::new(
                Exit::Unavailable,
                e.to_string(),
                "run this as the daemon's user; notices.sqlite in the state directory may be deleted, and what waits there is lost",
            ),
            WiringError::Signing(_) => CliError::new(
                Exit::Configuration,
                e.to_string(),
                "`ssh-keygen -t ed25519 -N '' -f KEY` makes a key; leave store.signing_key_file empty to sign nothing",
            ),
            WiringError::State { .. } => CliError::new(
                Exit::Unavailable,
                e.to_string(),
                "state.dir in the configuration names it; the user who runs this must be able to write there",
            ),
        }
    }
}

impl From<DaemonError> for CliError {
    fn from(e: DaemonError) -> CliError {
        let hint = match e {
            DaemonError::Listen { .. } => {
                "http.listen in the configuration names the address; is another daemon running?"
            }
            DaemonError::Metrics(_) => "",
            DaemonError::Thread(_) => "does a limit of the system allow more threads?",
        };
        CliError::new(Exit::Unavailable, e.to_string(), hint)
    }
}
