//! The service layer on a real store, in this process: batches in, commits out, and queries on them.

mod advice;
mod ahead;
mod channels;
mod comments;
mod effectiveness;
mod hostile;
mod learning;
mod lineage;
mod lookups;
mod memory;
mod names;
mod personal;
mod pipeline;
mod readings;
pub mod reindex;
mod renewing;
pub mod rules;
mod secrets;
