//! Activates changes to the store's own catalogue while the pipeline runs: pushed changes are applied between two
//! batches, as they would be at a start.
//!
//! Everything that depends on a catalogue changes at once: the understanding, the index with its vectors, the
//! near-neighbour search, and the sentences of base prompts. The working set is then reloaded from the index, so
//! nothing read differently is kept. An unusable catalogue changes nothing: the previous one stays in use as a whole.

use crate::comments::analyzer::{Analyzer, InUse};
use crate::domain::records::layout;
use crate::domain::rules::draft::restate::KnownSentence;
use crate::ports::{Index, IndexFiles, Knowledge, StoreError, StoreReader};
use crate::text::ids::CommitId;
use crate::text::language::catalogue::{Catalogue, Layers};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// The retry interval for a catalogue that could be read but not compiled: its embedder may be unavailable.
const TRY_AGAIN: SignedDuration = SignedDuration::from_mins(1);

/// The files of a store's own catalogue with their paths, sorted by path.
pub type CatalogueFiles = Vec<(String, String)>;

/// The components that depend on an understanding.
pub struct AnalyzerParts {
    /// The location of its index.
    pub index: Box<dyn IndexFiles + Send>,
    /// Its near-vector search, still empty.
    pub knowledge: Box<dyn Knowledge>,
    /// The sentences of the agents' base prompts, as it reads them.
    pub base_prompts: BTreeMap<String, Vec<KnownSentence>>,
}

/// Builds the components for an understanding; the error is a sentence.
pub type BuildAnalyzerParts = Box<dyn Fn(&Analyzer) -> Result<AnalyzerParts, String> + Send>;

/// The store's own catalogue at the start, and how to activate another one.
pub struct OwnCatalogue {
    /// The files.
    pub files: CatalogueFiles,
    /// Why some of them were left out, one reason per line.
    pub errors: Vec<String>,
    /// Builds the components for another understanding.
    pub fit: BuildAnalyzerParts,
}

impl OwnCatalogue {
    /// Records why these files are not activated.
    fn leave(&mut self, layers: &Layers) {
        self.errors = reasons(layers);
        for error in &self.errors {
            tracing::warn!(
                error,
                "the store's catalogue cannot be used; the previous one stays in use until it is fixed; run \
                 `feedbackd catalogue lint` for details"
            );
        }
    }
}

/// Returns why files of a catalogue cannot be used, one line per reason, starting with the file.
pub fn reasons(layers: &Layers) -> Vec<String> {
    let first_line = |text: String| text.lines().next().unwrap_or_default().to_owned();
    layers.errors().iter().map(|error| first_line(error.to_string())).collect()
}

/// Returns the files of the store's own catalogue at a commit.
///
/// # Errors
/// If the store cannot be read.
pub fn catalogue_files(store: &dyn StoreReader, at: &CommitId) -> Result<CatalogueFiles, StoreError> {
    let files = store.files_in(at, layout::CATALOGUE)?.into_iter().filter(|(name, _)| name.ends_with(".yaml"));
    let named = files
        .map(|(name, bytes)| (format!("{}{name}", layout::CATALOGUE), String::from_utf8_lossy(&bytes).into_owned()));
    Ok(named.collect())
}

/// The pipeline's state for the store's catalogue.
pub(super) struct CatalogueReload {
    in_use: Arc<InUse>,
    /// `None` if only the caller's files are ever read.
    own: Option<OwnCatalogue>,
    /// When to retry what could not be compiled.
    again_at: Option<Timestamp>,
    /// Since when one is being activated.
    since: Option<Instant>,
}

/// Another understanding with its components, ready to replace the present one.
pub(super) struct ReloadedAnalyzer {
    pub understanding: Arc<Analyzer>,
    pub fittings: AnalyzerParts,
    /// A placeholder for the index until there is one.
    pub stand_in: Box<dyn Index>,
}

impl CatalogueReload {
    pub fn new(understanding: Arc<Analyzer>, own: Option<OwnCatalogue>) -> CatalogueReload {
        CatalogueReload { in_use: Arc::new(InUse::new(understanding)), own, again_at: None, since: None }
    }

    pub fn in_use(&self) -> &Arc<InUse> {
        &self.in_use
    }

    /// Returns why the store's catalogue is not in use in its present form, one reason per line.
    pub fn errors(&self) -> &[String] {
        self.own.as_ref().map_or(&[], |own| &own.errors)
    }

    /// Reports whether a catalogue that could not be compiled is due for a retry.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.again_at.is_some_and(|at| at <= now)
    }

    /// Notes that the working set matches the store.
    pub fn done(&mut self) {
        if let Some(since) = self.since.take() {
            let took_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            let concerns = self.in_use.get().catalogue().concerns().len();
            tracing::info!(concerns, took_ms, "the store's current catalogue is in use");
        }
    }

    /// Returns what to use from now on, if the store's catalogue changed and is usable. Reports once what is not.
    pub fn look(
        &mut self,
        store: &dyn StoreReader,
        head: &CommitId,
        now: Timestamp,
    ) -> Result<Option<ReloadedAnalyzer>, StoreError> {
        let due = self.is_due(now);
        let Some(own) = &mut self.own else { return Ok(None) };
        let files = catalogue_files(store, head)?;
        if files == own.files && !due {
            return Ok(None);
        }
        own.files = files;
        self.again_at = None;
        let layers = Layers::over_shipped(&own.files);
        if !layers.errors().is_empty() {
            own.leave(&layers);
            return Ok(None);
        }
        let present = self.in_use.get();
        if layers.catalogue().fingerprint() == present.catalogue().fingerprint() {
            if !std::mem::take(&mut own.errors).is_empty() {
                tracing::info!("the store's catalogue again matches the one in use");
            }
            return Ok(None);
        }
        self.since = Some(Instant::now());
        match renewed(&present, layers.catalogue().clone(), &own.fit) {
            Ok(renewed) => {
                own.errors.clear();
                Ok(Some(renewed))
            }
            Err(reason) => {
                let error = format!("{}: {reason}", layout::CATALOGUE);
                if !own.errors.contains(&error) {
                    tracing::warn!(
                        reason,
                        "the store's catalogue has changed and cannot be compiled; the previous one stays in use, and \
                         compilation is retried every minute"
                    );
                }
                own.errors = vec![error];
                (self.since, self.again_at) = (None, now.checked_add(TRY_AGAIN).ok());
                Ok(None)
            }
        }
    }
}

/// Does everything that may fail before anything is changed.
fn renewed(present: &Analyzer, catalogue: Catalogue, fit: &BuildAnalyzerParts) -> Result<ReloadedAnalyzer, String> {
    let understanding = present.with(catalogue).map_err(|error| error.to_string())?;
    let fittings = fit(&understanding)?;
    let stand_in = fittings.index.scratch().map_err(|error| error.to_string())?;
    Ok(ReloadedAnalyzer { understanding: Arc::new(understanding), fittings, stand_in })
}
