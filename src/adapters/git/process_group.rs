//! A child at the head of a process group of its own, so that its children are stopped with it.

use std::io;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// How often a child is asked whether it has ended.
pub const POLL: Duration = Duration::from_millis(10);

/// Returns the exit status; `None` if still running at the deadline.
///
/// # Errors
/// If the child cannot be waited for.
pub fn wait_until(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        let status = child.try_wait()?;
        if status.is_some() || Instant::now() >= deadline {
            return Ok(status);
        }
        std::thread::sleep(POLL);
    }
}

/// Signals the child and its children.
pub fn signal(child: &Child, signal: i32) {
    // SAFETY: a system call that touches no memory. The child has not been reaped, so the group is still its own.
    unsafe { libc::kill(-(child.id() as i32), signal) };
}
