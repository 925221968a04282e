//! The documents are correct: their links work, what they name exists, and their commands run.

mod commands;
mod markdown;
mod names;
mod reviews;
mod world;
