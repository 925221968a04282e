//! Where publishing stands, and how it moves on.
//!
//! The cursor (the last commit whose messages were published) lives beside the streams and moves in the same step in
//! which messages are appended. A second note of it is kept locally, for the day on which Redis loses its memory.

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

/// Where publishing stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// What Redis says: a step must name it to be taken.
    pub in_redis: Option<CommitId>,
    /// The last commit known to be published: Redis's word, or our own where Redis has none.
    pub published: Option<CommitId>,
}

/// The publishing side of the daemon.
pub struct Publishing<P> {
    publisher: P,
    position: Option<Position>,
    note: PathBuf,
}

impl<P: Publisher> Publishing<P> {
    /// `note` is the file with the local note.
    pub fn new(publisher: P, note: PathBuf) -> Publishing<P> {
        Publishing { publisher, position: None, note }
    }

    /// The bus, for acknowledging.
    pub fn bus(&mut self) -> &mut P {
        &mut self.publisher
    }

    /// Where publishing stands; asks Redis where that is not known.
    ///
    /// # Errors
    /// When Redis cannot be asked.
    pub async fn position(&mut self) -> Result<Position, BusError> {
        if let Some(position) = &self.position {
            return Ok(position.clone());
        }
        let in_redis = self.publisher.cursor().await?;
        if let Some(commit) = in_redis.as_ref().filter(|commit| read_note(&self.note).as_ref() != Some(*commit)) {
            // The program ended between the two.
            write_note(&self.note, commit);
        }
        let published = in_redis.clone().or_else(|| read_note(&self.note));
        let position = Position { in_redis, published };
        self.position = Some(position.clone());
        Ok(position)
    }

    /// The last commit that was published, as far as is noted here: for as long as Redis cannot be asked.
    pub fn noted(&self) -> Option<CommitId> {
        read_note(&self.note)
    }

    /// Asks Redis again where publishing stands, the next time: somebody else may have set the cursor.
    pub fn forget(&mut self) {
        self.position = None;
    }

    /// Sets where publishing stands, wherever that is now, and makes the store the one that the group works for. What was
    /// not published up to there never will be.
    ///
    /// # Errors
    /// When Redis cannot be reached, or somebody else moves the cursor meanwhile.
    pub async fn set(&mut self, commit: &CommitId) -> Result<(), BusError> {
        self.publisher.own().await?;
        self.forget();
        let step = Step { commit: commit.clone(), messages: Vec::new() };
        match self.publish(&step).await? {
            true => Ok(()),
            false => {
                Err(BusError::Unavailable("somebody else is publishing; stop the daemon and try again".to_owned()))
            }
        }
    }

    /// Publishes one step on top of the present position; false where somebody else moved the cursor, so that the
    /// position must be asked for again.
    ///
    /// # Errors
    /// When Redis cannot be reached. Whether the step was taken is then unknown; the next call asks.
    pub async fn publish(&mut self, step: &Step) -> Result<bool, BusError> {
        let position = self.position().await?;
        self.position = None;
        if !self.publisher.publish(position.in_redis.as_ref(), &step.commit, &step.messages).await? {
            return Ok(false);
        }
        feedbackd_ports::fail_point!("publish.after");
        let commit = Some(step.commit.clone());
        self.position = Some(Position { in_redis: commit.clone(), published: commit });
        write_note(&self.note, &step.commit);
        feedbackd_ports::fail_point!("publish.noted");
        Ok(true)
    }
}

/// The commit that a local note names; `None` where there is no note, or none of ours.
pub fn read_note(path: &std::path::Path) -> Option<CommitId> {
    let text = std::fs::read_to_string(path).ok()?;
    let id = text.trim();
    (id.len() == 40 && id.bytes().all(|b| b.is_ascii_hexdigit())).then(|| CommitId(id.to_owned()))
}

/// The note is a convenience: Redis has the cursor, so a note that cannot be written is worth a warning only.
fn write_note(path: &std::path::Path, commit: &CommitId) {
    let fresh = path.with_extension("new");
    if let Err(error) = std::fs::write(&fresh, format!("{commit}\n")).and_then(|()| std::fs::rename(&fresh, path)) {
        tracing::warn!(path = %path.display(), %error, "cannot note how far publishing has come");
    }
}
