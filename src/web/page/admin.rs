//! `/edge-cases`, `/roster` and `/report`: pages viewed occasionally.

use super::failure::Failure;
use super::frame::Frame;
use super::request::Visit;
use super::snapshot::Snapshot;
use super::text::shown;
use crate::app::queries::{EdgeCaseFile, EdgeCaseFilter, Rosters};
use crate::app::reports::report::report as figures;
use crate::domain::reporting::report::{Document, Scope, document};
use crate::text::prose::when;
use askama::Template;

/// Maximum number listed.
const LISTED: usize = 200;

#[derive(Template)]
#[template(path = "edge_cases.html")]
struct EdgeCases<'a> {
    frame: Frame,
    found: &'a [EdgeCaseFile],
    all: bool,
}

/// Renders `/edge-cases`: open one-offs; with `?all=1` also promoted ones.
pub fn edge_cases(visit: &Visit) -> Result<String, Failure> {
    let all = visit.option("all").is_some();
    let filter = EdgeCaseFilter { agent: visit.option("agent").map(str::to_owned), open_only: !all, limit: LISTED };
    let seen = visit.ask(|c| c.queries.edge_cases_list(&filter))?;
    Ok(EdgeCases { frame: Frame::new(visit, "One-offs", &seen), found: &seen.it, all }.render()?)
}

#[derive(Template)]
#[template(path = "roster.html")]
struct RosterPage<'a> {
    frame: Frame,
    rosters: &'a Rosters,
    may: bool,
}

/// Renders `/roster`: who may decide.
pub fn roster(visit: &Visit) -> Result<String, Failure> {
    let asked = &visit.pages.services.asked;
    let seen = visit.ask(|c| c.queries.rosters(asked))?;
    Ok(RosterPage { frame: Frame::new(visit, "Roster", &seen), rosters: &seen.it, may: visit.may_decide() }.render()?)
}

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage {
    frame: Frame,
    report: Document,
}

/// Renders `/report`: how well it works, in figures.
pub fn report(visit: &Visit) -> Result<String, Failure> {
    let limits = visit.pages.services.showing.limits;
    let agent = visit.option("agent").map(str::to_owned);
    let seen = visit.ask(|c| {
        let commit = c.queries.index.commit()?;
        visit.pages.report.at(agent.clone(), commit.clone(), || {
            let scope = Scope { agent, since: None, at: visit.now(), week_from: None };
            Ok(Snapshot { it: figures(c.queries.index, scope, limits)?, commit })
        })
    })?;
    Ok(ReportPage { frame: Frame::new(visit, "Report", &seen.it), report: document(&seen.it.it) }.render()?)
}
