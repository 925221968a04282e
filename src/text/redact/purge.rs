//! What to remove from a history: a secret known only by its fingerprint, or a person; and the replacement.
//!
//! The secret itself appears nowhere here: the search knows its hash and its length.

use super::clean::is_hidden;
use super::views;
use sha2::{Digest, Sha256};
use std::fmt;

/// The replacement for a removed secret. It has no meaning in YAML and JSON, and is a name: an id that contained the
/// secret still leads to its file.
pub const PURGED: &str = "purged-secret";

/// A secret's SHA-256 and length, without spaces, line ends and hidden characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    hash: [u8; 32],
    /// In bytes.
    length: usize,
}

/// What to remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PurgeTarget {
    /// A secret.
    Secret(Fingerprint),
    /// A person: ids and names, longest first, and their replacement.
    Person {
        /// Ids and names.
        names: Vec<String>,
        /// Their replacement.
        pseudonym: String,
    },
}

impl Fingerprint {
    /// Shorter texts occur everywhere, in bytes.
    pub const SHORTEST: usize = 4;
    /// Maximum length of a secret in bytes.
    pub const LONGEST: usize = 64 * 1024;

    /// Returns the fingerprint of a secret; `None` if too short or too long to search for.
    pub fn of(secret: &str) -> Option<Fingerprint> {
        let (text, _) = squeezed(secret, false);
        let length = text.len();
        (Self::SHORTEST..=Self::LONGEST).contains(&length).then(|| Fingerprint { hash: hash(&text), length })
    }

    /// Parses `sha256:<64 hexadecimal digits>:<length>`.
    pub fn parse(text: &str) -> Option<Fingerprint> {
        let (digits, length) = text.trim().strip_prefix("sha256:")?.split_once(':')?;
        let length = length.parse().ok().filter(|length| (Self::SHORTEST..=Self::LONGEST).contains(length))?;
        if digits.len() != 64 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let mut hash = [0; 32];
        for (at, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(Fingerprint { hash, length })
    }

    /// Returns its positions in a text, in bytes, sorted: as written, across lines, indented or in a diff, escaped, in
    /// base64.
    fn places(&self, text: &str, depth: usize) -> Vec<(usize, usize)> {
        if text.len() < self.length {
            return Vec::new();
        }
        let mut found = Vec::new();
        for marks in [false, true] {
            let (plain, from) = squeezed(text, marks);
            found.extend(self.windows(&plain).map(|at| (from[at].0, from[at + self.length - 1].1)));
            if !text.lines().any(|line| line.trim_start().starts_with(MARKS)) {
                break;
            }
        }
        if depth > 0 {
            for view in [views::unescaped(text), views::folded(text)].into_iter().flatten() {
                let inner = self.places(&view.text, depth - 1).into_iter();
                found.extend(inner.filter_map(|(start, end)| Some((view.place(start)?.0, view.place(end - 1)?.1))));
            }
            let encoded = views::encoded(text).into_iter();
            found.extend(encoded.filter(|(_, plain)| !self.places(plain, depth - 1).is_empty()).map(|(at, _)| at));
        }
        found.sort_unstable();
        found
    }

    fn windows<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = usize> + 't {
        let at = text.windows(self.length).enumerate();
        at.filter(|(_, window)| hash(window) == self.hash).map(|(at, _)| at)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, ":{}", self.length)
    }
}

impl PurgeTarget {
    /// Creates a person from id and, if known, name.
    pub fn person(names: impl IntoIterator<Item = String>, pseudonym: String) -> PurgeTarget {
        let mut names: Vec<String> = names.into_iter().filter(|name| !name.trim().is_empty()).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        names.dedup();
        PurgeTarget::Person { names, pseudonym }
    }

    /// Returns its replacement in texts.
    pub fn mark(&self) -> &str {
        match self {
            PurgeTarget::Secret(_) => PURGED,
            PurgeTarget::Person { pseudonym, .. } => pseudonym,
        }
    }

