//! Gerrit: `comment-added`, as `stream-events` and the webhooks plugin send it.
//!
//! An event has no number of its own. A vote counts where this event changed it, which it says with the old value. Inline
//! comments are not part of it.

use super::payload::{Payload, told, whole};
use super::said::{Decided, Person, Reason, Review, Said, Told, ToldWhat, Work};
use crate::domain::ids::short_hash;
use jiff::Timestamp;

pub(super) fn read(body: Payload<'_>) -> Said {
    if body.text("/type").as_deref() != Some("comment-added") {
        return Said::Nothing(Reason::OtherEvent);
    }
    let by = person(body, "/author");
    let (work, at) = (work(body), body.text("/eventCreatedOn"));
    let review = format!(
        "said-{}",
        short_hash(&[
            &by.login,
            work.revision.as_deref().unwrap_or_default(),
            at.as_deref().unwrap_or_default(),
            &body.text("/comment").unwrap_or_default(),
        ])
    );
    let text = body.text("/comment").and_then(|comment| words(&comment));
    match vote(body) {
        Some(0) if text.is_none() => {
            told(Told { what: ToldWhat::Dismissed, review, remark: None, by, text: None, work })
        }
        vote => {
            let decided = match vote {
                Some(1..=i64::MAX) => Decided::Approve,
                Some(i64::MIN..=-1) => Decided::Reject,
                _ => Decided::Comment,
            };
            if decided == Decided::Comment && text.is_none() {
                return Said::Nothing(Reason::Empty);
            }
            let at = at.and_then(|at| Timestamp::from_second(at.parse().ok()?).ok());
            whole(Review { review, by, decided, body: text, remarks: Vec::new(), at, url: work.url.clone(), work })
        }
    }
}

/// The vote on the code that this event changed: the lowest, where it changed several.
fn vote(body: Payload<'_>) -> Option<i64> {
    let counts =
        |vote: &Payload<'_>| vote.has("/oldValue") && vote.text("/type").is_none_or(|label| label != "Verified");
    body.items("/approvals").filter(counts).filter_map(|vote| vote.text("/value")?.parse().ok()).min()
}

/// What a person wrote: without the line in which Gerrit says the patch set and the votes, and without its count of inline
/// comments.
pub(super) fn words(comment: &str) -> Option<String> {
    let mut lines = comment.lines().peekable();
    if lines.peek().is_some_and(|first| first.starts_with("Patch Set ")) {
        lines.next();
    }
    let is_count = |line: &str| {
        let counted = line.strip_prefix('(').and_then(|rest| rest.split_once(" comment"));
        counted.is_some_and(|(number, _)| number.parse::<u64>().is_ok())
    };
    let text: Vec<&str> = lines.filter(|line| !is_count(line)).collect();
    Some(text.join("\n").trim().to_owned()).filter(|text| !text.is_empty())
}

fn person(body: Payload<'_>, place: &str) -> Person {
    let of = |name: &str| body.text(&format!("{place}/{name}"));
    let bot = body.items(&format!("{place}/tags")).any(|tag| tag.0.as_str() == Some("SERVICE_USER"));
    Person {
        login: of("username").or_else(|| of("email")).or_else(|| of("name")).unwrap_or_default(),
        number: None,
        bot,
    }
}

fn work(body: Payload<'_>) -> Work {
    Work {
        repository: body.first(&["/change/project", "/project/name", "/project"]).unwrap_or_default(),
        number: body.text("/change/number").unwrap_or_default(),
        url: body.text("/change/url"),
        author: person(body, "/change/owner"),
        branch: body.first(&["/change/topic", "/change/branch"]),
        description: body.text("/change/commitMessage"),
        revision: body.text("/patchSet/revision"),
    }
}
