//! A revert: the commit it takes back, and the result. A revert with a reason is a rejection of that commit.

use super::commit::Commit;
use super::reason::reason;
use super::skipped::SkipReason;
use crate::intake::forge::event::{InlineComment, Review, ReviewVerdict, Work};
use regex::Regex;
use std::sync::LazyLock;

/// Age in days after which changed circumstances, rather than the work, are the cause.
const LONGEST_DAYS: i64 = 180;
/// With more files, the reason is not about them.
const MOST_FILES: usize = 20;

/// A line that begins with what it reverts.
static REVERTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?im)^this reverts (commits? )?(?:cl \d+ )?([0-9a-f]{7,64})\b([^\n]*)").expect("a constant pattern")
});
/// Wording for a partial or an additional revert.
static NOT_ONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?im)\b(?:partial(?:ly)? revert|reverts? partially|revert is partial)|^and (?:commit )?[0-9a-f]{7,64}\b",
    )
    .expect("a constant pattern")
});
/// Work that was meant to be temporary.
static STOPGAP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:temporar|disabl|skip|non-?voting|work-? ?around|mute|quarantin|deprecat|unskip|pin\b|revert|reland|re-?land|re-?apply)")
        .expect("a constant pattern")
});

/// A revert with a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revert {
    /// The commit, possibly an abbreviated id.
    pub commit: String,
    /// The reason, in words.
    pub reason: String,
}

/// Returns what a commit reverts; `None` if it is not a revert.
pub fn revert(commit: &Commit) -> Option<Result<Revert, SkipReason>> {
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
        return Some(Err(SkipReason::NotOneCommit));
    }
    if is_reland(&subject) {
        return Some(Err(SkipReason::Stopgap));
    }
    let reverted = first.get(2)?.as_str().to_lowercase();
    Some(reason(&commit.message).map(|reason| Revert { commit: reverted, reason }))
}

/// Detects a revert of a revert.
fn is_reland(subject: &str) -> bool {
    subject.contains("reland") || subject.contains("reapply") || subject.matches("revert").count() > 1
}

/// Returns the branch named in a merge message: `Merge branch 'x'`, `Merge pull request #1 from owner/x`.
pub fn branch_of_merge(merge: &Commit) -> Option<String> {
    let subject = merge.subject();
    if let Some(rest) = subject.strip_prefix("Merge branch '") {
        return rest.split_once('\'').map(|(branch, _)| branch.to_owned());
    }
    let (_, from) = subject.strip_prefix("Merge pull request ")?.split_once(" from ")?;
    from.split_once('/').map(|(_, branch)| branch.trim().to_owned())
}

/// Converts a revert to a rejection. `reverted` is the commit it names, `work` the one that shows whose work it is: the
/// same, or the last one of a merge. `files` are those it changed.
///
/// # Errors
/// The reason why it is not a rejection.
pub fn rejection(
    repository: &str,
    (by, why): (&Commit, &Revert),
    (reverted, work): (&Commit, &Commit),
    files: &[String],
    is_known: &dyn Fn(&str) -> bool,
) -> Result<Review, SkipReason> {
    let subject = reverted.subject();
    if STOPGAP.is_match(subject) || revert(reverted).is_some() {
        return Err(SkipReason::Stopgap);
    }
    let days = by.committed.zip(reverted.committed).map(|(by, work)| (by.as_second() - work.as_second()) / 86_400);
    if days.is_none_or(|days| days > LONGEST_DAYS) {
        return Err(SkipReason::LongAfter);
    }
    let place = |(at, file): (usize, &String)| InlineComment {
        id: format!("file-{at:02}"),
        file: Some(file.clone()),
        revision: Some(reverted.id.clone()),
        ..InlineComment::default()
    };
    let files = if files.len() > MOST_FILES { &[] } else { files };
    let same = by.author.is_same(&work.author);
    let author = work.author.person(is_known);
    Ok(Review {
        review: "revert".to_owned(),
        // A person with two addresses is one person here.
        by: if same { author.clone() } else { by.author.person(is_known) },
        decided: ReviewVerdict::Reject,
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
