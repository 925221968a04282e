//! One request for a page: what is asked, by whom, and the store as it stands now.

use super::pages::Pages;
use super::snapshot::Seen;
use crate::app::queries::{Comparisons, QueryError};
use crate::auth::{Caller, Scope};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// One request for a page.
pub struct Visit {
    /// What answers.
    pub pages: Pages,
    /// The path that was asked for.
    pub path: String,
    /// The id in it; empty where it has none.
    pub id: String,
    /// What stands after it, or in the form; a name may stand there several times.
    pub fields: BTreeMap<String, Vec<String>>,
    /// Who asks, where that is known.
    pub caller: Option<Caller>,
}

impl Visit {
    /// Asks store and index as they stand now.
    ///
    /// # Errors
    /// When they cannot be read, and what the question fails with.
    pub fn ask<T>(
        &self,
        question: impl FnOnce(Comparisons<'_>) -> Result<T, QueryError>,
    ) -> Result<Seen<T>, QueryError> {
        self.pages.services.channels.ask(|comparisons| {
            let commit = comparisons.queries.index.commit()?;
            Ok(Seen { it: question(comparisons)?, commit })
        })
    }

    /// A field that is not empty.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// All values of a field.
    pub fn all(&self, name: &str) -> &[String] {
        self.fields.get(name).map_or(&[], Vec::as_slice)
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.pages.services.channels.clock.now()
    }

    /// Whether who asks may decide.
    pub fn may_decide(&self) -> bool {
        self.caller.as_ref().is_some_and(|caller| caller.may(Scope::Decide).is_ok())
    }

    /// The id on the roster of who asks.
    pub fn who(&self) -> Option<&str> {
        self.caller.as_ref().map(|caller| caller.reviewer.as_str())
    }
}

/// The fields of a query or a form.
pub fn fields(text: &[u8]) -> BTreeMap<String, Vec<String>> {
    let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(text) {
        fields.entry(name.into_owned()).or_default().push(value.into_owned());
    }
    fields
}
