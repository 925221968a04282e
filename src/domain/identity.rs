//! Who is who: names that people cannot tell apart are one name.
//!
//! It changes no id: records and the roster keep what was written. It says only whether two may be two people.

use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

/// The form in which ids are compared: compatibility forms, case, hidden characters and look-alikes of other scripts (UTS 39)
/// make no difference. Two ids with the same form count as one person.
pub fn folded(id: &str) -> String {
    let plain: String = id.nfkc().filter(|c| !is_hidden(*c)).collect::<String>().to_lowercase();
    skeleton(plain.trim()).collect::<String>().to_lowercase().nfc().collect()
}

/// The forms of an id of which no two people may share one.
pub fn forms(id: &str) -> [String; 2] {
    [folded(id), looks(id)]
}

/// Whether two ids may be the same person's.
pub fn same(a: &str, b: &str) -> bool {
    a == b || folded(a) == folded(b) || looks(a) == looks(b)
}

/// As it looks with its case: `I` and `l` are one there, which they are not in lower case.
fn looks(id: &str) -> String {
    let plain: String = id.nfkc().filter(|c| !is_hidden(*c)).collect();
    skeleton(plain.trim()).collect()
}

/// What takes no room: soft hyphens, zero-width characters, direction marks, variation selectors, tags.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
        || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn twins_are_one_and_neighbours_are_two() {
        for (a, b) in [
            ("ana", "ANA"),
            ("ana", "аna"),
            ("ana", "ana\u{200b}"),
            ("ana", " ana "),
            ("ana", "ａｎａ"),
            ("paul", "раul"),
            ("BILL", "BlLL"),
            ("ana@example.org", "Ana@Example.org"),
            ("josé", "jose\u{301}"),
        ] {
            assert!(same(a, b), "{a:?} {b:?}");
        }
        for (a, b) in [("ana", "anna"), ("ben", "bea"), ("user1", "user2"), ("jose", "josé"), ("eli", "ell")] {
            assert!(!same(a, b), "{a:?} {b:?}");
        }
    }

    proptest! {
        #[test]
        fn folding_holds_still_over_case(id in "[a-zA-Z0-9._@-]{0,12}") {
            prop_assert!(same(&id, &id.to_lowercase()) && same(&id, &id.to_uppercase()));
        }
    }
}
