//! What is persisted, as people read it in the store (specification, "The store").
//!
//! A field that is not here is not stored. Each kind says beside its type where it lies, how it is found and what is
//! published of it; `registry` lists the kinds.

mod action;
mod advice;
mod alert;
mod contradiction;
mod dead_letter;
mod decision;
mod edge_case;
mod follow_up;
mod group;
mod import;
mod injection;
mod iteration;
mod reading;
mod refinement;
mod refusal;
mod registry;
mod review;
mod rule;
mod rule_stored;
mod stops;
mod stored_record;
mod turn;

pub use super::message::{AlertKind, GapFigures};
pub use super::rule_status::{ProposalStatus, RuleState};
pub use super::side::Side;
pub use super::standing::{ReviewOutcome, Standing};
pub use crate::domain::intake::submission::Marked;
pub use advice::{
    AdviceKind, AdviceOutcome, AdviceRecord, AdviceReply, CheckReplies, CheckReply, CheckedRule, ChoiceReply,
    DraftReply, PairReply, PairVerdict, PlaceReply, Placed, Tokens,
};
pub use alert::AlertRecord;
pub use contradiction::{AmbiguousRecord, AmbiguousStatus};
pub use dead_letter::DeadLetterRecord;
pub use decision::{CommentRecord, CorrectionRef, DecisionRecord, FeedbackSection};
pub use edge_case::{EdgeCaseRecord, EdgeCaseStatus};
pub use follow_up::FollowUpRecord;
pub use group::{ClusterRecord, Representative, WAITS_FOR_PEOPLE};
pub use import::{ImportRecord, Withdrawn};
pub use injection::InjectionRecord;
pub use iteration::IterationRecord;
pub use reading::ReadingRecord;
pub use refinement::RefinementRecord;
pub use refusal::{Refusal, RefusalCode};
pub use registry::{Registered, Stored, StoredKind, messages};
pub use review::{Judged, ReviewRecord};
pub use rule::{
    Approval, Card, ConflictReport, EarlierVersion, Example, Flag, LifeEvent, MAX_EVIDENCE, ProposalRecord, RuleType,
    Scope,
};
pub use stops::{Stopped, StopsRecord};
pub use stored_record::{Before, Format, IndexRow, StoredRecord};
pub use turn::{TurnFeedback, TurnRecord};
