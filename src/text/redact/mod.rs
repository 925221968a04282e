//! Removes secrets from text before anything is stored, and invisible characters before anything is displayed.
//!
//! A text is read as written and in every other way in which a secret may be written (`views`). Findings combine the
//! published rules for vendors' keys (`published`), a table of our own (`rules`), where a guard decides by words, and
//! private keys (`pem`). It never masks a Git hash or UUID without a secret's name before it, a path, a version or a
//! resource name. Personal data (`personal`) is handled as configured.

mod clean;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod corpus_tests;
mod foreign;
mod guard;
mod mask;
mod pem;
mod personal;
mod public;
mod published;
mod purge;
mod randomness;
mod rules;
mod search;
mod secret;
mod secret_names;
#[cfg(test)]
mod tests;
mod views;

pub use clean::{clean_text, code_point, hidden_characters, is_hidden, removed};
pub use mask::{RedactedText, redact, redact_json};
pub use personal::Names;
pub use personal::{Personal, PersonalDatum, PersonalKind, PseudonymKey, Treatment};
pub use purge::{Fingerprint, PURGED, PurgeTarget};
pub use search::find;
pub use secret::Secret;
