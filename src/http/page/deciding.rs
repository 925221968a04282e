//! Deciding on the page: what was filled in is held for a minute, then handed in; then comes the next thing that waits.

use super::failure::Failure;
use super::forms;
use super::frame::Frame;
use super::held::{HOLD, SOURCE};
use super::stale::stale;
use super::text::{marked, shown};
use super::visit::Visit;
use crate::app::queries::RuleFile;
use crate::app::showing::{Piece, changes};
use crate::http::deciding::{Own, decide as hand_in};
use crate::http::identity::Scope;
use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use std::sync::Arc;

/// `POST /decide`.
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
        return super::signing::ask(visit, filled);
    }
    let here = visit.option("back").filter(|back| is_ours(back)).unwrap_or("/").to_owned();
    if filled.at_once {
        for action in filled.actions {
            hand_in(&visit.pages.services, SOURCE, who, action, Own::default())?;
        }
        return Ok(Redirect::to(&here).into_response());
    }
    let number = visit.pages.held.hold(who, filled.actions, filled.what, here);
    let (held, who) = (Arc::downgrade(&visit.pages.held), who.to_owned());
    visit.pages.runtime.spawn(async move {
        tokio::time::sleep(HOLD).await;
        if let Some(held) = held.upgrade() {
            let _ = tokio::task::spawn_blocking(move || held.settle(&who, number)).await;
        }
    });
    let next = super::inbox::after(visit, &filled.subject)?;
    Ok(Redirect::to(&next).into_response())
}

/// `POST /undo`: takes back what is still held.
pub fn undo(visit: &Visit) -> Result<Response, Failure> {
    let who = visit.who().ok_or_else(Failure::nobody)?;
    let number = visit.option("number").and_then(|number| number.parse().ok()).unwrap_or_default();
    match visit.pages.held.take(who, number) {
        Some(deed) => Ok(Redirect::to(&deed.back).into_response()),
        None => {
            let detail = "It was handed in already and cannot be taken back here. A rule in force can be rolled back.";
            Err(Failure::new(StatusCode::CONFLICT, detail))
        }
    }
}

/// Only to this page: nobody is sent elsewhere by a form.
fn is_ours(address: &str) -> bool {
    address.starts_with('/') && !address.starts_with("//") && !address.contains(['\\', '\n', '\r'])
}

#[derive(Template)]
#[template(path = "preview.html")]
struct PreviewPage<'a> {
    frame: Frame,
    rule: &'a RuleFile,
    text: &'a str,
    hash: &'a str,
    pieces: Vec<Piece>,
}

/// What another text would change.
fn preview(visit: &Visit) -> Result<String, Failure> {
    let id = visit.option("id").unwrap_or_default();
    let text = visit.option("text").unwrap_or_default();
    let seen = visit.ask(|c| c.queries.proposal_show(id))?;
    let r = &seen.it.record;
    let page = PreviewPage {
        frame: Frame::new(visit, format!("{id}: another text"), &seen),
        pieces: changes(&r.rule_content, text),
        hash: visit.option("content_hash").unwrap_or(&r.content_hash),
        rule: &seen.it,
        text,
    };
    Ok(page.render()?)
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    #[test]
    fn nobody_is_sent_elsewhere() {
        assert!(is_ours("/proposals/RULE-2026-0001"));
        for foreign in ["https://evil.example", "//evil.example", "/\\evil.example", "evil", ""] {
            assert!(!is_ours(foreign), "{foreign}");
        }
    }
}
