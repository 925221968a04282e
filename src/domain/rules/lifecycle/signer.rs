//! Whether a review's signature counts: it matches the review, uses one of the person's roster keys, and is in time.
//!
//! This module does not decide who must sign.

use super::roster::Reviewer;
use super::signature::{self, Place, Signed};
use crate::intake::submission::Review;
use jiff::{SignedDuration, Timestamp};

/// How far a signer's clock may be ahead.
const CLOCK_AHEAD: SignedDuration = SignedDuration::from_mins(10);

/// Reports whether a signature of that moment is received too late.
pub fn is_late(signed: Timestamp, now: Timestamp, window: SignedDuration) -> bool {
    now.duration_since(signed) > window
}

/// Returns a person's keys whose signatures dated at a moment count if received now: a key revoked since may be in
/// other hands, which could write any date.
pub fn keys(person: Option<&Reviewer>, signed: Timestamp, now: Timestamp) -> Vec<&str> {
    let mut keys = person.map(|person| person.keys_at(signed)).unwrap_or_default();
    let valid = person.map(|person| person.keys_at(now)).unwrap_or_default();
    keys.retain(|key| valid.contains(key));
    keys
}

/// Returns the signature of a review by this person, if it counts.
///
/// # Errors
/// A sentence that states why not.
pub fn check(
    review: &Review,
    place: Place<'_>,
    person: Option<&Reviewer>,
    now: Timestamp,
    window: SignedDuration,
) -> Result<Signed, String> {
    if review.timestamp > now.saturating_add(CLOCK_AHEAD).unwrap_or(Timestamp::MAX) {
        return Err("its signing time is in the future; check the signer's clock".to_owned());
    }
    if is_late(review.timestamp, now, window) {
        let hours = window.as_hours();
        return Err(format!(
            "it was signed more than {hours} hours ago (review.signature_window_hours); sign it again"
        ));
    }
    signature::verify(review, place, &keys(person, review.timestamp, now))
}
