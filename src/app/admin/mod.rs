//! Administration: tokens, checks of the whole store, the index rebuilt, secrets and people removed from the history.

pub mod daemon_status;
pub mod dead_letters;
pub mod health;
pub mod purge;
pub mod reindex;
pub mod selftest;
pub mod tokens;
pub mod verify;
