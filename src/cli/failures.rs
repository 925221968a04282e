//! Maps failures of lower layers to exit codes and hints.

use super::exit::{CliError, Exit};
use crate::app::forges::history::CloneError;
use crate::app::pipeline::PipelineError;
use crate::app::publication::BusError;
use crate::config::ConfigError;
use crate::daemon::DaemonError;
use crate::ports::RemoteError;
use crate::wiring::WiringError;

impl From<ConfigError> for CliError {
    fn from(e: ConfigError) -> CliError {
        CliError::new(
            Exit::Configuration,
            e.to_string(),
            "`feedbackd config reference` lists every key with its default and meaning",
        )
    }
}

impl From<BusError> for CliError {
    fn from(e: BusError) -> CliError {
        match e {
            BusError::Unavailable(ref message) => CliError::new(Exit::Unavailable, e.to_string(), advice(message)),
            BusError::Refused { message, hint } => CliError::new(Exit::Unavailable, format!("redis: {message}"), hint),
        }
    }
}

/// Returns advice for a Redis error that may be temporary, based on its message.
fn advice(message: &str) -> &'static str {
    let message = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    match () {
        () if says(&["oom"]) => {
            "Redis is full: raise its maxmemory, or trim streams that all consumers have read \
                                 (XTRIM)"
        }
        () if says(&["readonly"]) => "this server is a replica: point redis.url at the primary",
        () if says(&["misconf"]) => "Redis cannot save to its disk: check its log and its disk",
        () if says(&["loading"]) => "it is starting: try again when it has loaded its data",
        () if says(&["corrupt message", "invalidcontenttype"]) => {
            "the port does not speak TLS: write redis:// in redis.url, or use the port that does"
        }
        // A Redis without TLS takes the handshake for an incomplete command.
        () if says(&["rediss://"]) && says(&["in time"]) => {
            "does the port speak TLS? if not, write redis:// in redis.url; otherwise check that it is running"
        }
        () if says(&["certificate", "unknownissuer"]) => {
            "its certificate is not trusted: set redis.ca_file to the certificate that issued it"
        }
        () if says(&["end of file", "broken pipe", "reset by peer", "disconnected"]) => {
            "it closes the connection: if the port expects TLS, write rediss:// in redis.url"
        }
        () => "is it running, and is redis.url correct?",
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

impl From<CloneError> for CliError {
    fn from(e: CloneError) -> CliError {
        let (exit, hint) = match e {
            CloneError::Missing(_) => (Exit::Usage, "name a bare repository, or the folder that contains .git"),
            CloneError::Owner { .. } => (
                Exit::Unavailable,
                "run it as the owner, or allow it with `git config --global --add safe.directory <path>`",
            ),
            CloneError::Form { hint, .. } => (Exit::Unavailable, hint),
            CloneError::Failing(_) => (
                Exit::Unavailable,
                "run `git fsck` in the clone for details; a new clone may \
                                                           help",
            ),
        };
        CliError::new(exit, e.to_string(), hint)
    }
}

impl From<WiringError> for CliError {
    fn from(e: WiringError) -> CliError {
        match e {
            WiringError::Remote(RemoteError::Store(e)) => e.into(),
            WiringError::Remote(ref error) => CliError::new(
                Exit::Unavailable,
                format!("Git host: {error}"),
                "`feedbackd doctor` checks the way there; the section remote of the configuration names it",
            ),
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
                "check model.url and model.api_key_file in the configuration",
            ),
            WiringError::Forge(_) => CliError::new(
                Exit::Configuration,
                e.to_string(),
                "check [[forges.connected]] in the configuration; docs/forges.md has an example",
            ),
            WiringError::Clone(e) => e.into(),
            WiringError::Oidc(_) => CliError::new(
                Exit::Configuration,
                e.to_string(),
                "check [http.oidc] in the configuration; docs/operating.md has an example",
            ),
            WiringError::Notices(_) => CliError::new(
                Exit::Configuration,
                e.to_string(),
                "check that endpoint in the configuration; docs/notifying.md has an example of each",
            ),
            WiringError::Traces(_) => CliError::new(
                Exit::Configuration,
                e.to_string(),
                "check [traces] in the configuration, and the variables of OpenTelemetry (OTEL_EXPORTER_OTLP_...)",
            ),
            WiringError::Queue(_) => CliError::new(
                Exit::Unavailable,
                e.to_string(),
                "run this as the daemon's user; notices.sqlite in the state directory may be deleted, but pending \
                 notifications are lost",
            ),
            WiringError::Signing(_) => CliError::new(
                Exit::Configuration,
                e.to_string(),
                "`ssh-keygen -t ed25519 -N '' -f KEY` creates a key; leave store.signing_key_file empty to sign \
                 nothing",
            ),
            WiringError::State { .. } => CliError::new(
                Exit::Unavailable,
                e.to_string(),
                "state.dir in the configuration names it; it must be writable for the user who runs this",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_redis_said_tells_what_to_do() {
        let hint = |message: &str| CliError::from(BusError::Unavailable(message.to_owned())).hint;
        assert!(hint("h: OOM command not allowed when used memory > 'maxmemory'.").starts_with("Redis is full"));
        assert!(hint("h: received corrupt message of type InvalidContentType").contains("does not speak TLS"));
        assert!(hint("h: unexpected end of file").contains("rediss://"));
        assert!(hint("h: Connection refused (os error 111)").starts_with("is it running"));
    }
}
