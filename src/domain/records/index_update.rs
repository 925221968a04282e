//! Which record a changed file of the store is, and reading it.
//!
//! Pure: the caller brings the content, and fills in the vectors. A file that cannot be read is a value too: people
//! edit the store by hand. Files that hold no record (notes, diffs, schemas, the roster) are passed over.

use crate::domain::language::similarity::Embedding;
use crate::domain::records::channel::{ChannelKind, ChannelRecord};
use crate::domain::records::layout;
use crate::domain::records::record::{
    AdviceRecord, AlertRecord, AmbiguousRecord, ClusterRecord, DeadLetterRecord, DecisionRecord, EdgeCaseRecord,
    ImportRecord, InjectionRecord, ProposalRecord, ReviewRecord,
};
use crate::domain::yaml;
use serde::{Serialize, de::DeserializeOwned};

/// A record file may be at most so large, in bytes. The daemon writes none that is near it.
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
    /// A decision record was written.
    Decision {
        /// Where.
        path: String,
        /// What.
        record: Box<DecisionRecord>,
        /// The vector of its text, where it has one. [`read_change`] leaves it empty: vectors are the embedder's.
        vector: Option<Embedding>,
    },
    /// A cluster was written.
    Cluster(ClusterRecord),
    /// A proposal or rule was written; the path tells its state.
    Proposal {
        /// Where.
        path: String,
        /// What.
        record: Box<ProposalRecord>,
    },
    /// An edge case was written.
    EdgeCase {
        /// Where.
        path: String,
        /// What.
        record: EdgeCaseRecord,
    },
    /// A tiebreak was opened or decided.
    Ambiguous {
        /// Where.
        path: String,
        /// What.
        record: AmbiguousRecord,
    },
    /// An entry could not be processed.
    DeadLetter {
        /// Where.
        path: String,
        /// What.
        record: DeadLetterRecord,
    },
    /// A person decided something.
    Review {
        /// Where.
        path: String,
        /// What.
        record: Box<ReviewRecord>,
    },
    /// Rules entered a prompt.
    Injection {
        /// Where.
        path: String,
        /// What.
        record: InjectionRecord,
    },
    /// Rules were imported.
    Import {
        /// Where.
        path: String,
        /// What.
        record: ImportRecord,
    },
    /// People should look at something.
    Alert {
        /// Where.
        path: String,
        /// What.
        record: AlertRecord,
    },
    /// A model answered a question.
    Advice {
        /// Where.
        path: String,
        /// What.
        record: Box<AdviceRecord>,
    },
    /// What came on another channel than the gates' was recorded.
    Channel {
        /// Where.
        path: String,
        /// What.
        record: Box<ChannelRecord>,
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

/// What a changed file means for the index; `None` where its path promises no record.
pub fn read_change(change: FileChange) -> Option<IndexUpdate> {
    let channel = ChannelKind::of(&change.path);
    let kind = Kind::of(&change.path);
    if channel.is_none() && kind.is_none() {
        return None;
    }
    let Some(content) = change.content else {
        return Some(IndexUpdate::Removed { path: change.path });
    };
    let path = change.path;
    if let Some(channel) = channel {
        let record = text_of(&content).and_then(|text| ChannelRecord::read(channel, text));
        return Some(match record {
            Ok(record) => IndexUpdate::Channel { path, record: Box::new(record) },
            Err(message) => IndexUpdate::Unreadable { path, message },
        });
    }
    let update = match kind? {
        Kind::Decision => parse(&content).and_then(|record: DecisionRecord| {
            probability("confidence", record.evaluation.confidence)?;
            Ok(IndexUpdate::Decision { path: path.clone(), record: Box::new(record), vector: None })
        }),
        Kind::Cluster => parse(&content).and_then(|record: ClusterRecord| {
            probability("confidence", record.confidence)?;
            at_home(&path, &record)?;
            Ok(IndexUpdate::Cluster(record))
        }),
        Kind::Rule => parse(&content).and_then(|record: ProposalRecord| {
            probability("classification_confidence", record.classification_confidence)?;
            record.raw_confidence.map_or(Ok(()), |raw| probability("raw_confidence", raw))?;
            record.conflicts.iter().try_for_each(|c| probability("similarity", c.similarity))?;
            Ok(IndexUpdate::Proposal { path: path.clone(), record: Box::new(record) })
        }),
        Kind::EdgeCase => parse(&content).map(|record| IndexUpdate::EdgeCase { path: path.clone(), record }),
        Kind::Ambiguous => parse(&content).and_then(|record: AmbiguousRecord| {
            record.other_side.iter().filter_map(|s| s.similarity).try_for_each(|s| probability("similarity", s))?;
            Ok(IndexUpdate::Ambiguous { path: path.clone(), record })
        }),
        Kind::DeadLetter => parse(&content).map(|record| IndexUpdate::DeadLetter { path: path.clone(), record }),
        Kind::Review => parse(&content).map(|record| IndexUpdate::Review { path: path.clone(), record }),
        Kind::Injection => parse(&content).map(|record| IndexUpdate::Injection { path: path.clone(), record }),
        Kind::Import => parse(&content).map(|record| IndexUpdate::Import { path: path.clone(), record }),
        Kind::Alert => parse(&content).map(|record| IndexUpdate::Alert { path: path.clone(), record }),
        Kind::Advice => parse(&content).map(|record| IndexUpdate::Advice { path: path.clone(), record }),
    };
    Some(update.unwrap_or_else(|message| IndexUpdate::Unreadable { path, message }))
}

/// Where a rule stands, told by the directory its file lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleState {
    /// Awaits its reviewers.
    Proposed,
    /// In force.
    Active,
    /// Turned down.
    Rejected,
    /// No longer in force.
    Retired,
}

