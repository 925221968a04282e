//! The composition root: from a configuration to a running application. The only module that knows both the service
//! layer and the adapters.

mod analyzer;
mod base_prompts;
mod clock;
mod clone;
mod config_check;
mod daemon;
mod daemon_status;
mod demands;
mod error;
mod forge_api;
mod forge_streams;
mod history;
mod hooks;
mod index;
mod model;
mod notifications;
mod oidc;
mod people;
mod pipeline;
mod purge;
mod purge_host;
mod queries;
mod read_access;
mod remote;
mod remote_options;
mod retag;
mod review_ui;
mod rule_pull_requests;
mod settings;
mod similarity;
mod store;
mod store_accept;
mod streams;
mod template;
mod traces;

pub use crate::adapters::git::InitOutcome;
pub use crate::adapters::redis::{Finding, MissingRight, Renaming};
pub use analyzer::{catalogue_files, understanding, understanding_of};
pub use clock::{clock, now};
pub use clone::cloned;
pub use config_check::check;
pub use daemon::daemon;
pub use daemon_status::ask_daemon;
pub use demands::{lesson, noted, rehearsal};
pub use error::WiringError;
pub use forge_streams::try_stream;
pub use history::{history, whole_history};
pub use hooks::heard_from;
pub use model::{advise, advisor, probe as probe_model};
pub use notifications::{ConfiguredEndpoint, notify_check, notify_states, notify_test};
pub use people::{people, tokens};
pub use pipeline::{advised_pipeline, dry_pipeline, pipeline, remembered};
pub use purge::{PurgeNotes, PurgeOf, purge, purge_survey};
pub use queries::asking;
pub use read_access::{comparing, making_index, reading, reindexing};
pub use remote::rehearse_push;
pub use retag::{renamings, retag};
pub use rule_pull_requests::{offer_of, offerings};
pub use settings::{asked, channel_settings, decode_limits, measuring, personal, report_limits};
pub use store::{add_to_roster, commit_keys, copy_store, init_store, read_file};
pub use store_accept::accept;
pub use streams::{
    append, entries, missing_rights, outcomes, probe, redis_route, resending, submitting, text_at, try_write,
};
