//! Reading fields of a payload by their place. A field that is missing, null or empty is not there.

use super::said::{Person, Review, Said, Work};
use super::{Reason, Told};
use jiff::Timestamp;
use serde_json::Value;

/// The longest part of a diff that is kept of a remark, in characters, from its end: there is the line it is about.
const HUNK: usize = 2_000;

/// A part of what was sent.
#[derive(Clone, Copy)]
pub(super) struct Payload<'a>(pub &'a Value);

impl<'a> Payload<'a> {
    /// What lies at a place such as `/review/user`.
    pub fn at(self, place: &str) -> Option<Payload<'a>> {
        self.0.pointer(place).filter(|value| !value.is_null()).map(Payload)
    }

    pub fn has(self, place: &str) -> bool {
        self.at(place).is_some()
    }

    /// A text, or a number as one: some forges changed their minds.
    pub fn text(self, place: &str) -> Option<String> {
        let text = match self.at(place)?.0 {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        Some(text).filter(|text| !text.trim().is_empty())
    }

    /// The first text that is there.
    pub fn first(self, places: &[&str]) -> Option<String> {
        places.iter().find_map(|place| self.text(place))
    }

    pub fn number(self, places: &[&str]) -> Option<u64> {
        self.first(places)?.parse().ok()
    }

    pub fn items(self, place: &str) -> impl Iterator<Item = Payload<'a>> {
        self.at(place).and_then(|at| at.0.as_array()).into_iter().flatten().map(Payload)
    }

    /// A time as RFC 3339, or as GitLab writes it: `2017-05-31 03:27:26 UTC`.
    pub fn time(self, places: &[&str]) -> Option<Timestamp> {
        let text = self.first(places)?;
        let plain = text.trim().trim_end_matches(" UTC");
        plain.parse().or_else(|_| format!("{plain}Z").parse()).ok().filter(|at: &Timestamp| at.as_second() > 0)
    }

    /// A diff's end.
    pub fn hunk(self, place: &str) -> Option<String> {
        self.text(place).map(|text| end_of(&text))
    }

    /// A person of GitHub, Gitea or Forgejo.
    pub fn person(self, place: &str) -> Person {
        let of = |name: &str| format!("{place}/{name}");
        Person {
            login: self.first(&[&of("login"), &of("username")]).unwrap_or_default(),
            number: self.text(&of("id")),
            bot: self.text(&of("type")).is_some_and(|kind| kind == "Bot"),
        }
    }
}

/// As much of a diff's end as is kept of a remark.
pub(super) fn end_of(diff: &str) -> String {
    let left_out = diff.chars().count().saturating_sub(HUNK);
    diff.chars().skip(left_out).collect()
}

/// A review, where it says whose it is and what about.
pub(super) fn whole(review: Review) -> Said {
    if is_known(&review.work) && !review.by.login.is_empty() {
        Said::Review(Box::new(review))
    } else {
        Said::Nothing(Reason::Incomplete)
    }
}

/// What is told, where it says what about.
pub(super) fn told(told: Told) -> Said {
    if is_known(&told.work) { Said::Told(Box::new(told)) } else { Said::Nothing(Reason::Incomplete) }
}

fn is_known(work: &Work) -> bool {
    !work.repository.is_empty() && !work.number.is_empty()
}
