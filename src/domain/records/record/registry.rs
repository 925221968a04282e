//! The list of record kinds and everything derived from it: the kind for a path, reading and writing any of them, index
//! rows and messages.
//!
//! A new kind is one line here; its specifics are defined next to its type.

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

/// Passes the list to another macro: a kind, its type, its number in the index (a change is a new index version) and
/// its name in words.
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

            /// Returns the kind for a path; `None` if it is not a record's.
            pub fn of(path: &str) -> Option<StoredKind> {
                $(if <$record>::is_place(path) {
                    return Some(StoredKind::$kind);
                })*
                None
            }

            /// Returns the kind's name.
            pub fn name(self) -> &'static str {
                match self {
                    $(StoredKind::$kind => $name,)*
                }
            }
        }

        /// A record of the store, of any kind.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Stored {
            $(#[doc = $name] $kind(Box<$record>),)*
        }

        impl Stored {
            /// Returns its kind.
            pub fn kind(&self) -> StoredKind {
                match self {
                    $(Stored::$kind(_) => StoredKind::$kind,)*
                }
            }

            /// Parses a file.
            ///
            /// # Errors
            /// A sentence that explains what is wrong and where.
            pub fn read(kind: StoredKind, text: &str) -> Result<Stored, String> {
                match kind {
                    $(StoredKind::$kind => read::<$record>(text).map(Stored::from),)*
                }
            }

            /// Returns the file's text, without anything added by people.
            ///
            /// # Errors
            /// If it cannot be serialized.
            pub fn text(&self) -> Result<String, String> {
                match self {
                    $(Stored::$kind(record) => text(record.as_ref()),)*
                }
            }

            /// Parses the output of [`Stored::json`].
            ///
            /// # Errors
            /// If it is invalid.
            pub fn from_json(kind: StoredKind, text: &str) -> serde_json::Result<Stored> {
                match kind {
                    $(StoredKind::$kind => serde_json::from_str(text).map(Stored::$kind),)*
                }
            }

            /// Returns the record as one line of JSON, for the index.
            ///
            /// # Errors
            /// If it cannot be serialized.
            pub fn json(&self) -> serde_json::Result<String> {
                match self {
                    $(Stored::$kind(record) => serde_json::to_string(record),)*
                }
            }

            /// Returns its format.
            pub fn format(&self) -> Format {
                match self {
                    $(Stored::$kind(_) => <$record>::FORMAT,)*
                }
            }

            /// Same as [`StoredRecord::path`].
            pub fn path(&self) -> String {
                match self {
                    $(Stored::$kind(record) => record.path(),)*
                }
            }

            /// Same as [`StoredRecord::row`].
            pub fn row(&self, path: &str) -> IndexRow<'_> {
                match self {
                    $(Stored::$kind(record) => record.row(path),)*
                }
            }

            /// Same as [`StoredRecord::check`].
            ///
            /// # Errors
            /// What is wrong with it, in words.
            pub fn check(&self, path: &str) -> Result<(), String> {
                match self {
                    $(Stored::$kind(record) => record.check(path),)*
                }
            }
        }

        /// Returns the messages for a record written at `path` in place of `before`. The same records always give the
        /// same messages, so that publishing can resume from Git.
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

/// A record in the list.
pub trait Registered: StoredRecord + Into<Stored> {
    /// Its kind.
    const KIND: StoredKind;

    /// Returns the record, if it is of this kind.
    fn of(stored: &Stored) -> Option<&Self>;

    /// Returns the record mutably.
    fn of_mut(stored: &mut Stored) -> Option<&mut Self>;

    /// Extracts the record.
    fn out_of(stored: Stored) -> Option<Self>;
}

impl<'r> Before<'r, Stored> {
    /// Restricts it to one kind. A record of another kind counts as unreadable.
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
