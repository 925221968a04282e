//! The data path: a batch of raw entries in, one durable commit out (specification, "The data path").
//!
//! `process.rs` is the way of a batch, one stage after the other; each stage is a function on the batch's `Draft`. Synchronous
//! and single-threaded on purpose: one writer, one order. Reading, publishing and acknowledging are the daemon's work;
//! nothing here knows Redis.

mod advice;
mod advising;
mod arriving;
pub mod asking;
mod capture;
mod cards;
mod choosing;
mod commit;
mod completing;
mod decide;
mod decode;
mod draft;
mod drafting;
mod edge_cases;
mod error;
mod evidence;
mod filing;
mod finish;
mod hearing;
mod judging;
pub mod learning;
mod leaving;
mod marking;
mod measuring;
mod memory;
mod noting;
mod open_index;
mod outcome;
mod outside;
mod place;
mod process;
mod proposing;
mod read;
mod recent;
mod regrouping;
mod rejecting;
mod renewing;
mod rereading;
mod reviews;
mod rules;
mod rules_upkeep;
mod said;
mod settings;
mod sorting;
mod staging;
mod state;
mod summary;
mod taking_up;
mod teaching;
mod tiebreaks;
mod timings;
mod unread;
mod upkeep;
mod withdrawing;

pub use error::PipelineError;
pub use outcome::{BatchCounts, EntryOutcome, Processed, class_index};
pub use outside::Ports;
pub use renewing::{CatalogueFiles, Fit, Fittings, OwnCatalogue, catalogue_files, reasons};
pub use settings::{AdviceSettings, ChannelSettings, RuleSettings, Settings};
pub use state::Pipeline;
pub use timings::Timings;
