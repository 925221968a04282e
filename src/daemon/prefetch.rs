//! Read-ahead of the next batch, on a separate thread.
//!
//! It is not one of the threads that read a batch together: a thread waiting there for its part picks up other work,
//! and the current batch would wait for the next one.

use super::supervisor::Supervisor;
use crate::app::pipeline::Prefetch;
use crate::domain::intake::event::RawEntry;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::mpsc;

/// The read-ahead thread. It ends when the last handle is dropped.
#[derive(Clone)]
pub(super) struct ReadingAhead {
    next: Sender<Arc<Vec<RawEntry>>>,
}

impl ReadingAhead {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system cannot create a thread.
    pub(super) fn start(ahead: Prefetch, supervisor: &Supervisor) -> std::io::Result<ReadingAhead> {
        let (next, inbox) = channel();
        supervisor.thread("ahead", move || run(&ahead, &inbox))?;
        Ok(ReadingAhead { next })
    }

    /// Starts reading these entries; leaves unread ones of the previous batch to their processing. Returns at once.
    fn read(&self, entries: Arc<Vec<RawEntry>>) {
        // If the thread is gone, entries are read when processed.
        let _ = self.next.send(entries);
    }
}

fn run(ahead: &Prefetch, inbox: &Receiver<Arc<Vec<RawEntry>>>) {
    let mut next = inbox.recv().ok();
    while let Some(entries) = next {
        let newer = entries.iter().find_map(|entry| {
            ahead.read(entry);
            inbox.try_recv().ok()
        });
        // Spares the processing a copy.
        drop(entries);
        next = newer.or_else(|| inbox.recv().ok());
    }
}

/// The batch after the current one.
pub(super) struct Next {
    reading: ReadingAhead,
    batch: Option<Arc<Vec<RawEntry>>>,
}

impl Next {
    /// Starts reading at once if the batch is already available.
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

    /// Receives the batch when it arrives and has it read, until other work is done. Returns the result of that work.
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

    /// Returns the batch, if it arrived.
    pub(super) fn into_batch(self) -> Option<Vec<RawEntry>> {
        self.batch.map(Arc::unwrap_or_clone)
    }
}
