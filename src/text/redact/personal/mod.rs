//! Personal data by kind: addresses, numbers, cards and accounts of people, masked or replaced by a pseudonym where the
//! configuration says so.
//!
//! What exists was weighed. `iban_validate` knows the accounts of every country. `linkify` finds e-mail addresses, but
//! takes parts of URLs for some and misses one before a colon; `email_address` only checks one that was found. Nothing
//! kept finds telephone numbers in text: `phonenumber` reads one that is known to be one, for a country that is known,
//! with a megabyte of tables. So numbers are found by their international form or a word before them. Cards are told by
//! who issues them and Luhn's digit, which needs no crate, and IP addresses by the standard library.

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
