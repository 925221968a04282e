//! Opening an index: alongside a writer, as the writer, as a private copy, or an empty one.

use super::error::failed;
use super::schema::{self, IndexOrigin};
use super::sqlite::SqliteIndex;
use crate::ports::{Index, IndexError, IndexFiles};
use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a statement waits for another process. Writers hold the file for milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pages after which the log is checkpointed; a batch of 512 records takes about 500.
const CHECKPOINT_PAGES: i64 = 8_000;

/// The location of the index and what it is built with.
#[derive(Clone, Debug)]
pub struct SqliteFiles {
    /// The database file. Its companions (`-wal`, `-shm`, `.lock`) are next to it.
    pub path: PathBuf,
    /// What the content depends on besides the store.
    pub made: IndexOrigin,
}

impl IndexFiles for SqliteFiles {
    fn snapshot(&self) -> Result<Box<dyn Index>, IndexError> {
        Ok(Box::new(SqliteIndex::snapshot(&self.path, &self.made)?))
    }

    fn open(&self) -> Result<Box<dyn Index>, IndexError> {
        Ok(Box::new(SqliteIndex::open(&self.path, &self.made)?))
    }

    fn create(&self) -> Result<Box<dyn Index>, IndexError> {
        Ok(Box::new(SqliteIndex::create_fresh(&self.path, &self.made)?))
    }

    fn copy(&self) -> Result<Box<dyn Index>, IndexError> {
        Ok(Box::new(SqliteIndex::snapshot(&self.path, &self.made)?.copy()?))
    }

    fn scratch(&self) -> Result<Box<dyn Index>, IndexError> {
        Ok(Box::new(SqliteIndex::scratch(&self.made)?))
    }
}

impl SqliteIndex {
    /// Opens an index for writing, and holds its lock until dropped.
    ///
    /// # Errors
    /// [`IndexError::Stale`] if it does not exist, is damaged or was built differently: create a fresh one.
    /// [`IndexError::Io`] if another process writes to it, or the disk fails.
    pub fn open(path: &Path, made: &IndexOrigin) -> Result<SqliteIndex, IndexError> {
        present(path)?;
        let lock = lock(path)?;
        let conn = Connection::open_with_flags(path, flags(OpenFlags::SQLITE_OPEN_READ_WRITE)).map_err(failed)?;
        tune(&conn)?;
        schema::check(&conn, made)?;
        sound(&conn)?;
        Ok(SqliteIndex { conn, _lock: Some(lock) })
    }

    /// Removes any existing index and creates an empty one for writing.
    ///
    /// # Errors
    /// [`IndexError::Io`] if another process writes to it, or the disk fails.
    pub fn create_fresh(path: &Path, made: &IndexOrigin) -> Result<SqliteIndex, IndexError> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).map_err(|e| io(directory, &e))?;
        }
        let lock = lock(path)?;
        // The database first: without its log it might look intact and not be. A log alone is never trusted.
        for old in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
            match fs::remove_file(&old) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(io(&old, &e)),
                _ => {}
            }
        }
        let create = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let conn = Connection::open_with_flags(path, flags(create)).map_err(failed)?;
        tune(&conn)?;
        schema::create(&conn, made)?;
        Ok(SqliteIndex { conn, _lock: Some(lock) })
    }

    /// Opens a snapshot of an index for reading, alongside a writer. All answers reflect one commit.
    ///
    /// # Errors
    /// As [`SqliteIndex::open`]; needs no lock. Damage is detected when it is read, not here.
    pub fn snapshot(path: &Path, made: &IndexOrigin) -> Result<SqliteIndex, IndexError> {
        present(path)?;
        let conn = Connection::open_with_flags(path, flags(OpenFlags::SQLITE_OPEN_READ_ONLY)).map_err(failed)?;
        conn.busy_timeout(PATIENCE).map_err(failed)?;
        // The transaction is never ended explicitly: it ends with the connection, and until then nothing changes under
        // it.
        conn.execute_batch("BEGIN").map_err(failed)?;
        schema::check(&conn, made)?;
        Ok(SqliteIndex { conn, _lock: None })
    }

    /// Creates an empty private index in a temporary file, which SQLite writes only if memory does not suffice.
    ///
    /// # Errors
    /// [`IndexError::Io`] if the temporary directory fails.
    pub fn scratch(made: &IndexOrigin) -> Result<SqliteIndex, IndexError> {
        let conn = private()?;
        schema::create(&conn, made)?;
        Ok(SqliteIndex { conn, _lock: None })
    }

    /// Creates a private copy, to be modified and discarded.
    ///
    /// # Errors
    /// As for reading it, and [`IndexError::Io`] if the temporary directory fails.
    pub fn copy(&self) -> Result<SqliteIndex, IndexError> {
        let mut conn = private()?;
        {
            let backup = Backup::new(&self.conn, &mut conn).map_err(failed)?;
            backup.run_to_completion(4_096, Duration::ZERO, None).map_err(failed)?;
        }
        Ok(SqliteIndex { conn, _lock: None })
    }
}

fn flags(access: OpenFlags) -> OpenFlags {
    access | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

fn private() -> Result<Connection, IndexError> {
    let conn = Connection::open("").map_err(failed)?;
    conn.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY")
        .map_err(failed)?;
    Ok(conn)
}

fn tune(conn: &Connection) -> Result<(), IndexError> {
    conn.busy_timeout(PATIENCE).map_err(failed)?;
    conn.set_prepared_statement_cache_capacity(64);
    conn.execute_batch(&format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768; \
         PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}; \
         PRAGMA journal_size_limit = 67108864"
    ))
    .map_err(failed)
}

/// Checks for torn pages, and for look-ups that do not match their rows. Row content is verified when read.
fn sound(conn: &Connection) -> Result<(), IndexError> {
    let verdict: String = conn.query_row("PRAGMA integrity_check(1)", [], |r| r.get(0)).map_err(failed)?;
    if verdict == "ok" { Ok(()) } else { Err(IndexError::Stale(format!("it is damaged ({verdict})"))) }
}

fn present(path: &Path) -> Result<(), IndexError> {
    match fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            Err(IndexError::Stale(format!("there is none at {}", path.display())))
        }
        Err(e) => Err(io(path, &e)),
    }
}

/// Locks the index for one writing process. SQLite would allow more, but a fresh index must not replace one in use.
fn lock(path: &Path) -> Result<File, IndexError> {
    let at = beside(path, ".lock");
    let file = File::options().create(true).truncate(false).write(true).open(&at).map_err(|e| io(&at, &e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(IndexError::Io(format!("another process writes to {} (its lock is held)", path.display())))
        }
        Err(TryLockError::Error(e)) => Err(io(&at, &e)),
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn io(path: &Path, error: &std::io::Error) -> IndexError {
    IndexError::Io(format!("{}: {error}", path.display()))
}
