//! Texts folded to ASCII for patterns: an engine with Unicode word boundaries and classes takes many times the time and
//! memory.

use std::borrow::Cow;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// Folds a text to one ASCII character per character, so that matches in one can be cut out of the other: letters
/// without accents, plain quotes and stops, `x` for other letters, `~` for other signs and long dashes. A pattern may
/// be folded like its texts unless it contains such a stop: the plain form is an operator there.
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.chars().map(fold).collect()) }
}

fn fold(c: char) -> char {
    let mut base = c;
    decompose_canonical(c, |part| {
        if !is_combining_mark(part) {
            base = part;
        }
    });
    match base {
        base if base.is_ascii() => base,
        base if base.is_whitespace() => ' ',
        base if base.is_alphanumeric() => 'x',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        '…' | '。' | '．' => '.',
        '，' | '、' => ',',
        '：' => ':',
        '；' => ';',
        '！' => '!',
        '？' => '?',
        _ => '~',
    }
}

/// A text with its folded form.
#[derive(Clone, Copy, Debug)]
pub struct FoldedText<'t, 'f> {
    /// The original.
    pub text: &'t str,
    /// The form seen by patterns.
    pub ascii: &'f str,
}

impl<'t, 'f> FoldedText<'t, 'f> {
    /// Splits both at an offset of the folded form.
    pub fn split_at(self, at: usize) -> (FoldedText<'t, 'f>, FoldedText<'t, 'f>) {
        let own = if self.text.len() == self.ascii.len() {
            at
        } else {
            self.text.char_indices().nth(at).map_or(self.text.len(), |(own, _)| own)
        };
        let (text, ascii) = (self.text.split_at(own), self.ascii.split_at(at));
        (FoldedText { text: text.0, ascii: ascii.0 }, FoldedText { text: text.1, ascii: ascii.1 })
    }

    /// Removes trailing spaces from both.
    pub fn trim_end(self) -> FoldedText<'t, 'f> {
        FoldedText { text: self.text.trim_end(), ascii: self.ascii.trim_end() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_people_type_looks_as_they_mean_it() {
        assert_eq!(ascii("Olá — don’t “log” naïve…"), "Ola ~ don't \"log\" naive.");
        assert_eq!(ascii("谢谢！ 🙂"), "xx! ~");
        assert!(matches!(ascii("plain"), Cow::Borrowed("plain")));
    }

    proptest! {
        #[test]
        fn a_character_stays_a_character_and_cuts_fall_on_the_same(text in "\\PC{0,40}", at in 0_usize..50) {
            let folded = ascii(&text);
            prop_assert!(folded.is_ascii());
            prop_assert_eq!(folded.len(), text.chars().count());
            let at = at.min(folded.len());
            let (before, after) = FoldedText { text: &text, ascii: &folded }.split_at(at);
            prop_assert_eq!(before.text.chars().count(), at);
            prop_assert_eq!(format!("{}{}", before.text, after.text), text.as_str());
            let trimmed = before.trim_end();
            prop_assert_eq!(trimmed.text.chars().count(), trimmed.ascii.len());
        }
    }
}
