//! The list of the kinds of records, and what follows from it: which record a path promises, reading and writing any
//! of them, index rows and messages.
//!
//! A new kind is one line here; what is particular about it is said beside its type.

use super::stored_record::{Before, Format, IndexRow, StoredRecord};
use super::{
    AdviceRecord, AlertRecord, AmbiguousRecord, ClusterRecord, DeadLetterRecord, DecisionRecord, EdgeCaseRecord,
    FollowUpRecord, ImportRecord, InjectionRecord, IterationRecord, ProposalRecord, ReadingRecord, RefinementRecord,
    ReviewRecord, StopsRecord, TurnFeedback, TurnRecord,
};
use crate::channels::action::ActionRecord;
use crate::channels::turn::TurnMetadata;
use crate::records::message::Outgoing;
use crate::text::yaml;

/// Hands the list to another macro: a kind, its type, its number in the index (a change is a new version of the index)
/// and its name in words.
#[macro_export]
macro_rules! each_stored_record {
    ($then:ident) => {
        $then! {
            Decision(DecisionRecord) = 0, "decision";
            Cluster(ClusterRecord) = 1, "cluster";
            Rule(ProposalRecord) = 2, "rule";
            EdgeCase(EdgeCaseRecord) = 3, "edge case";
            Ambiguous(AmbiguousRecord) = 4, "tiebreak";
            DeadLetter(DeadLetterRecord) = 5, "dead letter";
            Review(ReviewRecord) = 6, "review";
            Injection(InjectionRecord) = 7, "injection";
            Import(ImportRecord) = 8, "import";
            Alert(AlertRecord) = 9, "alert";
            Advice(AdviceRecord) = 10, "advice";
            Turn(TurnRecord) = 11, "turn";
            TurnMetadata(TurnMetadata) = 12, "turn metadata";
            TurnFeedback(TurnFeedback) = 13, "turn feedback";
            Refinement(RefinementRecord) = 14, "refinement";
            Action(ActionRecord) = 15, "action";
            Iteration(IterationRecord) = 16, "iteration";
            Reading(ReadingRecord) = 17, "reading";
            Stops(StopsRecord) = 18, "list of stops";
            FollowUp(FollowUpRecord) = 19, "follow-up of a review";
        }
    };
}

