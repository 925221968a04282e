//! Locates the secrets in a text: as written, and in every other reading of it.

use super::rules::HIGH_ENTROPY;
use super::secret::{MARK, Secret, merge};
use super::{guard, pem, published, rules, views};

/// Maximum depth of decoding.
const DEPTH: usize = 3;

/// Returns the secrets in a text, in order and without overlaps. Deterministic; linear in the text.
pub fn find(text: &str) -> Vec<Secret> {
    if is_digest(text) {
        return Vec::new();
    }
    let mut found = match views::folded(text) {
        Some(view) => view.places(in_every_form(&view.text, DEPTH)),
        None => in_every_form(text, DEPTH),
    };
    if text.contains(MARK) {
        let marks = marks(text);
        found.retain(|secret| !overlaps(&marks, secret.start, secret.end));
    }
    found
}

/// Reports whether a text is just a hash, a UUID or a number: most ids are.
fn is_digest(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f' | b'-'))
}

fn in_every_form(text: &str, depth: usize) -> Vec<Secret> {
    let mut found = as_it_stands(text);
    if let Some(view) = views::unescaped(text) {
        found.extend(view.places(as_it_stands(&view.text)));
        found.extend(view.places(in_base64(&view.text, depth)));
    }
    found.extend(in_base64(text, depth));
    for view in views::joined(text) {
        found.extend(view.across(as_it_stands(&view.text)));
        found.extend(view.across(in_base64(&view.text, depth)));
    }
    merge(found)
}

/// Base64 of a text with a secret is a secret as a whole.
fn in_base64(text: &str, depth: usize) -> Vec<Secret> {
    if depth == 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for ((start, end), plain) in views::encoded(text) {
        let inner = in_every_form(&plain, depth - 1);
        let Some(first) = inner.first() else { continue };
        // A key spans several lines.
        let more = if first.kind == pem::KIND { pem::body_after(&text[end..]) } else { 0 };
        found.push(Secret { start, end: end + more, kind: first.kind });
    }
    found
}

/// If rules overlap, the earlier one wins; findings of published rules are added.
fn as_it_stands(text: &str) -> Vec<Secret> {
    let mut found: Vec<Secret> = pem::find(text);
    for rule in rules::of(text) {
        let known = found.len();
        let mut at = 0;
        while let Some(captures) = rule.regex.captures_at(text, at) {
            let all = captures.get_match().range();
            at = all.end.max(at + 1);
            let Some((start, end)) = guard::masked(&captures) else { continue };
            if start == end || text[start..end].contains(MARK) || overlaps(&found[..known], start, end) {
                continue;
            }
            let named = captures.name("op").is_some() || rule.kind == HIGH_ENTROPY;
            if named && in_resource(text, start) {
                continue;
            }
            if (rule.guard)(&captures, text) {
                let kind =
                    captures.name("key").map_or(rule.kind, |key| crate::redact::secret_names::kind(key.as_str()));
                found.push(Secret { start, end, kind });
            } else if captures.name("op").is_some() && end - start <= AGAIN && text[start..end].contains(['=', ':']) {
                // `token: password=…`: the supposed value is a name.
                at = start.max(all.start + 1);
            }
            if !text.is_char_boundary(at) {
                at = text.len();
            }
        }
        // One rule's matches come in order; sorted runs keep the look-up above logarithmic.
        found.sort_by_key(|secret| secret.start);
    }
    found.extend(published::find(text));
    merge(found)
}

/// The longest value that is searched again for names, in bytes.
const AGAIN: usize = 256;

/// Reports whether a position is within a cloud resource name: `arn:…:secret:NAME`, `gcpkms://…`.
fn in_resource(text: &str, at: usize) -> bool {
    const LONGEST: usize = 256;
    let mut from = at.saturating_sub(LONGEST);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let word = text[from..at].rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '=' | ','));
    word.take(1).any(|word| word.starts_with("arn:") || word.contains("kms://"))
}

/// Returns the positions of marks.
fn marks(text: &str) -> Vec<Secret> {
    let starts = text.match_indices(MARK);
    let mark = |(start, _): (usize, &str)| {
        let end = text[start..].find(']').map_or(text.len(), |end| start + end + 1);
        Secret { start, end, kind: "mark" }
    };
    merge(starts.map(mark).collect())
}

/// Reports whether one of `found`, sorted and without overlaps, shares a byte with the range.
fn overlaps(found: &[Secret], start: usize, end: usize) -> bool {
    let first = found.partition_point(|secret| secret.end <= start);
    found.get(first).is_some_and(|secret| secret.start < end)
}
