//! Cues: exact signs of a demand in a comment, in the code it is attached to, and in the changes it suggests.
//!
//! The catalogue's concerns define what is demanded; their cues define how it is recognized with certainty. Input: a
//! comment and its code. Output: the concerns whose cues match, each with its proof. Anything without a cue is read by
//! nearness, which is never as certain.

mod code;
mod compiled;
mod expression;
mod literals;
mod sentences;
mod source;

pub use code::Code;
pub use compiled::{CueMatch, Cues};
pub use sentences::sentences;
pub use source::{BACK_REFERENCE, ConcernCues, Cue, CueError, NONE};
