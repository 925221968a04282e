//! Notes of the reviewnotes plugin on submitted commits in `refs/notes/review`: who voted what, and where.

use super::change::is_about_work;
use super::commit::{Commit, NoteText};
use super::ident::Ident;
use super::skipped::SkipReason;
use crate::intake::forge::event::{Review, ReviewVerdict, Work};
use crate::text::ids::short_hash;
use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// The note on a submitted commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubmittedNote {
    /// The approving voters, each once.
    approvers: Vec<Ident>,
    at: Option<Timestamp>,
    /// The number of its change.
    pub number: Option<u64>,
    /// The page of its change.
    page: Option<String>,
    branch: Option<String>,
}

/// Parses such a note.
///
/// # Errors
/// The reason why it is left out.
pub fn submitted(note: &NoteText) -> Result<SubmittedNote, SkipReason> {
    let text = match note {
        NoteText::Text(text) => text,
        NoteText::TooLarge => return Err(SkipReason::TooLarge),
        NoteText::Unreadable => return Err(SkipReason::Unreadable),
    };
    let mut found = SubmittedNote::default();
    let mut is_one = false;
    for line in text.lines() {
        let Some((name, value)) = line.split_once(": ").map(|(name, value)| (name, value.trim())) else { continue };
        match name {
            "Submitted-at" => found.at = rfc2822::parse(value).ok().map(|at| at.timestamp()),
            "Reviewed-on" => {
                found.number = value.trim_end_matches('/').rsplit('/').next().and_then(|number| number.parse().ok());
                let is_page = value.starts_with("https://") || value.starts_with("http://");
                found.page = is_page.then(|| value.to_owned());
            }
            "Branch" => found.branch = Some(value.strip_prefix("refs/heads/").unwrap_or(value).to_owned()),
            "Submitted-by" | "Project" => {}
            _ => {
                let Some(vote) = vote(name) else { continue };
                let Some(ident) = Ident::parse(value) else { continue };
                let is_new = !found.approvers.iter().any(|known| known.is_same(&ident));
                if vote > 0 && is_new {
                    found.approvers.push(ident);
                }
            }
        }
        is_one = true;
    }
    if is_one { Ok(found) } else { Err(SkipReason::Unreadable) }
}

/// Returns the vote on the work in `Code-Review+2`.
fn vote(name: &str) -> Option<i64> {
    let at = name.rfind(['+', '-'])?;
    let (label, vote) = name.split_at(at);
    is_about_work(label).then(|| vote.parse().ok())?
}

impl SubmittedNote {
    /// Returns the approvals of this commit by people other than its author, each as a review.
    pub fn approvals(&self, repository: &str, commit: &Commit, is_known: &dyn Fn(&str) -> bool) -> Vec<Review> {
        let number = self.number.map_or_else(|| commit.short(), |number| number.to_string());
        let work = Work {
            repository: repository.to_owned(),
            number,
            url: self.page.clone(),
            author: commit.author.person(is_known),
            branch: self.branch.clone(),
            description: Some(commit.message.clone()),
            revision: Some(commit.id.clone()),
        };
        let others = self.approvers.iter().filter(|ident| !ident.is_same(&commit.author));
        let one = |ident: &Ident| Review {
            review: format!("vote-{}", short_hash(&[&commit.id, &ident.mail.to_lowercase()])),
            by: ident.person(is_known),
            decided: ReviewVerdict::Approve,
            body: None,
            remarks: Vec::new(),
            at: self.at.or(commit.committed),
            url: self.page.clone(),
            work: work.clone(),
        };
        others.map(one).collect()
    }

    /// Returns how many of the votes are the author's own.
    pub fn by_author(&self, commit: &Commit) -> usize {
        self.approvers.iter().filter(|ident| ident.is_same(&commit.author)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(text: &str) -> Result<SubmittedNote, SkipReason> {
        submitted(&NoteText::Text(text.to_owned()))
    }

    #[test]
    fn votes_for_the_work_by_others_are_approvals() {
        let found = note(
            "Code-Review+2: Ann <ann@x.org>\nCode-Review+1: Eva <eva@x.org>\nVerified+1: CI <ci@x.org>\n\
             Code-Review-1: Ben <ben@x.org>\nAPI-Review+1: Ann <ann@x.org>\nSubmitted-by: Ann <ann@x.org>\n\
             Submitted-at: Fri, 11 Jan 2013 16:19:45 +0100\nReviewed-on: https://review.example.com/c/shop/+/123456\n\
             Project: test\nBranch: refs/heads/main\n",
        )
        .unwrap();
        let author = Ident { name: "Eva".to_owned(), mail: "eva@home.org".to_owned() };
        let commit = Commit { id: "ab".repeat(20), author, ..Commit::default() };
        let approvals = found.approvals("team/shop", &commit, &|_| false);
        let [one] = approvals.as_slice() else { panic!("{approvals:?}") };
        assert_eq!((one.by.login.as_str(), one.work.number.as_str()), ("ann@x.org", "123456"));
        assert_eq!(one.at.unwrap().to_string(), "2013-01-11T15:19:45Z");
        assert_eq!((one.work.branch.as_deref(), found.by_author(&commit)), (Some("main"), 1));
    }

    #[test]
    fn what_is_no_such_note_is_none() {
        for text in ["", "looks good to me", "\u{0}\u{1}"] {
            assert_eq!(note(text), Err(SkipReason::Unreadable), "{text}");
        }
        assert_eq!(submitted(&NoteText::TooLarge), Err(SkipReason::TooLarge));
        assert_eq!(note("Submitted-at: yesterday\nReviewed-on: x\n").unwrap(), SubmittedNote::default());
    }
}
