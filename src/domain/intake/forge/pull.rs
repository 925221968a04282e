//! Fields shared by GitHub, Gitea and Forgejo: the pull request, and its conversation.

use super::event::{EventContent, FollowUpEvent, Reason, Review, ReviewVerdict, ToldWhat, Work};
use super::payload::{Payload, told, whole};

/// Returns the pull request.
pub(super) fn work(body: Payload<'_>) -> Work {
    let place = if body.has("/pull_request") { "/pull_request" } else { "/issue" };
    let of = |name: &str| body.text(&format!("{place}/{name}"));
    Work {
        repository: body.text("/repository/full_name").unwrap_or_default(),
        number: of("number").unwrap_or_default(),
        url: of("html_url"),
        author: body.person(&format!("{place}/user")),
        branch: of("head/ref"),
        description: of("body"),
        revision: of("head/sha"),
    }
}

/// Reasons for hiding worthless content. Content hidden as resolved or duplicate still counts.
const WORTHLESS: [&str; 4] = ["spam", "abuse", "off-topic", "low-quality"];

/// Reports whether the content at a path was hidden as worthless.
pub(super) fn is_hidden(body: Payload<'_>, place: &str) -> bool {
    let of = |name: &str| format!("{place}/{name}");
    let Some(why) = body.first(&[&of("minimized/reason"), &of("minimized_reason"), &of("minimizedReason")]) else {
        return [of("minimized"), of("is_minimized"), of("isMinimized")].iter().any(|name| body.is(name));
    };
    WORTHLESS.contains(&why.to_ascii_lowercase().replace('_', "-").as_str())
}

/// Reads a comment on the whole.
pub(super) fn conversation(body: Payload<'_>, work: Work) -> EventContent {
    let review = format!("comment-{}", body.text("/comment/id").unwrap_or_default());
    let text = body.text("/comment/body");
    let tell = |what, text, review, work| {
        told(FollowUpEvent { what, review, remark: None, by: body.person("/sender"), text, work })
    };
    match body.text("/action").as_deref() {
        Some("created") if is_hidden(body, "/comment") => EventContent::Nothing(Reason::Hidden),
        Some("created") if text.is_none() => EventContent::Nothing(Reason::Empty),
        Some("created") => whole(Review {
            review,
            by: body.author("/comment"),
            decided: ReviewVerdict::Comment,
            body: text,
            remarks: Vec::new(),
            at: body.time(&["/comment/created_at"]),
            work,
            url: body.text("/comment/html_url"),
        }),
        Some("edited") => tell(ToldWhat::Edited, text, review, work),
        Some("deleted") => tell(ToldWhat::Deleted, None, review, work),
        _ => EventContent::Nothing(Reason::OtherEvent),
    }
}
