//! The forges' event streams: from the configuration to running `ssh`.

use super::error::WiringError;
use crate::adapters::ssh::{SshOptions, SshStreams};
use crate::config::{Config, ForgeConfig, SshAddress};
use crate::daemon::ForgeStream;
use crate::ports::{EventStreams, StreamItem};
use std::path::Path;
use std::time::Duration;

/// The command run on Gerrit.
const COMMAND: [&str; 4] = ["gerrit", "stream-events", "-s", "comment-added"];

/// Time limit for connecting a stream.
const CONNECTING: Duration = Duration::from_secs(20);
/// How long a server takes to reject an unauthorized listener.
const REFUSING: Duration = Duration::from_secs(2);

/// Returns the daemon's event streams.
///
/// # Errors
/// If an address cannot be parsed.
pub(super) fn streaming(config: &Config) -> Result<Vec<ForgeStream>, WiringError> {
    let listened = config.forges.connected.iter().filter(|forge| !forge.ssh.is_empty());
    let one = |forge: &ForgeConfig| {
        let (name, projects) = (forge.name.clone(), forge.repositories.clone());
        Ok(ForgeStream { forge: name, projects, events: event_streams(config, forge)? })
    };
    listened.map(one).collect()
}

/// Connects, disconnects, and returns why that failed; `None` if it worked.
///
/// # Errors
/// If its address cannot be parsed.
pub fn try_stream(config: &Config, forge: &ForgeConfig) -> Result<Option<String>, WiringError> {
    let mut stream = match event_streams(config, forge)?.open() {
        Ok(stream) => stream,
        Err(error) => return Ok(Some(error.to_string())),
    };
    Ok(match stream.next(CONNECTING) {
        StreamItem::Quiet => Some(format!("it did not connect within {} seconds", CONNECTING.as_secs())),
        StreamItem::Ended(why) => Some(why),
        // A known user may still lack permission to listen; that is reported at once.
        StreamItem::Connected | StreamItem::Line(_) | StreamItem::Oversized => match stream.next(REFUSING) {
            StreamItem::Ended(why) => Some(why),
            _ => None,
        },
    })
}

/// Returns the source of a forge's events. Nothing is started.
fn event_streams(config: &Config, forge: &ForgeConfig) -> Result<Box<dyn EventStreams>, WiringError> {
    let Some(SshAddress { user, host, port }) = SshAddress::parse(&forge.ssh) else {
        return Err(WiringError::Forge(format!("{}: its `ssh` must have the form ssh://USER@HOST:PORT", forge.name)));
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
