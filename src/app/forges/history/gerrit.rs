//! Gerrit's changes and what is said about them.
//!
//! The list includes the messages, so a change costs one more request, for its comments, and none if it has none.
//! Labels are not requested: a message contains its vote, and labels do not show earlier votes.

use super::client::{ApiClient, HistoryError, Room};
use super::summary::PullRequestSummary;
use crate::domain::intake::forge::Pull;
use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Budget for the list of changes with their messages, in MB.
const MOST_LISTED: usize = 512;
/// Changes per page; a server may send fewer.
const PAGE: usize = 50;
/// Maximum pages of a list.
const MOST_PAGES: usize = 20_000;
/// Lines of context requested above a comment.
const PADDING: usize = 5;
/// Additional data that the list includes for each change.
const OPTIONS: [&str; 4] = ["MESSAGES", "DETAILED_ACCOUNTS", "ALL_REVISIONS", "CURRENT_COMMIT"];

/// Lists the changes of a project since a time, most recently changed first.
pub(super) fn list(
    asking: &ApiClient<'_>,
    project: &str,
    at: Timestamp,
) -> Result<Vec<PullRequestSummary>, HistoryError> {
    let query = format!("project:\"{project}\" after:\"{}\"", at.strftime("%Y-%m-%d %H:%M:%S"));
    let options: String = OPTIONS.iter().map(|option| format!("&o={option}")).collect();
    let address = format!("/changes/?q={}&n={PAGE}{options}", encoded(&query));
    let (mut listed, mut known): (Vec<PullRequestSummary>, HashSet<String>) = (Vec::new(), HashSet::new());
    let (mut start, mut room) = (0, Room::of(MOST_LISTED));
    for _ in 0..MOST_PAGES {
        let Value::Array(items) = asking.read(&format!("{address}&S={start}"), None)?.body else {
            return Err(HistoryError::Shape("a list was expected"));
        };
        start += items.len();
        for item in &items {
            let Some(one) = listed_of(project, item) else {
                return Err(HistoryError::Shape("a change has no number or no update time"));
            };
            // A change updated while the pages are read shifts the others to the next page.
            if one.updated >= at && known.insert(one.number.clone()) {
                room.take(one.values())?;
                listed.push(one);
            }
        }
        if items.last().is_none_or(|last| last["_more_changes"] != true) {
            // For a missing project the list is empty.
            if start == 0 {
                asking.read(&address_of(project), None)?;
            }
            PullRequestSummary::sort(&mut listed);
            return Ok(listed);
        }
    }
    Err(HistoryError::Shape("its list does not end"))
}

/// Reads what was said about a change; `pages` is the base URL of its page.
pub(super) fn read(
    asking: &ApiClient<'_>,
    one: &PullRequestSummary,
    pages: Option<&str>,
    room: &mut Room,
) -> Result<Pull, HistoryError> {
    let mut pull = one.pull.clone();
    let (project, number) = (pull.repository.clone(), &one.number);
    pull.pull["url"] = json!(pages.map(|pages| format!("{}/c/{project}/+/{number}", pages.trim_end_matches('/'))));
    if pull.pull["total_comment_count"] == json!(0) {
        return Ok(pull);
    }
    let of = format!("/changes/{}~{number}/comments", encoded(&project));
    let files = match asking.read(&format!("{of}?enable-context=true&context-padding={PADDING}"), None) {
        // There is no context before version 3.4.
        Err(HistoryError::Status(400)) => asking.read(&of, None)?.body,
        read => read?.body,
    };
    room.take([&files])?;
    let Value::Object(files) = files else {
        return Err(HistoryError::Shape("comments by file were expected"));
    };
    for (path, comments) in files {
        for mut comment in comments.as_array().cloned().unwrap_or_default() {
            comment["path"] = json!(path);
            pull.remarks.push(comment);
        }
    }
    Ok(pull)
}

/// Returns a project's address; the status is 404 if it is missing or hidden.
pub(super) fn address_of(project: &str) -> String {
    format!("/projects/{}", encoded(project))
}

fn listed_of(project: &str, item: &Value) -> Option<PullRequestSummary> {
    let number = item["_number"].as_u64()?.to_string();
    let mut kept = json!({});
    for name in ["_number", "owner", "topic", "branch", "updated", "total_comment_count", "is_private"] {
        kept[name] = item[name].clone();
    }
    for (commit, revision) in item["revisions"].as_object().into_iter().flatten() {
        if let Some(number) = revision["_number"].as_u64() {
            kept["patch_sets"][number.to_string()] = json!(commit);
        }
        if item["current_revision"] == json!(commit) {
            kept["message"] = revision["commit"]["message"].clone();
        }
    }
    Some(PullRequestSummary {
        number,
        updated: time(&item["updated"])?,
        created: time(&item["created"]),
        pull: Pull {
            // In the server's spelling: ids are derived from it.
            repository: item["project"].as_str().unwrap_or(project).to_owned(),
            pull: kept,
            reviews: item["messages"].as_array().into_iter().flatten().filter_map(message).collect(),
            ..Pull::default()
        },
    })
}

/// Returns what is kept of a message while others are read; `None` for Gerrit's own messages, which are the majority.
fn message(message: &Value) -> Option<Value> {
    if message["tag"].as_str().is_some_and(|tag| tag.starts_with("autogenerated:gerrit")) {
        return None;
    }
    let mut kept = json!({});
    for name in ["id", "author", "real_author", "date", "message", "tag", "_revision_number"] {
        kept[name] = message[name].clone();
    }
    Some(kept)
}

/// Parses Gerrit's time format: `2013-02-01 09:59:32.126000000`, in UTC.
fn time(value: &Value) -> Option<Timestamp> {
    format!("{}Z", value.as_str()?).parse().ok()
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
