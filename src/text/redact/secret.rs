//! A secret that was found, and the mark that takes its place.

/// What every replacement starts with; nothing that contains it is a secret, so redacting twice is redacting once.
pub(super) const MARK: &str = "[REDACTED:";

/// Where a secret stands, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What it is.
    pub kind: &'static str,
}

/// Secrets in order, those that share a byte as one, of the kind of the longest.
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
