//! Other readings of a text, in which an oddly written secret looks like one: full-width letters folded, hidden
//! characters removed, percent signs and escapes decoded, base64 decoded, lines joined. Each reading maps its parts to
//! positions in the text. It does not decide what is a secret.

use super::clean::is_hidden;
use super::secret::Secret;
use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// A reading of a text.
pub(super) struct View {
    /// Its content.
    pub(super) text: String,
    /// For each byte of it, the start and end of its source in the text.
    from: Vec<(usize, usize)>,
    /// Positions in the reading where lines were joined.
    joins: Vec<usize>,
}

impl View {
    fn new(capacity: usize) -> View {
        View { text: String::with_capacity(capacity), from: Vec::with_capacity(capacity), joins: Vec::new() }
    }

    fn push(&mut self, c: char, start: usize, end: usize) {
        self.text.push(c);
        self.from.resize(self.text.len(), (start, end));
    }

    /// Appends the part of the text that begins at `start` unchanged.
    fn push_str(&mut self, part: &str, start: usize) {
        for (at, c) in part.char_indices() {
            self.push(c, start + at, start + at + c.len_utf8());
        }
    }

    /// Returns the source position of a byte of the reading.
    pub(super) fn place(&self, at: usize) -> Option<(usize, usize)> {
        self.from.get(at).copied()
    }

    /// Maps findings in the reading to positions in the text.
    pub(super) fn places(&self, found: Vec<Secret>) -> Vec<Secret> {
        let place = |secret: Secret| {
            let start = self.from.get(secret.start)?.0;
            let end = self.from.get(secret.end.checked_sub(1)?)?.1;
            Some(Secret { start, end, ..secret })
        };
        found.into_iter().filter_map(place).collect()
    }

    /// Returns the findings that span a line join. A last line of letters only is the prose that follows.
    pub(super) fn across(&self, found: Vec<Secret>) -> Vec<Secret> {
        let cut = |mut secret: Secret| {
            for join in self.joins.iter().rev() {
                if !(secret.start + 1..secret.end).contains(join) {
                    continue;
                }
                if is_random(&self.text[*join..secret.end]) {
                    return Some(secret);
                }
                secret.end = *join;
            }
            None
        };
        self.places(found.into_iter().filter_map(cut).collect())
    }
}

/// Folds compatibility forms and drops invisible characters; `None` if nothing changes.
pub(super) fn folded(text: &str) -> Option<View> {
    if text.is_ascii() {
        return None;
    }
    let mut view = View::new(text.len());
    // Replacement characters would also split a secret.
    let mut chars = text.char_indices().filter(|(_, c)| !is_hidden(*c) && *c != '\u{fffd}').peekable();
    while let Some((at, c)) = chars.next() {
        let mut end = at + c.len_utf8();
        // A letter and its combining marks are one letter, however written.
        let mut letter = String::from(c);
        while let Some((next, sign)) = chars.next_if(|(_, c)| composes(*c)) {
            letter.push(sign);
            end = next + sign.len_utf8();
        }
        if letter.is_ascii() {
            view.push(c, at, end);
        } else {
            letter.nfkc().for_each(|c| view.push(c, at, end));
        }
    }
    (view.text != text).then_some(view)
}

/// Reports whether a character combines with the previous one.
fn composes(c: char) -> bool {
    c >= '\u{300}'
        && (canonical_combining_class(c) != 0
            || matches!(c, '\u{ff9e}' | '\u{ff9f}' | '\u{1161}'..='\u{1175}' | '\u{11a8}'..='\u{11c2}'))
}

