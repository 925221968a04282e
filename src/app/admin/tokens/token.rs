//! The stored form of a token.

use super::scope::Scope;
use crate::text::ids::hex;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of hexadecimal digits in a token's id.
const ID_CHARS: usize = 8;
/// Number of random bytes in a token.
pub const SECRET_BYTES: usize = 32;

/// The stored form of a token: only its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Its id, also part of the token, so that a leaked one can be identified.
    pub id: String,
    /// Whether it is reusable.
    pub kind: Kind,
    /// The BLAKE3 hash of the whole token, in hexadecimal digits.
    pub hash: String,
    /// The person it identifies, by roster id.
    pub reviewer: String,
    /// Its name, for people.
    pub name: String,
    /// What it allows.
    pub scope: Scope,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When a one-time token was used to log in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Timestamp>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

/// How often a token may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Any number of times until it expires.
    Token,
    /// Once, to log in.
    Link,
}

impl Kind {
    /// Returns the token prefix, which lets scanners find leaks.
    pub fn prefix(self) -> &'static str {
        match self {
            Kind::Token => "fbd_",
            Kind::Link => "fbl_",
        }
    }
}

impl Token {
    /// Reports whether the presented text is this token. Two hashes are compared in constant time.
    pub fn is(&self, shown: &str) -> bool {
        blake3::Hash::from_hex(&self.hash).is_ok_and(|kept| kept == blake3::hash(shown.as_bytes()))
    }
}

/// Builds the text of a token from random bytes, with its id.
pub fn written(kind: Kind, random: &[u8; SECRET_BYTES + ID_CHARS / 2]) -> (String, String) {
    let digits = hex(random);
    let (id, secret) = digits.split_at(ID_CHARS);
    (id.to_owned(), format!("{}{id}_{secret}", kind.prefix()))
}

/// Returns the kind and the id contained in a token.
pub fn read(shown: &str) -> Option<(Kind, &str)> {
    let (kind, rest) =
        [Kind::Token, Kind::Link].into_iter().find_map(|k| Some((k, shown.strip_prefix(k.prefix())?)))?;
    let (id, secret) = rest.split_once('_')?;
    (id.len() == ID_CHARS && secret.len() == 2 * SECRET_BYTES).then_some((kind, id))
}
