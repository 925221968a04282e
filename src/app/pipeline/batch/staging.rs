//! A batch's writes and removals: records by path, each with its previous version in the store.
//!
//! Nothing here reads or writes the store. A staged record that was not changed is not written.

use crate::domain::records::layout;
use crate::domain::records::message::Outgoing;
use crate::domain::records::record::{Before, DecisionRecord, Registered, Stored, messages};
use crate::pipeline::error::PipelineError;
use crate::pipeline::working_set::recent_files::RecentFile;
use std::collections::{BTreeMap, BTreeSet};

/// The records of a batch. Boxed, because a map moves its values and records are large.
#[derive(Default)]
pub struct Staging {
    edits: BTreeMap<String, Box<Edit>>,
    removed: BTreeSet<String>,
    /// Stored files of decisions of which a comment is staged.
    commented: BTreeMap<String, RecentFile>,
}

/// A changed record: its previous and its new version.
pub struct Edit {
    before: Option<RecentFile>,
    /// Whether the previous version was at another path.
    moved: bool,
    after: Stored,
}

impl Staging {
    /// Reports whether a record is staged at a path.
    pub fn has(&self, path: &str) -> bool {
        self.edits.contains_key(path)
    }

    /// Returns the size of a staged record in the store, in bytes; 0 if it is new.
    pub fn bytes(&self, path: &str) -> usize {
        self.edits.get(path).and_then(|edit| edit.before.as_ref()).map_or(0, |before| before.text.len())
    }

    /// Returns a record's state so far in this batch.
    pub fn get<R: Registered>(&self, path: &str) -> Option<&R> {
        R::of(&self.edits.get(path)?.after)
    }

    /// As `get`, for changing.
    pub fn get_mut<R: Registered>(&mut self, path: &str) -> Option<&mut R> {
        R::of_mut(&mut self.edits.get_mut(path)?.after)
    }

    /// Returns the stored version of a staged record; `None` for a new one.
    pub fn before<R: Registered>(&self, path: &str) -> Option<&R> {
        R::of(&self.edits.get(path)?.before.as_ref()?.record)
    }

    /// Returns all staged records of a kind, by path: the stored and the new version.
    pub fn each<R: Registered>(&self) -> impl Iterator<Item = (&str, Option<&R>, &R)> {
        self.edits.iter().filter_map(|(path, edit)| {
            let before = edit.before.as_ref().and_then(|before| R::of(&before.record));
            Some((path.as_str(), before, R::of(&edit.after)?))
        })
    }

    /// Stages a record at its proper path.
    pub fn put(&mut self, record: impl Into<Stored>) {
        let record = record.into();
        self.put_at(record.path(), record);
    }

    /// Stages a record at a path. Keeps the known stored version.
    pub fn put_at(&mut self, path: String, record: impl Into<Stored>) {
        let after = record.into();
        self.removed.remove(&path);
        match self.edits.get_mut(&path) {
            Some(edit) => edit.after = after,
            None => {
                self.edits.insert(path, Box::new(Edit { before: None, moved: false, after }));
            }
        }
    }

    /// Stages a stored record for changing.
    pub fn hold(&mut self, path: String, stored: RecentFile) {
        let after = stored.record.clone();
        self.edits.insert(path, Box::new(Edit { before: Some(stored), moved: false, after }));
    }

    /// Stages a comment's part of a decision's file for changing.
    pub fn hold_comment(&mut self, path: String, comment: &str, file: RecentFile) {
        let Some(view) = file.of_comment(comment) else { return };
        self.commented.insert(layout::file_and_comment(&path).0.to_owned(), file);
        self.hold(path, view);
    }

    /// Moves a staged record to another path; people's additions to its file move along.
    pub fn move_to(&mut self, from: &str, to: String) {
        let Some(mut edit) = self.edits.remove(from) else { return };
        if edit.before.is_some() {
            edit.moved = true;
            self.removed.insert(from.to_owned());
        }
        self.edits.insert(to, edit);
    }

    /// Removes a file from the store.
    pub fn remove(&mut self, path: &str) {
        self.edits.remove(path);
        self.removed.insert(path.to_owned());
    }

    /// Reports whether this batch removes a file or moves it away.
    pub fn is_removed(&self, path: &str) -> bool {
        self.removed.contains(path)
    }

