//! `/groups` and `/groups/{id}`: clusters with their members.

use super::failure::Failure;
use super::frame::Frame;
use super::parts::{CommentRow, class};
use super::request::Visit;
use super::snooze::SnoozeForm;
use super::text::shown;
use crate::app::queries::{ClusterPage, RecordLocation};
use crate::domain::records::record::ClusterRecord;
use crate::text::prose::{count, percent, when};
use askama::Template;

/// Maximum number listed.
const LISTED: usize = 200;

#[derive(Template)]
#[template(path = "groups.html")]
struct ListPage<'a> {
    frame: Frame,
    agents: Vec<String>,
    agent: String,
    state: String,
    groups: &'a [RecordLocation<ClusterRecord>],
    more: usize,
}

/// Renders `/groups`: all of them, largest first.
pub fn list(visit: &Visit) -> Result<String, Failure> {
    let agent = visit.option("agent");
    let mut seen = visit.ask(|c| c.queries.clusters(None))?;
    seen.it.retain(|group| group.record.merged_into.is_none());
    let mut agents: Vec<String> = seen.it.iter().map(|group| group.record.agent.clone()).collect();
    agents.sort_unstable();
    agents.dedup();
    seen.it.retain(|group| agent.is_none_or(|agent| group.record.agent == agent));
    let more = seen.it.len().saturating_sub(LISTED);
    seen.it.truncate(LISTED);
    let page = ListPage {
        frame: Frame::new(visit, "Clusters", &seen),
        agents,
        agent: agent.unwrap_or_default().to_owned(),
        state: String::new(),
        groups: &seen.it,
        more,
    };
    Ok(page.render()?)
}

#[derive(Template)]
#[template(path = "group.html")]
struct OnePage<'a> {
    frame: Frame,
    page: &'a ClusterPage,
    g: &'a ClusterRecord,
    members: Vec<CommentRow>,
    can_split: bool,
    can_word: bool,
    can_snooze: bool,
    snooze: &'a SnoozeForm,
}

/// Renders `/groups/{id}`: one with its members.
pub fn one(visit: &Visit) -> Result<String, Failure> {
    let seen = visit.ask(|c| {
        let page = c.queries.cluster_show(&visit.id, LISTED)?;
        let g = &page.cluster.record;
        let snooze = SnoozeForm::of(visit, &c, &g.cluster_id, g.last_seen)?;
        Ok((page, snooze))
    })?;
    let (page, snooze) = &seen.it;
    let g = &page.cluster.record;
    let page = OnePage {
        frame: Frame::new(visit, format!("Cluster {}", g.cluster_id), &seen),
        page,
        members: page.members.iter().map(CommentRow::of).collect(),
        can_word: visit.may_decide() && page.may_be_worded(),
        can_split: visit.may_decide() && page.members.len() > 1,
        can_snooze: visit.may_decide() && g.merged_into.is_none() && g.members > 0,
        snooze,
        g,
    };
    Ok(page.render()?)
}
