//! How far a language model has come with what it was asked.

use crate::domain::records::record::Tokens;
use crate::text::prose::count;

/// How far a model has come, for people who wait for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Questions that were answered since the start.
    pub answered: u64,
    /// Questions that are under way.
    pub under_way: u64,
    /// What all of them took.
    pub tokens: Tokens,
    /// Whether the day's budget is used up.
    pub is_spent: bool,
    /// Why the model is left alone for a while, if it is.
    pub failure: Option<String>,
    /// Whether it failed so often that a command waits no longer for it.
    pub has_failed: bool,
}

impl Progress {
    /// What it is doing, in words; empty while it is asked nothing.
    pub fn told(&self) -> String {
        if self.is_spent {
            return "the day's budget for the language model is used up; what is left is asked tomorrow".to_owned();
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
