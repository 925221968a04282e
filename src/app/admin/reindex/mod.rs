//! Keeping the index true to the store: bringing it up to a commit, making it anew, or only comparing the two.

mod catch_up;
mod difference;

pub(crate) use catch_up::take_up;
pub use catch_up::{CHUNK, ReindexError, catch_up, rebuild};
pub use difference::{Difference, check};
