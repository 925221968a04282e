//! A running Git: its output, its time limit, and its end.

use crate::git::process_group::{POLL, signal, wait_until};
use crate::ports::{GiveUp, RemoteError};
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// How long Git may take after SIGTERM, and its output after its end.
const GRACE: Duration = Duration::from_secs(2);
/// Most of its output that is kept, in bytes; a host may say more.
const KEPT: u64 = 64 << 10;

/// What Git said.
pub struct GitOutput {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

/// Runs Git to its end, or ends it when the limit is over or the caller gives up.
///
/// # Errors
/// `Git` if it cannot be run, `TooLong`, `GivenUp`.
pub fn run(mut git: Command, limit: Duration, give_up: GiveUp<'_>) -> Result<GitOutput, RemoteError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => RemoteError::Git("git is not installed; install it".to_owned()),
        _ => RemoteError::Git(format!("git cannot be run: {error}")),
    };
    let mut child = git.spawn().map_err(failed)?;
    let (out, err) = (child.stdout.take().map(gather), child.stderr.take().map(gather));
    let until = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(GitOutput { status, out: said(out), err: said(err) });
        }
        let given_up = give_up();
        if given_up || Instant::now() >= until {
            end(&mut child);
            return Err(if given_up {
                RemoteError::GivenUp
            } else {
                RemoteError::TooLong { seconds: limit.as_secs() }
            });
        }
        std::thread::sleep(POLL);
    }
}

/// Reads a pipe to its end, so that Git never waits for a reader.
fn gather(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        // What could be read is enough for a message.
        let _ = (&mut pipe).take(KEPT).read_to_end(&mut kept);
        let _ = sender.send(kept);
        let _ = io::copy(&mut pipe, &mut io::sink());
    });
    receiver
}

/// Returns what was read. A child of Git that outlives it may hold the pipe open.
fn said(pipe: Option<Receiver<Vec<u8>>>) -> String {
    let bytes = pipe.and_then(|pipe| pipe.recv_timeout(GRACE).ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn end(child: &mut Child) {
    signal(child, libc::SIGTERM);
    if matches!(wait_until(child, Instant::now() + GRACE), Ok(None)) {
        signal(child, libc::SIGKILL);
        let _ = child.wait();
    }
}
