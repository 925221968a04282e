//! The streams of events of forges: from the configuration to what runs `ssh`.

use super::error::WiringError;
use crate::adapters::ssh::{SshOptions, SshStreams};
use crate::config::{Config, ForgeConfig, SshAddress};
use crate::daemon::Streaming;
use crate::ports::{EventStreams, Streamed};
use std::path::Path;
use std::time::Duration;

/// What is run on Gerrit's side.
const COMMAND: [&str; 4] = ["gerrit", "stream-events", "-s", "comment-added"];

/// How long a stream may take to be connected.
const CONNECTING: Duration = Duration::from_secs(20);
/// How long one who may not listen takes to be told so.
const REFUSING: Duration = Duration::from_secs(2);

/// What the daemon listens to.
///
/// # Errors
/// When an address cannot be read.
pub(super) fn streaming(config: &Config) -> Result<Vec<Streaming>, WiringError> {
    let listened = config.forges.connected.iter().filter(|forge| !forge.ssh.is_empty());
    let one = |forge: &ForgeConfig| {
        let (name, projects) = (forge.name.clone(), forge.repositories.clone());
        Ok(Streaming { forge: name, projects, events: event_streams(config, forge)? })
    };
    listened.map(one).collect()
}

/// Connects, ends the connection, and says why it does not come about; nothing where it does.
///
/// # Errors
/// When its address cannot be read.
pub fn try_stream(config: &Config, forge: &ForgeConfig) -> Result<Option<String>, WiringError> {
    let mut stream = match event_streams(config, forge)?.open() {
        Ok(stream) => stream,
        Err(error) => return Ok(Some(error.to_string())),
    };
    Ok(match stream.next(CONNECTING) {
        Streamed::Quiet => Some(format!("it is not connected within {} seconds", CONNECTING.as_secs())),
        Streamed::Ended(why) => Some(why),
        // Whoever is known may yet not listen; that is said at once.
        Streamed::Connected | Streamed::Line(_) | Streamed::Oversized => match stream.next(REFUSING) {
            Streamed::Ended(why) => Some(why),
            _ => None,
        },
    })
}

/// Where the events of a forge come from. Nothing is started.
fn event_streams(config: &Config, forge: &ForgeConfig) -> Result<Box<dyn EventStreams>, WiringError> {
    let Some(SshAddress { user, host, port }) = SshAddress::parse(&forge.ssh) else {
        return Err(WiringError::Forge(format!("{}: its `ssh` must be written ssh://USER@HOST:PORT", forge.name)));
    };
    let named = |file: &Path| (file != Path::new("")).then(|| file.to_owned());
    Ok(Box::new(SshStreams::new(SshOptions {
        program: forge.ssh_program.clone(),
        user,
        host,
        port,
        key_file: named(&forge.ssh_key_file),
        known_hosts_file: named(&forge.ssh_known_hosts_file),
        command: COMMAND.map(str::to_owned).to_vec(),
        max_line: usize::try_from(config.http.max_body_bytes).unwrap_or(usize::MAX),
    })))
}
