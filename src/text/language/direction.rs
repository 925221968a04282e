//! The direction of a comment, and how it is meant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a comment demands of its subject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// More of it: add, keep, require.
    More,
    /// Less of it: remove, avoid, not needed.
    Less,
    /// The comment does not show which.
    #[default]
    Unclear,
}

impl Direction {
    /// Reports whether one demands the opposite of the other.
    pub fn opposes(self, other: Direction) -> bool {
        matches!((self, other), (Direction::More, Direction::Less) | (Direction::Less, Direction::More))
    }

    /// Returns the opposite; an unclear direction has none.
    pub fn contrary(self) -> Direction {
        match self {
            Direction::More => Direction::Less,
            Direction::Less => Direction::More,
            Direction::Unclear => Direction::Unclear,
        }
    }

    /// Reports whether both can be the same demand, that is, do not oppose each other.
    pub fn agrees(self, other: Direction) -> bool {
        !self.opposes(other)
    }
}

/// How a comment is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stance {
    /// Whether it demands something, or takes a side on a possible demand.
    pub demand: bool,
    /// Its direction.
    pub direction: Direction,
    /// The words that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cue: Option<String>,
    /// Whether it is a waiver: a usual demand is not needed, or the work is fine without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waives: bool,
}
