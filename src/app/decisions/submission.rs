//! Submitting a person's decision to the daemon and reporting the outcome (specification, "Learning: Meta-HITL").
//!
//! It goes over the review stream like any other decision, so there is one way in and one audit.

use super::commit_signal::CommitSignal;
use crate::domain::intake::decode::{DecodeLimits, Decoded, decode};
use crate::domain::intake::event::{RawEntry, Rejection, StreamKind};
use crate::domain::intake::submission::{Review, Submission};
use crate::domain::records::layout;
use crate::domain::records::record::{Refusal, ReviewRecord};
use crate::domain::rules::lifecycle::signature::{Place, signed_text};
use crate::ports::{BusError, StoreError};
use crate::text::ids::short_hash;
use crate::text::yaml;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long the daemon may take to record a review.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often the store is polled for the record by a process other than the daemon.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long the daemon waits for its own signal before it reads the store: another consumer may have recorded the review.
const SIGNAL_TIMEOUT: Duration = Duration::from_secs(1);

/// Appends a payload to the review stream; may block.
pub type Append = Box<dyn Fn(&Value) -> Result<(), BusError> + Send + Sync>;

/// Reads a file of the store's current state; may block.
pub type ReadNow = Box<dyn Fn(&str) -> Result<Option<String>, StoreError> + Send + Sync>;

/// The connection to the daemon and back.
pub struct Submitter {
    /// Limits and the tenant for decoding.
    pub limits: DecodeLimits,
    /// Appends to the daemon's stream.
    pub append: Append,
    /// Reads the outcome.
    pub read: ReadNow,
    /// Signals durable batches, if the daemon is in this process.
    pub recorded: Option<Arc<CommitSignal>>,
}

/// The outcome of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SubmissionOutcome {
    /// The line's id.
    pub id: String,
    /// Whether it was recorded, and counts.
    pub accepted: bool,
    /// The effect, in words.
    pub effect: String,
    /// Why it does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

/// Why the outcome of a submission is unknown.
#[derive(Debug, Error)]
pub enum SubmitError {
    /// It cannot be decoded; nothing was submitted.
    #[error("{}", .0.message)]
    Rejected(Rejection),
    /// Its id belongs to another review, which is unchanged.
    #[error("another review has the id {0}; use a new one")]
    Taken(String),
    /// The stream cannot be reached.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is in the stream but not recorded yet.
    #[error("the daemon has not recorded {id} within {seconds} s; it stays in the stream and is processed later")]
    Waiting {
        /// The line's id.
        id: String,
        /// How long the caller waited.
        seconds: u64,
    },
}

/// Builds a review id from its origin, the time, and a unique part.
pub fn review_id(from: &str, now: Timestamp, unique: &str) -> String {
    format!("{from}-{}-{}", now.strftime("%Y%m%dT%H%M%SZ"), short_hash(&[unique]))
}

/// Decodes a payload as the review stream's reader would. An undecodable one would become a dead letter, and its sender
/// would never be notified.
///
/// # Errors
/// If it cannot be decoded.
pub fn understood(
    source: &str,
    payload: &Value,
    limits: &DecodeLimits,
    now: Timestamp,
) -> Result<(RawEntry, Option<Submission>), Rejection> {
    let entry = as_entry(StreamKind::MetaHitl, source, payload, now);
    match decode(&entry, limits, now) {
        Decoded::Rejected(rejection) => Err(rejection),
        Decoded::Submission(submission) => Ok((entry, Some(*submission))),
        Decoded::Decision(_) | Decoded::Channel(_) | Decoded::Ignored(_) => Ok((entry, None)),
    }
}

/// Wraps a payload as an entry of a stream of this kind.
pub fn as_entry(kind: StreamKind, source: &str, payload: &Value, now: Timestamp) -> RawEntry {
    RawEntry {
        stream: source.to_owned(),
        kind,
        id: format!("{}-0", now.as_millisecond()),
        fields: vec![("data".to_owned(), payload.to_string().into_bytes())],
        gate_request: None,
        oversize: None,
    }
}

/// Returns the text to sign for a review, as decoded rather than as sent; `None` if it is not a review. Its time is
/// checked on submission.
pub fn text_to_sign(payload: &Value, limits: &DecodeLimits, place: Place<'_>) -> Option<String> {
    match understood("", payload, limits, Timestamp::MAX) {
        Ok((_, Some(Submission::Review(review)))) => Some(signed_text(&review, place)),
        _ => None,
    }
}

impl Submitter {
    /// Appends to the daemon's stream and waits for the recorded outcome. Outcomes exist only for reviews.
    ///
    /// # Errors
    /// If it cannot be decoded, if stream or store cannot be reached, or if the daemon does not process it in time.
    pub fn submit(&self, source: &str, payload: &Value, now: Timestamp) -> Result<SubmissionOutcome, SubmitError> {
        let (_, submission) = understood(source, payload, &self.limits, now).map_err(SubmitError::Rejected)?;
        let review = match submission {
            Some(Submission::Review(review)) => review,
            other => {
                (self.append)(payload)?;
                return Ok(handed_over(other));
            }
        };
        let before = self.record(&review)?;
        (self.append)(payload)?;
        self.outcome(&review, before.as_ref())
    }

    /// Returns the stored record of a review.
    fn record(&self, review: &Review) -> Result<Option<ReviewRecord>, StoreError> {
        // A review of the roster is stored elsewhere once it counts.
        let paths = [layout::review(review.timestamp, &review.review_id), layout::roster_review(&review.review_id)];
        let earlier = paths.each_ref().map(|path| layout::earlier(path));
        for path in paths.into_iter().chain(earlier.into_iter().flatten()) {
            let text = (self.read)(&path)?;
            if let Some(record) = text.and_then(|text| yaml::parse(&text).ok()) {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    fn outcome(&self, review: &Review, before: Option<&ReviewRecord>) -> Result<SubmissionOutcome, SubmitError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let durable = self.recorded.as_ref().map(|signal| signal.count());
            let late = Instant::now() > deadline;
            if let Some(record) = self.record(review)? {
                if (&record.reviewer_id, &record.action) != (&review.reviewer_id, &review.action) {
                    return Err(SubmitError::Taken(review.review_id.clone()));
                }
                // A rejected review may be sent again and then count.
                if record.refusal.is_none() || before != Some(&record) || late {
                    return Ok(SubmissionOutcome {
                        id: record.review_id,
                        accepted: record.refusal.is_none(),
                        effect: record.effect.unwrap_or_default(),
                        refusal: record.refusal,
                    });
                }
            }
            if late {
                return Err(SubmitError::Waiting { id: review.review_id.clone(), seconds: PATIENCE.as_secs() });
            }
            match (&self.recorded, durable) {
                (Some(signal), Some(durable)) => signal.wait(durable, SIGNAL_TIMEOUT),
                _ => std::thread::sleep(LOOK_EVERY),
            }
        }
    }
}

fn handed_over(submission: Option<Submission>) -> SubmissionOutcome {
    let id = match submission {
        Some(Submission::Injection(injection)) => injection.injection_id,
        Some(Submission::Import(import)) => import.name,
        Some(Submission::FollowUp(notice)) => notice.follow_up_id,
        Some(Submission::Review(_)) | None => String::new(),
    };
    SubmissionOutcome { id, accepted: true, effect: "submitted to the daemon".to_owned(), refusal: None }
}
