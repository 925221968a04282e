//! Which way a remark points, and how it is meant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a remark wants of the thing it speaks about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// More of it: add, keep, require.
    More,
    /// Less of it: remove, avoid, not needed.
    Less,
    /// The remark does not show which.
    #[default]
    Unclear,
}

impl Direction {
    /// Whether one asks for the opposite of the other.
    pub fn opposes(self, other: Direction) -> bool {
        matches!((self, other), (Direction::More, Direction::Less) | (Direction::Less, Direction::More))
    }

    /// The other way; what points nowhere has none.
    pub fn contrary(self) -> Direction {
        match self {
            Direction::More => Direction::Less,
            Direction::Less => Direction::More,
            Direction::Unclear => Direction::Unclear,
        }
    }

    /// Whether both can be the same demand: they do not oppose each other.
    pub fn agrees(self, other: Direction) -> bool {
        !self.opposes(other)
    }
}

/// How a remark is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stance {
    /// Whether it asks for something, or takes a side on something that can be asked for.
    pub demand: bool,
    /// Which way it points.
    pub direction: Direction,
    /// The words that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cue: Option<String>,
    /// Whether the demand is a waiver: what is usually asked for is not needed, or fine as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waives: bool,
}
