//! Index maintenance: bringing it up to a commit, rebuilding it, or only comparing it with the store.

mod catch_up;
mod difference;

pub(crate) use catch_up::take_up;
pub use catch_up::{CHUNK, ReindexError, catch_up, rebuild};
pub use difference::{Difference, check};
