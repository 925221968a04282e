//! GitLab: notes on merge requests, and approvals.
//!
//! A review of several notes arrives as one event for each note, connected only by author, place and time. The author
//! of the work is given only by number. A note has no diff; readers of the API add the hunk under a name of our own.

use super::event::{EventContent, FollowUpEvent, InlineComment, Person, Reason, Review, ReviewVerdict, ToldWhat, Work};
use super::payload::{GHOST, Payload, told, whole};

pub(super) fn read(_event: &str, body: Payload<'_>) -> EventContent {
    match body.text("/object_kind").as_deref() {
        Some("note") if body.has("/merge_request") => note(body),
        Some("merge_request") => merge_request(body),
        _ => EventContent::Nothing(Reason::OtherEvent),
    }
}

fn note(body: Payload<'_>) -> EventContent {
    let of = |name: &str| body.text(&format!("/object_attributes/{name}"));
    if of("noteable_type").is_some_and(|about| about != "MergeRequest") {
        return EventContent::Nothing(Reason::OtherEvent);
    }
    // GitLab's own messages: "added 1 commit".
    if body.is("/object_attributes/system") {
        return EventContent::Nothing(Reason::Bot);
    }
    // Old versions call it confidential, as do webhook events.
    let internal = ["/object_attributes/internal", "/object_attributes/confidential"].iter().any(|name| body.is(name));
    if internal || body.text("/event_type").as_deref() == Some("confidential_note") {
        return EventContent::Nothing(Reason::Internal);
    }
    let id = of("id").unwrap_or_default();
    let mut by = person(body);
    // Old versions give the number only here.
    by.number = by.number.or_else(|| of("author_id"));
    let work = work(body, "/merge_request");
    if of("action").as_deref() == Some("update") {
        let (review, text) = (of_person(&by), of("note"));
        return told(FollowUpEvent { what: ToldWhat::Edited, review, remark: Some(id), by, text, work });
    }
    let Some(text) = of("note") else { return EventContent::Nothing(Reason::Empty) };
    let new_line = of("position/new_line").and_then(|line| line.parse().ok());
    let old_line = of("position/old_line").and_then(|line| line.parse().ok());
    let remark = InlineComment {
        id,
        text,
        file: of("position/new_path").or_else(|| of("position/old_path")),
        line: new_line.or(old_line),
        side: new_line.map(|_| "right").or(old_line.map(|_| "left")).map(str::to_owned),
        lines: None,
        hunk: of("hunk"),
        revision: of("position/head_sha"),
        thread: of("discussion_id"),
        at: None,
        url: of("url"),
    };
    whole(Review {
        review: of_person(&by),
        by,
        decided: ReviewVerdict::Comment,
        body: None,
        at: body.time(&["/object_attributes/created_at"]),
        url: remark.url.clone(),
        work: Work { revision: remark.revision.clone().or(work.revision.clone()), ..work },
        remarks: vec![remark],
    })
}

fn merge_request(body: Payload<'_>) -> EventContent {
    let (by, work) = (person(body), work(body, "/object_attributes"));
    match body.text("/object_attributes/action").as_deref() {
        // `approved` means that all required approvals are present, and names the person who gave the last one; if none
        // are required, or in old versions, it is the only event.
        Some("approval" | "approved") => whole(Review {
            review: of_person(&by),
            by,
            decided: ReviewVerdict::Approve,
            body: None,
            remarks: Vec::new(),
            at: body.time(&["/object_attributes/updated_at"]),
            url: work.url.clone(),
            work,
        }),
        Some("unapproval" | "unapproved") => told(FollowUpEvent {
            what: ToldWhat::Dismissed,
            review: of_person(&by),
            remark: None,
            by,
            text: None,
            work,
        }),
        _ => EventContent::Nothing(Reason::OtherEvent),
    }
}

/// Returns the key that joins what one person says within the gathering time.
fn of_person(by: &Person) -> String {
    format!("by-{}", by.login)
}

fn person(body: Payload<'_>) -> Person {
    if body.0.pointer("/user").is_some_and(serde_json::Value::is_null) {
        return Person::ghost();
    }
    let login = body.text("/user/username").unwrap_or_default();
    let lower = login.to_ascii_lowercase();
    // The owner of deleted accounts' contributions: `ghost`, `ghost1`.
    if lower.strip_prefix(GHOST).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit())) {
        return Person::ghost();
    }
    let bot = body.is("/user/bot") || is_program(&lower);
    Person { bot, number: body.text("/user/id"), login, ..Person::default() }
}

/// Reports programs by the names that GitLab reserves for them; its payloads do not identify them. Access tokens of
/// projects and groups and service accounts have numbers in their names.
fn is_program(login: &str) -> bool {
    let is_token = ["project_", "group_"].iter().any(|kind| login.starts_with(kind)) && login.contains("_bot");
    let is_own = OWN.iter().any(|own| {
        login.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.chars().all(|c| c.is_ascii_digit()))
    });
    let begins = ["service_account_", "gitlab-duo-", "duo-code-review", "duo-developer", "duo-workflow"];
    is_token || is_own || begins.iter().any(|begin| login.starts_with(begin))
}

/// GitLab's own accounts.
const OWN: [&str; 12] = [
    "gitlabduo",
    "alert-bot",
    "support-bot",
    "visual-review-bot",
    "migration-bot",
    "automation-bot",
    "security-bot",
    "gitlab-security-bot",
    "suggested-reviewers-bot",
    "admin-bot",
    "llm-bot",
    "gitlab-bot",
];

fn work(body: Payload<'_>, place: &str) -> Work {
    let of = |name: &str| body.text(&format!("{place}/{name}"));
    Work {
        repository: body.text("/project/path_with_namespace").unwrap_or_default(),
        number: of("iid").unwrap_or_default(),
        url: of("url").or_else(|| Some(format!("{}/-/merge_requests/{}", body.text("/project/web_url")?, of("iid")?))),
        author: Person { number: of("author_id"), ..Person::default() },
        branch: of("source_branch"),
        description: of("description"),
        revision: of("last_commit/id"),
    }
}
