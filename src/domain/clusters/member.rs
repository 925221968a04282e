//! A comment as stored in the working set.

use super::evaluation::Classification;
use super::keys::ClusterKey;
use super::polarity::Polarity;
use crate::intake::place::PlaceKind;
use crate::text::ids::Gate;
use crate::text::language::catalogue::ClusterConcern;
use crate::text::language::direction::Direction;
use crate::text::language::similarity::DemandVector;
use crate::text::verdict::Verdict;
use jiff::Timestamp;

/// One comparable comment.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The feedback's id.
    pub id: String,
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent.
    pub agent: String,
    /// The reviewer.
    pub reviewer: String,
    /// The accompanying verdict.
    pub verdict: Verdict,
    /// The gate.
    pub gate: Gate,
    /// The pull request that it was said of, see [`Feedback::pull_request`].
    ///
    /// [`Feedback::pull_request`]: crate::intake::feedback::Feedback::pull_request
    pub task: Option<String>,
    /// When it was made.
    pub at: Timestamp,
    /// Its direction.
    pub direction: Direction,
    /// Whether it is outright about its direction: it asks explicitly, or its concern is clear.
    pub outright: bool,
    /// The purpose of the file that it is about, if any.
    pub place: Option<PlaceKind>,
    /// The language of that file.
    pub language: Option<&'static str>,
    /// The concern it voices, if one was recognised.
    pub voiced: Option<ClusterConcern>,
    /// The text, shortened to a line.
    pub text: String,
    /// The path of its record in the store.
    pub path: String,
    /// Its vector.
    pub vector: DemandVector,
    /// Its class as last written.
    pub classification: Classification,
    /// Its revision as last written.
    pub revision: u32,
    /// The one-off it opened.
    pub edge_case: Option<String>,
    /// Its cluster, once there are two members.
    pub cluster: Option<ClusterKey>,
    /// Whether it is similar to another member of its cluster (rather than only near them on average).
    pub tied: bool,
    /// The sentence stating what it asks for, if that is what is compared.
    pub sentence: Option<String>,
    /// Whether a language model assigned it to its cluster.
    pub judged: bool,
    /// Whether it is excluded from learning.
    pub withdrawn: bool,
}

impl Member {
    /// Returns its direction and subject.
    pub fn pointing(&self) -> Polarity {
        let axis = self.voiced.as_ref().and_then(|_| self.vector.main_axis());
        Polarity { direction: self.direction, axis }
    }
}
