//! Removes invisible characters, which hide instructions in prompts and rewrite terminals.
//!
//! They are determined by Unicode properties. Joiners and selectors stay where they have an effect: in an emoji,
//! between Arabic letters, after an Indic virama.

use regex_syntax::hir::HirKind;
use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::CharIndices;
use std::sync::LazyLock;
use unicode_normalization::char::canonical_combining_class;

/// Normalizes line ends to `\n` and unusual blanks to spaces, and removes control characters (other than `\n` and `\t`)
/// and [`hidden_characters`]. Idempotent.
pub fn clean_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for seen in CharacterKind::of(text) {
        match seen {
            CharacterKind::Shown(c) => out.push(c),
            CharacterKind::Hidden(..) => {}
        }
    }
    out
}

/// Returns the characters that [`clean_text`] removes, each once, as `U+202E`.
pub fn removed(text: &str) -> BTreeSet<String> {
    hidden_characters(text).map(|(_, c)| code_point(c)).collect()
}

/// Returns the characters that are invisible at their position, with that position in bytes, including control
/// characters other than line ends and tabs.
pub fn hidden_characters(text: &str) -> impl Iterator<Item = (usize, char)> {
    CharacterKind::of(text).filter_map(|seen| match seen {
        CharacterKind::Hidden(at, c) => Some((at, c)),
        CharacterKind::Shown(..) => None,
    })
}

