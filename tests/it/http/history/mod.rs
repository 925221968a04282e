//! History from a forge's API: earlier reviews, with everything that can go wrong.

mod bounds;
mod clone;
mod clones;
mod commands;
mod gerrit;
mod kinds;
mod learned;
mod replayed;
mod shop;
mod source;
mod stream;
