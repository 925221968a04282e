//! Secrets out of text before anything is stored, and invisible characters out of text before anybody sees it.
//!
//! A text is read as it stands and in every other way in which a secret may be written (`views`). What is found is the
//! sum of the published rules of vendors' keys (`published`), of a table of our own (`rules`), where a guard in words
//! decides, and of private keys (`pem`). It never masks a Git hash or a UUID that no telling name stands before, a path,
//! a version or the name of a resource. What is personal (`personal`) goes as the configuration says.

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
pub use mask::{Redacted, redact, redact_json};
pub use personal::Names;
pub use personal::{Personal, PersonalDatum, PersonalKind, PseudonymKey, Treatment};
pub use purge::{Fingerprint, PURGED, Purged};
pub use search::find;
pub use secret::Secret;
