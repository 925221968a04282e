//! Imports from other tools' files.

use super::answers::RecordLocation;
use super::error::QueryError;
use super::lists::Queries;
use crate::domain::records::record::ImportRecord;

impl Queries<'_> {
    /// Returns the imports, latest first, including those taken back.
    pub fn imports(&self) -> Result<Vec<RecordLocation<ImportRecord>>, QueryError> {
        Ok(self.index.imports()?.into_iter().map(|(path, record)| RecordLocation { path, record }).collect())
    }
}
