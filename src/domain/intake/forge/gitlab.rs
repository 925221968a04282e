//! GitLab: notes on merge requests, and approvals.
//!
//! A review of several notes comes as one event for each note, and nothing that keeps them together but who wrote them,
//! where and when. The author of the work is known by number only. A note has no diff with it; who read it by the API says the
//! hunk under a name of ours.

use super::payload::{Payload, told, whole};
use super::said::{Decided, Person, Reason, Remark, Review, Said, Told, ToldWhat, Work};

pub(super) fn read(_event: &str, body: Payload<'_>) -> Said {
    match body.text("/object_kind").as_deref() {
        Some("note") if body.has("/merge_request") => note(body),
        Some("merge_request") => merge_request(body),
        _ => Said::Nothing(Reason::OtherEvent),
    }
}

fn note(body: Payload<'_>) -> Said {
    let of = |name: &str| body.text(&format!("/object_attributes/{name}"));
    if of("noteable_type").is_some_and(|about| about != "MergeRequest") {
        return Said::Nothing(Reason::OtherEvent);
    }
    // What GitLab itself writes: "added 1 commit".
    if body.0.pointer("/object_attributes/system").and_then(serde_json::Value::as_bool) == Some(true) {
        return Said::Nothing(Reason::Bot);
    }
    let id = of("id").unwrap_or_default();
    let mut by = person(body);
    // Old versions say the number only here.
    by.number = by.number.or_else(|| of("author_id"));
    let work = work(body, "/merge_request");
    if of("action").as_deref() == Some("update") {
        let (review, text) = (of_person(&by), of("note"));
        return told(Told { what: ToldWhat::Edited, review, remark: Some(id), by, text, work });
    }
    let Some(text) = of("note") else { return Said::Nothing(Reason::Empty) };
    let new_line = of("position/new_line").and_then(|line| line.parse().ok());
    let old_line = of("position/old_line").and_then(|line| line.parse().ok());
    let remark = Remark {
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
        decided: Decided::Comment,
        body: None,
        at: body.time(&["/object_attributes/created_at"]),
        url: remark.url.clone(),
        work: Work { revision: remark.revision.clone().or(work.revision.clone()), ..work },
        remarks: vec![remark],
    })
}

fn merge_request(body: Payload<'_>) -> Said {
    let (by, work) = (person(body), work(body, "/object_attributes"));
    match body.text("/object_attributes/action").as_deref() {
        // `approved` says that all approvals are there that are asked for, with the person who gave the last one; where
        // nothing is asked for, or in old versions, it is the only event.
        Some("approval" | "approved") => whole(Review {
            review: of_person(&by),
            by,
            decided: Decided::Approve,
            body: None,
            remarks: Vec::new(),
            at: body.time(&["/object_attributes/updated_at"]),
            url: work.url.clone(),
            work,
        }),
        Some("unapproval" | "unapproved") => {
            told(Told { what: ToldWhat::Dismissed, review: of_person(&by), remark: None, by, text: None, work })
        }
        _ => Said::Nothing(Reason::OtherEvent),
    }
}

/// What one person says within the time of gathering belongs together.
fn of_person(by: &Person) -> String {
    format!("by-{}", by.login)
}

fn person(body: Payload<'_>) -> Person {
    let login = body.text("/user/username").unwrap_or_default();
    // Access tokens of projects and groups speak under names of their own.
    let is_token = |kind: &str| login.starts_with(kind) && login.contains("_bot");
    Person { bot: is_token("project_") || is_token("group_"), number: body.text("/user/id"), login }
}

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