/// Decodes `%41`, `\u0041`, `&#65;` and `\n`, and folds compatibility forms; `None` if there are none.
pub(super) fn unescaped(text: &str) -> Option<View> {
    if !text.as_bytes().iter().any(|b| matches!(b, b'%' | b'\\' | b'&')) {
        return None;
    }
    let mut view = View::new(text.len());
    let (mut at, mut changed) = (0, false);
    while let Some(c) = text[at..].chars().next() {
        let (plain, length) = escape(&text.as_bytes()[at..]).unwrap_or((c, c.len_utf8()));
        changed |= length > c.len_utf8();
        match plain.is_ascii() || plain == c {
            true => view.push(plain, at, at + length),
            false => plain.nfkc().for_each(|c| view.push(c, at, at + length)),
        }
        at += length;
    }
    changed.then_some(view)
}

/// Decodes the escape at the start, and returns its length in bytes.
fn escape(bytes: &[u8]) -> Option<(char, usize)> {
    let hex = |digits: &[u8]| {
        let text = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u32::from_str_radix(text, 16).ok()
    };
    let shown = |code: u32| char::from_u32(code).filter(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'));
    match bytes {
        [b'\\', b'n', ..] => Some(('\n', 2)),
        [b'\\', b't', ..] => Some(('\t', 2)),
        [b'\\', b'"', ..] => Some(('"', 2)),
        [b'\\', b'/', ..] => Some(('/', 2)),
        // A Markdown escape.
        [b'\\', b'_', ..] => Some(('_', 2)),
        // A doubly encoded percent sign.
        [b'%', b'2', b'5', a, b, ..] if hex(&[*a, *b]).is_some() => Some((shown(hex(&[*a, *b])?)?, 5)),
        [b'%', a, b, ..] if hex(&[*a, *b]).is_some_and(|byte| byte >= 0x80) => percent_encoded(bytes),
        [b'%', a, b, ..] => Some((shown(hex(&[*a, *b])?)?, 3)),
        [b'\\', b'u', rest @ ..] if rest.len() >= 4 => Some((shown(hex(&rest[..4])?)?, 6)),
        [b'\\', b'x', a, b, ..] => Some((shown(hex(&[*a, *b])?)?, 4)),
        [b'&', b'#', rest @ ..] => {
            let end = rest.iter().take(6).position(|b| *b == b';')?;
            let code = match &rest[..end] {
                [b'x' | b'X', digits @ ..] => hex(digits)?,
                digits => std::str::from_utf8(digits).ok()?.parse().ok()?,
            };
            Some((shown(code)?, end + 3))
        }
        _ => None,
    }
}

/// Decodes a percent-encoded multi-byte character at the start, and returns the length in bytes.
fn percent_encoded(bytes: &[u8]) -> Option<(char, usize)> {
    let mut plain = Vec::with_capacity(4);
    for escape in bytes.chunks_exact(3).take(4) {
        let digits = escape.strip_prefix(b"%").and_then(|digits| std::str::from_utf8(digits).ok())?;
        plain.push(u8::from_str_radix(digits, 16).ok()?);
        if let Ok(text) = std::str::from_utf8(&plain) {
            return Some((text.chars().next()?, plain.len() * 3));
        }
    }
    None
}

/// Search distance back from a line's end and on from its last piece, in bytes.
const HEAD: usize = 256;
const TAIL: usize = 64;
/// Maximum number of joined lines, and maximum length of a piece, in bytes.
const PIECES: usize = 64;
const PIECE: usize = 512;

/// Joins line ends with the beginning of the next line if both look like parts of one word.
pub(super) fn joined(text: &str) -> Vec<View> {
    let mut views = Vec::new();
    let mut at = 0;
    while let Some(end) = text[at..].find('\n').map(|found| at + found) {
        at = end + 1;
        let mut from = end.saturating_sub(HEAD);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let head = text[from..end].trim_end_matches([' ', '\t', '\r', '\\', '"', '\'', '`']);
        let word = head.bytes().rev().take_while(|b| is_token(*b)).count();
        if word < 3 {
            continue;
        }
        let Some(mut piece) = piece(text, at) else { continue };
        let mut view = View::new(head.len() + piece.1 - piece.0);
        view.push_str(head, from);
        loop {
            view.joins.push(view.text.len());
            view.push_str(&text[piece.0..piece.1], piece.0);
            // A line with nothing but its piece may continue too.
            let rest = text[piece.1..].trim_start_matches([' ', '\t', '\r', '\\', '"', '\'', '`']);
            let Some(rest) = rest.strip_prefix('\n') else { break };
            match self::piece(text, text.len() - rest.len()) {
                Some(next) if view.joins.len() < PIECES => piece = next,
                _ => break,
            }
        }
        at = at.max(piece.1);
        let joined = word + view.text.len() - head.len();
        if joined >= 8 {
            let rest = text[piece.1..].split('\n').next().unwrap_or_default();
            let tail = (0..=TAIL.min(rest.len())).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(0);
            view.push_str(&rest[..tail], piece.1);
            views.push(view);
        }
    }
    views
}

/// Returns the first word of the line at `start`, if it looks like a piece of a secret.
fn piece(text: &str, start: usize) -> Option<(usize, usize)> {
    let line = text[start..].trim_start_matches([' ', '\t', '+', '-', '>', '|', '#', '*', '"', '\'', '`']);
    let start = text.len() - line.len();
    let length = line.bytes().take(PIECE).take_while(|b| is_token(*b)).count();
    let word = line[..length].trim_end_matches('.');
    let after = line.as_bytes().get(word.len());
    let random = is_random(word) && word.bytes().any(|b| b.is_ascii_alphabetic());
    let named = word.trim_end_matches('=').contains('=') || matches!(after, Some(b':' | b'(' | b'[' | b'{'));
    (word.len() >= 4 && random && !named).then_some((start, start + word.len()))
}

/// Reports whether a word is not natural language: it has a digit, or its letters alternate in case.
fn is_random(word: &str) -> bool {
    let turns = word.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    word.bytes().any(|b| b.is_ascii_digit()) || (word.len() >= 8 && turns.count() * 6 >= word.len())
}

fn is_token(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'+' | b'/' | b'=' | b'.' | b'~' | b'-')
}

