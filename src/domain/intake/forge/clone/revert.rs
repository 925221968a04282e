//! A revert: which commit it takes back, and what becomes of it. A revert that says why is a rejection of that commit.

use super::commit::Commit;
use super::reason::reason;
use super::skipped::Left;
use crate::intake::forge::event::{Decided, Remark, Review, Work};
use regex::Regex;
use std::sync::LazyLock;

/// After so many days it is circumstances that changed rather than the work that was wrong.
const LONGEST_DAYS: i64 = 180;
/// More files are not what the reason is about.
const MOST_FILES: usize = 20;

/// Where a message says at the beginning of a line what it reverts.
static REVERTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?im)^this reverts (commits? )?(?:cl \d+ )?([0-9a-f]{7,64})\b([^\n]*)").expect("a constant pattern")
});
/// Where a message says that it takes back a part, or one more.
static NOT_ONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?im)\b(?:partial(?:ly)? revert|reverts? partially|revert is partial)|^and (?:commit )?[0-9a-f]{7,64}\b",
    )
    .expect("a constant pattern")
});
/// What was made to be taken back.
static STOPGAP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:temporar|disabl|skip|non-?voting|work-? ?around|mute|quarantin|deprecat|unskip|pin\b|revert|reland|re-?land|re-?apply)")
        .expect("a constant pattern")
});

/// A revert that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revert {
    /// The commit, perhaps only how its id begins.
    pub commit: String,
    /// Why, in words.
    pub reason: String,
}

/// What a commit reverts; none where it is no revert.
pub fn revert(commit: &Commit) -> Option<Result<Revert, Left>> {
    let subject = commit.subject().to_lowercase();
    if !subject.contains("revert") && !subject.contains("reland") && !subject.contains("reapply") {
        return None;
    }
    let mut found = REVERTED.captures_iter(&commit.message);
    let first = found.next()?;
    let several = first.get(1).is_some_and(|word| word.as_str().trim().to_lowercase().ends_with('s'));
    let rest = first.get(3).map_or("", |rest| rest.as_str()).to_lowercase();
    let lists = several || rest.starts_with(" and ") || rest.starts_with(" through ") || rest.starts_with("..");
    if found.next().is_some() || lists || NOT_ONE.is_match(&commit.message) {
        return Some(Err(Left::NotOneCommit));
    }
    if is_reland(&subject) {
        return Some(Err(Left::Stopgap));
    }
    let reverted = first.get(2)?.as_str().to_lowercase();
    Some(reason(&commit.message).map(|reason| Revert { commit: reverted, reason }))
}

/// A revert of a revert.
fn is_reland(subject: &str) -> bool {
    subject.contains("reland") || subject.contains("reapply") || subject.matches("revert").count() > 1
}

/// The branch whose merge a message says: `Merge branch 'x'`, `Merge pull request #1 from owner/x`.
pub fn branch_of_merge(merge: &Commit) -> Option<String> {
    let subject = merge.subject();
    if let Some(rest) = subject.strip_prefix("Merge branch '") {
        return rest.split_once('\'').map(|(branch, _)| branch.to_owned());
    }
    let (_, from) = subject.strip_prefix("Merge pull request ")?.split_once(" from ")?;
    from.split_once('/').map(|(_, branch)| branch.trim().to_owned())
}

/// The rejection that a revert is. `reverted` is the commit that it names, `work` that which says whose work it is: the same, or
/// the last one that a merge brought. `files` are those that it changed.
///
/// # Errors
/// The reason why it is none.
pub fn rejection(
    repository: &str,
    (by, why): (&Commit, &Revert),
    (reverted, work): (&Commit, &Commit),
    files: &[String],
    is_known: &dyn Fn(&str) -> bool,
) -> Result<Review, Left> {
    let subject = reverted.subject();
    if STOPGAP.is_match(subject) || revert(reverted).is_some() {
        return Err(Left::Stopgap);
    }
    let days = by.committed.zip(reverted.committed).map(|(by, work)| (by.as_second() - work.as_second()) / 86_400);
    if days.is_none_or(|days| days > LONGEST_DAYS) {
        return Err(Left::LongAfter);
    }
    let place = |(at, file): (usize, &String)| Remark {
        id: format!("file-{at:02}"),
        file: Some(file.clone()),
        revision: Some(reverted.id.clone()),
        ..Remark::default()
    };
    let files = if files.len() > MOST_FILES { &[] } else { files };
    let same = by.author.is_same(&work.author);
    let author = work.author.person(is_known);
    Ok(Review {
        review: "revert".to_owned(),
        // Who has two addresses is one person here.
        by: if same { author.clone() } else { by.author.person(is_known) },
        decided: Decided::Reject,
        body: Some(why.reason.clone()),
        remarks: files.iter().enumerate().map(place).collect(),
        at: by.committed,
        work: Work {
            repository: repository.to_owned(),
            number: reverted.short(),
            url: None,
            author,
            branch: branch_of_merge(reverted),
            description: Some(match reverted.id == work.id {
                true => work.message.clone(),
                false => format!("{}\n{}", reverted.message, work.message),
            }),
            revision: Some(reverted.id.clone()),
        },
        url: None,
    })
}

#[cfg(test)]
mod tests;
