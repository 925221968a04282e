//! Reading what is processed next, on a thread of its own.
//!
//! Not among the threads that read a batch together: who waits there for its part takes up whatever else is to be done, and
//! the batch in hand would wait for the next one.

use super::supervisor::Supervisor;
use crate::app::pipeline::Ahead;
use crate::domain::intake::event::RawEntry;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::mpsc;

/// The thread that reads ahead. It ends with the last of these.
#[derive(Clone)]
pub(super) struct ReadingAhead {
    next: Sender<Arc<Vec<RawEntry>>>,
}

impl ReadingAhead {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn start(ahead: Ahead, supervisor: &Supervisor) -> std::io::Result<ReadingAhead> {
        let (next, inbox) = channel();
        supervisor.thread("ahead", move || run(&ahead, &inbox))?;
        Ok(ReadingAhead { next })
    }

    /// Reads these, and what is left of those before is left to whoever processes them. Returns at once.
    fn read(&self, entries: Arc<Vec<RawEntry>>) {
        // Where the thread is gone, everything is read when it is processed.
        let _ = self.next.send(entries);
    }
}

fn run(ahead: &Ahead, inbox: &Receiver<Arc<Vec<RawEntry>>>) {
    let mut next = inbox.recv().ok();
    while let Some(entries) = next {
        let newer = entries.iter().find_map(|entry| {
            ahead.read(entry);
            inbox.try_recv().ok()
        });
        // Whoever processes them need not copy them.
        drop(entries);
        next = newer.or_else(|| inbox.recv().ok());
    }
}

/// The batch after the one in hand.
pub(super) struct Next {
    reading: ReadingAhead,
    batch: Option<Arc<Vec<RawEntry>>>,
}

impl Next {
    /// Where it is there already, it is read from now on.
    pub(super) fn new(reading: ReadingAhead, batch: Option<Vec<RawEntry>>) -> Next {
        let mut next = Next { reading, batch: None };
        if let Some(batch) = batch {
            next.take(batch);
        }
        next
    }

    fn take(&mut self, batch: Vec<RawEntry>) {
        let batch = Arc::new(batch);
        self.reading.read(Arc::clone(&batch));
        self.batch = Some(batch);
    }

    /// Takes the batch when it comes in, and has it read, until other work is done. Returns what that comes to.
    pub(super) async fn meanwhile<T>(
        &mut self,
        incoming: &mut mpsc::Receiver<Vec<RawEntry>>,
        work: impl Future<Output = T>,
    ) -> T {
        let mut work = pin!(work);
        let mut is_open = true;
        loop {
            tokio::select! {
                done = &mut work => return done,
                batch = incoming.recv(), if is_open && self.batch.is_none() => match batch {
                    Some(batch) => self.take(batch),
                    None => is_open = false,
                },
            }
        }
    }

    /// The batch, where it came in.
    pub(super) fn into_batch(self) -> Option<Vec<RawEntry>> {
        self.batch.map(Arc::unwrap_or_clone)
    }
}
