//! What a text says, and how near two texts are.
//!
//! In come remarks and other texts, vectors that were made of them elsewhere, and the catalogue of concerns. Out go what
//! a remark demands and which way it points, the concern it voices, how similar two texts are, and whether a text can be
//! a rule. Who said it, and when, is not known here. This room may look into the leaves alone.

pub mod catalogue;
pub mod comment;
pub mod cues;
pub mod direction;
pub mod fold;
pub mod guard;
pub mod linear;
pub mod model_reading;
pub mod similarity;
pub mod specificity;
pub mod stance;
