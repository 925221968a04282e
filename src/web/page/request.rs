//! A page request: the query, the caller, and the current store.

use super::pages::Pages;
use super::snapshot::Snapshot;
use crate::app::queries::{Comparisons, QueryError};
use crate::auth::{Caller, Scope};
use crate::text::prose::utc_day;
use crate::undo_buffer::DecisionCall;
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::BTreeMap;

/// A page request.
pub struct Visit {
    /// The page builder.
    pub pages: Pages,
    /// The requested path.
    pub path: String,
    /// The id in it; empty if there is none.
    pub id: String,
    /// The query or form fields; a name may occur several times.
    pub fields: BTreeMap<String, Vec<String>>,
    /// The caller, if known.
    pub caller: Option<Caller>,
}

impl Visit {
    /// Queries the current store and index.
    ///
    /// # Errors
    /// If they cannot be read, and any error of the query.
    pub fn ask<T>(
        &self,
        question: impl FnOnce(Comparisons<'_>) -> Result<T, QueryError>,
    ) -> Result<Snapshot<T>, QueryError> {
        self.pages.services.channels.ask(|comparisons| {
            let commit = comparisons.queries.index.commit()?;
            Ok(Snapshot { it: question(comparisons)?, commit })
        })
    }

    /// Returns a non-empty field.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// Returns all values of a field.
    pub fn all(&self, name: &str) -> &[String] {
        self.fields.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the time.
    pub fn now(&self) -> Timestamp {
        self.pages.services.channels.clock.now()
    }

    /// Returns the day, in UTC.
    pub fn today(&self) -> Date {
        utc_day(self.now())
    }

    /// Returns the caller's decision that can still be taken back.
    pub fn held(&self) -> Option<DecisionCall> {
        self.pages.services.held.of(self.who()?).0
    }

    /// Reports whether the caller may decide.
    pub fn may_decide(&self) -> bool {
        self.caller.as_ref().is_some_and(|caller| caller.may(Scope::Decide).is_ok())
    }

    /// Returns the caller's id on the roster.
    pub fn who(&self) -> Option<&str> {
        self.caller.as_ref().map(|caller| caller.reviewer.as_str())
    }
}

/// Parses the fields of a query or a form.
pub fn fields(text: &[u8]) -> BTreeMap<String, Vec<String>> {
    let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(text) {
        fields.entry(name.into_owned()).or_default().push(value.into_owned());
    }
    fields
}
