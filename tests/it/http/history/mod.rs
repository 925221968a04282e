//! History from a forge's API: what was reviewed before anybody listened, with all that goes wrong on the way.

mod bounds;
mod clone;
mod clones;
mod commands;
mod gerrit;
mod kinds;
mod learned;
mod replayed;
mod shop;
mod stream;
