//! `catalogue lint|list|show|test|learn`: what the catalogue of concerns says, whether it is sound, and why a remark goes
//! where it goes.
//!
//! It reads the shipped files and the store's own above them; a store is not needed.

mod command;
mod learn;

pub use command::{Command, run};
