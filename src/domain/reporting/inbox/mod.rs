//! Items pending for a person: whose turn it is, and the value of an answer. Pure; finding pending items is up to the
//! caller.

mod item;
mod snooze;
mod turn;
pub mod worth;

pub use item::{Changed, Evidence, Item, Kind, Progress, Section};
pub use snooze::{MAX_SNOOZE_DAYS, Snooze, check_day, snoozes};
pub use turn::{Turn, turn};
