//! What a feedback is: its neighbours are found, the domain judges it alone and in its group, and finds the questions and
//! the rules' like.
//!
//! It reads, and changes nothing: what follows is done by whoever asks (`app::pipeline`).

mod batch_vectors;
mod detached;
mod judge;
mod near;
mod similar;
mod vectors;

pub use crate::ports::KnowledgeError;
pub use batch_vectors::Added;
pub use detached::Remembered;
pub use judge::Judged;
pub use near::{Evaluator, Found, Near};
pub use similar::Likes;
pub use vectors::{Remarks, remark};
