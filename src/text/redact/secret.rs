//! A found secret, and the mark that replaces it.

/// Prefix of every replacement; nothing that contains it is a secret, so redaction is idempotent.
pub(super) const MARK: &str = "[REDACTED:";

/// Position of a secret, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Its start.
    pub start: usize,
    /// Its end.
    pub end: usize,
    /// Its kind.
    pub kind: &'static str,
}

/// Sorts secrets and merges those that share a byte, keeping the longest one's kind.
pub(super) fn merge(mut found: Vec<Secret>) -> Vec<Secret> {
    if found.len() < 2 {
        return found;
    }
    found.sort_by_key(|secret| (secret.start, secret.end));
    let mut merged: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match merged.last_mut() {
            Some(last) if secret.start < last.end => {
                if secret.end - secret.start > last.end - last.start {
                    last.kind = secret.kind;
                }
                last.end = last.end.max(secret.end);
            }
            _ => merged.push(secret),
        }
    }
    merged
}