macro_rules! registry {
    ($($kind:ident($record:ident) = $number:literal, $name:literal;)*) => {
        /// A kind of record.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum StoredKind {
            $(#[doc = $name] $kind = $number,)*
        }

        impl StoredKind {
            /// All of them.
            pub const ALL: &'static [StoredKind] = &[$(StoredKind::$kind),*];

            /// What a path promises; `None` where it promises no record.
            pub fn of(path: &str) -> Option<StoredKind> {
                $(if <$record>::is_place(path) {
                    return Some(StoredKind::$kind);
                })*
                None
            }

            /// What one of them is called.
            pub fn name(self) -> &'static str {
                match self {
                    $(StoredKind::$kind => $name,)*
                }
            }
        }

        /// A record of the store, of whichever kind.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Stored {
            $(#[doc = $name] $kind(Box<$record>),)*
        }

        impl Stored {
            /// Which kind it is of.
            pub fn kind(&self) -> StoredKind {
                match self {
                    $(Stored::$kind(_) => StoredKind::$kind,)*
                }
            }

            /// Reads a file.
            ///
            /// # Errors
            /// A sentence that says what is wrong and where.
            pub fn read(kind: StoredKind, text: &str) -> Result<Stored, String> {
                match kind {
                    $(StoredKind::$kind => read::<$record>(text).map(Stored::from),)*
                }
            }

            /// The file's text, where nobody wrote anything else into it.
            ///
            /// # Errors
            /// What cannot be written.
            pub fn text(&self) -> Result<String, String> {
                match self {
                    $(Stored::$kind(record) => text(record.as_ref()),)*
                }
            }

            /// Reads what [`Stored::json`] wrote.
            ///
            /// # Errors
            /// What is wrong with it.
            pub fn from_json(kind: StoredKind, text: &str) -> serde_json::Result<Stored> {
                match kind {
                    $(StoredKind::$kind => serde_json::from_str(text).map(Stored::$kind),)*
                }
            }

            /// The record as one line of JSON, for the index.
            ///
            /// # Errors
            /// What cannot be written.
            pub fn json(&self) -> serde_json::Result<String> {
                match self {
                    $(Stored::$kind(record) => serde_json::to_string(record),)*
                }
            }

            /// How it is written.
            pub fn format(&self) -> Format {
                match self {
                    $(Stored::$kind(_) => <$record>::FORMAT,)*
                }
            }

            /// As [`StoredRecord::path`].
            pub fn path(&self) -> String {
                match self {
                    $(Stored::$kind(record) => record.path(),)*
                }
            }

            /// As [`StoredRecord::row`].
            pub fn row(&self, path: &str) -> IndexRow<'_> {
                match self {
                    $(Stored::$kind(record) => record.row(path),)*
                }
            }

            /// As [`StoredRecord::check`].
            ///
            /// # Errors
            /// What is wrong with it, in words.
            pub fn check(&self, path: &str) -> Result<(), String> {
                match self {
                    $(Stored::$kind(record) => record.check(path),)*
                }
            }
        }

        /// What is published because a record was written at `path`, where `before` stood. The same records always give
        /// the same messages, so that publishing can resume from Git.
        pub fn messages(path: &str, before: &Before<'_, Stored>, after: &Stored) -> Vec<Outgoing> {
            match after {
                $(Stored::$kind(record) => record.messages(path, &before.of_kind::<$record>()),)*
            }
        }

        $(impl From<$record> for Stored {
            fn from(record: $record) -> Stored {
                Stored::$kind(Box::new(record))
            }
        }

        impl Registered for $record {
            const KIND: StoredKind = StoredKind::$kind;

            fn of(stored: &Stored) -> Option<&$record> {
                if let Stored::$kind(record) = stored { Some(record) } else { None }
            }

            fn of_mut(stored: &mut Stored) -> Option<&mut $record> {
                if let Stored::$kind(record) = stored { Some(record) } else { None }
            }

            fn out_of(stored: Stored) -> Option<$record> {
                if let Stored::$kind(record) = stored { Some(*record) } else { None }
            }
        })*
    };
}

each_stored_record!(registry);

/// A record that stands in the list.
pub trait Registered: StoredRecord + Into<Stored> {
    /// Its kind.
    const KIND: StoredKind;

    /// The record, where it is of this kind.
    fn of(stored: &Stored) -> Option<&Self>;

    /// The record, to be changed.
    fn of_mut(stored: &mut Stored) -> Option<&mut Self>;

    /// The record, taken out.
    fn out_of(stored: Stored) -> Option<Self>;
}

impl<'r> Before<'r, Stored> {
    /// The same for one kind. What is of another kind cannot be read as this one.
    fn of_kind<R: Registered>(&self) -> Before<'r, R> {
        match self {
            Before::Nothing => Before::Nothing,
            Before::Unreadable => Before::Unreadable,
            Before::Record(record) => R::of(record).map_or(Before::Unreadable, Before::Record),
        }
    }
}

fn read<R: StoredRecord>(text: &str) -> Result<R, String> {
    match R::FORMAT {
        Format::Yaml => yaml::parse(text),
        Format::Json => serde_json::from_str(text).map_err(|error| error.to_string()),
    }
}

fn text<R: StoredRecord>(record: &R) -> Result<String, String> {
    match R::FORMAT {
        Format::Yaml => yaml::render(record),
        Format::Json => serde_json::to_string_pretty(record).map(|text| text + "\n").map_err(|error| error.to_string()),
    }
}
