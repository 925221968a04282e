//! Which record a changed file of the store is, and reading it.
//!
//! Pure: the caller brings the content, and fills in the vectors. A file that cannot be read is a value too: people
//! edit the store by hand. Files that hold no record (notes, diffs, schemas, the roster) are passed over.

use super::layout;
use super::record::{DecisionRecord, Registered, Stored, StoredKind};
use crate::text::language::similarity::DemandVector;

/// How large a record file may be, in bytes. The daemon writes none that comes near it.
pub const MAX_RECORD_BYTES: usize = 8 << 20;

/// How a file differs between two commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its path.
    pub path: String,
    /// Its new content; `None` where it was removed.
    pub content: Option<Vec<u8>>,
}

/// A change of the store as the index takes it up. Applying one twice is the same as once.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexUpdate {
    /// A record was written.
    Written {
        /// Where.
        path: String,
        /// What.
        record: Stored,
        /// Of a decision: the vector of its text, where it has one. [`read_change`] leaves it empty: vectors are the
        /// embedder's.
        vector: Option<DemandVector>,
    },
    /// A file was removed: whatever the index has from that path goes.
    Removed {
        /// Where it was.
        path: String,
    },
    /// A file is there that cannot be read as the record its path promises (a hand edit went wrong). What the
    /// index had from that path stays; the file is listed by `doctor`.
    Unreadable {
        /// Where.
        path: String,
        /// Why.
        message: String,
    },
}

impl IndexUpdate {
    /// A record that was written where it belongs, without a vector.
    pub fn of(record: impl Into<Stored>) -> IndexUpdate {
        let record = record.into();
        IndexUpdate::Written { path: record.path(), record, vector: None }
    }

    /// A record that was written at a path, and the comments of a decision; all without vectors.
    pub fn written(path: String, record: Stored) -> Vec<IndexUpdate> {
        let views: Vec<IndexUpdate> = DecisionRecord::of(&record).map_or_else(Vec::new, |decision| {
            decision
                .views()
                .into_iter()
                .map(|view| IndexUpdate::Written {
                    path: layout::of_comment(&path, view.comment.as_ref().map_or("", |said| said.name.as_str())),
                    record: view.into(),
                    vector: None,
                })
                .collect()
        });
        [vec![IndexUpdate::Written { path, record, vector: None }], views].concat()
    }

    /// The decision that was written, where it is one.
    pub fn decision(&self) -> Option<&DecisionRecord> {
        match self {
            IndexUpdate::Written { record, .. } => DecisionRecord::of(record),
            IndexUpdate::Removed { .. } | IndexUpdate::Unreadable { .. } => None,
        }
    }
}

/// What a changed file means for the index: nothing where its path promises no record, and for a decision something for
/// each of its comments, after the decision itself.
pub fn read_change(change: FileChange) -> Vec<IndexUpdate> {
    let path = change.path;
    let Some(kind) = StoredKind::of(&path) else { return Vec::new() };
    let Some(content) = change.content else {
        return vec![IndexUpdate::Removed { path }];
    };
    let record = text_of(&content).and_then(|text| Stored::read(kind, text));
    match record.and_then(|record| record.check(&path).map(|()| record)) {
        Ok(record) => IndexUpdate::written(path, record),
        Err(message) => vec![IndexUpdate::Unreadable { path, message }],
    }
}

fn text_of(content: &[u8]) -> Result<&str, String> {
    if content.len() > MAX_RECORD_BYTES {
        return Err(format!("it has {} bytes, a record may have {MAX_RECORD_BYTES}", content.len()));
    }
    std::str::from_utf8(content).map_err(|e| format!("it is not UTF-8 text: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::record::ClusterRecord;
    use crate::testing::sample;
    use proptest::prelude::*;

    fn change(path: &str, content: &str) -> FileChange {
        FileChange { path: path.to_owned(), content: Some(content.as_bytes().to_vec()) }
    }

    #[test]
    fn every_record_is_read_from_its_place() {
        for (path, record) in sample::one_of_each() {
            let text = record.text().unwrap();
            assert_eq!(record.path(), path);
            let expected = IndexUpdate::Written { path: path.clone(), record, vector: None };
            assert_eq!(read_change(change(&path, &text)).first(), Some(&expected), "{path}");
            let removed = FileChange { path: path.clone(), content: None };
            assert_eq!(read_change(removed), [IndexUpdate::Removed { path }]);
        }
    }

    #[test]
    fn files_that_hold_no_record_are_passed_over() {
        for path in [
            "README.md",
            "reviewers.yaml",
            "schemas/decision.json",
            "feedback/corrections/2026/01/12/no-task/d.diff",
            "feedback/decisions/README.md",
            "feedback/clusters/deep/CLUSTER-1.yaml",
            "feedback/rules/RULE-2026-0001.yaml",
            "feedback/rules/drafts/RULE-2026-0001.yaml",
            "feedback/ambiguous/other/d.yaml",
            "feedback/reports/weekly.yaml",
            "feedback/turns/s/turn.json",
            "feedback/turns/s/t/other.json",
            "feedback/turns/s/t/deep/turn.json",
        ] {
            assert_eq!(read_change(change(path, "x: 1")), [], "{path}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_says_why() {
        let message = |path: &str, content: &[u8]| match read_change(FileChange {
            path: path.to_owned(),
            content: Some(content.to_vec()),
        })
        .as_slice()
        {
            [IndexUpdate::Unreadable { path: p, message }] if p == path => message.clone(),
            other => panic!("{other:?}"),
        };
        let decision = "feedback/decisions/HITL-1/2026/01/12/10/d.yaml";
        assert!(message(decision, b"\xff\xfe").contains("not UTF-8"));
        assert!(message(decision, b"schema: feedbackd.decision/1\n").contains("missing field"));
        assert!(message(decision, &vec![b' '; MAX_RECORD_BYTES + 1]).contains("a record may have"));
        let mut nan = sample::decision(1);
        nan.evaluation.confidence = f64::NAN;
        assert!(message(decision, Stored::from(nan).text().unwrap().as_bytes()).contains("between 0 and 1"));
        let (_, record) = sample::one_of_each().into_iter().find(|(_, r)| ClusterRecord::of(r).is_some()).unwrap();
        let text = record.text().unwrap();
        assert!(message("feedback/clusters/CLUSTER-other.yaml", text.as_bytes()).contains("belongs in"));
    }

    proptest! {
        #[test]
        fn no_content_is_too_strange(path in "feedback/(decisions|clusters|alerts/dead_letters)/[a-z]{1,5}\\.yaml", content: Vec<u8>) {
            let change = FileChange { path, content: Some(content) };
            prop_assert!(!read_change(change).is_empty());
        }
    }
}
