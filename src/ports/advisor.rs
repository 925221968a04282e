//! A language model that advises.

use crate::domain::rules::draft::advice::{AdviceAnswer, AdviceQuestion};

/// A language model that may be asked, and need not be. It never makes its caller wait, and never decides: what it says
/// is a text to be judged.
pub trait Advisor: Send {
    /// The model's name, for records.
    fn model(&self) -> &str;

    /// How many questions may be put now.
    fn room(&self) -> usize;

    /// Queues a question; false if there is no room for it now.
    fn ask(&mut self, question: AdviceQuestion) -> bool;

    /// What has come back since the last call, one answer for each question that was queued, in any order.
    fn answers(&mut self) -> Vec<AdviceAnswer>;
}
