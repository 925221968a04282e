//! Demands that were read, and the agent's demands so far: which of them ask for the same.

use super::excerpt::shown_line;
use crate::text::prose::line;
use serde::Serialize;

/// Of how many comments one question places the demands at most.
pub const PLACED: usize = 30;
/// Of how many it does at most if they were placed before: these are short, since most of them stay where they are.
pub const PLACED_AGAIN: usize = 120;
/// How many demands of the comments are shown for each thirty of them: some comments make several.
const DEMANDS: usize = 45;
/// How many of the known demands it shows at most.
pub const KNOWN: usize = 36;
/// How many comments of each known demand it shows.
pub const EXAMPLES: usize = 1;
/// How much of an example is shown, in characters, and of the comment that is to be placed.
const EXAMPLE: usize = 110;
const COMMENT: usize = 140;
/// How much of the comment is shown if it was placed before.
const COMMENT_AGAIN: usize = 100;

/// Demands to place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceQuestion {
    /// The agent whose work they are about. The model does not see it.
    #[serde(skip)]
    pub agent: String,
    /// Whether they were placed before, beside others that are known by now. The model does not see it.
    #[serde(skip)]
    pub again: bool,
    /// The demands, those of a comment behind each other.
    pub demands: Vec<ToPlace>,
    /// The agent's demands so far that are nearest to them, at most [`KNOWN`].
    pub known: Vec<Known>,
}

/// A demand to place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToPlace {
    /// The feedback, or one of those in the group. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// The group that it stands for, if it was placed before. The model does not see it.
    #[serde(skip)]
    pub group: Option<String>,
    /// By which number the model names it, from 1.
    pub id: usize,
    /// What it asks for, as it was read.
    pub demand: String,
    /// The comment that it was read from.
    pub comment: String,
    /// How many comments of the group ask for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<usize>,
}

/// A demand for a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneDemand<'g> {
    /// The feedback, or one of those in the group.
    pub about: &'g str,
    /// The group that it stands for, and how many comments that has.
    pub group: Option<(&'g str, usize)>,
    /// What it asks for.
    pub demand: &'g str,
    /// The comment that it was read from.
    pub comment: &'g str,
}

/// A demand that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Known {
    /// The group, or the feedback that stands alone. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// By which name the model names it: `K1`, `K2` and so on.
    pub name: String,
    /// What it asks for.
    pub demand: String,
    /// How many comments ask for it.
    #[serde(skip_serializing_if = "is_one")]
    pub comments: usize,
    /// Comments that show best what it asks for, at most [`EXAMPLES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

/// A known demand for a question: the group, its sentence, how many comments it has, and some of them, the best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered<'g> {
    /// The group, or the feedback that stands alone.
    pub about: &'g str,
    /// What it asks for.
    pub demand: &'g str,
    /// How many comments ask for it.
    pub comments: usize,
    /// Comments of it.
    pub examples: Vec<&'g str>,
}

fn is_one(comments: &usize) -> bool {
    *comments == 1
}

/// Known demands as they are shown, at most so many, each with so many examples. What one comment asks for needs none: its
/// sentence was read from it.
pub(super) fn known<'g>(offered: impl IntoIterator<Item = Offered<'g>>, most: usize, examples: usize) -> Vec<Known> {
    let shown = |(number, offered): (usize, Offered<'_>)| Known {
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
    /// A question with everything as it may be shown; `again` if all of it was placed before.
    pub fn new<'s>(
        agent: &str,
        again: bool,
        demands: impl IntoIterator<Item = OneDemand<'s>>,
        offered: impl IntoIterator<Item = Offered<'s>>,
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

    /// The feedback that it is about, in the order of the demands.
    pub fn about(&self) -> Vec<String> {
        let mut about: Vec<String> = self.demands.iter().map(|shown| shown.about.clone()).collect();
        about.dedup();
        about
    }
}
