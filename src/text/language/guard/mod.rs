//! The single guard for texts that programs read as instructions: prompts, planner input, suggestions.
//!
//! Input: an untrusted text. Output: where it addresses its reader instead of the work, where it resembles the
//! structure of a prompt, and the same text made harmless. It sees texts as a reader does: look-alikes, wide letters
//! and marks around words make no difference. It does not judge whether a text is a good rule.

mod find;
mod harmless;
mod phrases;
mod plain;
#[cfg(test)]
mod tests;

pub use find::{Order, orders, shapes};
pub use harmless::{LEFT_OUT, harmless, harmless_value, told};
