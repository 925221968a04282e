//! What one key may hold: how it is checked, and what people are told.

use crate::settings::Config;

/// Its keys are gates: one rule for all of them.
pub const GATE_AGENTS: &str = "intake.gate_agents";
pub const NAME: &str = "a name without spaces or control characters";

/// What one key may hold.
pub struct Rule {
    /// `section.key`
    pub key: &'static str,
    /// In words, with the unit.
    pub allowed: &'static str,
    /// What to do when it is wrong.
    pub hint: &'static str,
    /// Whether it is right.
    pub ok: fn(&Config) -> bool,
}
