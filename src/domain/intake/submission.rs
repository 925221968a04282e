//! What people and programs submit about what was learned (specification, "Reviews"): reviews, notices of injected
//! rules, imports.
//!
//! Reading the raw fields is `decode`'s work; whether a review counts is decided by `rule` and `quorum`.

use crate::domain::records::record::{ImportRecord, InjectionRecord, ProposalRecord, ReviewAction};
use crate::domain::source::Source;
use jiff::Timestamp;

/// One entry of `asdlc:events:meta_hitl_decisions`.
#[derive(Clone, Debug, PartialEq)]
pub enum Submission {
    /// A person decided something.
    Review(Review),
    /// Rules entered a prompt.
    Injection(InjectionRecord),
    /// Rules in force elsewhere.
    Import(ImportRecord),
    /// A rule that somebody proposes; its id, status and dates are given when it is filed.
    Proposal(Box<ProposalRecord>),
}

/// A decision of a person about what was learned, as it was submitted. Its texts are cleaned and redacted already.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// Its id; the same id is the same review.
    pub review_id: String,
    /// What is decided.
    pub action: ReviewAction,
    /// Who decides.
    pub reviewer_id: String,
    /// When, as the reviewer says.
    pub timestamp: Timestamp,
    /// Why: `reason` or `rationale`.
    pub reason: Option<String>,
    /// The hash of the text the reviewer saw.
    pub content_hash: Option<String>,
    /// An SSH signature, armored, of the review's
    /// [`signed_text`](crate::domain::rules::lifecycle::signature::signed_text).
    pub signature: Option<String>,
    /// The tenant, where one is named.
    pub tenant_id: Option<String>,
    /// Where it was read.
    pub source: Source,
}
