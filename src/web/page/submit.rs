//! Deciding on the page: the decision is held for a minute, then submitted; the next pending item follows.

use super::failure::Failure;
use super::form_values::FormValues;
use super::forms;
use super::frame::Frame;
use super::request::Visit;
use super::stale::stale;
use super::text::{marked, shown};
use crate::app::queries::RuleFile;
use crate::app::queries::views::{Piece, changes};
use crate::auth::Scope;
use crate::problem::Problem;
use crate::redirect;
use crate::redirect::local;
use crate::services::Services;
use crate::submission::{RequestIdentity, decide as hand_in, leave};
use crate::undo_buffer::{DecisionCall, HOLD, SOURCE};
use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Handles `POST /decide`.
pub fn decide(visit: &Visit) -> Result<Response, Failure> {
    let caller = visit.caller.as_ref().ok_or_else(Failure::nobody)?;
    caller.may(Scope::Decide)?;
    let who = caller.decides(visit.option("as"))?;
    if visit.option("preview").is_some() {
        return Ok(Html(preview(visit)?).into_response());
    }
    let filled = forms::read(visit)?;
    if let Some(page) = stale(visit, &filled)? {
        return Ok((StatusCode::CONFLICT, Html(page)).into_response());
    }
    if visit.pages.services.asked.signed {
        return crate::page::signature::ask(visit, filled);
    }
    let back = local(visit.option("back").unwrap_or("/")).to_owned();
    if filled.at_once {
        for action in filled.actions {
            hand_in(&visit.pages.services, SOURCE, who, action, RequestIdentity::default())?;
        }
        return Ok(redirect::to(&back).into_response());
    }
    let services = &visit.pages.services;
    let FormValues { actions, what, items, independent, subject, .. } = filled;
    // An approval settles the proposal; a change of its evidence alone does not.
    let stays = subject.is_empty() || (visit.option("then") == Some("back") && actions.len() == 1);
    let call = DecisionCall { number: 0, actions, independent, items, what, back: back.clone() };
    let number = services.held.hold(who, call, &handing_in(services));
    let (services, who) = (Arc::downgrade(services), who.to_owned());
    visit.pages.runtime.spawn(async move {
        tokio::time::sleep(HOLD).await;
        if let Some(services) = services.upgrade() {
            let settle = move || services.held.settle(&who, number, &handing_in(&services));
            let _ = tokio::task::spawn_blocking(settle).await;
        }
    });
    let next = if stays { back } else { super::inbox::after(visit, &subject)? };
    Ok(redirect::to(&next).into_response())
}

/// Handles `POST /undo`: takes back what is still held.
pub fn undo(visit: &Visit) -> Result<Response, Failure> {
    let who = visit.who().ok_or_else(Failure::nobody)?;
    let number = visit.option("number").and_then(|number| number.parse().ok()).unwrap_or_default();
    match visit.pages.services.held.take(who, number) {
        Some(deed) => Ok(redirect::to(&deed.back).into_response()),
        None => {
            let detail = "It was already submitted and cannot be undone here. A rule in force can be rolled back.";
            Err(Failure::new(StatusCode::CONFLICT, detail))
        }
    }
}

/// Submits all held decisions when the daemon stops, and waits for pending submissions, but no longer than this; may
/// block. It does not wait for outcomes: the daemon records them after a restart.
pub fn hand_in_held(services: &Services, within: Duration) {
    services.held.end(within, &|who, action| leave(services, SOURCE, who, action).map(|()| String::new()));
}

/// Returns the submission of held decisions, which reports the outcome to their author.
fn handing_in(services: &Services) -> impl Fn(&str, Value) -> Result<String, Problem> {
    move |who, action| Ok(hand_in(services, SOURCE, who, action, RequestIdentity::default())?.effect)
}

#[derive(Template)]
#[template(path = "preview.html")]
struct PreviewPage<'a> {
    frame: Frame,
    rule: &'a RuleFile,
    text: &'a str,
    hash: &'a str,
    pieces: Vec<Piece>,
    /// The other fields of the form.
    kept: Vec<(&'static str, &'a str)>,
    /// Whether decisions are signed, one at a time.
    signed: bool,
}

/// Renders what another text would change.
fn preview(visit: &Visit) -> Result<String, Failure> {
    let id = visit.option("id").unwrap_or_default();
    let text = visit.option("text").unwrap_or_default();
    let seen = visit.ask(|c| c.queries.proposal_show(id))?;
    let r = &seen.it.record;
    let sent = |name: &'static str| Some((name, visit.all(name).first()?.as_str()));
    let page = PreviewPage {
        kept: ["why", "concern"].into_iter().filter_map(sent).collect(),
        frame: Frame::new(visit, format!("{id}: change the text"), &seen),
        pieces: changes(&r.rule_content, text),
        hash: visit.option("content_hash").unwrap_or(&r.content_hash),
        rule: &seen.it,
        signed: visit.pages.services.asked.signed,
        text,
    };
    Ok(page.render()?)
}
