//! `/proposals` and `/proposals/{id}`: proposals, and everything relevant to the decision.

use super::failure::Failure;
use super::frame::Frame;
use super::link;
use super::parts::{Behind, CommentRow, Tab, behind};
use super::request::Visit;
use super::snooze::SnoozeForm;
use super::text::{marked, shown};
use crate::app::queries::RuleFile;
use crate::app::queries::views::{Piece, ProposalPage, proposal};
use crate::domain::records::record::{ProposalRecord, RuleState};
use crate::domain::rules::draft::recalibration;
use crate::text::prose::{self, capitalise, count, percent, when, words};
use crate::text::redact::{code_point, hidden_characters};
use askama::Template;
use std::collections::BTreeSet;

/// Maximum number listed.
const LISTED: usize = 200;

fn people(who: &[String]) -> String {
    prose::people(who.len() as u64)
}

const STATES: [(&str, RuleState, &str); 4] = [
    ("proposed", RuleState::Proposed, "To decide"),
    ("active", RuleState::Active, "In force"),
    ("rejected", RuleState::Rejected, "Rejected or expired"),
    ("retired", RuleState::Retired, "No longer in force"),
];

#[derive(Template)]
#[template(path = "proposals.html")]
struct ListPage {
    frame: Frame,
    tabs: Vec<Tab>,
    agents: Vec<String>,
    agent: String,
    state: String,
    rules: Vec<RuleFile>,
    more: usize,
}

/// Renders `/proposals`, by state and agent.
pub fn list(visit: &Visit) -> Result<String, Failure> {
    let state = visit.option("state").unwrap_or("proposed");
    let agent = visit.option("agent");
    let wanted = STATES.iter().find(|(name, ..)| *name == state).map(|(_, state, _)| *state);
    let seen = visit.ask(|c| c.queries.proposals(None, None))?;
    let agents: BTreeSet<&String> = seen.it.iter().flat_map(|rule| &rule.record.affected_agents).collect();
    let agents: Vec<String> = agents.into_iter().cloned().collect();
    let of_agent =
        |rule: &&RuleFile| agent.is_none_or(|agent| rule.record.affected_agents.iter().any(|of| of == agent));
    let rules: Vec<RuleFile> = seen.it.iter().filter(of_agent).cloned().collect();
    let tab = |(name, state, title): &(&'static str, RuleState, &'static str)| Tab {
        address: link::query("/proposals", &[("state", name), ("agent", agent.unwrap_or_default())]),
        name: title,
        count: rules.iter().filter(|rule| rule.state == *state).count(),
        here: wanted == Some(*state),
    };
    let tabs = STATES.iter().map(tab).collect();
    let mut listed: Vec<RuleFile> =
        rules.into_iter().filter(|rule| wanted.is_none_or(|state| state == rule.state)).collect();
    let more = listed.len().saturating_sub(LISTED);
    listed.truncate(LISTED);
    let page = ListPage {
        frame: Frame::new(visit, "Proposals", &seen),
        tabs,
        agents,
        agent: agent.unwrap_or_default().to_owned(),
        state: state.to_owned(),
        rules: listed,
        more,
    };
    Ok(page.render()?)
}

#[derive(Template)]
#[template(path = "proposal.html")]
struct OnePage<'a> {
    frame: Frame,
    page: &'a ProposalPage,
    r: &'a ProposalRecord,
    /// The label of the text: in prompts, or not.
    place: &'static str,
    asked: Vec<Behind<'a>>,
    against: Vec<Behind<'a>>,
    prevented: Vec<CommentRow>,
    wrongly: Vec<CommentRow>,
    /// The invisible characters in the text.
    unseen: Vec<String>,
    /// Approvals of earlier versions.
    voices: Vec<Voice>,
    /// What others did before, for the person who decides next.
    before: Vec<Before<'a>>,
    /// The comments that a held decision of this person removes.
    dropped: Vec<String>,
    /// The ids and titles of the catalogue's concerns.
    concerns: &'a [(String, String)],
    snooze: &'a SnoozeForm,
    open: bool,
    may: bool,
    /// Whether decisions are signed, one at a time.
    signed: bool,
}

/// What one person did before: approved, reworded, or explained otherwise.
struct Before<'a> {
    /// What, by whom and when.
    said: String,
    /// The change of the text.
    pieces: &'a [Piece],
}

