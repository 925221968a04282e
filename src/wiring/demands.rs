//! What reviewers keep asking for: who knows what was left out of the histories of forges, and the pipeline of a dry run.

use super::clock::clock;
use super::error::WiringError;
use super::pipeline::dry_pipeline;
use super::settings::decode_limits;
use crate::app::forges::history::Noted;
use crate::app::reports::demands::Rehearsal;
use crate::config::Config;
use std::path::Path;

/// So many notes are read; nobody has more repositories.
const MOST: usize = 1_000;

/// What imports and looks noted of the histories of forges. A note that cannot be read says nothing.
pub fn noted(config: &Config) -> Vec<Noted> {
    read(&config.state.dir.join("forges"))
}

/// The same, whenever somebody asks.
pub(super) fn noted_by(config: &Config) -> Box<dyn Fn() -> Vec<Noted> + Send + Sync> {
    let dir = config.state.dir.join("forges");
    Box::new(move || read(&dir))
}

/// A pipeline that says what would be learned and writes nowhere.
///
/// # Errors
/// When the embedder cannot be loaded.
pub fn rehearsal(config: &Config) -> Result<Rehearsal, WiringError> {
    Ok(Rehearsal::new(dry_pipeline(config, &[])?, clock(), decode_limits(config), config.intake.batch_max))
}

fn read(dir: &Path) -> Vec<Noted> {
    let Ok(files) = std::fs::read_dir(dir) else { return Vec::new() };
    let notes =
        files.flatten().map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
    notes.take(MOST).filter_map(|path| Noted::of(&std::fs::read_to_string(path).ok()?)).collect()
}
