//! The state that the pipeline keeps between batches: a value that a batch copies, changes and returns.

mod channels;
pub mod comment_details;
mod examples;
mod keys;
mod load;
pub mod recent_files;
mod rule_entry;
mod rules;
mod value;

pub use channels::Dialogue;
pub use examples::Examples;
pub use keys::{
    about_key, action_key, advice_key, again_key, follow_up_key, injection_key, iteration_key, placed_key, reading_key,
    refinement_key, review_key, turn_key,
};
pub use load::{LoadError, member};
pub use rule_entry::RuleEntry;
pub use value::{CheckedPattern, CheckedWords, Silent, WorkingSet};
