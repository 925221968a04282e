//! What a language model may be asked, where one is configured, and what becomes of its answers.
//!
//! Four kinds of questions: what each of some remarks asks for, to which of the nearest groups a remark belongs, whether
//! two groups of remarks ask for the same, and how a rule for a pattern could be worded. Remarks are data of strangers: they are redacted and shortened here, and quoted in [`prompt`]. An answer is
//! a text of nobody in particular: [`read_answer`] believes none that is not exactly what was asked for. Whether an
//! answer is followed is not decided here.

mod answer;
mod choice;
mod prompt;
mod question;
mod read_question;
mod readings;
mod received;
mod shown;
#[cfg(test)]
mod tests;

pub use answer::{MAX_ANSWER_BYTES, Refused, read_answer};
pub use choice::{CHOICE_REMARKS, CHOICES, Choice, ChoiceQuestion, Offered};
pub use prompt::{Prompt, prompt};
pub use question::{AdviceQuestion, DRAFT_REMARKS, DraftQuestion, PAIR_REMARKS, PairQuestion, Side};
pub use read_question::{READ_REMARKS, ReadQuestion, RemarkShown};
pub use readings::{OneReading, read_readings, recorded_reading};
pub use received::{AdviceAnswer, AdviceFailure, Usage, adviser};
