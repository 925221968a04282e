//! Pseudonyms: the same for the same address or number, and not to be guessed without the key (HMAC-SHA-256).

use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::fmt;
use std::sync::Arc;

/// How many letters of a pseudonym tell two apart, five bits each.
const LETTERS: usize = 8;
/// Letters and figures that are not mistaken for each other (RFC 4648, base32).
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// What pseudonyms are made with. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct PseudonymKey(Arc<[u8]>);

impl PseudonymKey {
    /// The fewest bytes of a key.
    pub const SHORTEST: usize = 32;

    /// A key of the bytes of a file, without blanks at its ends; `None` where it is too short.
    pub fn new(bytes: &[u8]) -> Option<PseudonymKey> {
        let bytes = bytes.trim_ascii();
        (bytes.len() >= Self::SHORTEST).then(|| PseudonymKey(bytes.into()))
    }

    /// Eight letters for a text of a kind. Two of a million texts have the same once in two.
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
