//! Where each kind of forge has its pull requests and their reviews.

use super::client::{ApiClient, HistoryError, Room};
use super::gerrit;
use super::summary::PullRequestSummary;
use crate::domain::intake::forge::{Kind, Pull};
use crate::forges::deliveries::Forge;
use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Budget for the list of pull requests, in MB: several hundred thousand of them.
const MOST_LISTED: usize = 512;
/// Budget for a pull request while it is read, in MB: no human conversation is nearly as long.
const MOST_READ: usize = 64;

/// Fields kept of a pull request while others are read: lists contain much more.
const KEPT: [&str; 14] = [
    "number",
    "iid",
    "html_url",
    "web_url",
    "user",
    "author",
    "body",
    "description",
    "source_branch",
    "sha",
    "created_at",
    "updated_at",
    "comments",
    "user_notes_count",
];

/// Lists the pull requests that `wants` selects, most recently changed first, until one last changed before `at`. Also
/// returns what tells whether the list has changed.
pub(super) fn list(
    asking: &ApiClient<'_>,
    kind: Kind,
    repository: &str,
    at: Timestamp,
    etag: Option<&str>,
) -> Result<(Vec<PullRequestSummary>, Option<String>), HistoryError> {
    if kind == Kind::Gerrit {
        return Ok((gerrit::list(asking, repository, at)?, None));
    }
    let (mut listed, mut known): (Vec<PullRequestSummary>, HashSet<String>) = (Vec::new(), HashSet::new());
    let (mut is_wrong, mut room, mut taken) = (false, Room::of(MOST_LISTED), Ok(()));
    let (etag, _) = asking.pages(&address(kind, repository), etag, &mut |items| {
        for item in items {
            let Some(one) = listed_of(kind, repository, &item) else {
                is_wrong = true;
                return false;
            };
            if one.updated < at {
                return false;
            }
            // A pull request updated while the pages are read shifts the others to the next page.
            if known.insert(one.number.clone()) {
                taken = room.take(one.values());
                listed.push(one);
            }
            if taken.is_err() {
                return false;
            }
        }
        true
    })?;
    taken?;
    if is_wrong {
        return Err(HistoryError::Shape("a pull request has no number or no update time"));
    }
    PullRequestSummary::sort(&mut listed);
    Ok((listed, etag))
}

/// Returns the list's address, latest change first so that no concurrent change is missed. For Gerrit, the project.
pub(super) fn address(kind: Kind, repository: &str) -> String {
    match kind {
        Kind::Github => format!("/repos/{repository}/pulls?state=all&sort=updated&direction=desc&per_page=100"),
        Kind::Gitea | Kind::Forgejo => format!("/repos/{repository}/pulls?state=all&sort=recentupdate&limit=50"),
        Kind::Gerrit => gerrit::address_of(repository),
        Kind::Gitlab => format!(
            "/projects/{}/merge_requests?state=all&scope=all&order_by=updated_at&sort=desc&per_page=100",
            encoded(repository)
        ),
    }
}

/// Reads everything said about a pull request.
pub(super) fn read(
    asking: &ApiClient<'_>,
    forge: &Forge,
    repository: &str,
    one: &PullRequestSummary,
) -> Result<Pull, HistoryError> {
    let mut pull = one.pull.clone();
    let number = &one.number;
    let mut room = Room::of(MOST_READ);
    match forge.kind {
        Kind::Gerrit => return gerrit::read(asking, one, forge.pages.as_deref(), &mut room),
        Kind::Github => {
            let of = format!("/repos/{repository}/pulls/{number}");
            pull.reviews = asking.all(&format!("{of}/reviews?per_page=100"), &mut room)?;
            // A comment belongs to a review.
            if !pull.reviews.is_empty() {
                pull.remarks = asking.all(&format!("{of}/comments?per_page=100"), &mut room)?;
            }
            pull.comments =
                asking.all(&format!("/repos/{repository}/issues/{number}/comments?per_page=100"), &mut room)?;
        }
        Kind::Gitea | Kind::Forgejo => {
            let of = format!("/repos/{repository}/pulls/{number}/reviews");
            pull.reviews = asking.all(&format!("{of}?limit=50"), &mut room)?;
            for review in pull.reviews.iter().filter(|review| review["comments_count"] != json!(0)) {
                let Some(id) = review["id"].as_u64() else { continue };
                let mut remarks = asking.all(&format!("{of}/{id}/comments"), &mut room)?;
                // Not every version gives a comment's review.
                remarks.iter_mut().for_each(|remark| remark["pull_request_review_id"] = json!(id));
                pull.remarks.extend(remarks);
            }
            if pull.pull["comments"] != json!(0) {
                pull.comments = asking.all(&format!("/repos/{repository}/issues/{number}/comments"), &mut room)?;
            }
        }
        Kind::Gitlab => {
            let of = format!("/projects/{}/merge_requests/{number}", encoded(repository));
            for discussion in asking.all(&format!("{of}/discussions?per_page=100"), &mut room)? {
                for note in discussion["notes"].as_array().into_iter().flatten() {
                    let mut note = note.clone();
                    note["discussion_id"] = discussion["id"].clone();
                    pull.reviews.push(note);
                }
            }
            if pull.reviews.iter().any(|note| pull.shows(note)) {
                pull.diffs = match asking.all(&format!("{of}/diffs?per_page=100"), &mut room) {
                    // Not available before GitLab 15.7.
                    Err(HistoryError::Missing) => Vec::new(),
                    diffs => diffs?,
                };
            }
        }
    }
    Ok(pull)
}

fn listed_of(kind: Kind, repository: &str, item: &Value) -> Option<PullRequestSummary> {
    let time = |name: &str| item[name].as_str().and_then(|text| text.parse::<Timestamp>().ok());
    let number = if kind == Kind::Gitlab { &item["iid"] } else { &item["number"] };
    let mut kept = some_of(item, &KEPT);
    kept["head"] = some_of(&item["head"], &["ref", "sha", "label"]);
    for who in ["user", "author"] {
        // Null means a deleted account.
        if let Some(person) = item.get(who).filter(|person| !person.is_null()) {
            kept[who] = some_of(person, &["login", "username", "id", "type", "bot"]);
        }
    }
    // In the forge's spelling: ids are derived from it.
    let whole = item["references"]["full"].as_str().and_then(|whole| whole.rsplit_once('!')).map(|(name, _)| name);
    let name = item["base"]["repo"]["full_name"].as_str().or(whole).unwrap_or(repository);
    Some(PullRequestSummary {
        number: number.as_u64()?.to_string(),
        updated: time("updated_at")?,
        created: time("created_at"),
        pull: Pull { repository: name.to_owned(), pull: kept, ..Pull::default() },
    })
}

/// Returns the fields with these names, if present.
fn some_of(item: &Value, names: &[&str]) -> Value {
    let found = names.iter().filter_map(|name| Some(((*name).to_owned(), item.get(*name)?.clone())));
    Value::Object(found.collect())
}

fn encoded(name: &str) -> String {
    utf8_percent_encode(name, NON_ALPHANUMERIC).to_string()
}
