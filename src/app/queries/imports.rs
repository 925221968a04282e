//! Imports from other tools' files.

use super::answers::Located;
use super::error::QueryError;
use super::lists::Queries;
use crate::domain::records::record::ImportRecord;

impl Queries<'_> {
    /// Returns the imports, latest first, including those taken back.
    pub fn imports(&self) -> Result<Vec<Located<ImportRecord>>, QueryError> {
        Ok(self.index.imports()?.into_iter().map(|(path, record)| Located { path, record }).collect())
    }
}
