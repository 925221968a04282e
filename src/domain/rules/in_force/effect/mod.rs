//! Whether a rule helped: the rate of its correction per decision of its agents, before and after (specification,
//! "Rules").
//!
//! Pure: outcomes in, a verdict out; the same history gives the same verdict. A before/after comparison cannot separate
//! the rule from other changes at the time, nor correct for a rule being proposed just when its correction was
//! frequent. [`compare`] on prompts with and without the rule avoids both.

mod assess;
mod assessment;
mod explain;
mod looks;
#[cfg(test)]
mod tests;

pub use assess::{assess, compare, holds_out};
pub use assessment::{Assessment, Comparison, EffectPolicy, EffectVerdict, Observation};
