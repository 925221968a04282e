//! The composition root: from a configuration to a running application. The only module that names the service layer
//! and the adapters.

mod accepting;
mod alive;
mod asking;
mod base_prompts;
mod checking;
mod clock;
mod daemon;
mod error;
mod history;
mod hooks;
mod index;
mod model;
mod oidc;
mod people;
mod pipeline;
mod purging;
mod reading;
mod review_ui;
mod settings;
mod similarity;
mod store;
mod streams;
mod telling;
mod template;
mod understanding;

pub use crate::adapters::git::InitOutcome;
pub use crate::adapters::redis::Finding;
pub use accepting::accept;
pub use alive::ask_daemon;
pub use asking::asking;
pub use checking::check;
pub use clock::{clock, now};
pub use daemon::daemon;
pub use error::WiringError;
pub use history::history;
pub use model::{advisor, answer_by_labels};
pub use people::{people, tokens};
pub use pipeline::{advised_pipeline, dry_pipeline, pipeline, remembered};
pub use purging::{PurgeNotes, PurgeOf, purge, purge_survey};
pub use reading::{comparing, reading, reindexing};
pub use settings::{asked, channel_settings, decode_limits, measuring, personal, report_limits};
pub use store::{commit_keys, init_store, read_file};
pub use streams::{append, entries, outcomes, probe, resending, submitting, text_at, try_write};
pub use telling::{ConfiguredEndpoint, notify_check, notify_states, notify_test};
pub use understanding::{catalogue_files, understanding, understanding_of};
