//! git-appraise notes in `refs/notes/devtools/reviews` and `refs/notes/devtools/discuss`: a line of JSON for each
//! request and each comment, attached to the commit under review.

use super::commit::{Commit, NoteText};
use super::skipped::SkipReason;
use crate::intake::forge::event::{InlineComment, Person, Review, ReviewVerdict, Work};
use crate::text::ids::hex;
use jiff::Timestamp;
use serde::Deserialize;
use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum size of an accepted comment, in bytes.
const LONGEST: usize = 64 << 10;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    requester: String,
    #[serde(default)]
    review_ref: String,
    #[serde(default)]
    description: String,
}

#[derive(Debug, Deserialize)]
struct Comment {
    #[serde(default)]
    timestamp: String,
    author: String,
    original: Option<String>,
    #[serde(alias = "Parent")]
    parent: Option<String>,
    location: Option<Location>,
    #[serde(default)]
    description: String,
    resolved: Option<bool>,
    #[serde(default)]
    v: u64,
}

#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord, Clone, Deserialize)]
struct Location {
    #[serde(default)]
    commit: String,
    #[serde(default)]
    path: String,
    range: Option<Range>,
}

#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Range {
    start_line: u64,
    #[serde(default)]
    end_line: u64,
}

/// The discussion of a commit.
#[derive(Debug, Default)]
pub struct Discussion {
    pub reviews: Vec<Review>,
    pub left: Vec<SkipReason>,
}

/// Reads the discussion of a commit from the notes of both kinds.
pub fn discussion(repository: &str, commit: &Commit, requests: &NoteText, comments: &NoteText) -> Discussion {
    let mut found = Discussion::default();
    let (requests, _) = lines::<Request>(requests);
    let (comments, wrong) = lines::<Comment>(comments);
    found.left.extend(wrong);
    // The last request counts; each names its requester.
    let Some((_, request)) = requests.into_iter().next_back() else {
        found.left.extend(comments.iter().map(|_| SkipReason::Incomplete));
        return found;
    };
    let work = work(repository, commit, &request);
    let parents: BTreeMap<String, Option<String>> =
        comments.iter().map(|(id, comment)| (id.clone(), comment.parent.clone().filter(|id| !id.is_empty()))).collect();
    // An edited comment replaces the original.
    let replaced: BTreeSet<&str> = comments.iter().filter_map(|(_, comment)| comment.original.as_deref()).collect();
    let mut said: BTreeSet<(String, String, Location)> = BTreeSet::new();
    for (id, comment) in &comments {
        if replaced.contains(id.as_str()) {
            continue;
        }
        if comment.v != 0 || comment.author.contains(char::is_control) {
            found.left.push(SkipReason::Unreadable);
            continue;
        }
        if comment.description.len() > LONGEST {
            found.left.push(SkipReason::TooLarge);
            continue;
        }
        // A pull request mirror repeats comments, at another time or under the account's address.
        let place = comment.location.clone().unwrap_or_default();
        let text = comment.description.replace("\r\n", "\n").trim().to_owned();
        let is_new = said.insert((local(&comment.author), text, place));
        if !is_new && !comment.description.trim().is_empty() {
            continue;
        }
        found.reviews.extend(review(id, comment, &work, thread(&parents, id)));
    }
    found
}

fn work(repository: &str, commit: &Commit, request: &Request) -> Work {
    let name = request.review_ref.strip_prefix("refs/").unwrap_or(&request.review_ref);
    let pull = name.strip_prefix("pull/").and_then(|rest| rest.split('/').next()?.parse::<u64>().ok());
    Work {
        repository: repository.to_owned(),
        number: pull.map_or_else(|| commit.short(), |number| number.to_string()),
        url: None,
        author: person(&request.requester),
        branch: name.strip_prefix("heads/").map(str::to_owned),
        description: Some(format!("{}\n\n{}", request.description, commit.message)),
        revision: Some(commit.id.clone()),
    }
}

fn review(id: &str, comment: &Comment, work: &Work, thread: Option<String>) -> Option<Review> {
    let place = comment.location.as_ref();
    let file = place.map(|place| place.path.clone()).filter(|path| !path.is_empty());
    let is_answer = comment.parent.as_ref().is_some_and(|parent| !parent.is_empty());
    // For a reply or a line, it means that it is settled; otherwise, whether the change is accepted.
    let decided = match comment.resolved.filter(|_| !is_answer && file.is_none()) {
        Some(true) => ReviewVerdict::Approve,
        Some(false) => ReviewVerdict::Reject,
        None => ReviewVerdict::Comment,
    };
    let text = Some(comment.description.clone()).filter(|text| !text.trim().is_empty());
    if text.is_none() && decided == ReviewVerdict::Comment {
        return None;
    }
    // The mirror names one person by account and by address.
    let mut by = person(&comment.author);
    if local(&comment.author) == local(&work.author.login) {
        by.login.clone_from(&work.author.login);
    }
    let revision = place.map(|place| place.commit.clone()).filter(|commit| !commit.is_empty());
    let work = Work { revision: revision.or_else(|| work.revision.clone()), ..work.clone() };
    let (mut remarks, mut body) = (Vec::new(), None);
    if let (Some(file), Some(text)) = (file, &text) {
        let range = place.and_then(|place| place.range.as_ref()).filter(|range| range.start_line > 0);
        let line = range.map(|range| range.end_line.max(range.start_line));
        let lines = range.map(|range| range.end_line.saturating_sub(range.start_line) + 1).filter(|lines| *lines > 1);
        remarks.push(InlineComment {
            at: None,
            id: id.to_owned(),
            text: text.clone(),
            file: Some(file),
            line,
            lines,
            side: line.map(|_| "right".to_owned()),
            hunk: None,
            revision: work.revision.clone(),
            thread,
            url: None,
        });
    } else {
        body = text;
    }
    let at = comment.timestamp.parse().ok().and_then(|second| Timestamp::from_second(second).ok());
    Some(Review { review: format!("comment-{id}"), by, decided, body, remarks, at, work, url: None })
}

fn person(name: &str) -> Person {
    Person { login: name.trim().to_owned(), ..Person::default() }
}

/// Returns the account: the part of an address before the `@`.
fn local(name: &str) -> String {
    name.split('@').next().unwrap_or_default().trim().to_lowercase()
}

/// Returns the first comment of a conversation, if this one is a reply.
fn thread(parents: &BTreeMap<String, Option<String>>, id: &str) -> Option<String> {
    let mut first = parents.get(id)?.clone()?;
    for _ in 0..parents.len() {
        match parents.get(&first) {
            Some(Some(before)) => first.clone_from(before),
            _ => break,
        }
    }
    Some(first)
}

/// Returns the readable lines, each with the hash by which others refer to it, and why others are not.
fn lines<T: for<'de> Deserialize<'de>>(note: &NoteText) -> (Vec<(String, T)>, Vec<SkipReason>) {
    let text = match note {
        NoteText::Text(text) => text,
        NoteText::TooLarge => return (Vec::new(), vec![SkipReason::TooLarge]),
        NoteText::Unreadable => return (Vec::new(), vec![SkipReason::Unreadable]),
    };
    let (mut read, mut wrong) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match serde_json::from_str(line) {
            Ok(one) => read.push((hex(&Sha1::digest(line.as_bytes())), one)),
            Err(_) => wrong.push(SkipReason::Unreadable),
        }
    }
    (read, wrong)
}

#[cfg(test)]
mod tests;
