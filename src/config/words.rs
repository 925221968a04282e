//! Lists in one text, with commas between the parts.

/// The parts that are not empty, without the spaces around them.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}
