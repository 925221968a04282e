//! Newly read demands and the agent's demands so far: which of them ask for the same.

use super::excerpt::shown_line;
use crate::text::prose::line;
use serde::Serialize;

/// The maximum number of comments whose demands one question places.
pub const PLACED: usize = 30;
/// The maximum if they were placed before: answers are short, since most stay where they are.
pub const PLACED_AGAIN: usize = 120;
/// The number of demands shown per thirty comments: some comments make several.
const DEMANDS: usize = 45;
/// The maximum number of known demands shown.
pub const KNOWN: usize = 36;
/// The number of comments shown for each known demand.
pub const EXAMPLES: usize = 1;
/// The displayed length of an example and of the comment to be placed, in characters.
const EXAMPLE: usize = 110;
const COMMENT: usize = 140;
/// The displayed length of the comment if it was placed before.
const COMMENT_AGAIN: usize = 100;

/// Demands to place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceQuestion {
    /// The agent whose work they are about. The model does not see it.
    #[serde(skip)]
    pub agent: String,
    /// Whether they were placed before, next to others that are known by now. The model does not see it.
    #[serde(skip)]
    pub again: bool,
    /// The demands; those of one comment are consecutive.
    pub demands: Vec<ToPlace>,
    /// The agent's nearest known demands, at most [`KNOWN`].
    pub known: Vec<KnownDemand>,
}

/// A demand to place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToPlace {
    /// The feedback, or one in the cluster. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// The cluster it represents, if it was placed before. The model does not see it.
    #[serde(skip)]
    pub group: Option<String>,
    /// The number by which the model refers to it, from 1.
    pub id: usize,
    /// Its demand, as read.
    pub demand: String,
    /// The comment it was read from.
    pub comment: String,
    /// The number of comments in the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<usize>,
}

/// A demand for a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneDemand<'g> {
    /// The feedback, or one in the cluster.
    pub about: &'g str,
    /// The cluster it represents, and its number of comments.
    pub group: Option<(&'g str, usize)>,
    /// The demand.
    pub demand: &'g str,
    /// The comment it was read from.
    pub comment: &'g str,
}

/// A known demand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownDemand {
    /// The cluster, or the feedback that is alone. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// The name by which the model refers to it: `K1`, `K2` and so on.
    pub name: String,
    /// The demand.
    pub demand: String,
    /// The number of comments that ask for it.
    #[serde(skip_serializing_if = "is_one")]
    pub comments: usize,
    /// The most typical comments, at most [`EXAMPLES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

/// A known demand for a question: the cluster, its sentence, its number of comments, and some of them, the best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemandOption<'g> {
    /// The cluster, or the feedback that is alone.
    pub about: &'g str,
    /// The demand.
    pub demand: &'g str,
    /// The number of comments that ask for it.
    pub comments: usize,
    /// Some of its comments.
    pub examples: Vec<&'g str>,
}

fn is_one(comments: &usize) -> bool {
    *comments == 1
}

/// Returns known demands as shown, limited in number and in examples. A demand of a single comment needs no example:
/// its sentence was read from that comment.
pub(super) fn known<'g>(
    offered: impl IntoIterator<Item = DemandOption<'g>>,
    most: usize,
    examples: usize,
) -> Vec<KnownDemand> {
    let shown = |(number, offered): (usize, DemandOption<'_>)| KnownDemand {
        about: offered.about.to_owned(),
        name: format!("K{number}"),
        demand: shown_line(offered.demand),
        comments: offered.comments,
        examples: offered
            .examples
            .iter()
            .take(if offered.comments > 1 { examples } else { 0 })
            .map(|text| line(&shown_line(text), EXAMPLE))
            .collect(),
    };
    (1..).zip(offered.into_iter().take(most)).map(shown).collect()
}

impl PlaceQuestion {
    /// Builds a question from what may be shown; `again` if all of it was placed before.
    pub fn new<'s>(
        agent: &str,
        again: bool,
        demands: impl IntoIterator<Item = OneDemand<'s>>,
        offered: impl IntoIterator<Item = DemandOption<'s>>,
    ) -> PlaceQuestion {
        let (most, comment) = if again { (PLACED_AGAIN * DEMANDS / PLACED, COMMENT_AGAIN) } else { (DEMANDS, COMMENT) };
        let to_place = |(id, asked): (usize, OneDemand<'_>)| ToPlace {
            about: asked.about.to_owned(),
            group: asked.group.map(|(group, _)| group.to_owned()),
            id,
            demand: shown_line(asked.demand),
            comment: line(&shown_line(asked.comment), comment),
            comments: asked.group.map(|(_, comments)| comments),
        };
        PlaceQuestion {
            agent: agent.to_owned(),
            again,
            demands: (1..).zip(demands.into_iter().take(most)).map(to_place).collect(),
            known: known(offered, KNOWN, EXAMPLES),
        }
    }

    /// Returns the feedback it is about, in the order of the demands.
    pub fn about(&self) -> Vec<String> {
        let mut about: Vec<String> = self.demands.iter().map(|shown| shown.about.clone()).collect();
        about.dedup();
        about
    }
}
