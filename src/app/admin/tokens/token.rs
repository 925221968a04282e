//! What is kept of a token.

use super::scope::Scope;
use crate::text::ids::hex;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many hexadecimal digits the id of a token has.
const ID_CHARS: usize = 8;
/// So many random bytes make a token.
pub const SECRET_BYTES: usize = 32;

/// What is kept of a token: not the token, but its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Its id, which stands in the token as well, so that a leaked one can be named.
    pub id: String,
    /// Whether it is used again and again, or once.
    pub kind: Kind,
    /// The BLAKE3 hash of the whole token, in hexadecimal digits.
    pub hash: String,
    /// Whom it stands for: an id of the roster.
    pub reviewer: String,
    /// What it is called, for people.
    pub name: String,
    /// What it allows.
    pub scope: Scope,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it opens nothing.
    pub expires_at: Timestamp,
    /// When somebody logged in by it, where that is possible once.
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
    /// As often as one likes, until its end.
    Token,
    /// Once, to log in.
    Link,
}

impl Kind {
    /// What such a token begins with, so that scanners find leaked ones.
    pub fn prefix(self) -> &'static str {
        match self {
            Kind::Token => "fbd_",
            Kind::Link => "fbl_",
        }
    }
}

impl Token {
    /// Whether what was shown is this token. Two hashes are compared in constant time.
    pub fn is(&self, shown: &str) -> bool {
        blake3::Hash::from_hex(&self.hash).is_ok_and(|kept| kept == blake3::hash(shown.as_bytes()))
    }
}

/// The text of a token from random bytes, with its id.
pub fn written(kind: Kind, random: &[u8; SECRET_BYTES + ID_CHARS / 2]) -> (String, String) {
    let digits = hex(random);
    let (id, secret) = digits.split_at(ID_CHARS);
    (id.to_owned(), format!("{}{id}_{secret}", kind.prefix()))
}

/// The kind and the id that a token has in it.
pub fn read(shown: &str) -> Option<(Kind, &str)> {
    let (kind, rest) =
        [Kind::Token, Kind::Link].into_iter().find_map(|k| Some((k, shown.strip_prefix(k.prefix())?)))?;
    let (id, secret) = rest.split_once('_')?;
    (id.len() == ID_CHARS && secret.len() == 2 * SECRET_BYTES).then_some((kind, id))
}