impl RuleState {
    /// The state a path tells; `None` for files that are no rules.
    pub fn of(path: &str) -> Option<RuleState> {
        let (directory, name) = path.strip_prefix(layout::RULES)?.split_once('/')?;
        if name.contains('/') || !name.ends_with(".yaml") {
            return None;
        }
        Some(match directory {
            "proposed" => RuleState::Proposed,
            "active" => RuleState::Active,
            "rejected" => RuleState::Rejected,
            "retired" => RuleState::Retired,
            _ => return None,
        })
    }

    /// The directory's name.
    pub fn as_str(self) -> &'static str {
        match self {
            RuleState::Proposed => "proposed",
            RuleState::Active => "active",
            RuleState::Rejected => "rejected",
            RuleState::Retired => "retired",
        }
    }
}

/// Whether the tiebreak at a path still waits for a person: it is not among the resolved ones.
pub fn is_open_ambiguous(path: &str) -> bool {
    path.strip_prefix(layout::AMBIGUOUS).is_some_and(|rest| !rest.contains('/'))
}

/// What a path promises.
enum Kind {
    Decision,
    Cluster,
    Rule,
    EdgeCase,
    Ambiguous,
    DeadLetter,
    Review,
    Injection,
    Import,
    Alert,
    Advice,
}

impl Kind {
    fn of(path: &str) -> Option<Kind> {
        if !path.ends_with(".yaml") {
            return None;
        }
        let nested = |root: &str| path.starts_with(root);
        let direct = |root: &str| path.strip_prefix(root).is_some_and(|rest| !rest.contains('/'));
        if nested(layout::DECISIONS) {
            Some(Kind::Decision)
        } else if direct(layout::CLUSTERS) {
            Some(Kind::Cluster)
        } else if RuleState::of(path).is_some() {
            Some(Kind::Rule)
        } else if nested(layout::EDGE_CASES) {
            Some(Kind::EdgeCase)
        } else if is_open_ambiguous(path) || direct(layout::RESOLVED) {
            Some(Kind::Ambiguous)
        } else if nested(layout::DEAD_LETTERS) {
            Some(Kind::DeadLetter)
        } else if nested(layout::REVIEWS) {
            Some(Kind::Review)
        } else if nested(layout::INJECTIONS) {
            Some(Kind::Injection)
        } else if direct(layout::IMPORTED) {
            Some(Kind::Import)
        } else if nested(layout::ALERTS) {
            Some(Kind::Alert)
        } else if nested(layout::ADVICE) {
            Some(Kind::Advice)
        } else {
            None
        }
    }
}

/// A cluster is found by its id alone, so a file that names another cluster than its own would hide that one.
fn at_home(path: &str, record: &ClusterRecord) -> Result<(), String> {
    let home = layout::cluster(&record.cluster_id);
    if path == home { Ok(()) } else { Err(format!("it describes {}, which belongs in {home}", record.cluster_id)) }
}

/// YAML knows `.nan` and `.inf`; nothing behind this point does.
fn probability(field: &str, value: f64) -> Result<(), String> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(format!("{field} must lie between 0 and 1, it is {value}")) }
}

