//! GitHub: `pull_request_review`, `pull_request_review_comment`, `pull_request_review_thread`, `issue_comment`.
//!
//! A review with comments arrives as one event for the review and one for each comment, in any order; the review's
//! number connects them. A single comment comes with an empty review around it.

use super::event::{EventContent, FollowUpEvent, InlineComment, Reason, Review, ReviewVerdict, ToldWhat, Work};
use super::payload::{Payload, told, whole};
use super::pull::{conversation, is_hidden, work};

pub(super) fn read(event: &str, body: Payload<'_>) -> EventContent {
    let action = body.text("/action").unwrap_or_default();
    match (event, action.as_str()) {
        ("pull_request_review", "submitted") => review(body),
        ("pull_request_review", "dismissed") => tell(body, ToldWhat::Dismissed, None),
        ("pull_request_review", "edited") => tell(body, ToldWhat::Edited, body.text("/review/body")),
        ("pull_request_review_comment", "created") => remark(body),
        ("pull_request_review_comment", "edited") => tell(body, ToldWhat::Edited, body.text("/comment/body")),
        ("pull_request_review_comment", "deleted") => tell(body, ToldWhat::Deleted, None),
        ("pull_request_review_thread", "resolved") => thread(body, ToldWhat::Resolved),
        ("pull_request_review_thread", "unresolved") => thread(body, ToldWhat::Unresolved),
        ("issue_comment", _) if body.has("/issue/pull_request") => conversation(body, work(body)),
        _ => EventContent::Nothing(Reason::OtherEvent),
    }
}

fn review(body: Payload<'_>) -> EventContent {
    if is_hidden(body, "/review") {
        return EventContent::Nothing(Reason::Hidden);
    }
    let state = body.text("/review/state").unwrap_or_default().to_ascii_lowercase();
    let decided = match state.as_str() {
        "approved" => ReviewVerdict::Approve,
        "changes_requested" => ReviewVerdict::Reject,
        "commented" => ReviewVerdict::Comment,
        _ => return EventContent::Nothing(Reason::OtherEvent),
    };
    let text = body.text("/review/body");
    if decided == ReviewVerdict::Comment && text.is_none() {
        return EventContent::Nothing(Reason::Empty);
    }
    whole(Review {
        review: of_review(body.text("/review/id")),
        by: body.author("/review"),
        decided,
        body: text,
        remarks: Vec::new(),
        at: body.time(&["/review/submitted_at"]),
        work: Work { revision: body.text("/review/commit_id"), ..work(body) },
        url: body.text("/review/html_url"),
    })
}

fn remark(body: Payload<'_>) -> EventContent {
    if is_hidden(body, "/comment") {
        return EventContent::Nothing(Reason::Hidden);
    }
    let Some(text) = body.text("/comment/body") else { return EventContent::Nothing(Reason::Empty) };
    let id = body.text("/comment/id").unwrap_or_default();
    let revision = body.first(&["/comment/original_commit_id", "/comment/commit_id"]);
    let remark = InlineComment {
        thread: body.text("/comment/in_reply_to_id").or_else(|| Some(id.clone())),
        id,
        text,
        file: body.text("/comment/path"),
        // For a comment on removed text, only the old line is known.
        line: body.number(&["/comment/line", "/comment/original_line"]),
        lines: lines(body),
        side: body.text("/comment/side").map(|side| side.to_ascii_lowercase()),
        hunk: body.hunk("/comment/diff_hunk"),
        revision: revision.clone(),
        at: None,
        url: body.text("/comment/html_url"),
    };
    whole(Review {
        review: of_review(body.text("/comment/pull_request_review_id")),
        by: body.author("/comment"),
        decided: ReviewVerdict::Comment,
        body: None,
        url: remark.url.clone(),
        remarks: vec![remark],
        at: body.time(&["/comment/created_at"]),
        work: Work { revision, ..work(body) },
    })
}

/// Returns the number of lines of a multi-line comment. The hunk is that of the commented text.
fn lines(body: Payload<'_>) -> Option<u64> {
    let first = body.number(&["/comment/original_start_line", "/comment/start_line"])?;
    let last = body.number(&["/comment/original_line", "/comment/line"])?;
    last.checked_sub(first)?.checked_add(1).filter(|lines| *lines > 1)
}

fn tell(body: Payload<'_>, what: ToldWhat, text: Option<String>) -> EventContent {
    told(FollowUpEvent {
        what,
        review: of_review(body.first(&["/review/id", "/comment/pull_request_review_id"])),
        remark: body.text("/comment/id"),
        by: body.person("/sender"),
        text,
        work: work(body),
    })
}

fn thread(body: Payload<'_>, what: ToldWhat) -> EventContent {
    let first = body.items("/thread/comments").next();
    told(FollowUpEvent {
        what,
        review: of_review(first.and_then(|first| first.text("/pull_request_review_id"))),
        remark: first.and_then(|first| first.text("/id")),
        by: body.person("/sender"),
        text: None,
        work: work(body),
    })
}

fn of_review(id: Option<String>) -> String {
    format!("review-{}", id.unwrap_or_default())
}
