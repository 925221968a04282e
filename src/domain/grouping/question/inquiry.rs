//! What people are asked: one question of either kind.

use super::list::ListQuestion;
use super::pair::Question;
use schemars::JsonSchema;
use serde::Serialize;

/// What people are asked.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Inquiry {
    /// Which of a list ask for the same?
    List(ListQuestion),
    /// Do these two ask for the same?
    Pair(Question),
}
