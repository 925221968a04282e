//! Whether a rule helped: the rate of its correction per decision of its agents, before and after (specification,
//! "Rules").
//!
//! Pure: outcomes in, a verdict out; the same history gives the same verdict. It compares the time before with the
//! time after and so cannot tell the rule from whatever else changed then; nor does it undo that a rule is proposed
//! just when its correction was frequent. [`compare`] on prompts with and without the rule is free of both.

mod assess;
mod assessment;
mod explain;
mod looks;
#[cfg(test)]
mod tests;

pub use assess::{assess, compare, holds_out};
pub use assessment::{Assessment, Comparison, EffectPolicy, EffectVerdict, Observation};
