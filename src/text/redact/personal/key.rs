//! Pseudonyms: equal for the same address or number, and impossible to guess without the key (HMAC-SHA-256).

use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::fmt;
use std::sync::Arc;

/// Distinguishing letters of a pseudonym, five bits each.
const LETTERS: usize = 8;
/// Letters and digits that are not easily confused (RFC 4648, base32).
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The key for pseudonyms. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct PseudonymKey(Arc<[u8]>);

impl PseudonymKey {
    /// Minimum key length in bytes.
    pub const SHORTEST: usize = 32;

    /// Creates a key from a file's trimmed bytes; `None` if too short.
    pub fn new(bytes: &[u8]) -> Option<PseudonymKey> {
        let bytes = bytes.trim_ascii();
        (bytes.len() >= Self::SHORTEST).then(|| PseudonymKey(bytes.into()))
    }

    /// Returns eight letters for a text of a kind. Among a million texts a collision has even odds.
    pub(super) fn pseudonym(&self, kind: &str, normal: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(kind.as_bytes());
        mac.update(&[0]);
        mac.update(normal.as_bytes());
        let hash = mac.finalize().into_bytes();
        let number = hash[..8].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        (0..LETTERS).map(|at| char::from(ALPHABET[(number >> (5 * at)) as usize & 31])).collect()
    }
}

impl fmt::Debug for PseudonymKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PseudonymKey(…)")
    }
}
