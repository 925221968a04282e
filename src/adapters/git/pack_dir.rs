//! The directory of packs: a new pack becomes durable here or leaves no trace.

use super::error::at;
use super::pack::{Pack, verify};
use super::{idx, object::ObjectId};
use crate::ports::StoreError;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Prefix of our files before they get their names. Git also treats `tmp_*` as leftovers. They must not end in `.idx`:
/// readers would take them for an index.
const TEMPORARY: &str = "tmp_feedbackd_";

/// A `.pack` without `.idx` is left by a kill between the two renames. A person's push has such a pack for
/// milliseconds, but the file may be as old as the push is long, so only older ones are removed.
const ORPHAN_AGE: Duration = Duration::from_secs(3600);

/// Files that Git itself did not finish, as when its repack was killed.
const FOREIGN_AGE: Duration = Duration::from_secs(24 * 3600);

/// The directory of packs.
pub struct PackDir {
    path: PathBuf,
    sync: fn(&File) -> io::Result<()>,
}

impl PackDir {
    /// Returns the pack directory of a repository; `sync` makes a file or directory durable.
    pub fn new(repository: &Path, sync: fn(&File) -> io::Result<()>) -> PackDir {
        PackDir { path: repository.join("objects/pack"), sync }
    }

    /// Writes a pack and its index, reads them back, and makes both durable under their names: the pack before the
    /// index, because readers look for indexes. On error nothing is left behind.
    pub fn store(&self, pack: &Pack) -> Result<(), StoreError> {
        let name = ObjectId(pack.checksum).to_string();
        let index = idx::render(pack);
        let new_pack = self.write(&format!("pack_{name}"), &pack.bytes)?;
        let new_index = self.write(&format!("idx_{name}"), &index)?;
        feedbackd_ports::fail_point!("pack.written");
        let written = fs::read(&new_pack.path).map_err(at(&new_pack.path, "read"))?;
        verify(&written, &pack.objects, &pack.checksum)?;
        if fs::read(&new_index.path).map_err(at(&new_index.path, "read"))? != index {
            return Err(StoreError::Damaged("a new pack's index reads back differently".to_owned()));
        }
        self.sync_file(&new_pack)?;
        feedbackd_ports::fail_point!("pack.synced");
        self.sync_file(&new_index)?;
        feedbackd_ports::fail_point!("pack.index_synced");
        let pack_file = new_pack.rename(self.path.join(format!("pack-{name}.pack")))?;
        feedbackd_ports::fail_point!("pack.renamed");
        let index_file = new_index.rename(self.path.join(format!("pack-{name}.idx")))?;
        feedbackd_ports::fail_point!("pack.index_renamed");
        self.sync_directory()?;
        pack_file.keep();
        index_file.keep();
        Ok(())
    }

    /// Makes renames in this directory durable.
    pub fn sync_directory(&self) -> Result<(), StoreError> {
        let opened = File::open(&self.path).and_then(|directory| (self.sync)(&directory));
        opened.map_err(at(&self.path, "make durable"))
    }

    /// Counts the packs.
    pub fn count(&self) -> Result<usize, StoreError> {
        let entries = fs::read_dir(&self.path).map_err(at(&self.path, "list"))?;
        Ok(entries.flatten().filter(|e| has_extension(&e.path(), "pack")).count())
    }

    /// Removes leftovers. Only for the holder of the writer's lock.
    pub fn clean(&self, now: SystemTime) -> Result<(), StoreError> {
        for entry in fs::read_dir(&self.path).map_err(at(&self.path, "list"))?.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let ours = name.starts_with(TEMPORARY);
            let gits = (name.starts_with("tmp_") || name.starts_with(".tmp-")) && is_older(&entry, now, FOREIGN_AGE);
            let orphan = has_extension(&path, "pack")
                && !path.with_extension("idx").exists()
                && !path.with_extension("keep").exists()
                && is_older(&entry, now, ORPHAN_AGE);
            if ours || orphan || gits {
                remove(&path).map_err(at(&path, "remove"))?;
            }
        }
        Ok(())
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<TempPack, StoreError> {
        let path = self.path.join(format!("{TEMPORARY}{name}"));
        remove(&path).map_err(at(&path, "remove"))?;
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o444).open(&path);
        let file = opened.map_err(at(&path, "create"))?;
        let mut unfinished = TempPack { path, file: Some(file) };
        if let Some(file) = &mut unfinished.file {
            file.write_all(content).map_err(at(&unfinished.path, "write"))?;
        }
        Ok(unfinished)
    }

    fn sync_file(&self, unfinished: &TempPack) -> Result<(), StoreError> {
        unfinished.file.as_ref().map_or(Ok(()), self.sync).map_err(at(&unfinished.path, "make durable"))
    }
}

/// A file that is removed unless kept.
struct TempPack {
    path: PathBuf,
    file: Option<File>,
}

impl TempPack {
    fn rename(mut self, to: PathBuf) -> Result<TempPack, StoreError> {
        fs::rename(&self.path, &to).map_err(at(&to, "rename a new file to"))?;
        self.path = to;
        Ok(self)
    }

    fn keep(mut self) {
        self.path = PathBuf::new();
    }
}

impl Drop for TempPack {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // The original error matters more; leftovers are removed at the next start.
            let _ = remove(&self.path);
        }
    }
}

/// Removes a file, which need not exist.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension() == Some(OsStr::new(extension))
}

fn is_older(entry: &fs::DirEntry, now: SystemTime, age: Duration) -> bool {
    let modified = entry.metadata().and_then(|m| m.modified());
    modified.is_ok_and(|modified| now.duration_since(modified).is_ok_and(|passed| passed > age))
}
