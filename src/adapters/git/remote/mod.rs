//! The repository at a Git host: pushes and fetches by `git` as a child process. libgit2 takes ten times as long for a
//! first push, and knows neither ssh's configuration nor the host's words.
//!
//! Nothing is forced, and no secret is an argument, part of an address, or in the environment.

mod child;
mod command;
mod host;
mod options;
mod words;

pub use host::GitRemote;
pub use options::RemoteOptions;
