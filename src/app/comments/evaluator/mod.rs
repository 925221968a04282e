//! Evaluates feedback: finds its neighbours, has the domain judge it alone and in its cluster, and finds questions and
//! comments similar to rules.
//!
//! Read-only: the caller acts on the results (`app::pipeline`).

mod batch_vectors;
mod detached;
mod judge;
mod near;
mod similar;
mod vectors;

pub use crate::ports::KnowledgeError;
pub use batch_vectors::BatchVectors;
pub use detached::DetachedComments;
pub use judge::Findings;
pub use near::{Evaluator, NearComments, NearVectors};
pub use similar::Likes;
pub use vectors::{CommentVectors, remark};