    /// Returns the edits to write and the paths of removed files.
    pub fn into_parts(mut self) -> (Vec<(String, Box<Edit>)>, BTreeSet<String>) {
        let mut comments: BTreeMap<String, Vec<Edit>> = BTreeMap::new();
        let mut files = BTreeMap::new();
        for (path, edit) in self.edits {
            match layout::file_and_comment(&path) {
                (file, Some(_)) => comments.entry(file.to_owned()).or_default().push(*edit),
                (_, None) => {
                    files.insert(path, edit);
                }
            }
        }
        for (file, mut edits) in comments {
            if !files.contains_key(&file) {
                let Some(stands) = self.commented.remove(&file) else { continue };
                let after = stands.record.clone();
                files.insert(file.clone(), Box::new(Edit { before: Some(stands), moved: false, after }));
            }
            let whole = files.get_mut(&file).and_then(|edit| DecisionRecord::of_mut(&mut edit.after));
            let Some(whole) = whole else { continue };
            edits.sort_by_key(|edit| DecisionRecord::of(&edit.after).and_then(|view| Some(view.comment.as_ref()?.at)));
            for view in edits.into_iter().filter_map(|edit| DecisionRecord::out_of(edit.after)) {
                whole.take(view);
            }
        }
        (files.into_iter().collect(), self.removed)
    }
}

impl Edit {
    /// Returns the new file and the messages to publish for it; `None` if it is unchanged.
    pub fn finish(self, path: &str) -> Result<Option<(RecentFile, Vec<Outgoing>)>, PipelineError> {
        let stood = self.before.as_ref().filter(|_| !self.moved).map(|before| &before.record);
        if stood == Some(&self.after) {
            return Ok(None);
        }
        let known = match &self.before {
            None => RecentFile::new(self.after)?,
            Some(before) => before.with(self.after)?,
        };
        let messages = messages(path, &stood.map_or(Before::Nothing, Before::Record), &known.record);
        Ok(Some((known, messages)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::records::record::{AmbiguousRecord, AmbiguousStatus};
    use crate::domain::testing::sample;

    #[test]
    fn what_was_not_changed_is_not_written() {
        let mut staging = Staging::default();
        let path = sample::decision_path(&sample::decision(1));
        staging.hold(path.clone(), RecentFile::new(sample::decision(1).into()).unwrap());
        let (mut edits, _) = std::mem::take(&mut staging).into_parts();
        assert!(edits.remove(0).1.finish(&path).unwrap().is_none());
        staging.hold(path.clone(), RecentFile::new(sample::decision(1).into()).unwrap());
        staging.get_mut::<DecisionRecord>(&path).unwrap().evaluation.revision += 1;
        let revisions: Vec<_> = staging
            .each::<DecisionRecord>()
            .map(|(_, before, after)| (before.map(|b| b.evaluation.revision), after.evaluation.revision))
            .collect();
        assert_eq!(revisions, [(Some(1), 2)]);
        let (mut edits, _) = staging.into_parts();
        let (_, messages) = edits.remove(0).1.finish(&path).unwrap().unwrap();
        assert_eq!(messages.len(), 1, "the new revision is told");
    }

    #[test]
    fn a_file_that_moves_takes_along_what_people_wrote() {
        let mut staging = Staging::default();
        let record = Stored::from(sample::ambiguous(1));
        let (from, text) = (record.path(), format!("# ask ana\n{}", record.text().unwrap()));
        staging.hold(from.clone(), RecentFile { text: text.into(), rendered: None, record });
        staging.get_mut::<AmbiguousRecord>(&from).unwrap().status = AmbiguousStatus::Resolved;
        staging.move_to(&from, "feedback/ambiguous/resolved/dec-1.yaml".to_owned());
        assert!(staging.is_removed(&from) && !staging.has(&from));
        let (mut edits, removed) = staging.into_parts();
        assert_eq!(removed.into_iter().collect::<Vec<_>>(), [from]);
        let (path, edit) = edits.remove(0);
        assert_eq!(path, "feedback/ambiguous/resolved/dec-1.yaml");
        let text = edit.finish(&path).unwrap().unwrap().0.text;
        assert!(text.starts_with("# ask ana\n") && text.contains("status: RESOLVED"), "{text}");
    }
}
