//! The groups that remarks form: what is kept of them, who joins whom, and what people say about it.

mod apart;
mod concern;
mod core;
mod gather;
mod join;
mod judged;
mod kept;
mod people;
mod reread;
mod target;

pub use apart::Group;
pub use join::Joined;
pub use kept::{Groups, LOOKED_AT};
pub use reread::Left;

#[cfg(test)]
mod tests;
