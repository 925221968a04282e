//! Questions for a language model, if one is configured, and the handling of its answers.
//!
//! There are three kinds of questions, each about many things at once: what comments ask for ([`ReadQuestion`]), which
//! demands ask for the same ([`PlaceQuestion`]), and which of its evidence a rule would settle ([`CheckQuestion`]).
//! Comments are untrusted data: they are redacted and shortened here, and quoted in [`prompt`]. Answers are untrusted
//! too: anything that is not exactly what was asked for is rejected. Whether to apply an answer is decided elsewhere.

mod check_question;
mod checks;
mod excerpt;
mod json;
mod place_question;
mod places;
mod prompt;
mod question;
mod read_question;
mod readings;
mod response;
mod screen;
#[cfg(test)]
mod tests;

pub use check_question::{BESIDE, CHECKED, CheckQuestion, PATTERNS, SHOWN, ToCheck};
pub use checks::{OneCheck, read_checks};
pub use excerpt::{CommentExcerpt, CommentSource};
pub use place_question::{
    DemandOption, EXAMPLES, KNOWN, KnownDemand, OneDemand, PLACED, PLACED_AGAIN, PlaceQuestion, ToPlace,
};
pub use places::read_places;
pub use prompt::{Prompt, prompt};
pub use question::AdviceQuestion;
pub use read_question::{READ_COMMENTS, ReadQuestion};
pub use readings::{OneReading, read_readings, recorded_reading};
pub use response::{AdviceAnswer, AdviceFailure, Usage, adviser};
pub use screen::ScreenError;