/// Formats a character as a code point: `U+202E`.
pub fn code_point(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// Reports whether a non-control character has no visible form of its own, or changes that of others. Some are visible
/// in context; [`hidden_characters`] accounts for that.
pub fn is_hidden(c: char) -> bool {
    // The soft hyphen is the first.
    c >= '\u{ad}' && HIDDEN.holds(c)
}

/// A character of a text, visible or hidden.
enum CharacterKind {
    Shown(char),
    Hidden(usize, char),
}

impl CharacterKind {
    fn of(text: &str) -> impl Iterator<Item = CharacterKind> {
        let mut chars: Peekable<CharIndices<'_>> = text.char_indices().peekable();
        let mut before = None;
        std::iter::from_fn(move || {
            let (at, c) = chars.next()?;
            let seen = match c {
                '\r' => {
                    chars.next_if(|(_, next)| *next == '\n');
                    CharacterKind::Shown('\n')
                }
                '\u{2028}' | '\u{2029}' | '\u{85}' => CharacterKind::Shown('\n'),
                '\n' | '\t' => CharacterKind::Shown(c),
                c if c.is_control() => CharacterKind::Hidden(at, c),
                '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{205f}' => CharacterKind::Shown(' '),
                c if is_hidden(c) && !is_seen(before, c, chars.peek().map(|(_, next)| *next)) => {
                    CharacterKind::Hidden(at, c)
                }
                c => CharacterKind::Shown(c),
            };
            if let CharacterKind::Shown(c) = seen {
                before = Some(c);
            }
            Some(seen)
        })
    }
}

/// Reports whether a joiner or selector has a visible effect between these two.
fn is_seen(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    let after_is = |set: &Set| after.is_some_and(|after| set.holds(after));
    match c {
        // Text or picture style, for a character that has both and for a keycap digit.
        '\u{fe0e}' => !before.is_ascii() && EMOJI.holds(before),
        '\u{fe0f}' if before.is_ascii() => EMOJI.holds(before) && after == Some('\u{20e3}'),
        '\u{fe0f}' => EMOJI.holds(before) && !PICTURE.holds(before),
        '\u{200d}' if canonical_combining_class(before) == VIRAMA => true,
        '\u{200d}' => (before == '\u{fe0f}' || JOINED_EMOJI.holds(before)) && after_is(&JOINED_EMOJI),
        '\u{200c}' if canonical_combining_class(before) == VIRAMA => true,
        '\u{200c}' => DUAL_JOINING.holds(before) && after_is(&ARABIC),
        _ => false,
    }
}

/// The combining class of the sign that removes a consonant's vowel.
const VIRAMA: u8 = 9;

/// Unicode's ignorable, format and private-use characters, and blanks that pass for letters. Excludes the signs around
/// numbers.
static HIDDEN: LazyLock<Set> = LazyLock::new(|| {
    Set::of(
        r"[[\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\x{2800}\x{fffc}\x{13430}-\x{13455}\x{16fe4}\x{1d159}]--\p{Prepended_Concatenation_Mark}]",
    )
});
static EMOJI: LazyLock<Set> = LazyLock::new(|| Set::of(r"\p{Emoji}"));
static PICTURE: LazyLock<Set> = LazyLock::new(|| Set::of(r"\p{Emoji_Presentation}"));
static JOINED_EMOJI: LazyLock<Set> = LazyLock::new(|| Set::of(r"[\p{Extended_Pictographic}\p{Emoji_Modifier}]"));
static ARABIC: LazyLock<Set> = LazyLock::new(|| Set::of(r"[\p{Arabic}&&\p{L}]"));
/// Arabic letters that join to the next one, so that a following non-joiner is visible.
static DUAL_JOINING: LazyLock<Set> =
    LazyLock::new(|| Set::of(r"[[\p{Arabic}&&\p{L}]--[آأؤإاةدذرزوىٱٲٳٵٶٷڈډڊڋڌڍڎڏڐڑڒړڔڕږڗژڙۀۃۄۅۆۇۈۉۊۋۍەۮۯ]]"));

/// A set of characters, by its sorted ranges.
struct Set(Vec<(char, char)>);

impl Set {
    fn of(class: &str) -> Set {
        let parsed = regex_syntax::parse(class).expect("the classes are constants and a test reads them");
        match parsed.into_kind() {
            HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => {
                Set(class.iter().map(|range| (range.start(), range.end())).collect())
            }
            _ => Set(Vec::new()),
        }
    }

    fn holds(&self, c: char) -> bool {
        let at = self.0.partition_point(|(start, _)| *start <= c);
        at > 0 && c <= self.0[at - 1].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_nobody_sees_goes_whatever_it_is() {
        let hidden = [
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{1160}',
            '\u{17b4}',
            '\u{180b}',
            '\u{180e}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{202e}',
            '\u{2060}',
            '\u{2064}',
            '\u{2066}',
            '\u{206f}',
            '\u{2800}',
            '\u{3164}',
            '\u{e000}',
            '\u{fdd0}',
            '\u{fe00}',
            '\u{fe0e}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{fffc}',
            '\u{13430}',
            '\u{13440}',
            '\u{16fe4}',
            '\u{1bca0}',
            '\u{1d159}',
            '\u{1d173}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{e01ef}',
            '\u{f0000}',
            '\u{10fffd}',
            '\u{7}',
            '\u{9b}',
        ];
        for c in hidden {
            let text = format!("Pin {c}versions{c}{c}");
            assert_eq!(clean_text(&text), "Pin versions", "{}", code_point(c));
            assert_eq!(removed(&text), BTreeSet::from([code_point(c)]));
        }
        assert_eq!(clean_text("a\r\nb\u{2028}c\u{85}d\re\u{2003}f"), "a\nb\nc\nd\ne f");
    }

    #[test]
    fn a_message_in_selectors_behind_one_letter_does_not_pass() {
        for base in ["a", "1", "👍", "❤", "©", "漢", "क"] {
            for selector in ['\u{fe0f}', '\u{fe0e}', '\u{200d}', '\u{200c}'] {
                let text = format!("{base}{}b", selector.to_string().repeat(320));
                let left = clean_text(&text).chars().filter(|c| *c == selector).count();
                assert!(left <= 1, "{left} of {} behind {base}", code_point(selector));
            }
        }
    }

    #[test]
    fn ordinary_writing_passes_untouched() {
        for text in [
            "Ship it 👍🏽, 👩‍💻 and 🏳️‍🌈 agree ❤️ ☎︎ 1️⃣ #️⃣ 🇩🇪 👨‍👩‍👧‍👦 👩🏽‍⚕️ 🐈‍⬛ ↩︎ ©",
            "每个接口都要有超时设置，不能省略。　テストを書く。각 API에 제한 시간을 둔다.",
            "يجب أن يكون لكل واجهة مهلة زمنية، و٪ ۱۲۳.",
            "هر رابط باید می‌شود زمان‌بندی داشته باشد.",
            "हर क्‍षेत्र और श्रीमान्‌ को जाँचें।",
            "Prix : 5 € « net » — naïve façade, Größe, Ελληνικά, עברית, ไทย.",
            "Draw ┌─┐ │ ░ ▒ ⠿ ∑ ≤ → ✓ in tables.",
        ] {
            assert_eq!(clean_text(text), text);
            assert_eq!(removed(text), BTreeSet::new());
        }
    }

    proptest! {
        #[test]
        fn what_is_clean_stays_clean(text in "[a👍❤1क्بد漢\u{200c}\u{200d}\u{fe0e}\u{fe0f}\u{20e3}\u{202e}\u{e0041}\r\n ]{0,24}|\\PC{0,20}") {
            let once = clean_text(&text);
            prop_assert_eq!(clean_text(&once), once.as_str());
            prop_assert_eq!(removed(&once), BTreeSet::new());
        }
    }
}
