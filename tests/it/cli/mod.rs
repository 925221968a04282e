//! The commands as people, CI and scripts see them.

mod catalogue;
mod channels;
mod clusters_review;
mod config;
mod eval;
mod inbox;
mod model;
mod offering;
mod prompting;
mod reading;
mod replay;
mod report;
mod roster;
