//! A password that may change while the daemon runs. It is never shown.

use redis::RedisResult;
use std::io;
use std::path::PathBuf;

/// Where the password is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Password {
    /// In the URL, or there is none.
    #[default]
    None,
    /// In this file. It may contain a token that changes every few minutes.
    File(PathBuf),
}

impl Password {
    /// Reads it again. A failure is temporary: another program may just be replacing the file.
    pub(super) fn read(&self) -> RedisResult<Option<String>> {
        let Password::File(path) = self else { return Ok(None) };
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned())),
            Err(error) => {
                Err(io::Error::other(format!("the password cannot be read from {}: {error}", path.display())).into())
            }
        }
    }
}