    /// Returns a text without it, and the number of occurrences; `None` if there are none. Non-text bytes are kept.
    pub fn out_of(&self, content: &[u8]) -> Option<(Vec<u8>, usize)> {
        let lossy = String::from_utf8_lossy(content);
        // Positions change when non-text bytes are shown as text.
        let text = match &lossy {
            std::borrow::Cow::Borrowed(text) => text,
            std::borrow::Cow::Owned(_) => return self.in_bytes(content),
        };
        let places = match self {
            PurgeTarget::Secret(fingerprint) => fingerprint.places(text, 2),
            PurgeTarget::Person { names, .. } => names_in(text, names),
        };
        if places.is_empty() {
            return None;
        }
        let (mut out, mut at, mut count) = (Vec::with_capacity(content.len()), 0, 0);
        for (start, end) in places {
            if end <= at {
                continue;
            }
            if start >= at {
                out.extend_from_slice(&content[at..start]);
                out.extend_from_slice(self.mark().as_bytes());
                count += 1;
            }
            at = end;
        }
        out.extend_from_slice(&content[at..]);
        Some((out, count))
    }

    /// Same as [`PurgeTarget::out_of`], for the name of a file or directory.
    pub fn out_of_name(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.out_of(name).map(|(name, _)| name)
    }

    /// Returns a text without it, for display.
    pub fn cleaned(&self, text: &str) -> String {
        self.out_of(text.as_bytes())
            .map_or_else(|| text.to_owned(), |(clean, _)| String::from_utf8_lossy(&clean).into_owned())
    }

    /// Searches non-text content: the bytes themselves, line by line.
    fn in_bytes(&self, content: &[u8]) -> Option<(Vec<u8>, usize)> {
        let (mut out, mut count) = (Vec::with_capacity(content.len()), 0);
        for part in content.split_inclusive(|b| *b == b'\n' || *b == 0) {
            match std::str::from_utf8(part).ok().and_then(|_| self.out_of(part)) {
                Some((clean, n)) => {
                    out.extend_from_slice(&clean);
                    count += n;
                }
                None => out.extend_from_slice(part),
            }
        }
        (count > 0).then_some((out, count))
    }
}

/// Line prefixes in a diff or quotation.
const MARKS: [char; 5] = ['+', '-', '>', '|', '#'];

/// Returns a text without spaces, line ends and hidden characters, with each byte's original position. With `marks`,
/// the prefixes of diff lines are removed too.
fn squeezed(text: &str, marks: bool) -> (Vec<u8>, Vec<(usize, usize)>) {
    let (mut plain, mut from) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()));
    let mut begins = true;
    for (at, c) in text.char_indices() {
        match c {
            '\n' => begins = true,
            c if c.is_whitespace() || c.is_control() || is_hidden(c) => {}
            c if marks && begins && MARKS.contains(&c) && !text[at..].starts_with("---") => {}
            c => {
                begins = false;
                let mut bytes = [0; 4];
                let place = (at, at + c.len_utf8());
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    plain.push(byte);
                    from.push(place);
                }
            }
        }
    }
    (plain, from)
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Finds names as whole words, in any case.
fn names_in(text: &str, names: &[String]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for name in names {
        let mut from = 0;
        while let Some((start, end)) = next(text, name, from) {
            from = end;
            let before = text[..start].chars().next_back();
            let mut after = text[end..].chars();
            let (first, second) = (after.next(), after.next());
            let joined = |c: char| c.is_alphanumeric() || c == '_';
            let goes_on = first.is_some_and(joined)
                || first.is_some_and(|c| matches!(c, '-' | '@' | '.'))
                    && second.is_some_and(joined)
                    && !name.contains(' ')
                    && is_id_like(&text[end..]);
            if !before.is_some_and(joined) && !goes_on {
                found.push((start, end));
            }
        }
    }
    found.sort_unstable();
    found
}

/// Reports whether what follows an id makes it another one: `ana-maria`, `ana@firma.de`; not a file extension.
fn is_id_like(rest: &str) -> bool {
    ![".", "-"].iter().any(|by| {
        let tail = rest.strip_prefix(by).unwrap_or_default();
        let word: String = tail.chars().take_while(|c| c.is_alphanumeric()).collect();
        matches!(word.as_str(), "yaml" | "json" | "diff" | "md")
            || (*by == "-" && word.len() == 13 && word.starts_with('h'))
    })
}

