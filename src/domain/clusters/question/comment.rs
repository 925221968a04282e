//! A comment as shown to people.

use crate::clusters::member::Member;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum number of comments shown for a cluster.
pub(super) const SHOWN: usize = 3;

/// A comment as shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownComment {
    /// The feedback's id.
    pub feedback_id: String,
    /// The reviewer.
    pub reviewer_id: String,
    /// The text, shortened.
    pub text: String,
}

/// Converts a member for display.
pub(super) fn said(member: &Member) -> ShownComment {
    ShownComment { feedback_id: member.id.clone(), reviewer_id: member.reviewer.clone(), text: member.text.clone() }
}
