//! The publishing position and how it advances.
//!
//! The cursor (the last commit whose messages were published) is stored next to the streams and moves atomically with
//! appended messages. A second copy is kept locally in case Redis loses its data.

use crate::domain::records::message::Outgoing;
use crate::ports::{BusError, Publisher};
use crate::text::ids::CommitId;
use std::path::PathBuf;

/// One commit to publish.
#[derive(Clone, Debug)]
pub struct Step {
    /// The commit.
    pub commit: CommitId,
    /// Its messages.
    pub messages: Vec<Outgoing>,
}

/// The publishing position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The cursor in Redis, which a step must name to be applied.
    pub in_redis: Option<CommitId>,
    /// The last commit known to be published: from Redis, or from the local note if Redis has none.
    pub published: Option<CommitId>,
}

/// The publishing side of the daemon.
pub struct OutboxPublisher<P> {
    publisher: P,
    /// With the connection on which it was read or set.
    position: Option<(Option<u64>, Position)>,
    note: PathBuf,
}

impl<P: Publisher> OutboxPublisher<P> {
    /// Creates the publishing side; `note` is the file with the local note.
    pub fn new(publisher: P, note: PathBuf) -> OutboxPublisher<P> {
        OutboxPublisher { publisher, position: None, note }
    }

    /// Returns the bus, for acknowledging.
    pub fn bus(&mut self) -> &mut P {
        &mut self.publisher
    }

    /// Returns the publishing position, querying Redis if it is not known, or not known on the present connection: a
    /// server that has taken over from another one may have lost its last writes.
    ///
    /// # Errors
    /// If Redis cannot be queried.
    pub async fn position(&mut self) -> Result<Position, BusError> {
        let connection = self.publisher.connection();
        if let Some((known, position)) = &self.position
            && connection.is_some()
            && *known == connection
        {
            return Ok(position.clone());
        }
        let in_redis = self.publisher.cursor().await?;
        if let Some(commit) = in_redis.as_ref().filter(|commit| read_note(&self.note).as_ref() != Some(*commit)) {
            // The program ended between the two steps.
            write_note(&self.note, commit);
        }
        let published = in_redis.clone().or_else(|| read_note(&self.note));
        let position = Position { in_redis, published };
        self.position = Some((self.publisher.connection(), position.clone()));
        Ok(position)
    }

    /// Returns the last published commit according to the local note, for use while Redis is unavailable.
    pub fn noted(&self) -> Option<CommitId> {
        read_note(&self.note)
    }

    /// Forces the position to be read from Redis next time: another process may have set the cursor, or a failover of
    /// Redis may have lost it.
    pub fn forget(&mut self) {
        self.position = None;
    }

    /// Sets the publishing position unconditionally and binds the group to this store. Anything unpublished before it
    /// is skipped for good.
    ///
    /// # Errors
    /// If Redis cannot be reached, or the cursor moves concurrently.
    pub async fn set(&mut self, commit: &CommitId) -> Result<(), BusError> {
        self.publisher.own().await?;
        self.forget();
        let step = Step { commit: commit.clone(), messages: Vec::new() };
        match self.publish(&step).await? {
            true => Ok(()),
            false => {
                Err(BusError::Unavailable("another process is publishing; stop the daemon and try again".to_owned()))
            }
        }
    }

    /// Publishes one step on top of the present position. Returns false if the cursor was moved elsewhere and the
    /// position must be read again.
    ///
    /// # Errors
    /// If Redis cannot be reached. Whether the step was applied is then unknown; the next call finds out.
    pub async fn publish(&mut self, step: &Step) -> Result<bool, BusError> {
        let position = self.position().await?;
        self.position = None;
        if !self.publisher.publish(position.in_redis.as_ref(), &step.commit, &step.messages).await? {
            return Ok(false);
        }
        feedbackd_ports::fail_point!("publish.after");
        let commit = Some(step.commit.clone());
        let position = Position { in_redis: commit.clone(), published: commit };
        self.position = Some((self.publisher.connection(), position));
        write_note(&self.note, &step.commit);
        feedbackd_ports::fail_point!("publish.noted");
        Ok(true)
    }
}

/// Returns the commit in a local note; `None` if there is no valid note.
pub fn read_note(path: &std::path::Path) -> Option<CommitId> {
    let text = std::fs::read_to_string(path).ok()?;
    let id = text.trim();
    (id.len() == 40 && id.bytes().all(|b| b.is_ascii_hexdigit())).then(|| CommitId(id.to_owned()))
}

/// The note is a convenience: Redis has the cursor, so a failed write only warrants a warning.
fn write_note(path: &std::path::Path, commit: &CommitId) {
    let fresh = path.with_extension("new");
    if let Err(error) = std::fs::write(&fresh, format!("{commit}\n")).and_then(|()| std::fs::rename(&fresh, path)) {
        tracing::warn!(path = %path.display(), %error, "cannot save the publication cursor");
    }
}
