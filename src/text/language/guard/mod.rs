//! The one guard of texts that programs read as instructions: prompts, what planners are told, suggestions.
//!
//! In comes a text of anybody; out comes where it speaks to its reader instead of about the work, where it looks like
//! the structure of a prompt, and the same text made harmless. It looks at texts as a reader sees them: look-alikes,
//! wide letters and marks around words make no difference. It does not judge whether a text is a good rule.

mod find;
mod harmless;
mod phrases;
mod plain;
#[cfg(test)]
mod tests;

pub use find::{Order, orders, shapes};
pub use harmless::{LEFT_OUT, harmless, harmless_value, told};
