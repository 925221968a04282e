//! The data path: a batch of raw entries in, one durable commit out (specification, "The data path").
//!
//! `process.rs` runs a batch through its stages in order; each stage is a function on the batch's `Draft`. Deliberately
//! synchronous and single-threaded: one writer, one order. Reading, publishing and acknowledging are up to the daemon;
//! nothing here knows about Redis.

mod batch;
mod catalogue_reload;
pub mod clusters;
mod deps;
mod error;
mod gauges;
mod intake;
mod model;
mod open_index;
mod process;
pub mod reviews;
mod rules;
mod settings;
mod state;
mod store_sync;
mod upkeep;
mod working_set;

pub use batch::outcome::{BatchCounts, EntryOutcome, ProcessedBatch, class_index};
pub use batch::timings::Timings;
pub use catalogue_reload::{AnalyzerParts, BuildAnalyzerParts, CatalogueFiles, OwnCatalogue, catalogue_files, reasons};
pub use deps::Ports;
pub use error::PipelineError;
pub use intake::prefetch::Prefetch;
pub use model::progress::Progress;
pub use settings::{AdviceSettings, ChannelSettings, RuleSettings, Settings};
pub use state::Pipeline;
