//! The meaning of SQLite failures.

use crate::ports::IndexError;
use rusqlite::ErrorCode;

/// Damage means that the index must be rebuilt; anything else is due to the disk or another process.
pub fn failed(error: rusqlite::Error) -> IndexError {
    use rusqlite::Error as E;
    let damaged = match &error {
        E::SqliteFailure(e, _) => match e.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => true,
            // The statements are fixed and their values checked: if one fails, the tables are not ours.
            ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch => true,
            _ => e.extended_code == rusqlite::ffi::SQLITE_ERROR,
        },
        E::SqlInputError { .. } | E::FromSqlConversionFailure(..) | E::IntegralValueOutOfRange(..) => true,
        E::InvalidColumnType(..) | E::Utf8Error(..) => true,
        _ => false,
    };
    if damaged { IndexError::Stale(format!("it is damaged ({error})")) } else { IndexError::Io(error.to_string()) }
}
