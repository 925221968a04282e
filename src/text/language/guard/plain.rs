//! A text as a reader sees it: in small letters, without accents and hidden characters, look-alikes of letters as those
//! letters; and where each piece of it stands in the original.

use crate::redact::hidden_characters;
use std::collections::BTreeSet;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

/// What a stroke is read as that may be an `i` or an `l` of another script.
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

/// A text as it is compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Plain {
    pub(super) text: String,
    /// For each byte of `text`, and for its end, where that stands in the original.
    at: Vec<usize>,
    /// Whether there was a letter that may be one of two.
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

    /// The words alone: signs other than those that end a sentence are blanks, and blanks are single.
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

    /// Where a piece stands in the original.
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
        // Compatible forms first: wide, mathematical, circled letters. Then the letter without its accents.
        for part in std::iter::once(c).nfkc().nfd().filter(|part| !is_accent(*part)) {
            if part.is_ascii() {
                self.push(part.to_ascii_lowercase(), at);
                continue;
            }
            // A capital may look like one of ours where its small letter does not: then it may be either, too.
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

    /// The small letter that a letter looks like; the letter itself where it looks like none of ours.
    fn like(&mut self, c: char, stroke: Stroke) -> char {
        // Ideographs, kana and hangul have strokes of their own, which nobody takes for letters.
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

/// A mark over or under a Latin, Greek or Cyrillic letter. Those of other scripts are vowels.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// A pattern in the letters of [`Plain`].
pub(super) fn pattern(pattern: &str) -> String {
    let mut plain = Plain::default();
    // What is ASCII is the pattern's own syntax.
    pattern.chars().for_each(|c| if c.is_ascii() { plain.push(c, 0) } else { plain.take(c, 0, Stroke::L) });
    plain.text
}
