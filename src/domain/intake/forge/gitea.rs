//! Gitea and Forgejo: reviews, and the conversation of a pull request.
//!
//! A review comes without its number and without its remarks: these have to be asked for (`GET …/pulls/{n}/reviews`).
//! What is sent says who decided what, and what they said of the whole.

use super::payload::{Payload, told, whole};
use super::said::{Decided, Reason, Review, Said, Told, ToldWhat, Work};
use crate::domain::ids::short_hash;

pub(super) fn read(event: &str, body: Payload<'_>) -> Said {
    let kind = body.text("/review/type").unwrap_or_default();
    let said = |word: &str| event.ends_with(word) || kind.ends_with(word);
    if body.has("/review") {
        return match () {
            () if said("approved") => review(body, Decided::Approve),
            () if said("rejected") => review(body, Decided::Reject),
            () if said("comment") => review(body, Decided::Comment),
            () => Said::Nothing(Reason::OtherEvent),
        };
    }
    let is_pull = body.has("/pull_request") || body.has("/issue/pull_request");
    if body.has("/comment") && is_pull { conversation(body) } else { Said::Nothing(Reason::OtherEvent) }
}

fn review(body: Payload<'_>, decided: Decided) -> Said {
    let text = body.text("/review/content");
    if decided == Decided::Comment && text.is_none() {
        return Said::Nothing(Reason::Empty);
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

fn conversation(body: Payload<'_>) -> Said {
    let review = format!("comment-{}", body.text("/comment/id").unwrap_or_default());
    let text = body.text("/comment/body");
    let tell = |what, text| {
        told(Told { what, review: review.clone(), remark: None, by: body.person("/sender"), text, work: work(body) })
    };
    match body.text("/action").as_deref() {
        Some("created") if text.is_some() => whole(Review {
            review,
            by: body.person("/comment/user"),
            decided: Decided::Comment,
            body: text,
            remarks: Vec::new(),
            at: body.time(&["/comment/created_at"]),
            work: work(body),
            url: body.text("/comment/html_url"),
        }),
        Some("created") => Said::Nothing(Reason::Empty),
        Some("edited") => tell(ToldWhat::Edited, text),
        Some("deleted") => tell(ToldWhat::Deleted, None),
        _ => Said::Nothing(Reason::OtherEvent),
    }
}

fn work(body: Payload<'_>) -> Work {
    let place = if body.has("/pull_request") { "/pull_request" } else { "/issue" };
    let of = |name: &str| body.text(&format!("{place}/{name}"));
    Work {
        repository: body.text("/repository/full_name").unwrap_or_default(),
        number: of("number").unwrap_or_default(),
        url: of("html_url"),
        author: body.person(&format!("{place}/user")),
        branch: of("head/ref").or_else(|| of("head/label")),
        description: of("body"),
        revision: of("head/sha"),
    }
}
