//! The Git store: a bare repository that holds every record, read through libgit2 and written by us.
//!
//! A commit is one pack and its index, written directly: blobs, changed trees, the commit. Trees are kept in memory
//! between commits. libgit2 reads objects and moves the branch; it is not visible outside this module. A person's
//! commits on the branch are picked up, never overwritten.
//!
//! Only `git` itself talks to other machines, as a child (`remote`).
//!
//! Deliberately absent: deltas (they cost more CPU than they are worth here), a worktree (people clone), and pruning
//! (history is append-only, except for `purge`).

#![allow(clippy::disallowed_types, reason = "this is the adapter that owns Git")]

mod clone;
mod commit;
mod diff;
mod error;
#[cfg(fuzzing)]
mod fuzz;
mod history;
mod idx;
mod init;
mod join;
mod lock;
mod maintenance;
mod object;
mod pack;
mod pack_dir;
mod path;
mod permissions;
mod person_commit;
mod pool;
mod process_group;
mod purge;
mod reader;
mod remote;
mod rewrite;
mod scrub;
mod signature;
mod tree;
mod writer;

pub use clone::GitClone;
pub use init::{InitOutcome, check, init, init_from};
pub use person_commit::commit_aside;
pub use purge::GitPurger;
pub use reader::GitReader;
pub use remote::{GitRemote, RemoteOptions};
pub use signature::CommitKey;
pub use writer::{GitWriter, WriterOptions};

#[cfg(fuzzing)]
pub use fuzz::fuzz_tree;
