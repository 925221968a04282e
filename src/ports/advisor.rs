//! An advising language model.

use crate::domain::rules::draft::advice::{AdviceAnswer, AdviceQuestion};

/// An optional language model. It never blocks its caller and never decides: its answer is a text to be judged.
pub trait Advisor: Send {
    /// Returns the model's name, for records.
    fn model(&self) -> &str;

    /// Returns how many questions may be queued now.
    fn room(&self) -> usize;

    /// Queues a question; returns false if there is no room now.
    fn ask(&mut self, question: AdviceQuestion) -> bool;

    /// Returns the answers since the last call, one per queued question, in any order.
    fn answers(&mut self) -> Vec<AdviceAnswer>;
}
