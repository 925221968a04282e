//! What a feedback is: its neighbours are found, the domain judges it alone and in its group, and finds the questions and
//! the rules' like.
//!
//! It reads, and changes nothing: what follows is done by whoever asks (`app::pipeline`).

mod added;
mod judge;
mod like;
mod near;
mod remarks;
mod remembered;

pub use crate::ports::KnowledgeError;
pub use added::Added;
pub use judge::Judged;
pub use like::Likes;
pub use near::{Evaluator, Found, Near};
pub use remarks::{Remarks, remark};
pub use remembered::Remembered;
