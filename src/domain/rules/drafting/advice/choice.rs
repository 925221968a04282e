//! A demand and the nearest groups: to which of them it belongs, or to none.

use super::shown::{shown, shown_line};
use serde::Serialize;

/// How many groups one question shows at most.
pub const CHOICES: usize = 5;
/// How many remarks of each group it shows.
pub const CHOICE_REMARKS: usize = 2;

/// A remark that was read, and the groups that it may belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChoiceQuestion {
    /// The feedback. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// The agent whose work it is about.
    pub agent: String,
    /// What the remark asks for, as it was read.
    pub demand: String,
    /// What was said.
    pub remark: String,
    /// The groups, the nearest first, at most [`CHOICES`].
    pub groups: Vec<Choice>,
    /// The remark whose place this question is to confirm, asked from the other side. The model does not see it.
    #[serde(skip)]
    pub confirms: Option<String>,
}

/// A group that a remark may belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The group, or the feedback that stands alone. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// The feedback that is shown. The model does not see it.
    #[serde(skip)]
    pub shows: Vec<String>,
    /// Whether it is so near that an answer that names it needs no other one. The model does not see it.
    #[serde(skip)]
    pub is_near: bool,
    /// By which number the model names it, from 1.
    pub group: u8,
    /// The remarks that show best what it is about, at most [`CHOICE_REMARKS`].
    pub remarks: Vec<String>,
}

/// A group for a question: its name, and remarks of it with the feedback they came from.
pub struct Offered<'g> {
    /// The group, or the feedback that stands alone.
    pub about: &'g str,
    /// Feedback and text, the best first.
    pub remarks: Vec<(&'g str, &'g str)>,
    /// Whether it is so near that an answer that names it needs no other one.
    pub is_near: bool,
}

impl ChoiceQuestion {
    /// A question with everything as it may be shown.
    pub fn new<'g>(
        about: &str,
        agent: &str,
        demand: &str,
        remark: &str,
        groups: impl Iterator<Item = Offered<'g>>,
    ) -> ChoiceQuestion {
        let choice = |(group, offered): (u8, Offered<'_>)| Choice {
            about: offered.about.to_owned(),
            shows: offered.remarks.iter().take(CHOICE_REMARKS).map(|(id, _)| (*id).to_owned()).collect(),
            is_near: offered.is_near,
            group,
            remarks: shown(offered.remarks.iter().map(|(_, text)| *text), CHOICE_REMARKS),
        };
        ChoiceQuestion {
            about: about.to_owned(),
            agent: shown_line(agent),
            demand: shown_line(demand),
            remark: shown_line(remark),
            groups: (1..).zip(groups.take(CHOICES)).map(choice).collect(),
            confirms: None,
        }
    }

    /// The group that an answer names; `None` for none of them.
    pub fn named(&self, group: u8) -> Option<&Choice> {
        self.groups.iter().find(|choice| choice.group == group)
    }
}