fn parse<T: DeserializeOwned>(content: &[u8]) -> Result<T, String> {
    yaml::parse(text_of(content)?)
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
    use crate::domain::records::record::Record;
    use crate::domain::testing::sample;
    use proptest::prelude::*;

    fn change(path: &str, content: &str) -> FileChange {
        FileChange { path: path.to_owned(), content: Some(content.as_bytes().to_vec()) }
    }

    #[test]
    fn every_record_is_read_from_its_place() {
        for (path, record) in sample::one_of_each() {
            let text = match &record {
                Record::Decision(r) => yaml::render(r),
                Record::Cluster(r) => yaml::render(r),
                Record::Proposal(r) => yaml::render(r),
                Record::EdgeCase(r) => yaml::render(r),
                Record::Ambiguous(r) => yaml::render(r),
                Record::DeadLetter(r) => yaml::render(r),
                Record::Review(r) => yaml::render(r),
                Record::Injection(r) => yaml::render(r),
                Record::Import(r) => yaml::render(r),
                Record::Alert(r) => yaml::render(r),
                Record::Advice(r) => yaml::render(r),
            }
            .unwrap();
            let expected = match record {
                Record::Decision(record) => IndexUpdate::Decision { path: path.clone(), record, vector: None },
                Record::Cluster(record) => IndexUpdate::Cluster(record),
                Record::Proposal(record) => IndexUpdate::Proposal { path: path.clone(), record },
                Record::EdgeCase(record) => IndexUpdate::EdgeCase { path: path.clone(), record },
                Record::Ambiguous(record) => IndexUpdate::Ambiguous { path: path.clone(), record },
                Record::DeadLetter(record) => IndexUpdate::DeadLetter { path: path.clone(), record },
                Record::Review(record) => IndexUpdate::Review { path: path.clone(), record },
                Record::Injection(record) => IndexUpdate::Injection { path: path.clone(), record },
                Record::Import(record) => IndexUpdate::Import { path: path.clone(), record },
                Record::Alert(record) => IndexUpdate::Alert { path: path.clone(), record },
                Record::Advice(record) => IndexUpdate::Advice { path: path.clone(), record },
            };
            assert_eq!(read_change(change(&path, &text)), Some(expected), "{path}");
            let removed = FileChange { path: path.clone(), content: None };
            assert_eq!(read_change(removed), Some(IndexUpdate::Removed { path }));
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
        ] {
            assert_eq!(read_change(change(path, "x: 1")), None, "{path}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_says_why() {
        let message = |path: &str, content: &[u8]| match read_change(FileChange {
            path: path.to_owned(),
            content: Some(content.to_vec()),
        }) {
            Some(IndexUpdate::Unreadable { path: p, message }) if p == path => message,
            other => panic!("{other:?}"),
        };
        let decision = "feedback/decisions/HITL-1/2026/01/12/10/d.yaml";
        assert!(message(decision, b"\xff\xfe").contains("not UTF-8"));
        assert!(message(decision, b"schema: feedbackd.decision/1\n").contains("missing field"));
        assert!(message(decision, &vec![b' '; MAX_RECORD_BYTES + 1]).contains("a record may have"));
        let mut nan = sample::decision(1);
        nan.evaluation.confidence = f64::NAN;
        assert!(message(decision, yaml::render(&nan).unwrap().as_bytes()).contains("between 0 and 1"));
        let (_, record) = sample::one_of_each().into_iter().find(|(_, r)| matches!(r, Record::Cluster(_))).unwrap();
        let Record::Cluster(record) = record else { unreachable!() };
        let text = yaml::render(&record).unwrap();
        assert!(message("feedback/clusters/CLUSTER-other.yaml", text.as_bytes()).contains("belongs in"));
    }

    #[test]
    fn a_rule_stands_where_its_file_lies() {
        assert_eq!(RuleState::of("feedback/rules/proposed/RULE-2026-0001.yaml"), Some(RuleState::Proposed));
        assert_eq!(RuleState::of("feedback/rules/retired/RULE-2026-0001.yaml"), Some(RuleState::Retired));
        assert_eq!(RuleState::of("feedback/rules/lost/RULE-2026-0001.yaml"), None);
        assert!(is_open_ambiguous("feedback/ambiguous/d.yaml"));
        assert!(!is_open_ambiguous("feedback/ambiguous/resolved/d.yaml"));
    }

    proptest! {
        #[test]
        fn no_content_is_too_strange(path in "feedback/(decisions|clusters|alerts/dead_letters)/[a-z]{1,5}\\.yaml", content: Vec<u8>) {
            let change = FileChange { path, content: Some(content) };
            prop_assert!(read_change(change).is_some());
        }
    }
}
