//! What is persisted, as people read it in the store (specification, "The store").
//!
//! A field that is not here is not stored. Each kind's type also defines where it is stored, how it is found and what
//! is published of it; `registry` lists the kinds.

mod action;
mod advice;
mod alert;
mod cluster;
mod contradiction;
mod dead_letter;
mod decision;
mod edge_case;
mod follow_up;
mod import;
mod injection;
mod iteration;
mod model_reading;
mod refinement;
mod registry;
mod rejection;
mod review;
mod rule;
mod rule_stored;
mod stops;
mod stored_record;
mod turn;

pub use super::message::{AlertKind, GapFigures};
pub use super::review_status::{ReviewOutcome, ReviewedStatus};
pub use super::rule_status::{ProposalStatus, RuleState};
pub use super::side::Side;
pub use crate::intake::submission::Marked;
pub use advice::{
    AdviceKind, AdviceOutcome, AdviceRecord, AdviceReply, CheckReplies, CheckReply, CheckedRule, ChoiceReply,
    DraftReply, PairReply, PairVerdict, PlaceReply, Placed, Tokens,
};
pub use alert::AlertRecord;
pub use cluster::{ClusterRecord, Representative, WAITS_FOR_PEOPLE};
pub use contradiction::{AmbiguousRecord, AmbiguousStatus};
pub use dead_letter::DeadLetterRecord;
pub use decision::{CommentRecord, CorrectionRef, DecisionRecord, FeedbackSection};
pub use edge_case::{EdgeCaseRecord, EdgeCaseStatus};
pub use follow_up::FollowUpRecord;
pub use import::{ImportRecord, Withdrawn};
pub use injection::InjectionRecord;
pub use iteration::IterationRecord;
pub use model_reading::ReadingRecord;
pub use refinement::RefinementRecord;
pub use registry::{Registered, Stored, StoredKind, messages};
pub use rejection::{Refusal, RefusalCode};
pub use review::{Judged, ReviewRecord};
pub use rule::{
    Approval, Card, ConflictReport, EarlierVersion, Example, Flag, LifeEvent, MAX_EVIDENCE, ProposalRecord, RuleType,
    Scope,
};
pub use stops::{Stopped, StopsRecord};
pub use stored_record::{Before, Format, IndexRow, StoredRecord};
pub use turn::{TurnFeedback, TurnRecord};
