//! Rules that are in force elsewhere and so need no proposal.

use super::stored_record::{IndexRow, StoredRecord};
use crate::intake::submission::{Import, ImportedRule};
use crate::records::layout;
use crate::text::prose::when;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rules that are in force elsewhere and so need no proposal: `rules/imported/<name>.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportRecord {
    /// `feedbackd.import/1`
    pub schema: String,
    /// Its name, from the file name; importing again replaces it.
    pub name: String,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agents it is in force for; all if none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Who imported it.
    pub imported_by: String,
    /// When it was made.
    pub imported_at: Timestamp,
    /// BLAKE3 of the source file.
    pub file_hash: String,
    /// The rules, in order.
    pub rules: Vec<ImportedRule>,
    /// Its withdrawal, if any: its rules no longer count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<Withdrawn>,
}

/// Withdrawal of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Withdrawn {
    /// The person responsible.
    pub by: String,
    /// When it was made.
    pub at: Timestamp,
    /// Why, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl ImportRecord {
    /// Builds the record of an import, in this daemon's tenant.
    pub fn of(import: &Import, tenant_id: Option<String>) -> ImportRecord {
        ImportRecord {
            schema: Self::SCHEMA.to_owned(),
            name: import.name.clone(),
            tenant_id,
            agents: import.agents.clone(),
            imported_by: import.imported_by.clone(),
            imported_at: import.imported_at,
            file_hash: import.file_hash.clone(),
            rules: import.rules.clone(),
            withdrawn: None,
        }
    }
}

impl ImportRecord {
    /// Describes its state in words.
    pub fn state(&self) -> String {
        match &self.withdrawn {
            None => "known as in force elsewhere".to_owned(),
            Some(Withdrawn { by, at, reason }) => {
                let why = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
                format!("withdrawn by {by} on {}{why}", when(*at))
            }
        }
    }
}

impl StoredRecord for ImportRecord {
    const SCHEMA: &'static str = "feedbackd.import/1";

    fn is_place(path: &str) -> bool {
        layout::is_in(layout::IMPORTED, path, ".yaml")
    }

    fn path(&self) -> String {
        layout::import(&self.name)
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.name, self.imported_at)
    }
}
