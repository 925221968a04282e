//! The pure domain: what a decision says, what it means together with earlier ones, and what follows from it.
//!
//! Nothing here is asynchronous, reads a clock, draws a random number or touches a file. `now` is an argument.

use feedbackd_text as text;

pub mod channels;
pub mod clusters;
pub mod identity;
pub mod intake;
pub mod interval;
pub mod json;
pub mod records;
pub mod reporting;
pub mod rules;
pub mod source;
#[doc(hidden)]
pub mod testing;
pub mod timestamp;