/// An approval, and the text it covers.
struct Voice {
    who: String,
    when: String,
    version: String,
    signed: bool,
    author: bool,
}

/// Renders `/proposals/{id}`: the central page.
pub fn one(visit: &Visit) -> Result<String, Failure> {
    let seen = visit.ask(|c| {
        let page = proposal(&c, &visit.id)?;
        let r = &page.rule.record;
        let snooze = SnoozeForm::of(visit, &c, &r.proposal_id, r.version_at.unwrap_or(r.created_at))?;
        let known = c.understanding.catalogue().concerns().iter();
        let concerns: Vec<(String, String)> = known.map(|one| (one.id.clone(), one.title.clone())).collect();
        Ok((page, snooze, concerns))
    })?;
    let (page, snooze, concerns) = &seen.it;
    let r = &page.rule.record;
    let enters = r.action_type.enters_prompt();
    let place = match r.status {
        _ if !enters => "What it says",
        status if status.in_force() && page.stopped.is_none() => "As it appears in prompts",
        status if status.in_force() || status.is_open() => "As it would appear in prompts",
        _ => "As it appeared in prompts, or would have",
    };
    let unseen: BTreeSet<String> = hidden_characters(&page.prompt_text).map(|(_, c)| code_point(c)).collect();
    let lines = |lines: &[_]| lines.iter().map(CommentRow::of).collect();
    let page = OnePage {
        frame: Frame::new(visit, format!("{}: {}", r.proposal_id, r.title), &seen),
        page,
        r,
        place,
        asked: page.evidence.iter().map(behind).collect(),
        against: page.dissent.iter().map(behind).collect(),
        prevented: lines(&page.prevented),
        wrongly: lines(&page.wrongly),
        unseen: unseen.into_iter().collect(),
        voices: voices(r),
        before: before(page),
        dropped: dropped(visit),
        concerns,
        snooze,
        open: r.status.is_open(),
        may: visit.may_decide(),
        signed: visit.pages.services.asked.signed,
    };
    Ok(page.render()?)
}

/// Returns what people did with an open proposal, first to last: an approval of this text, another wording, or another
/// explanation.
fn before(page: &ProposalPage) -> Vec<Before<'_>> {
    let r = &page.rule.record;
    let reworded = page.versions.iter().filter_map(|version| {
        let by = version.by.as_ref().filter(|by| !by.starts_with("model:") && by.as_str() != "feedbackd")?;
        let said = format!("{by} reworded it, {} UTC. The change to version {}:", when(version.at), version.version);
        Some((version.at, Before { said, pieces: &version.pieces }))
    });
    let annotated = r.history.iter().filter(|event| event.event == "annotated").filter_map(|event| {
        let (by, note) = (event.by.as_ref()?, event.note.as_ref()?);
        Some((event.at, Before { said: format!("{by} changed the {note}, {} UTC.", when(event.at)), pieces: &[] }))
    });
    let approved = r.approvals.iter().filter(|approval| approval.content_hash == r.content_hash).map(|approval| {
        let said = format!("{} approved this text, {} UTC.", approval.reviewer_id, when(approval.at));
        (approval.at, Before { said, pieces: &[] })
    });
    let mut all: Vec<_> = reworded.chain(annotated).chain(approved).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, one)| one).collect()
}

/// Returns the comments that this person removed from some evidence a moment ago.
fn dropped(visit: &Visit) -> Vec<String> {
    let sorted = visit.held().into_iter().flat_map(|call| call.actions).filter(|action| action["decision"] == "SORT");
    let ids = sorted.flat_map(|action| action["others"].as_array().cloned().unwrap_or_default());
    ids.filter_map(|id| id.as_str().map(str::to_owned)).collect()
}

fn voices(r: &ProposalRecord) -> Vec<Voice> {
    let version = |hash: &str| {
        let earlier = r.earlier_versions.iter().find(|v| v.content_hash == hash).map(|v| v.version);
        match earlier.or((r.content_hash == hash).then_some(r.version)) {
            Some(version) if version == r.version => "this version".to_owned(),
            Some(version) => format!("version {version}, not this one"),
            None => "another text, not this one".to_owned(),
        }
    };
    let voice = |a: &crate::domain::records::record::Approval| Voice {
        who: a.reviewer_id.clone(),
        when: when(a.at),
        version: version(&a.content_hash),
        signed: a.signed,
        author: a.wrote_evidence,
    };
    r.approvals.iter().map(voice).collect()
}
