//! Who is who: names that people cannot tell apart are one name.
//!
//! It changes no id: records and the roster keep what was written. It says only whether two may be two people.

use crate::domain::redact::is_hidden;
use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

/// The form in which ids are compared: compatibility forms, case, hidden characters and look-alikes of other scripts (UTS 39)
/// make no difference. Two ids with the same form count as one person.
pub fn folded(id: &str) -> String {
    skeleton(plain(id).to_lowercase().trim()).collect::<String>().to_lowercase().nfc().collect()
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
    skeleton(plain(id).trim()).collect()
}

/// Without what is not seen, in compatibility forms.
fn plain(id: &str) -> String {
    id.nfkc().filter(|c| !is_hidden(*c) && !c.is_control()).collect()
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
