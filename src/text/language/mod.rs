//! The meaning of a text, and the similarity of two texts.
//!
//! Input: comments and other texts, vectors computed elsewhere, and the catalogue of concerns. Output: what a comment
//! demands and its direction, the concern it voices, how similar two texts are, and whether a text can be a rule. Who
//! said it, and when, is not known here. This room may depend only on the leaves.

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
