//! A text as seen by a reader: in lower case, without accents and hidden characters, look-alikes replaced by the
//! letters they resemble; with the position of each piece in the original.

use crate::redact::hidden_characters;
use std::collections::BTreeSet;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

/// How to read a stroke that may be an `i` or an `l` of another script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    I,
    L,
}

impl Stroke {
    fn letter(self) -> char {
        match self {
            Stroke::I => 'i',
            Stroke::L => 'l',
        }
    }
}

/// A text in comparison form.
#[derive(Clone, Debug, Default)]
pub(super) struct Plain {
    pub(super) text: String,
    /// For each byte of `text`, and for its end, the position in the original.
    at: Vec<usize>,
    /// Whether any letter was ambiguous.
    pub(super) strokes: bool,
}

impl Plain {
    pub(super) fn of(original: &str, stroke: Stroke) -> Plain {
        let mut plain = Plain::default();
        let hidden: BTreeSet<usize> = hidden_characters(original).map(|(at, _)| at).collect();
        for (at, c) in original.char_indices().filter(|(at, _)| !hidden.contains(at)) {
            plain.take(c, at, stroke);
        }
        plain.at.push(original.len());
        plain
    }

    /// Reduces it to words: signs other than sentence ends become blanks, and blanks are collapsed.
    pub(super) fn words(&self) -> Plain {
        let mut words = Plain { strokes: self.strokes, ..Plain::default() };
        for (i, c) in self.text.char_indices() {
            let c = match c {
                '\n' | '.' | ',' | ':' | ';' | '!' | '?' | '\'' => c,
                '。' | '、' | '…' => '.',
                c if c.is_alphanumeric() || is_combining_mark(c) => c,
                _ => ' ',
            };
            if c != ' ' || !(words.text.is_empty() || words.text.ends_with([' ', '\n'])) {
                words.push(c, self.at[i]);
            }
        }
        words.at.push(self.at.last().copied().unwrap_or_default());
        words
    }

    /// Returns the position of a piece in the original.
    pub(super) fn original(&self, piece: Range<usize>) -> Range<usize> {
        self.at[piece.start]..self.at[piece.end].max(self.at[piece.start])
    }

    fn take(&mut self, c: char, at: usize, stroke: Stroke) {
        if c.is_ascii() {
            return self.push(c.to_ascii_lowercase(), at);
        }
        if matches!(c, '‘' | '’') {
            return self.push('\'', at);
        }
        // Compatibility forms first: wide, mathematical, circled letters. Then the letter without its accents.
        for part in std::iter::once(c).nfkc().nfd().filter(|part| !is_accent(*part)) {
            if part.is_ascii() {
                self.push(part.to_ascii_lowercase(), at);
                continue;
            }
            // A capital may resemble one of ours though its lower-case form does not: then it may also be either.
            let small: Vec<char> = part.to_lowercase().map(|small| self.like(small, stroke)).collect();
            let capital = self.like(part, stroke);
            let looks_alike = capital.is_ascii() && !small.iter().all(char::is_ascii);
            self.strokes |= looks_alike;
            if looks_alike && stroke == Stroke::I {
                self.push(capital, at);
            } else {
                small.into_iter().for_each(|small| self.push(small, at));
            }
        }
    }

    /// Returns the lower-case letter that a letter resembles, or the letter itself.
    fn like(&mut self, c: char, stroke: Stroke) -> char {
        // The strokes of ideographs, kana and hangul are not mistaken for letters.
        if !c.is_alphabetic() || matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7ff}' | '\u{20000}'..) {
            return c;
        }
        let mut utf8 = [0; 4];
        let looks: String = skeleton(c.encode_utf8(&mut utf8)).filter(|part| !is_combining_mark(*part)).collect();
        match looks.as_str() {
            "rn" => 'm',
            "l" => {
                self.strokes = true;
                stroke.letter()
            }
            looks => match looks.chars().next() {
                Some(one) if looks.len() == 1 && one.is_ascii_alphabetic() => one.to_ascii_lowercase(),
                _ => c,
            },
        }
    }

    fn push(&mut self, c: char, at: usize) {
        self.text.push(c);
        self.at.resize(self.text.len(), at);
    }
}

/// Reports whether it is a mark on a Latin, Greek or Cyrillic letter. In other scripts these are vowels.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// Converts a pattern to the letters of [`Plain`].
pub(super) fn pattern(pattern: &str) -> String {
    let mut plain = Plain::default();
    // ASCII is the pattern's own syntax.
    pattern.chars().for_each(|c| if c.is_ascii() { plain.push(c, 0) } else { plain.take(c, 0, Stroke::L) });
    plain.text
}
