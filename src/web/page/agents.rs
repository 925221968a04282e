//! `/agents` and below: what each agent reads, in its prompt and in `AGENTS.md`, to look at and to download.

use super::failure::Failure;
use super::frame::Frame;
use super::request::Visit;
use super::text::shown;
use crate::app::queries::QueryError;
use crate::app::rules::in_force::InForce;
use crate::domain::rules::in_force::export::{Format, merge};
use crate::domain::rules::in_force::prompt::{AgentRules, Place};
use crate::text::ids::safe_name;
use crate::text::prose::count;
use askama::Template;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The file for all agents together.
const FILE: &str = "AGENTS.md";

#[derive(Template)]
#[template(path = "agents_list.html")]
struct ListPage {
    frame: Frame,
    /// The agents with their number of rules.
    agents: Vec<(String, u64)>,
    /// The file for all of them; none if no rule is in force.
    file: Option<String>,
}

/// Renders `/agents`: all agents, and the file for all of them.
pub fn list(visit: &Visit) -> Result<String, Failure> {
    let in_force = in_force(visit)?;
    let rules = |agent: &String| in_force.at(agent, &Place::default()).active.len() as u64;
    let known = known(visit, &in_force)?;
    let agents = known.it.iter().map(|agent| (agent.clone(), rules(agent))).collect();
    let file = in_force.for_everybody().map(|section| as_file(Some(&section))).transpose()?;
    Ok(ListPage { frame: Frame::new(visit, "What agents read", &known), agents, file }.render()?)
}

#[derive(Template)]
#[template(path = "agent.html")]
struct OnePage<'a> {
    frame: Frame,
    agent: &'a str,
    rules: &'a AgentRules,
    /// The same as a file; none if no rule is in force.
    file: Option<String>,
}

/// Renders `/agents/{id}`: what one agent reads.
pub fn one(visit: &Visit) -> Result<String, Failure> {
    let in_force = in_force(visit)?;
    let seen = known(visit, &in_force)?;
    let rules = &*rules_of(visit, &in_force, &seen.it)?;
    let file = rules.prompt.as_ref().map(|section| as_file(Some(section))).transpose()?;
    let frame = Frame::new(visit, format!("What {} reads", visit.id), &seen);
    Ok(OnePage { frame, agent: &visit.id, rules, file }.render()?)
}

/// Handles `/agents/{id}/prompt.md`: the section for the agent's prompt, as its key in Redis holds it.
pub fn prompt(visit: &Visit) -> Result<Response, Failure> {
    let in_force = in_force(visit)?;
    let rules = rules_of(visit, &in_force, &known(visit, &in_force)?.it)?;
    let name = format!("{}-prompt.md", safe_name(&visit.id));
    Ok(download(&name, rules.prompt.clone().unwrap_or_default()))
}

/// Handles `/agents/{id}/AGENTS.md`: a new file with the agent's rules.
pub fn file(visit: &Visit) -> Result<Response, Failure> {
    let in_force = in_force(visit)?;
    let rules = rules_of(visit, &in_force, &known(visit, &in_force)?.it)?;
    Ok(download(FILE, as_file(rules.prompt.as_deref())?))
}

/// Handles `/AGENTS.md`: a new file with the rules of all agents.
pub fn file_for_all(visit: &Visit) -> Result<Response, Failure> {
    Ok(download(FILE, as_file(in_force(visit)?.for_everybody().as_deref())?))
}

fn in_force(visit: &Visit) -> Result<Arc<InForce>, Failure> {
    Ok(visit.pages.services.channels.in_force()?)
}

/// Returns the agents with comments, proposals or rules.
fn known(visit: &Visit, in_force: &InForce) -> Result<super::snapshot::Snapshot<BTreeSet<String>>, Failure> {
    let mut seen = visit.ask(|c| {
        let rules = c.queries.proposals(None, None)?.into_iter().flat_map(|rule| rule.record.affected_agents);
        let clusters = c.queries.index.clusters()?.into_iter().map(|cluster| cluster.agent);
        Ok(rules.chain(clusters).collect::<BTreeSet<String>>())
    })?;
    seen.it.extend(in_force.agents().map(|rules| rules.agent.clone()));
    Ok(seen)
}

/// Returns the rules of the agent in the address; an unknown one is a slip.
fn rules_of(visit: &Visit, in_force: &InForce, known: &BTreeSet<String>) -> Result<Arc<AgentRules>, Failure> {
    if !known.contains(&visit.id) {
        let nearest = known.iter().take(5).cloned().collect();
        return Err(QueryError::NotFound { what: "agent", id: visit.id.clone(), nearest }.into());
    }
    Ok(in_force.at(&visit.id, &Place::default()))
}

/// Returns a new file with a section.
fn as_file(section: Option<&str>) -> Result<String, Failure> {
    merge("", section, Format::AgentsMd).map_err(|why| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, why))
}

/// Returns how many rules an agent reads, in words.
fn rules_told(rules: &AgentRules) -> String {
    count(rules.active.len() as u64, "rule")
}

fn download(name: &str, text: String) -> Response {
    let kind = (header::CONTENT_TYPE, "text/markdown; charset=utf-8".to_owned());
    let disposition = (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""));
    ([kind, disposition], text).into_response()
}
