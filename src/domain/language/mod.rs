//! What a text says, and how near two texts are.

pub mod catalogue;
pub mod direction;
pub(crate) mod fold;
pub mod linear;
pub mod remark;
pub mod similarity;
pub mod specificity;
pub mod stance;
