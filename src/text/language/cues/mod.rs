//! Cues: exact signs of a demand in a comment, in the code it stands on, and in what its suggestion changes.
//!
//! The catalogue's concerns say what is demanded; their cues say how that is recognised without doubt. In come a comment
//! and its code; out go the concerns whose cues match, each with what showed it. What has no cue is read by nearness, which
//! is never as sure.

mod code;
mod compiled;
mod expression;
mod literals;
mod sentences;
mod source;

pub use code::Code;
pub use compiled::{Cues, Recognised};
pub use sentences::sentences;
pub use source::{BACK_REFERENCE, ConcernCues, Cue, CueError, NONE};
