//! Rules in force as an agent reads them: which ones, in which order, and the section of its prompt (specification,
//! "Rules").
//!
//! Measuring is done elsewhere: a rule's effect is an argument.

mod active;
mod bullet;
mod section;
#[cfg(test)]
mod tests;

pub use active::{ActiveRule, ActiveRules, AgentRules, active_json, agent_rules, deployed};
pub use bullet::bullets;
pub use section::{
    MAX_ACTIVE, Place, build_prompt, for_everybody, hold_out, in_prompt_order, line_of, may_apply, section, since,
};
