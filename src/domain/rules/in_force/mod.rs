//! What agents are told, and whether it helped.
//!
//! In come the rules in force, the files of other tools, and the decisions before and after a rule. Out go prompts, files,
//! imported rules, and a verdict on each rule. It may look into `drafting` and `lifecycle`.

pub mod effect;
pub mod export;
pub mod import;
pub mod prompt;
pub mod pull_request;