/// Minimum length of base64 to decode, in bytes.
const ENCODED: usize = 16;

/// Returns base64 of readable text: its position, and the decoded text.
pub(super) fn encoded(text: &str) -> Vec<((usize, usize), String)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    let digit = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'_' | b'-');
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|b| digit(b)).count();
        let padding = bytes[at + length..].iter().take(2).take_while(|b| **b == b'=').count();
        let end = at + length + padding;
        if length >= ENCODED {
            let start = at + bytes[at..end].iter().take_while(|b| matches!(b, b'-' | b'_' | b'/' | b'+')).count();
            if let Some(plain) = readable(&text[start..end]) {
                found.push(((start, end), plain));
            }
        }
        at = end.max(at + 1);
    }
    found
}

/// Returns the decoded text if all of it is readable.
fn readable(text: &str) -> Option<String> {
    let fits = |bytes: &[u8]| bytes.iter().all(|b| *b >= 0x20 && *b != 0x7f || matches!(b, b'\n' | b'\r' | b'\t'));
    // Most words are not base64: six bytes suffice to tell. The last may begin a multi-byte character.
    let is_text = |bytes: &[u8]| std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true);
    if !base64(&text[..text.len().min(8)]).is_some_and(|bytes| fits(&bytes) && is_text(&bytes)) {
        return None;
    }
    let bytes = base64(text)?;
    // The last bytes may be from a word that follows without a gap.
    let plain = String::from_utf8(bytes).ok()?;
    (plain.len() >= 8 && fits(plain.as_bytes())).then_some(plain)
}

/// Decodes standard or URL-safe base64, with or without padding.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
    const URL: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);
    let url = text.bytes().any(|b| matches!(b, b'-' | b'_'));
    if url { URL.decode(text).ok() } else { PLAIN.decode(text).ok() }
}
