//! The documents are true: their links lead somewhere, what they name exists, and their commands work.

mod commands;
mod markdown;
mod names;
mod world;
