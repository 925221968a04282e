//! Maps a changed file of the store to its record, and parses it.
//!
//! Pure: the caller provides the content and fills in the vectors. An unreadable file is a value too: people edit the
//! store by hand. Files without a record (notes, diffs, schemas, the roster) are skipped.

use super::layout;
use super::record::{DecisionRecord, Registered, Stored, StoredKind};
use crate::text::language::similarity::DemandVector;

/// The largest record file, in bytes. The daemon writes none near this size.
pub const MAX_RECORD_BYTES: usize = 8 << 20;

/// The difference of a file between two commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its path.
    pub path: String,
    /// Its new content; `None` if it was removed.
    pub content: Option<Vec<u8>>,
}

/// A change of the store as applied to the index. Idempotent.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexUpdate {
    /// A record was written.
    Written {
        /// Its path.
        path: String,
        /// The record.
        record: Stored,
        /// For a decision: the vector of its text, if any. [`read_change`] leaves it empty: the embedder computes
        /// vectors.
        vector: Option<DemandVector>,
    },
    /// A file was removed: everything indexed from that path is removed.
    Removed {
        /// Its path.
        path: String,
    },
    /// A file that cannot be parsed as the record its path implies (a failed hand edit). What was indexed from that
    /// path stays; `doctor` lists the file.
    Unreadable {
        /// Its path.
        path: String,
        /// The reason.
        message: String,
    },
}

impl IndexUpdate {
    /// Builds the update for a record at its proper path, without a vector.
    pub fn of(record: impl Into<Stored>) -> IndexUpdate {
        let record = record.into();
        IndexUpdate::Written { path: record.path(), record, vector: None }
    }

    /// Builds the updates for a record written at a path, and for the comments of a decision; all without vectors.
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

    /// Returns the written decision, if it is one.
    pub fn decision(&self) -> Option<&DecisionRecord> {
        match self {
            IndexUpdate::Written { record, .. } => DecisionRecord::of(record),
            IndexUpdate::Removed { .. } | IndexUpdate::Unreadable { .. } => None,
        }
    }
}

/// Returns the index updates for a changed file: none if its path implies no record; for a decision also one per
/// comment, after the decision itself.
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
        return Err(format!("it has {} bytes; the limit is {MAX_RECORD_BYTES}", content.len()));
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
        assert!(message(decision, &vec![b' '; MAX_RECORD_BYTES + 1]).contains("the limit is"));
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
