//! Some remarks for a model to read.

use super::shown::shown_line;
use serde::Serialize;

/// How many remarks one question shows at most.
pub const READ_REMARKS: usize = 50;

/// Remarks to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReadQuestion {
    /// The remarks, at most [`READ_REMARKS`].
    pub remarks: Vec<RemarkShown>,
}

/// A remark as the model sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemarkShown {
    /// The feedback. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// The agent whose work it is about. The model does not see it.
    #[serde(skip)]
    pub agent: String,
    /// By which number the model names it, from 1.
    pub id: usize,
    /// The gate at which it was made.
    pub gate: String,
    /// What was said, redacted and shortened.
    pub remark: String,
}

impl ReadQuestion {
    /// A question about remarks: the feedback, the agent, the gate and the text of each. More than [`READ_REMARKS`] are
    /// left out.
    pub fn new<'r>(remarks: impl Iterator<Item = (&'r str, &'r str, String, &'r str)>) -> ReadQuestion {
        let shown = |(id, (about, agent, gate, text)): (usize, (&str, &str, String, &str))| RemarkShown {
            about: about.to_owned(),
            agent: agent.to_owned(),
            id,
            gate,
            remark: shown_line(text),
        };
        ReadQuestion { remarks: (1..).zip(remarks.take(READ_REMARKS)).map(shown).collect() }
    }

    /// The feedback that it is about, in the order of the remarks.
    pub fn about(&self) -> Vec<String> {
        self.remarks.iter().map(|shown| shown.about.clone()).collect()
    }

    /// The agent of the first remark.
    pub(super) fn agent(&self) -> &str {
        self.remarks.first().map_or("", |shown| shown.agent.as_str())
    }
}
