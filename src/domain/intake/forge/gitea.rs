//! Gitea and Forgejo: reviews, and the conversation of a pull request.
//!
//! A review arrives without its number and its comments: these must be requested (`GET …/pulls/{n}/reviews`). The event
//! contains who decided what, and their text on the whole.

use super::event::{EventContent, Reason, Review, ReviewVerdict, Work};
use super::payload::{Payload, whole};
use super::pull;
use crate::text::ids::short_hash;

pub(super) fn read(event: &str, body: Payload<'_>) -> EventContent {
    let kind = body.text("/review/type").unwrap_or_default();
    let said = |word: &str| event.ends_with(word) || kind.ends_with(word);
    if body.has("/review") {
        return match () {
            () if said("approved") => review(body, ReviewVerdict::Approve),
            () if said("rejected") => review(body, ReviewVerdict::Reject),
            () if said("comment") => review(body, ReviewVerdict::Comment),
            () => EventContent::Nothing(Reason::OtherEvent),
        };
    }
    let is_pull = body.has("/pull_request") || body.has("/issue/pull_request");
    if body.has("/comment") && is_pull {
        pull::conversation(body, work(body))
    } else {
        EventContent::Nothing(Reason::OtherEvent)
    }
}

fn review(body: Payload<'_>, decided: ReviewVerdict) -> EventContent {
    let text = body.text("/review/content");
    if decided == ReviewVerdict::Comment && text.is_none() {
        return EventContent::Nothing(Reason::Empty);
    }
    let (by, work) = (body.person("/sender"), work(body));
    let revision = body.text("/commit_id").or(work.revision.clone());
    let what: &'static str = decided.into();
    let said = [by.login.as_str(), what, text.as_deref().unwrap_or_default(), revision.as_deref().unwrap_or_default()];
    whole(Review {
        review: format!("said-{}", short_hash(&said)),
        by,
        decided,
        body: text,
        remarks: Vec::new(),
        at: None,
        url: work.url.clone(),
        work: Work { revision, ..work },
    })
}

/// Returns the pull request; if it comes from another repository, the branch is elsewhere.
fn work(body: Payload<'_>) -> Work {
    let work = pull::work(body);
    let place = if body.has("/pull_request") { "/pull_request/head/label" } else { "/issue/head/label" };
    Work { branch: work.branch.or_else(|| body.text(place)), ..work }
}
