//! Reads notes: Gerrit's for each change, those of submitted changes, and git-appraise's.

use super::source::Source;
use super::walk::{ClonedError, Run};
use crate::domain::intake::forge::Reason;
use crate::domain::intake::forge::clone::{Change, NoteText, SkipReason, discussion, submitted};
use crate::ports::CloneError;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Notes with votes on submitted changes.
pub(super) const VOTES: &str = "refs/notes/review";
/// Notes in which git-appraise stores discussions and requests.
const DISCUSSIONS: (&str, &str) = ("refs/notes/devtools/discuss", "refs/notes/devtools/reviews");

impl Run<'_> {
    /// Reads Gerrit's notes of each change.
    pub fn changes(&mut self) -> Result<(), ClonedError> {
        let source = Source::Changes;
        if !self.wants(source) {
            return Ok(());
        }
        for _ in 0..self.facts.odd {
            self.tally.skip(source, SkipReason::Unreadable);
        }
        let numbers = self.facts.changes.clone();
        for number in &numbers {
            let mut change = Change::new(&self.cloned.repository, *number);
            let (mut reviews, mut left) = (Vec::new(), Vec::new());
            let read = self.cloned.clone.change(*number, &mut |meta| {
                let (review, why) = change.read(meta);
                reviews.extend(review);
                left.extend(why);
            });
            if read.is_err() {
                left.push(SkipReason::Unreadable);
            }
            self.tally.of(source).found += (reviews.len() + left.len()) as u64;
            self.tally.skip_all(source, &left);
            for mut review in reviews {
                let commit = review.work.revision.as_deref().and_then(|id| self.cloned.clone.commit(id));
                review.work.description = commit.map(|commit| commit.message);
                self.take(source, review)?;
            }
            self.looked(source, Some(numbers.len() as u64));
        }
        Ok(())
    }

    /// Reads the votes on submitted changes.
    pub fn votes(&mut self) -> Result<(), ClonedError> {
        if !self.wants(Source::Votes) {
            return Ok(());
        }
        self.each_note(VOTES, |run, about, note| run.vote(about, &note))
    }

    fn vote(&mut self, about: &str, note: &NoteText) -> Result<(), ClonedError> {
        let source = Source::Votes;
        self.looked(source, None);
        let found = match submitted(note) {
            Ok(found) => found,
            Err(left) => {
                self.tally.skip(source, left);
                return Ok(());
            }
        };
        let is_better = found.number.is_some_and(|number| self.facts.changes.binary_search(&number).is_ok());
        let Some(commit) = self.cloned.clone.commit(about).filter(|_| !is_better) else {
            self.tally.skip(source, if is_better { SkipReason::SaidBetter } else { SkipReason::CommitMissing });
            return Ok(());
        };
        let cloned = self.cloned;
        let approvals = found.approvals(&cloned.repository, &commit, &|name| cloned.is_known(name));
        let own = found.by_author(&commit);
        self.tally.of(source).found += (approvals.len() + own) as u64;
        for _ in 0..own {
            self.tally.skip(source, Reason::Author);
        }
        approvals.into_iter().try_for_each(|review| self.take(source, review))
    }

    /// Reads git-appraise's notes.
    pub fn discussions(&mut self) -> Result<(), ClonedError> {
        let source = Source::Discussions;
        if !self.wants(source) {
            return Ok(());
        }
        let (said, asked) = DISCUSSIONS;
        let mut requests: BTreeMap<String, NoteText> = BTreeMap::new();
        self.cloned.clone.notes(asked, &mut |about, note| {
            requests.insert(about.to_owned(), note);
            ControlFlow::Continue(())
        })?;
        self.each_note(said, |run, about, note| {
            run.looked(source, None);
            // The reviewed commit of a branch that was never merged is not in the clone.
            let commit = run.cloned.clone.commit(about);
            let request = requests.get(about).cloned().unwrap_or(NoteText::Text(String::new()));
            let Some(commit) = commit else {
                run.tally.skip(source, SkipReason::CommitMissing);
                return Ok(());
            };
            let found = discussion(&run.cloned.repository, &commit, &request, &note);
            run.tally.of(source).found += (found.reviews.len() + found.left.len()) as u64;
            run.tally.skip_all(source, &found.left);
            found.reviews.into_iter().try_for_each(|review| run.take(source, review))
        })
    }

    /// Calls a function for each note below a reference, if there are any.
    fn each_note(
        &mut self,
        reference: &str,
        mut what: impl FnMut(&mut Self, &str, NoteText) -> Result<(), ClonedError>,
    ) -> Result<(), ClonedError> {
        let mut wrong = None;
        let cloned = self.cloned;
        let read: Result<bool, CloneError> =
            cloned.clone.notes(reference, &mut |about, note| match what(self, about, note) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    wrong = Some(error);
                    ControlFlow::Break(())
                }
            });
        read?;
        wrong.map_or(Ok(()), Err)
    }
}
