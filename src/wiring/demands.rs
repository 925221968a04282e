//! What reviewers keep asking for: notes on what forge histories omitted, and the pipeline of a dry run.

use super::clock::clock;
use super::error::WiringError;
use super::pipeline::{dry_pipeline, pipeline};
use super::settings::decode_limits;
use crate::app::forges::history::SkippedNote;
use crate::app::reports::demands::Rehearsal;
use crate::config::Config;
use std::path::Path;

/// Maximum notes read; no installation has more repositories.
const MOST: usize = 1_000;

/// Returns the notes of imports and polls on forge histories. Unreadable notes are skipped.
pub fn noted(config: &Config) -> Vec<SkippedNote> {
    read(&config.state.dir.join("forges"))
}

/// Like [`noted`], evaluated on each call.
pub(super) fn noted_by(config: &Config) -> Box<dyn Fn() -> Vec<SkippedNote> + Send + Sync> {
    let dir = config.state.dir.join("forges");
    Box::new(move || read(&dir))
}

/// Returns a pipeline that shows what would be learned and writes nothing.
///
/// # Errors
/// If the embedder cannot be loaded.
pub fn rehearsal(config: &Config) -> Result<Rehearsal, WiringError> {
    Ok(Rehearsal::new(dry_pipeline(config, &[])?, clock(), decode_limits(config), config.intake.batch_max))
}

/// Returns the store's own pipeline for a history: what it teaches is kept.
///
/// # Errors
/// If there is no store, another process writes to it, or the embedder cannot be loaded.
pub fn lesson(config: &Config) -> Result<Rehearsal, WiringError> {
    Ok(Rehearsal::new(pipeline(config)?, clock(), decode_limits(config), config.intake.batch_max))
}

fn read(dir: &Path) -> Vec<SkippedNote> {
    let Ok(files) = std::fs::read_dir(dir) else { return Vec::new() };
    let notes =
        files.flatten().map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
    notes.take(MOST).filter_map(|path| SkippedNote::of(&std::fs::read_to_string(path).ok()?)).collect()
}
