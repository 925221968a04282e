//! Re-reads all packs gradually, to find flipped bits on disk before the object is needed.
//!
//! Packs and their indexes end with the SHA-1 of all preceding bytes. Reading single objects never verifies it.

use super::error::at;
use super::object::ObjectId;
use crate::ports::StoreError;
use sha1::{Digest, Sha1};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes read at a time: few enough not to delay anything.
const STEP: usize = 16 << 20;
/// How often everything is read. The first pass is after startup.
const EVERY: Duration = Duration::from_secs(7 * 24 * 3600);
const CHECKSUM: u64 = 20;

/// A pass over all packs and indexes.
#[derive(Default)]
pub struct Scrub {
    left: Vec<PathBuf>,
    file: Option<PartialRead>,
    /// When this pass started.
    began: Option<Instant>,
    damaged: BTreeSet<PathBuf>,
}

/// A partially read file.
struct PartialRead {
    path: PathBuf,
    file: File,
    digest: Sha1,
    left: u64,
}

impl Scrub {
    /// Reads the next portion.
    ///
    /// # Errors
    /// `Damaged` if a file is not what was written; once per file.
    pub fn step(&mut self, packs: &Path) -> Result<(), StoreError> {
        if self.file.is_none() && self.left.is_empty() {
            if self.began.is_some_and(|began| began.elapsed() < EVERY) {
                return Ok(());
            }
            self.began = Some(Instant::now());
            self.left = listed(packs).map_err(at(packs, "list"))?;
        }
        let mut budget = STEP;
        while budget > 0 {
            let Some(mut reading) = self.file.take().or_else(|| self.next()) else { return Ok(()) };
            match reading.read_on(&mut budget) {
                Ok(None) => self.file = Some(reading),
                Ok(Some(true)) => {}
                Ok(Some(false)) => return self.found(reading.path),
                Err(_) if !reading.path.exists() => {}
                Err(error) => return Err(at(&reading.path, "read")(error)),
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Option<PartialRead> {
        // Missing packs were combined with others.
        std::iter::from_fn(|| self.left.pop()).find_map(|path| PartialRead::open(path).ok())
    }

    fn found(&mut self, path: PathBuf) -> Result<(), StoreError> {
        let message = format!(
            "{} is corrupt: its checksum differs; `git fsck --full` shows what is missing; restore it from a clone or \
             a backup",
            path.display()
        );
        match self.damaged.insert(path) {
            true => Err(StoreError::Damaged(message)),
            false => Ok(()),
        }
    }
}

impl PartialRead {
    fn open(path: PathBuf) -> io::Result<PartialRead> {
        let file = File::open(&path)?;
        let left = file.metadata()?.len().saturating_sub(CHECKSUM);
        Ok(PartialRead { path, file, digest: Sha1::new(), left })
    }

    /// Reports whether it is what was written; `None` if there is more to read than `budget` allows.
    fn read_on(&mut self, budget: &mut usize) -> io::Result<Option<bool>> {
        let mut chunk = vec![0; 1 << 16];
        while self.left > 0 {
            if *budget == 0 {
                return Ok(None);
            }
            let wanted = chunk.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
            self.file.read_exact(&mut chunk[..wanted])?;
            self.digest.update(&chunk[..wanted]);
            self.left -= wanted as u64;
            *budget = budget.saturating_sub(wanted);
        }
        let mut written = [0; CHECKSUM as usize];
        self.file.read_exact(&mut written)?;
        let read: [u8; CHECKSUM as usize] = std::mem::take(&mut self.digest).finalize().into();
        Ok(Some(ObjectId(read) == ObjectId(written)))
    }
}

fn listed(packs: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(packs)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    let is_ours = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "pack" || kind == "idx");
    Ok(paths.into_iter().filter(is_ours).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_bit_is_found_once_and_named() {
        let directory = tempfile::tempdir().expect("a directory");
        let content = vec![7u8; 3 * STEP / 2];
        let sum: [u8; 20] = Sha1::digest(&content).into();
        for name in ["a.pack", "b.idx", "c.pack"] {
            fs::write(directory.path().join(name), [&content[..], &sum].concat()).expect("a file");
        }
        fs::write(directory.path().join("tmp_x"), "no checksum").expect("a file");
        let mut whole = Scrub::default();
        for _ in 0..10 {
            whole.step(directory.path()).expect("nothing is wrong");
        }
        let mut flipped = [&content[..], &sum].concat();
        flipped[STEP] ^= 4;
        fs::write(directory.path().join("b.idx"), flipped).expect("a file");
        let mut scrub = Scrub::default();
        let found: Vec<String> =
            (0..10).filter_map(|_| scrub.step(directory.path()).err()).map(|error| error.to_string()).collect();
        assert!(found.len() == 1 && found[0].contains("b.idx"), "{found:?}");
        assert!(whole.step(directory.path()).is_ok(), "the next pass is due in a week");
    }
}
