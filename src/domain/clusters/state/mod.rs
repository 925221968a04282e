//! The clusters that comments form: their data, how comments join, and people's decisions.

mod apart;
mod clusters;
mod concern;
mod core;
mod gather;
mod join;
mod model_confirmed;
mod people;
mod reread;
mod target;

pub use apart::Group;
pub use clusters::{Groups, LOOKED_AT};
pub use join::Joined;
pub use reread::Left;

#[cfg(test)]
mod tests;
