//! What agents are told, and whether it helped.
//!
//! Input: the rules in force, other tools' files, and the decisions before and after a rule. Output: prompts, files,
//! imported rules, and a verdict on each rule. It may use `drafting` and `lifecycle`.

pub mod effect;
pub mod export;
pub mod import;
pub mod prompt;
pub mod pull_request;
