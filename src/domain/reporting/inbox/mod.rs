//! What waits for a person: whose turn it is, and what an answer is worth. Pure; finding what waits is the caller's work.

mod item;
mod turn;
pub mod worth;

pub use item::{Changed, Item, Kind, Progress};
pub use turn::{Turn, turn};