/// Finds the next occurrence of a name, in any case if that has as many bytes.
fn next(text: &str, name: &str, from: usize) -> Option<(usize, usize)> {
    let rest = &text.as_bytes()[from..];
    let wanted = name.as_bytes();
    let at = rest.windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted))?;
    let (start, end) = (from + at, from + at + wanted.len());
    (text.is_char_boundary(start) && text.is_char_boundary(end)).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(secret: &str, text: &str) -> String {
        let purged = PurgeTarget::Secret(Fingerprint::of(secret).unwrap());
        purged.out_of(text.as_bytes()).map_or_else(|| text.to_owned(), |(clean, _)| String::from_utf8(clean).unwrap())
    }

    #[test]
    fn a_secret_is_found_by_its_fingerprint_in_every_way_of_writing() {
        let secret = format!("hunter{}", "wolf/7+x");
        for (text, left) in [
            (format!("password: {secret}"), "password: purged-secret"),
            (format!("x{secret}y and {secret}."), "xpurged-secrety and purged-secret."),
            (format!("{}\n    {}!", &secret[..6], &secret[6..]), "purged-secret!"),
            (format!("+{}\n+{}!", &secret[..6], &secret[6..]), "+purged-secret!"),
            (format!("{}\u{200b}{}", &secret[..6], &secret[6..]), "purged-secret"),
            (secret.replace('/', "\\/"), "purged-secret"),
            (secret.replace('/', "%2F").replace('+', "%2B"), "purged-secret"),
            (secret.replace('w', "\\u0077"), "purged-secret"),
            ("it logged aHVudGVyd29sZi83K3g= there".to_owned(), "it logged purged-secret there"),
            (secret[1..].to_owned(), &secret[1..]),
        ] {
            assert_eq!(out(&secret, &text), left, "{text}");
        }
        let pem = format!("-----BEGIN {0}-----\nAbc0\nDef1==\n-----END {0}-----", "THE KEY");
        let indented = format!("key: |\n  {}\nnext: 1", pem.replace('\n', "\n  "));
        assert_eq!(out(&pem, &indented), "key: |\n  purged-secret\nnext: 1");
        assert_eq!(
            out(&pem, &format!("{{\"key\": \"{}\"}}", pem.replace('\n', "\\n"))),
            "{\"key\": \"purged-secret\"}"
        );
        assert_eq!(out(&pem, &format!("+{}\n+x", pem.replace('\n', "\n+"))), "+purged-secret\n+x");
    }

    #[test]
    fn a_fingerprint_is_read_as_it_is_written_and_holds_no_secret() {
        let fingerprint = Fingerprint::of(" hunter\n wolf ").unwrap();
        assert_eq!(Fingerprint::of("hunterwolf"), Some(fingerprint));
        assert_eq!(Fingerprint::parse(&format!("{fingerprint}\n")), Some(fingerprint));
        let text = fingerprint.to_string();
        assert!(text.starts_with("sha256:") && text.ends_with(":10") && text.len() == 74, "{text}");
        for wrong in
            ["", "sha256:", &text[..70], "sha256:zz:10", &text.replace(":10", ":1"), &text.replace(":10", ":x")]
        {
            assert_eq!(Fingerprint::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Fingerprint::of("abc"), None);
    }

    #[test]
    fn bytes_that_are_no_text_stay_beside_it() {
        let purged = PurgeTarget::Secret(Fingerprint::of("hunterwolf").unwrap());
        let (clean, count) = purged.out_of(b"\xff\xfe x\nis hunterwolf\n\xff").unwrap();
        assert_eq!((clean.as_slice(), count), (b"\xff\xfe x\nis purged-secret\n\xff".as_slice(), 1));
        assert_eq!(purged.out_of_name(b"d-hunterwolf.yaml"), Some(b"d-purged-secret.yaml".to_vec()));
    }

    #[test]
    fn a_person_goes_and_people_with_longer_ids_stay() {
        let purged = PurgeTarget::person(["ana".to_owned(), "Ana Berg".to_owned()], "person-7k".to_owned());
        let (clean, count) = purged
            .out_of("reviewer_id: ana\nby Ana Berg <ana>; anastasia, ana-maria, ana@firma.de and Ana.".as_bytes())
            .unwrap();
        assert_eq!(
            String::from_utf8(clean).unwrap(),
            "reviewer_id: person-7k\nby person-7k <person-7k>; anastasia, ana-maria, ana@firma.de and person-7k."
        );
        assert_eq!(count, 4);
        assert_eq!(purged.out_of_name(b"ana.yaml"), Some(b"person-7k.yaml".to_vec()));
    }
}
