//! Comma-separated lists in one text.

/// Returns the non-empty parts, trimmed.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}
