//! Handing what a person decided to the daemon, and saying what became of it (specification, "Learning: Meta-HITL").
//!
//! It goes over the review stream, as what everybody else decides, so that there is one way in and one audit.

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
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long the daemon may take to record a review.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often that is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Appends a payload to the review stream; may block.
pub type Append = Box<dyn Fn(&Value) -> Result<(), BusError> + Send + Sync>;

/// Reads a file of the store as it stands now; may block.
pub type ReadNow = Box<dyn Fn(&str) -> Result<Option<String>, StoreError> + Send + Sync>;

/// The way to the daemon and back.
pub struct Submitting {
    /// Limits and the tenant for decoding.
    pub limits: DecodeLimits,
    /// The way to the daemon.
    pub append: Append,
    /// Where it says what became of it.
    pub read: ReadNow,
}

/// What became of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Submitted {
    /// Its id.
    pub id: String,
    /// Whether it was recorded, and counts.
    pub accepted: bool,
    /// What followed, in words.
    pub effect: String,
    /// Why it does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

/// Why nothing is known of what became of a submission.
#[derive(Debug, Error)]
pub enum SubmitError {
    /// It cannot be understood; nothing was submitted.
    #[error("{}", .0.message)]
    Rejected(Rejection),
    /// Its id is that of another review, which stays as it is.
    #[error("{0} is the id of another review; take a new one")]
    Taken(String),
    /// The stream cannot be reached.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is in the stream, and not recorded yet.
    #[error("the daemon has not recorded {id} within {seconds} s; it stays in the stream and is taken up later")]
    Waiting {
        /// Its id.
        id: String,
        /// For how long it was waited.
        seconds: u64,
    },
}

/// An id for a review that somebody makes now: where from, when, and something that no other has.
pub fn review_id(from: &str, now: Timestamp, unique: &str) -> String {
    format!("{from}-{}-{}", now.strftime("%Y%m%dT%H%M%SZ"), short_hash(&[unique]))
}

/// A payload as if it had come on the review stream, as what reads that stream understands it. What it could not understand
/// would be a dead letter, and nobody who waits would hear of it.
///
/// # Errors
/// When it is not understood.
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

/// A payload as if it had come on a stream of this kind.
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

/// What is signed of a review: the review as it is read, not as it is sent. Nothing where it is none. Whether its time is
/// accepted is seen when it is handed in.
pub fn text_to_sign(payload: &Value, limits: &DecodeLimits, place: Place<'_>) -> Option<String> {
    match understood("", payload, limits, Timestamp::MAX) {
        Ok((_, Some(Submission::Review(review)))) => Some(signed_text(&review, place)),
        _ => None,
    }
}

impl Submitting {
    /// Appends to the stream that the daemon reads, and waits until the store says what became of it. Only of reviews does
    /// it say that.
    ///
    /// # Errors
    /// When it is not understood, when stream or store cannot be reached, or when the daemon does not take it up in time.
    pub fn submit(&self, source: &str, payload: &Value, now: Timestamp) -> Result<Submitted, SubmitError> {
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

    /// What the store has under a review's id.
    fn record(&self, review: &Review) -> Result<Option<ReviewRecord>, StoreError> {
        // One about the roster lies elsewhere once it counts.
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

    fn outcome(&self, review: &Review, before: Option<&ReviewRecord>) -> Result<Submitted, SubmitError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let late = Instant::now() > deadline;
            if let Some(record) = self.record(review)? {
                if (&record.reviewer_id, &record.action) != (&review.reviewer_id, &review.action) {
                    return Err(SubmitError::Taken(review.review_id.clone()));
                }
                // One that was refused may be sent again, and count this time.
                if record.refusal.is_none() || before != Some(&record) || late {
                    return Ok(Submitted {
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
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

fn handed_over(submission: Option<Submission>) -> Submitted {
    let id = match submission {
        Some(Submission::Injection(injection)) => injection.injection_id,
        Some(Submission::Import(import)) => import.name,
        Some(Submission::FollowUp(notice)) => notice.follow_up_id,
        Some(Submission::Review(_)) | None => String::new(),
    };
    Submitted { id, accepted: true, effect: "handed to the daemon".to_owned(), refusal: None }
}
