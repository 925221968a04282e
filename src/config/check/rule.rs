//! The rule for one key: its check and its messages.

use crate::settings::Config;

/// Its keys are gates: one rule covers them all.
pub const GATE_AGENTS: &str = "intake.gate_agents";
pub const NAME: &str = "a name without spaces or control characters";

/// The rule for one key.
pub struct Rule {
    /// `section.key`
    pub key: &'static str,
    /// The allowed values in words, with the unit.
    pub allowed: &'static str,
    /// What to do if the value is wrong.
    pub hint: &'static str,
    /// Whether the value is valid.
    pub ok: fn(&Config) -> bool,
}
