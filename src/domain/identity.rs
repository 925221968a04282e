//! Identity of people: names that people cannot tell apart are one name.
//!
//! It changes no id: records and the roster keep the original spelling. It only decides whether two ids may be two
//! people.

use crate::text::redact::is_hidden;
use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

/// Returns the form in which ids are compared: compatibility forms, case, hidden characters and look-alikes of other
/// scripts (UTS 39) make no difference. Two ids with the same form count as one person.
pub fn folded(id: &str) -> String {
    skeleton(plain(id).to_lowercase().trim()).collect::<String>().to_lowercase().nfc().collect()
}

/// Returns the forms of an id that no two people may share.
pub fn forms(id: &str) -> [String; 2] {
    [folded(id), looks(id)]
}

/// Reports whether two ids may belong to the same person.
pub fn same(a: &str, b: &str) -> bool {
    a == b || folded(a) == folded(b) || looks(a) == looks(b)
}

/// Returns the name for a forge account that is not mapped to a person. If it could be taken for one of these people,
/// it is prefixed with the forge's name, as in `github:ana`: the two kinds of names are unrelated.
pub fn apart<'p>(account: &str, forge: &str, people: impl Iterator<Item = &'p str> + Clone) -> String {
    let mut name = account.to_owned();
    while people.clone().any(|person| same(person, &name)) {
        name = format!("{forge}:{name}");
    }
    name
}

/// Returns how an id looks with its case: `I` and `l` look alike, but not in lower case.
fn looks(id: &str) -> String {
    skeleton(plain(id).trim()).collect()
}

/// Returns the id without invisible characters, in compatibility forms.
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

    #[test]
    fn an_account_that_could_be_taken_for_a_person_is_named_after_its_forge() {
        let people = ["ana", "github:ben", "ben"];
        for (account, name) in [
            ("ana", "github:ana"),
            ("ANA", "github:ANA"),
            ("\u{430}na", "github:\u{430}na"),
            ("ben", "github:github:ben"),
            ("octo-ann", "octo-ann"),
        ] {
            assert_eq!(apart(account, "github", people.into_iter()), name, "{account}");
        }
    }

    proptest! {
        #[test]
        fn folding_holds_still_over_case(id in "[a-zA-Z0-9._@-]{0,12}") {
            prop_assert!(same(&id, &id.to_lowercase()) && same(&id, &id.to_uppercase()));
        }
    }
}
