//! Reviews in the commits themselves: reverts with their reasons, and approvals.

use super::notes::VOTES;
use super::source::Source;
use super::walk::{ClonedError, Run};
use crate::domain::intake::forge::clone::{
    Commit, Revert, SkipReason, approval, approvers, is_gerrits, rejection, revert,
};
use crate::domain::intake::forge::{Reason, Review};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Maximum commits of a merge: a larger one is not one piece of work.
const MOST_MERGED: usize = 200;
/// Maximum files counted for a reverted commit.
const MOST_FILES: usize = 100;

impl Run<'_> {
    /// Reads the commits reachable from `HEAD`.
    pub fn work(&mut self) -> Result<(), ClonedError> {
        let sources = [Source::Reverts, Source::Trailers].map(|source| (source, self.wants(source)));
        let [(_, reverts), (_, trailers)] = sources;
        if !self.facts.has_commits || !reverts && !trailers {
            return Ok(());
        }
        let cloned = self.cloned;
        let found = cloned.clone.commits(&mut |commit| {
            for (source, _) in sources.iter().filter(|(_, wanted)| *wanted) {
                self.looked(*source, None);
            }
            reverts && revert(commit).is_some() || trailers && !approvers(commit).is_empty()
        })?;
        let noted = if trailers { self.noted()? } else { BTreeSet::new() };
        let mut reverted = BTreeSet::new();
        for id in found {
            let Some(commit) = cloned.clone.commit(&id) else { continue };
            if let Some(found) = revert(&commit).filter(|_| reverts) {
                self.tally.of(Source::Reverts).found += 1;
                match found.and_then(|revert| self.rejected(&commit, &revert, &mut reverted)) {
                    Ok(review) => self.take(Source::Reverts, review)?,
                    Err(left) => self.tally.skip(Source::Reverts, left),
                }
            }
            if trailers {
                self.approved(&commit, &noted)?;
            }
        }
        Ok(())
    }

    /// Converts a revert to a rejection.
    fn rejected(&self, by: &Commit, why: &Revert, before: &mut BTreeSet<String>) -> Result<Review, SkipReason> {
        let cloned = self.cloned;
        let reverted = cloned.clone.commit(&why.commit).ok_or(SkipReason::CommitMissing)?;
        let merged = if reverted.parents.len() > 1 { cloned.clone.merged(&reverted, MOST_MERGED) } else { Vec::new() };
        let work = match merged.first() {
            Some(first) if merged.iter().any(|one| !one.author.is_same(&first.author)) => {
                return Err(SkipReason::SeveralAuthors);
            }
            Some(first) => first,
            None if reverted.parents.len() > 1 => return Err(SkipReason::SeveralAuthors),
            None => &reverted,
        };
        let files = cloned.clone.files(&reverted.id, MOST_FILES);
        let is_known = |name: &str| cloned.is_known(name);
        let review = rejection(&cloned.repository, (by, why), (&reverted, work), &files, &is_known)?;
        // The same revert on another branch.
        if before.insert(reverted.id.clone()) { Ok(review) } else { Err(SkipReason::SaidBetter) }
    }

    /// Takes the approvals from trailers, unless a note on the commit has the same.
    fn approved(&mut self, commit: &Commit, noted: &BTreeSet<String>) -> Result<(), ClonedError> {
        let source = Source::Trailers;
        let is_noted = noted.contains(&commit.id) || !self.facts.changes.is_empty() && is_gerrits(commit);
        for by in approvers(commit) {
            self.tally.of(source).found += 1;
            if is_noted {
                self.tally.skip(source, SkipReason::SaidBetter);
            } else if by.is_same(&commit.author) {
                self.tally.skip(source, Reason::Author);
            } else {
                let cloned = self.cloned;
                self.take(source, approval(&cloned.repository, commit, &by, &|name| cloned.is_known(name)))?;
            }
        }
        Ok(())
    }

    /// Returns the commits whose votes are noted.
    fn noted(&self) -> Result<BTreeSet<String>, ClonedError> {
        let mut noted = BTreeSet::new();
        self.cloned.clone.notes(VOTES, &mut |about, _| {
            noted.insert(about.to_owned());
            ControlFlow::Continue(())
        })?;
        Ok(noted)
    }
}
