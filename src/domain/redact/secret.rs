//! A secret that was found, and the mark that takes its place.

/// What every replacement starts with; nothing that contains it is a secret, so redacting twice is redacting once.
pub(super) const MARK: &str = "[REDACTED:";

/// Where a secret stands, in bytes.
pub(super) struct Secret {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
}
