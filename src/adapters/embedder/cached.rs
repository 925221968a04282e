//! Caches vectors that are slow to compute: those of recent texts in memory, those needed at every start in a file.
//!
//! A cached file is checked, and rebuilt if it is missing, damaged or from another model. It grows only when the
//! catalogue is edited, and is removed when the model changes.

use crate::ports::{EmbedError, Embedder};
use crate::text::language::similarity::Embedding;
use lru::LruCache;
use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Cached texts: more than are requested between preparing a chunk and reading it.
const RECENT: NonZeroUsize = NonZeroUsize::new(4096).unwrap();
/// How many of the texts needed at every start are embedded between saves.
const STEP: usize = 2048;
/// The pause after a failure: a caller that requests many texts one by one must not wait for each.
const PAUSE: Duration = Duration::from_secs(2);
const HEAD: &[u8] = b"feedbackd vectors 1\n";
const HASH: usize = blake3::OUT_LEN;

/// Vectors by text hash.
type Vectors = BTreeMap<[u8; HASH], Option<Embedding>>;

/// An embedder with cached vectors.
pub struct CachedEmbedder {
    inner: Box<dyn Embedder>,
    dir: PathBuf,
    recent: Mutex<LruCache<String, Option<Embedding>>>,
    failure: Mutex<Option<(Instant, EmbedError)>>,
}

impl CachedEmbedder {
    /// Caches the vectors of an embedder, with files in `dir`. If that directory does not exist or is not writable,
    /// nothing is saved and a warning is logged.
    pub fn new(inner: Box<dyn Embedder>, dir: &Path) -> CachedEmbedder {
        CachedEmbedder {
            inner,
            dir: dir.to_owned(),
            recent: Mutex::new(LruCache::new(RECENT)),
            failure: Mutex::default(),
        }
    }

    fn recent(&self) -> MutexGuard<'_, LruCache<String, Option<Embedding>>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        let failure = || self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, error)) = &*failure()
            && at.elapsed() < PAUSE
        {
            return Err(error.clone());
        }
        let found = self.inner.embed(texts);
        *failure() = found.as_ref().err().map(|error| (Instant::now(), error.clone()));
        found
    }

    /// Computes vectors and caches them.
    fn learn(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        let vectors = self.ask(texts)?;
        let mut recent = self.recent();
        for (text, vector) in texts.iter().zip(&vectors) {
            recent.put(text.clone(), vector.clone());
        }
        Ok(vectors)
    }
}

impl Embedder for CachedEmbedder {
    fn embed(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        let mut vectors: Vec<Option<Embedding>> = {
            let mut recent = self.recent();
            texts.iter().map_while(|text| recent.get(text).cloned()).collect()
        };
        // Usually all are known; otherwise the rest is requested in one go.
        let rest = &texts[vectors.len()..];
        if !rest.is_empty() {
            vectors.extend(self.learn(rest)?);
        }
        Ok(vectors)
    }

    fn embed_lasting(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        let path = file(&self.dir, "vectors", self.id());
        let mut known = read(&path).unwrap_or_default();
        let mut seen = HashSet::new();
        let unknown = |text: &&String| !known.contains_key(&hash(text)) && seen.insert(hash(text));
        let missing: Vec<String> = texts.iter().filter(unknown).cloned().collect();
        for (step, some) in missing.chunks(STEP).enumerate() {
            let (made, of) = (step * STEP, missing.len());
            tracing::info!(
                made,
                of,
                embedder = self.id(),
                "the catalogue's vectors are computed and saved for later \
                                                            starts"
            );
            let vectors = self.ask(some)?;
            known.extend(some.iter().map(|text| hash(text)).zip(vectors));
            if let Err(error) = write(&self.dir, &path, &known) {
                tracing::warn!(%error, path = %path.display(), "vectors cannot be saved; the next start computes them \
                                                             again");
            }
        }
        Ok(texts.iter().map(|text| known.get(&hash(text)).cloned().flatten()).collect())
    }

    fn prepare(&self, texts: &mut dyn Iterator<Item = String>) -> Result<(), EmbedError> {
        let mut seen = HashSet::new();
        let mut unknown: Vec<String> = {
            let mut recent = self.recent();
            texts.filter(|text| recent.get(text).is_none() && seen.insert(text.clone())).collect()
        };
        unknown.truncate(RECENT.get());
        if unknown.is_empty() { Ok(()) } else { self.learn(&unknown).map(drop) }
    }

    fn id(&self) -> &str {
        self.inner.id()
    }
}

/// Returns the vector that the model of this name last gave for a text; `None` if unknown.
pub(super) fn remembered(dir: &Path, name: &str, text: &str) -> Option<Embedding> {
    read(&file(dir, "probe", name))?.remove(&hash(text)).flatten()
}

/// Saves the vector that a model gave for a text, see [`remembered`].
pub(super) fn remember(dir: &Path, name: &str, text: &str, said: &Embedding) {
    let path = file(dir, "probe", name);
    if let Err(error) = write(dir, &path, &Vectors::from([(hash(text), Some(said.clone()))])) {
        tracing::warn!(%error, path = %path.display(), "the model's answer cannot be saved");
    }
}

fn hash(text: &str) -> [u8; HASH] {
    *blake3::hash(text.as_bytes()).as_bytes()
}

fn file(dir: &Path, kind: &str, name: &str) -> PathBuf {
    dir.join(format!("{kind}-{}", &blake3::hash(name.as_bytes()).to_hex()[..16]))
}

/// Returns `None` for anything [`write()`] did not write.
fn read(path: &Path) -> Option<Vectors> {
    let bytes = std::fs::read(path).ok()?;
    let (sum, mut content) = bytes.strip_prefix(HEAD)?.split_first_chunk::<HASH>()?;
    if blake3::hash(content).as_bytes() != sum {
        return None;
    }
    let mut vectors = Vectors::new();
    while !content.is_empty() {
        let (text, rest) = content.split_first_chunk::<HASH>()?;
        let (size, rest) = rest.split_first_chunk::<4>()?;
        let (vector, rest) = rest.split_at_checked(u32::from_le_bytes(*size) as usize)?;
        vectors.insert(*text, if vector.is_empty() { None } else { Some(Embedding::from_bytes(vector)?) });
        content = rest;
    }
    Some(vectors)
}

/// Writes atomically: a header, a checksum, then each text's hash and vector with its length, 0 for none. Removes other
/// files of the kind, which belong to another model.
fn write(dir: &Path, path: &Path, vectors: &Vectors) -> std::io::Result<()> {
    if !dir.is_dir() {
        return Err(std::io::Error::new(std::io::ErrorKind::NotFound, "there is no state directory"));
    }
    let mut content = Vec::new();
    for (text, vector) in vectors {
        let bytes = vector.as_ref().map(Embedding::to_bytes).unwrap_or_default();
        content.extend(text);
        content.extend(u32::try_from(bytes.len()).unwrap_or(0).to_le_bytes());
        content.extend(bytes);
    }
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(&[HEAD, blake3::hash(&content).as_bytes(), &content].concat())?;
    file.persist(path)?;
    let kind = |path: &Path| Some(path.file_name()?.to_str()?.split_once('-')?.0.to_owned());
    for other in std::fs::read_dir(dir)?.flatten().map(|entry| entry.path()) {
        if other != path && kind(&other) == kind(path) {
            let _ = std::fs::remove_file(other);
        }
    }
    Ok(())
}
