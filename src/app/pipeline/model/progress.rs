//! A language model's progress on the questions it was asked.

use crate::domain::records::record::Tokens;
use crate::text::prose::count;

/// A model's progress, for people waiting for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Questions answered since the start.
    pub answered: u64,
    /// Questions in flight.
    pub under_way: u64,
    /// Tokens used by all of them.
    pub tokens: Tokens,
    /// Whether the day's budget is used up.
    pub is_spent: bool,
    /// Why the model is paused, if it is.
    pub failure: Option<String>,
    /// Whether it failed so often that a command stops waiting for it.
    pub has_failed: bool,
}

impl Progress {
    /// Describes the current activity in words; empty while the model is idle.
    pub fn told(&self) -> String {
        if self.is_spent {
            return "the day's budget for the language model is used up; the rest is asked tomorrow".to_owned();
        }
        match self.under_way {
            0 => String::new(),
            under_way => format!(
                "the language model is reading: {} under way, {} answered since the start, {} tokens",
                count(under_way, "question"),
                self.answered,
                self.tokens.all()
            ),
        }
    }
}
