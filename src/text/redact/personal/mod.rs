//! Personal data by kind: people's addresses, numbers, cards and accounts, masked or replaced by a pseudonym as
//! configured.
//!
//! Existing crates were considered. `iban_validate` knows the accounts of every country. `linkify` finds e-mail
//! addresses, but mistakes parts of URLs for some and misses one before a colon; `email_address` only validates a given
//! one. No maintained crate finds telephone numbers in text: `phonenumber` parses a known number for a known country,
//! with a megabyte of tables. So numbers are found by their international form or a word before them. Cards are
//! recognised by issuer and Luhn's digit, which needs no crate, and IP addresses by the standard library.

mod find;
mod key;
mod kind;
mod numbers;
mod policy;
#[cfg(test)]
mod tests;

pub use key::PseudonymKey;
pub use kind::{PersonalDatum, PersonalKind};
pub use policy::Names;
pub use policy::{Personal, Treatment};
