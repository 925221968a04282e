//! What was imported from other tools' files.

use super::answers::Located;
use super::error::QueryError;
use super::lists::Queries;
use crate::domain::records::record::ImportRecord;

impl Queries<'_> {
    /// Imports, the latest first, those that were taken back too.
    pub fn imports(&self) -> Result<Vec<Located<ImportRecord>>, QueryError> {
        Ok(self.index.imports()?.into_iter().map(|(path, record)| Located { path, record }).collect())
    }
}
