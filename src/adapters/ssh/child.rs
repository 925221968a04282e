//! The child process and the threads that read its output.

use super::lines::line;
use super::options::SshOptions;
use crate::ports::{EventStream, EventStreams, StreamError, StreamItem};
use std::io::{BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Maximum number of queued lines; then the sender blocks.
const WAITING: usize = 64;
/// How long the child may take to exit when asked to.
const GRACE: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(10);
/// How `ssh`'s message that it is connected begins.
const CONNECTED: &str = "Authenticated to ";
/// The longest line of its own messages, in bytes, and the longest excerpt shown, in characters.
const MESSAGE: usize = 4 << 10;
const SHOWN: usize = 200;

/// Starts `ssh` whenever a stream is needed.
pub struct SshStreams {
    options: SshOptions,
}

impl SshStreams {
    /// Starts nothing yet.
    pub fn new(options: SshOptions) -> SshStreams {
        SshStreams { options }
    }
}

impl EventStreams for SshStreams {
    fn open(&self) -> Result<Box<dyn EventStream>, StreamError> {
        let program = self.options.program.display();
        let failed = |why: &dyn std::fmt::Display| StreamError(format!("{program} cannot be run: {why}"));
        let mut child = Command::new(&self.options.program)
            .args(self.options.arguments())
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Its children are ended with it.
            .process_group(0)
            .spawn()
            .map_err(|error| failed(&error))?;
        let (sender, said) = sync_channel(WAITING);
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let last = Arc::default();
        let mut running = SshProcess { child, said, messages: None, last: Arc::clone(&last), is_connected: false };
        // From here on, dropping it ends the child.
        let (Some(out), Some(err)) = (out, err) else { return Err(failed(&"it has no output")) };
        let (max, messages) = (self.options.max_line, sender.clone());
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(|error| failed(&error))
        };
        spawn("ssh lines", Box::new(move || listen(out, max, &sender)))?;
        running.messages = Some(spawn("ssh messages", Box::new(move || overhear(err, &messages, &last)))?);
        Ok(Box::new(running))
    }
}

/// What a thread read.
enum ThreadEvent {
    Connected,
    Line(Vec<u8>),
    Oversized,
    End,
}

struct SshProcess {
    child: Child,
    said: Receiver<ThreadEvent>,
    messages: Option<JoinHandle<()>>,
    last: Arc<Mutex<String>>,
    is_connected: bool,
}

impl EventStream for SshProcess {
    fn next(&mut self, wait: Duration) -> StreamItem {
        let until = Instant::now() + wait;
        loop {
            match self.said.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(ThreadEvent::Connected) if self.is_connected => {}
                Ok(ThreadEvent::Connected) => {
                    self.is_connected = true;
                    return StreamItem::Connected;
                }
                Ok(ThreadEvent::Line(line)) => return StreamItem::Line(line),
                Ok(ThreadEvent::Oversized) => return StreamItem::Oversized,
                Err(RecvTimeoutError::Timeout) => return StreamItem::Quiet,
                Ok(ThreadEvent::End) | Err(RecvTimeoutError::Disconnected) => return StreamItem::Ended(self.end()),
            }
        }
    }
}

impl SshProcess {
    /// Ends the child if it is still running, reaps it, and returns why it ended.
    fn end(&mut self) -> String {
        let status = match wait_until(&mut self.child, Instant::now() + GRACE) {
            Some(status) => format!("ssh exited ({status})"),
            None => "ssh closed its output".to_owned(),
        };
        self.kill();
        let deadline = Instant::now() + GRACE;
        while self.messages.as_ref().is_some_and(|thread| !thread.is_finished()) && Instant::now() < deadline {
            std::thread::sleep(POLL);
        }
        let said = self.last.lock().map(|last| last.clone()).unwrap_or_default();
        if said.is_empty() { status } else { format!("{status}: {said}") }
    }

    fn kill(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        signal_group(&self.child, libc::SIGTERM);
        if wait_until(&mut self.child, Instant::now() + GRACE).is_none() {
            signal_group(&self.child, libc::SIGKILL);
            let _ = self.child.wait();
        }
    }
}

impl Drop for SshProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

fn listen(out: impl Read, max: usize, sender: &SyncSender<ThreadEvent>) {
    let mut reader = BufReader::new(out);
    while let Ok(Some(line)) = line(&mut reader, max) {
        let heard = line.map_or(ThreadEvent::Oversized, ThreadEvent::Line);
        // The receiver is gone.
        if sender.send(heard).is_err() {
            return;
        }
    }
    let _ = sender.send(ThreadEvent::End);
}

/// Keeps the last message, which explains why the child ends.
fn overhear(err: impl Read, sender: &SyncSender<ThreadEvent>, last: &Mutex<String>) {
    let mut reader = BufReader::new(err);
    while let Ok(Some(line)) = line(&mut reader, MESSAGE) {
        let Ok(line) = line else { continue };
        let said = String::from_utf8_lossy(&line);
        let said: String = said.trim().chars().filter(|c| !c.is_control()).take(SHOWN).collect();
        if said.starts_with(CONNECTED) {
            if sender.send(ThreadEvent::Connected).is_err() {
                return;
            }
        } else if let Ok(mut last) = last.lock()
            && !said.is_empty()
            // Printed at the end of every connection.
            && !said.starts_with("Transferred: ")
            && !said.starts_with("Bytes per second: ")
        {
            *last = said;
        }
    }
}

fn wait_until(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL),
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}

fn signal_group(child: &Child, signal: i32) {
    // SAFETY: a system call without memory access. The child was not waited for, so the group is still its own.
    unsafe { libc::kill(-(child.id() as i32), signal) };
}
