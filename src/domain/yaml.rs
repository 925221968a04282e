//! Records as YAML text, and back.
//!
//! Typed structs only. Rewriting a record that people may have edited replaces one top-level block and leaves the
//! rest of the text as it is.

use serde::{Serialize, de::DeserializeOwned};

/// A record as the text that is stored.
///
/// # Errors
/// A sentence that says what could not be written.
pub fn render<T: Serialize>(record: &T) -> Result<String, String> {
    serde_saphyr::to_string(record).map_err(|e| e.to_string())
}

/// Reads a record back.
///
/// # Errors
/// A sentence that says what is wrong and where.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_saphyr::from_str(text).map_err(|e| e.to_string())
}
