//! `/imports`: rules in force elsewhere, by import, and taking one back.

use super::failure::Failure;
use super::frame::Frame;
use super::request::Visit;
use super::text::shown;
use crate::app::queries::RecordLocation;
use crate::domain::records::record::ImportRecord;
use crate::text::prose::when;
use askama::Template;

#[derive(Template)]
#[template(path = "imports.html")]
struct ImportsPage<'a> {
    frame: Frame,
    found: &'a [RecordLocation<ImportRecord>],
    may: bool,
}

/// Renders `/imports`: all of them, including those taken back.
pub fn page(visit: &Visit) -> Result<String, Failure> {
    let seen = visit.ask(|c| c.queries.imports())?;
    Ok(ImportsPage { frame: Frame::new(visit, "Imports", &seen), found: &seen.it, may: visit.may_decide() }.render()?)
}
