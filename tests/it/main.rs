//! The one integration binary: a file per behaviour.

mod git_store;
