//! A remark as the memory of groups keeps it.

use super::evaluation::Classification;
use super::keys::ClusterKey;
use super::polarity::Pointing;
use crate::intake::place::PlaceKind;
use crate::text::ids::Gate;
use crate::text::language::catalogue::Voiced;
use crate::text::language::direction::Direction;
use crate::text::language::similarity::DemandVector;
use crate::text::verdict::Verdict;
use jiff::Timestamp;

/// One remark that can be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The feedback's id.
    pub id: String,
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent.
    pub agent: String,
    /// Who said it.
    pub reviewer: String,
    /// The verdict that came with it.
    pub verdict: Verdict,
    /// The gate.
    pub gate: Gate,
    /// The pull request that it was said of, see [`Feedback::pull_request`].
    ///
    /// [`Feedback::pull_request`]: crate::intake::feedback::Feedback::pull_request
    pub task: Option<String>,
    /// When.
    pub at: Timestamp,
    /// Which way it points.
    pub direction: Direction,
    /// Whether it says outright which way it points: it asks in so many words, or its concern is clear.
    pub outright: bool,
    /// What the file is for that it is about, where it is about one.
    pub place: Option<PlaceKind>,
    /// The language of that file.
    pub language: Option<&'static str>,
    /// The concern it voices, where one was recognised.
    pub voiced: Option<Voiced>,
    /// What was said, shortened to a line.
    pub text: String,
    /// Its record in the store.
    pub path: String,
    /// Its vector.
    pub vector: DemandVector,
    /// Its class as it was last written.
    pub classification: Classification,
    /// Its revision as it was last written.
    pub revision: u32,
    /// The edge case it opened.
    pub edge_case: Option<String>,
    /// Its cluster, once there are two members.
    pub cluster: Option<ClusterKey>,
    /// Whether it is similar to another member of its cluster (and not only near to them on average).
    pub tied: bool,
    /// The sentence in which somebody said what it asks for, where it is compared by that.
    pub sentence: Option<String>,
    /// Whether a language model said that it belongs to its cluster.
    pub judged: bool,
    /// Whether nothing shall be learned from it any more.
    pub withdrawn: bool,
}

impl Member {
    /// Which way it points, and about what.
    pub fn pointing(&self) -> Pointing {
        let axis = self.voiced.as_ref().and_then(|_| self.vector.main_axis());
        Pointing { direction: self.direction, axis }
    }
}
