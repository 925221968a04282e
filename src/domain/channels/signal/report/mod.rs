//! Test runner reports: how many tests passed and failed, and which failed.
//!
//! A tolerant line scan using two tables, and a JUnit XML scan in `junit`. It makes no judgement: a report without
//! failures is also a report. Counts of several sessions in one text are added up.

mod counted;
mod junit;
mod scan;
mod table;

pub(super) use counted::Report;
pub(super) use scan::parse;
