//! A remark as people are shown it.

use crate::clusters::member::Member;
use schemars::JsonSchema;
use serde::Serialize;

/// How many remarks of a group are shown at most.
pub(super) const SHOWN: usize = 3;

/// A remark as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Said {
    /// The feedback's id.
    pub feedback_id: String,
    /// Who said it.
    pub reviewer_id: String,
    /// What was said, shortened.
    pub text: String,
}

/// A member as it is shown.
pub(super) fn said(member: &Member) -> Said {
    Said { feedback_id: member.id.clone(), reviewer_id: member.reviewer.clone(), text: member.text.clone() }
}
