//! Reads payload fields by path. A missing, null or empty field counts as absent.

use super::event::{EventContent, Person, Review, Work};
use super::{FollowUpEvent, Reason};
use jiff::Timestamp;
use serde_json::Value;

/// Maximum length of a comment's stored diff, in characters, from its end, which holds the commented line.
const HUNK: usize = 2_000;

/// Part of a payload.
#[derive(Clone, Copy)]
pub(super) struct Payload<'a>(pub &'a Value);

impl<'a> Payload<'a> {
    /// Returns the value at a path such as `/review/user`.
    pub fn at(self, place: &str) -> Option<Payload<'a>> {
        self.0.pointer(place).filter(|value| !value.is_null()).map(Payload)
    }

    pub fn has(self, place: &str) -> bool {
        self.at(place).is_some()
    }

    /// Returns a text, or a number as text: some forges changed types.
    pub fn text(self, place: &str) -> Option<String> {
        let text = match self.at(place)?.0 {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        Some(text).filter(|text| !text.trim().is_empty())
    }

    /// Returns the first text present.
    pub fn first(self, places: &[&str]) -> Option<String> {
        places.iter().find_map(|place| self.text(place))
    }

    pub fn number(self, places: &[&str]) -> Option<u64> {
        self.first(places)?.parse().ok()
    }

    pub fn items(self, place: &str) -> impl Iterator<Item = Payload<'a>> {
        self.at(place).and_then(|at| at.0.as_array()).into_iter().flatten().map(Payload)
    }

    /// Parses a time in RFC 3339 or GitLab's format: `2017-05-31 03:27:26 UTC`.
    pub fn time(self, places: &[&str]) -> Option<Timestamp> {
        let text = self.first(places)?;
        let plain = text.trim().trim_end_matches(" UTC");
        plain.parse().or_else(|_| format!("{plain}Z").parse()).ok().filter(|at: &Timestamp| at.as_second() > 0)
    }

    /// Returns the end of a diff.
    pub fn hunk(self, place: &str) -> Option<String> {
        self.text(place).map(|text| end_of(&text))
    }

    /// Reports whether a flag is set.
    pub fn is(self, place: &str) -> bool {
        self.at(place).and_then(|at| at.0.as_bool()) == Some(true)
    }

    /// Returns a person of GitHub, Gitea or Forgejo. A deleted account is null there, or a stand-in.
    pub fn person(self, place: &str) -> Person {
        if self.0.pointer(place).is_some_and(Value::is_null) {
            return Person::ghost();
        }
        let of = |name: &str| format!("{place}/{name}");
        let number = self.text(&of("id"));
        let login = self.first(&[&of("login"), &of("username")]).unwrap_or_default();
        // Gitea's stand-ins have numbers below 0: -1 for deleted accounts, others for its own programs.
        let is_stand_in = number.as_deref().is_some_and(|number| number.starts_with('-'));
        if login.eq_ignore_ascii_case(GHOST) {
            return Person::ghost();
        }
        Person {
            bot: self.text(&of("type")).is_some_and(|kind| kind == "Bot") || is_stand_in,
            number,
            login,
            ..Person::default()
        }
    }

    /// Returns the author, with their role in the repository, if the forge reports it.
    pub fn author(self, place: &str) -> Person {
        let standing = self.text(&format!("{place}/author_association")).map(|part| part.to_ascii_lowercase());
        Person { standing, ..self.person(&format!("{place}/user")) }
    }
}

/// The forges' name for deleted accounts.
pub(super) const GHOST: &str = "ghost";

impl Person {
    /// Returns the person for deleted accounts: one name for all.
    pub(super) fn ghost() -> Person {
        Person { login: GHOST.to_owned(), deleted: true, ..Person::default() }
    }
}

/// Returns the part of a diff's end that is kept for a comment.
pub(super) fn end_of(diff: &str) -> String {
    let left_out = diff.chars().count().saturating_sub(HUNK);
    diff.chars().skip(left_out).collect()
}

/// Wraps a review that states its author and work.
pub(super) fn whole(review: Review) -> EventContent {
    if is_known(&review.work) && !review.by.login.is_empty() {
        EventContent::Review(Box::new(review))
    } else {
        EventContent::Nothing(Reason::Incomplete)
    }
}

/// Wraps a follow-up that states its subject.
pub(super) fn told(told: FollowUpEvent) -> EventContent {
    if is_known(&told.work) {
        EventContent::FollowUp(Box::new(told))
    } else {
        EventContent::Nothing(Reason::Incomplete)
    }
}

fn is_known(work: &Work) -> bool {
    !work.repository.is_empty() && !work.number.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn who_is_gone_and_programs_that_stand_in_are_told_from_people() {
        let read = |user: Value| {
            let person = Payload(&json!({ "user": user })).person("/user");
            (person.login, person.bot, person.deleted)
        };
        let ghost = ("ghost".to_owned(), false, true);
        for gone in [Value::Null, json!({ "login": "ghost", "id": 10_137 }), json!({ "login": "Ghost", "id": -1 })] {
            assert_eq!(read(gone), ghost);
        }
        assert_eq!(read(json!({ "login": "runner", "id": -2 })), ("runner".to_owned(), true, false));
        assert_eq!(read(json!({ "username": "ann", "id": 7 })), ("ann".to_owned(), false, false));
        let nobody = Payload(&json!({})).person("/user");
        assert!(nobody.login.is_empty() && !nobody.deleted, "what is not there is nobody");
    }
}
