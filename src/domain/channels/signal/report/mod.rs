//! The reports of test runners: how many tests passed and failed, and which failed.
//!
//! A tolerant scan of lines by two tables, and of JUnit XML by `junit`. It judges nothing: a report without failures
//! is a report as well. Counts of several sessions in one text are added up.

mod counted;
mod junit;
mod scan;
mod table;

pub(super) use counted::Report;
pub(super) use scan::parse;
