//! `comment-added`, as sent by `stream-events` and the webhooks plugin.
//!
//! An event has no number of its own. A vote counts if this event changed it, as shown by the old value. Inline
//! comments are not included; the first comment on the whole patch set may replace the message.

use super::message::{judges, person, review_id, words};
use crate::intake::forge::event::{EventContent, FollowUpEvent, Reason, Review, ReviewVerdict, ToldWhat, Work};
use crate::intake::forge::payload::{Payload, told, whole};
use jiff::Timestamp;

/// Reads an event.
pub fn read(body: Payload<'_>) -> EventContent {
    if body.text("/type").as_deref() != Some("comment-added") {
        return EventContent::Nothing(Reason::OtherEvent);
    }
    // Only its owner, its reviewers and people who may see private changes can read it.
    if body.is("/change/private") {
        return EventContent::Nothing(Reason::Internal);
    }
    let (by, work) = (person(body, "/author"), work(body));
    let patch_set = body.first(&["/patchSet/number", "/patchSet/revision"]).unwrap_or_default();
    let text = body.text("/comment").and_then(|comment| words(&comment));
    let vote = vote(body, "/value");
    if vote == Some(0) && text.is_none() {
        let review = review_id(&by.login, &patch_set, self::vote(body, "/oldValue"), None);
        return told(FollowUpEvent { what: ToldWhat::Dismissed, review, remark: None, by, text: None, work });
    }
    let decided = ReviewVerdict::of_vote(vote);
    if decided == ReviewVerdict::Comment && text.is_none() {
        return EventContent::Nothing(Reason::Empty);
    }
    let at = body.text("/eventCreatedOn").and_then(|at| Timestamp::from_second(at.parse().ok()?).ok());
    let review = review_id(&by.login, &patch_set, vote, text.as_deref());
    whole(Review { review, by, decided, body: text, remarks: Vec::new(), at, url: work.url.clone(), work })
}

/// Returns the vote on the code that this event changed: the lowest, if several.
fn vote(body: Payload<'_>, place: &str) -> Option<i64> {
    let counts = |vote: &Payload<'_>| vote.has("/oldValue") && vote.text("/type").is_none_or(|label| judges(&label));
    body.items("/approvals").filter(counts).filter_map(|vote| vote.text(place)?.parse().ok()).min()
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
