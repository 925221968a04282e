//! Parts of a whole, and means.

use serde::Serialize;

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// The part.
    pub part: u64,
    /// The whole.
    pub of: u64,
    /// The quotient; `None` if the whole is 0.
    pub share: Option<f64>,
}

impl Share {
    /// Creates the share `part` of `of`.
    pub fn new(part: u64, of: u64) -> Share {
        Share { part, of, share: (of > 0).then(|| part as f64 / of as f64) }
    }

    /// Returns the share of flags that are true.
    pub fn count(flags: impl IntoIterator<Item = bool>) -> Share {
        let (part, of) = flags.into_iter().fold((0, 0), |(part, of), is| (part + u64::from(is), of + 1));
        Share::new(part, of)
    }
}

/// Returns the mean; `None` if there are no values.
pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.into_iter().fold((0.0, 0_u64), |(sum, count), v| (sum + v, count + 1));
    (count > 0).then(|| sum / count as f64)
}
