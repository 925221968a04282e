//! What a batch writes and removes: records by path, each with what stood in the store before.
//!
//! Nothing here reads the store or writes to it. A record that is staged and was not changed is not written.

use crate::domain::records::layout;
use crate::domain::records::message::Outgoing;
use crate::domain::records::record::{Before, DecisionRecord, Registered, Stored, messages};
use crate::pipeline::error::PipelineError;
use crate::pipeline::working_set::recent_files::Known;
use std::collections::{BTreeMap, BTreeSet};

/// The records of a batch. Boxed: a map moves what it holds, and records are large.
#[derive(Default)]
pub struct Staging {
    edits: BTreeMap<String, Box<Edit>>,
    removed: BTreeSet<String>,
    /// Files of decisions of which a comment is staged, as they stand in the store.
    commented: BTreeMap<String, Known>,
}

/// A record that changes: what stood in the store, and what will stand there.
pub struct Edit {
    before: Option<Known>,
    /// Whether what stood before stood at another path.
    moved: bool,
    after: Stored,
}

impl Staging {
    /// Whether a record is staged at a path.
    pub fn has(&self, path: &str) -> bool {
        self.edits.contains_key(path)
    }

    /// How many bytes a staged record has in the store; none where it is new.
    pub fn bytes(&self, path: &str) -> usize {
        self.edits.get(path).and_then(|edit| edit.before.as_ref()).map_or(0, |before| before.text.len())
    }

    /// A record as this batch has it so far.
    pub fn get<R: Registered>(&self, path: &str) -> Option<&R> {
        R::of(&self.edits.get(path)?.after)
    }

    /// The same, to be changed.
    pub fn get_mut<R: Registered>(&mut self, path: &str) -> Option<&mut R> {
        R::of_mut(&mut self.edits.get_mut(path)?.after)
    }

    /// A staged record as it stands in the store; `None` for a new one.
    pub fn before<R: Registered>(&self, path: &str) -> Option<&R> {
        R::of(&self.edits.get(path)?.before.as_ref()?.record)
    }

    /// All staged records of a kind, by path: as they stand in the store, and as they will.
    pub fn each<R: Registered>(&self) -> impl Iterator<Item = (&str, Option<&R>, &R)> {
        self.edits.iter().filter_map(|(path, edit)| {
            let before = edit.before.as_ref().and_then(|before| R::of(&before.record));
            Some((path.as_str(), before, R::of(&edit.after)?))
        })
    }

    /// Stages a record where it belongs.
    pub fn put(&mut self, record: impl Into<Stored>) {
        let record = record.into();
        self.put_at(record.path(), record);
    }

    /// Stages a record at a path. What is known to stand there in the store stays known.
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

    /// Stages what stands in the store, to be changed.
    pub fn hold(&mut self, path: String, stored: Known) {
        let after = stored.record.clone();
        self.edits.insert(path, Box::new(Edit { before: Some(stored), moved: false, after }));
    }

    /// Stages what the file of a decision says of one of its comments, to be changed.
    pub fn hold_comment(&mut self, path: String, comment: &str, file: Known) {
        let Some(view) = file.of_comment(comment) else { return };
        self.commented.insert(layout::file_and_comment(&path).0.to_owned(), file);
        self.hold(path, view);
    }

    /// Moves a staged record to another path; what people wrote into its file moves along.
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

    /// Whether this batch removes a file, or moved it away.
    pub fn is_removed(&self, path: &str) -> bool {
        self.removed.contains(path)
    }

    /// What is to be written, and the paths of the files that go.
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
    /// The file as it will be, and what is published because of it; nothing where it stays as it is.
    pub fn finish(self, path: &str) -> Result<Option<(Known, Vec<Outgoing>)>, PipelineError> {
        let stood = self.before.as_ref().filter(|_| !self.moved).map(|before| &before.record);
        if stood == Some(&self.after) {
            return Ok(None);
        }
        let known = match &self.before {
            None => Known::new(self.after)?,
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
        staging.hold(path.clone(), Known::new(sample::decision(1).into()).unwrap());
        let (mut edits, _) = std::mem::take(&mut staging).into_parts();
        assert!(edits.remove(0).1.finish(&path).unwrap().is_none());
        staging.hold(path.clone(), Known::new(sample::decision(1).into()).unwrap());
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
        staging.hold(from.clone(), Known { text: text.into(), rendered: None, record });
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
