//! Dates and times from outside: one parser and one pair of bounds for every reader.
//!
//! A time becomes part of a path, determines what is latest, and gives something's age. So none is accepted from before
//! 1970, a common zero value, and none from more than a day ahead of the local clock: it would stay the latest until
//! that day. A day covers every clock set to local time by mistake.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use thiserror::Error;

/// How far a time may be ahead of the local clock.
pub const AHEAD: SignedDuration = SignedDuration::from_hours(24);

/// The expected format.
pub const EXPECTED: &str = "a date and time such as 2026-01-12T10:00:00Z (RFC 3339; without an offset it is UTC)";

/// Why a text is not accepted as a time, with what would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TimestampError {
    /// A number, or a date without a time: a date alone would silently become midnight.
    #[error("{EXPECTED}")]
    Bare,
    /// Not a date and time.
    #[error("{EXPECTED}")]
    Unreadable,
    /// Before 1970.
    #[error("{EXPECTED}, and not before 1970")]
    TooEarly,
    /// More than a day ahead of the local clock.
    #[error(
        "a time that is at most a day ahead of the clock here ({now:.0}); set the sender's clock, and send it again"
    )]
    TooLate {
        /// The local time.
        now: Timestamp,
    },
}

/// Parses a date and time. `now` is the local time.
///
/// # Errors
/// If it is invalid or out of bounds.
pub fn parse(text: &str, now: Timestamp) -> Result<Timestamp, TimestampError> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+')) {
        return Err(TimestampError::Bare);
    }
    if !text.get(10..11).is_some_and(|t| matches!(t, "T" | "t" | " ")) {
        return Err(TimestampError::Unreadable);
    }
    let parsed = text
        .parse::<Timestamp>()
        .or_else(|_| text.parse::<DateTime>().and_then(|d| d.to_zoned(TimeZone::UTC)).map(|z| z.timestamp()));
    within_bounds(parsed.map_err(|_| TimestampError::Unreadable)?, now)
}

/// Returns a parsed time if it is within the bounds.
///
/// # Errors
/// If it is not.
pub fn within_bounds(time: Timestamp, now: Timestamp) -> Result<Timestamp, TimestampError> {
    if time < Timestamp::UNIX_EPOCH {
        return Err(TimestampError::TooEarly);
    }
    if time > now.saturating_add(AHEAD).unwrap_or(Timestamp::MAX) {
        return Err(TimestampError::TooLate { now });
    }
    Ok(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Timestamp, TimestampError> {
        parse(text, "2026-01-12T10:00:00Z".parse().unwrap())
    }

    #[test]
    fn a_time_is_taken_from_1970_until_a_day_from_now() {
        for text in ["1970-01-01T00:00:00Z", "2026-01-13T10:00:00Z", "2026-01-13 10:00:00", "2026-01-13T12:00:00+02:00"]
        {
            assert!(read(text).is_ok(), "{text}");
        }
        assert_eq!(read("1969-12-31T23:59:59.5Z"), Err(TimestampError::TooEarly));
        assert_eq!(read("0001-01-01T00:00:00Z"), Err(TimestampError::TooEarly));
        for text in ["2026-01-13T10:00:00.000000001Z", "2099-01-01T00:00:00Z", "9998-12-31T00:00:00Z"] {
            assert!(matches!(read(text), Err(TimestampError::TooLate { .. })), "{text}");
        }
        for text in ["", "2026", "2026-01-12", "1768212000", "yesterday", "-000001-01-01T00:00:00Z"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(parse("9999-12-30T21:00:00Z", Timestamp::MAX).is_ok(), "where nothing is asked of a clock");
    }
}
