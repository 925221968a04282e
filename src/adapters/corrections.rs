//! Reads the diffs that decisions reference by path, below one configured directory and never outside it.
//!
//! It does not validate the content. An error is the end of a sentence that starts with the path (specification,
//! "Decisions").

use crate::ports::CorrectionFiles;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// Correction files below a directory.
#[derive(Clone, Debug)]
pub struct CorrectionDir {
    root: Option<PathBuf>,
    max_bytes: u64,
}

impl CorrectionDir {
    /// Reads files below `root`, up to `max_bytes` each. Without a root nothing can be read.
    pub fn new(root: Option<PathBuf>, max_bytes: u64) -> CorrectionDir {
        CorrectionDir { root, max_bytes }
    }

    /// Resolves a path to the real path of a file below the real root.
    fn resolve(&self, path: &str) -> Result<PathBuf, String> {
        let root = self.root.as_ref().ok_or("was not read, because no directory for corrections is configured")?;
        let relative = Path::new(path);
        let plain = relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        // A backslash is a separator on other systems, and no publisher needs one.
        if path.is_empty() || !plain || path.contains(['\\', '\0']) {
            return Err("was not read, because it is not a plain path below the configured directory".into());
        }
        let root =
            root.canonicalize().map_err(|e| format!("was not read, because the configured directory {}", why(&e)))?;
        let real = root.join(relative).canonicalize().map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => "was not found below the configured directory".to_owned(),
            _ => why(&error),
        })?;
        if !real.starts_with(&root) {
            return Err("was not read, because it points outside the configured directory".into());
        }
        Ok(real)
    }
}

impl CorrectionFiles for CorrectionDir {
    fn read(&self, path: &str) -> Result<String, String> {
        let real = self.resolve(path)?;
        // Checked before opening: opening a FIFO would block until it has a writer.
        let metadata = real.symlink_metadata().map_err(|e| why(&e))?;
        if !metadata.is_file() {
            return Err("is not a regular file".into());
        }
        let mut bytes = Vec::new();
        let mut file = File::open(&real).map_err(|e| why(&e))?.take(self.max_bytes.saturating_add(1));
        file.read_to_end(&mut bytes).map_err(|e| why(&e))?;
        if bytes.len() as u64 > self.max_bytes {
            return Err(format!("is larger than the limit of {} bytes", self.max_bytes));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn why(error: &std::io::Error) -> String {
    format!("could not be read ({})", error.kind())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Place {
        _dir: tempfile::TempDir,
        files: CorrectionDir,
        root: PathBuf,
    }

    fn place() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("diffs")).unwrap();
        fs::write(root.join("diffs/a.patch"), "--- a\n+++ b\n").unwrap();
        fs::write(dir.path().join("outside"), "secret").unwrap();
        let files = CorrectionDir::new(Some(root.clone()), 100);
        Place { _dir: dir, files, root }
    }

    #[test]
    fn reads_below_the_root() {
        let place = place();
        assert_eq!(place.files.read("diffs/a.patch").as_deref(), Ok("--- a\n+++ b\n"));
        assert_eq!(place.files.read("./diffs/a.patch").as_deref(), Ok("--- a\n+++ b\n"));
        fs::write(place.root.join("latin"), b"caf\xe9").unwrap();
        assert_eq!(place.files.read("latin").as_deref(), Ok("caf\u{fffd}"));
    }

    #[test]
    fn paths_that_leave_the_root_are_refused() {
        let place = place();
        let absolute = place.root.join("diffs/a.patch");
        let leaving = [
            "",
            "../outside",
            "diffs/../../outside",
            "diffs/../diffs/a.patch",
            "/etc/passwd",
            absolute.to_str().unwrap(),
            "..\\outside",
            "a\0b",
        ];
        for path in leaving {
            let refused = place.files.read(path).unwrap_err();
            assert!(refused.contains("not a plain path"), "{path:?}: {refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_may_stay_inside_but_not_leave() {
        use std::os::unix::fs::symlink;
        let place = place();
        symlink("diffs/a.patch", place.root.join("inside")).unwrap();
        symlink("../outside", place.root.join("file")).unwrap();
        symlink("..", place.root.join("dir")).unwrap();
        symlink("loop", place.root.join("loop")).unwrap();
        assert!(place.files.read("inside").is_ok());
        for path in ["file", "dir/outside", "dir/root/../outside"] {
            assert!(place.files.read(path).is_err(), "{path}");
        }
        assert!(place.files.read("file").unwrap_err().contains("points outside"));
        assert!(place.files.read("dir/outside").unwrap_err().contains("points outside"));
        assert!(place.files.read("loop").is_err());
        // A sibling whose name starts with the root's name is also outside.
        fs::create_dir(place.root.with_file_name("root-2")).unwrap();
        fs::write(place.root.with_file_name("root-2").join("f"), "x").unwrap();
        symlink("../root-2", place.root.join("twin")).unwrap();
        assert!(place.files.read("twin/f").unwrap_err().contains("points outside"));
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files() {
        let place = place();
        let made = std::os::unix::net::UnixListener::bind(place.root.join("socket"));
        assert!(made.is_ok());
        for path in ["diffs", "socket", "diffs/a.patch/x"] {
            assert!(place.files.read(path).is_err(), "{path}");
        }
        assert_eq!(place.files.read("socket").unwrap_err(), "is not a regular file");
    }

    #[test]
    fn large_missing_and_unconfigured() {
        let place = place();
        fs::write(place.root.join("fits"), "x".repeat(100)).unwrap();
        fs::write(place.root.join("large"), "x".repeat(101)).unwrap();
        assert!(place.files.read("fits").is_ok());
        assert_eq!(place.files.read("large").unwrap_err(), "is larger than the limit of 100 bytes");
        assert_eq!(place.files.read("gone").unwrap_err(), "was not found below the configured directory");
        let refused = CorrectionDir::new(None, 100).read("a").unwrap_err();
        assert_eq!(refused, "was not read, because no directory for corrections is configured");
        let refused = CorrectionDir::new(Some(place.root.join("gone")), 100).read("a").unwrap_err();
        assert!(refused.contains("the configured directory could not be read"), "{refused}");
    }
}
