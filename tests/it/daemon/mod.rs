//! The daemon as a process: on a real Redis and a real store, killed and cut off.

mod kill;
mod serve;
