//! Secrets out of text before anything is stored, and invisible characters out of text before anybody sees it.
//!
//! A table of rules over one `RegexSet`; a rule only says where a secret may be, a guard in words decides. It does
//! not look for personal data, and it never masks a Git hash, a UUID, a path or a version.

mod clean;
mod guard;
mod masking;
mod pem;
mod rules;
mod secret;
#[cfg(test)]
mod tests;

pub use clean::{clean_text, code_point, hidden_characters, is_hidden, removed};
pub use masking::{Redacted, redact, redact_json};
