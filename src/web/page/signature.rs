//! Signing on the page, if configured: the exact text to sign, instructions, and a field for the signature.
//!
//! Nothing is kept between the steps: the form carries the whole decision, with the signed id and time. A signature is
//! checked before submission, so that the person can still fix errors.

use super::failure::Failure;
use super::form_values::FormValues;
use super::forms;
use super::frame::Frame;
use super::request::{Visit, fields};
use super::stale::stale;
use super::text::{marked, shown};
use crate::app::queries::views::{Piece, changes};
use crate::auth::Scope;
use crate::domain::records::record::ProposalRecord;
use crate::domain::rules::lifecycle::roster::Roster;
use crate::domain::rules::lifecycle::signature::{NAMESPACE, fingerprint};
use crate::domain::rules::lifecycle::signer;
use crate::redirect;
use crate::signature::{Signable, signable};
use crate::submission::{RequestIdentity, complete, decide};
use crate::undo_buffer::{DecisionOutcome, SOURCE};
use askama::Template;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use jiff::Timestamp;
use serde_json::Value;

/// Fields generated here and not carried.
const OWN: [&str; 4] = ["review_id", "timestamp", "signature", "decided"];

#[derive(Template)]
#[template(path = "signing.html")]
struct SigningPage<'a> {
    frame: Frame,
    /// The decision in words.
    what: &'a str,
    reason: Option<&'a str>,
    rule: Option<&'a ProposalRecord>,
    /// The changes of a new text; the text itself if it is approved or rejected.
    pieces: Vec<Piece>,
    text: &'a str,
    file: String,
    namespace: &'static str,
    /// The fingerprints of the valid keys.
    keys: Vec<String>,
    wrong: Option<&'a str>,
    decided: String,
    review_id: &'a str,
    timestamp: String,
    signature: &'a str,
}

/// A decision with its signed part.
struct Draft {
    filled: FormValues,
    own: RequestIdentity,
    signable: Signable,
}

/// Renders the page that asks for a decision's signature.
pub fn ask(visit: &Visit, filled: FormValues) -> Result<Response, Failure> {
    let draft = draft(visit, filled, RequestIdentity::default())?;
    Ok(Html(page(visit, &draft, None)?).into_response())
}

/// Handles `POST /sign/text`: the exact text, byte for byte.
pub fn download(visit: &Visit) -> Result<Response, Failure> {
    let visit = carried(visit)?;
    let draft = draft(&visit, forms::read(&visit)?, own(&visit)?)?;
    let named = format!("attachment; filename=\"{}\"", file(&draft.signable));
    let headers =
        [(header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, named)];
    Ok((headers, draft.signable.text()).into_response())
}

/// Handles `POST /sign`: submits the decision with its signature, if that is valid.
pub fn sign(visit: &Visit) -> Result<Response, Failure> {
    let visit = &carried(visit)?;
    let who = visit.who().ok_or_else(Failure::nobody)?;
    let filled = forms::read(visit)?;
    if let Some(page) = stale(visit, &filled)? {
        return Ok((StatusCode::CONFLICT, Html(page)).into_response());
    }
    let own = own(visit)?;
    let refused = |draft: &Draft, why: &str| {
        Ok((StatusCode::UNPROCESSABLE_ENTITY, Html(page(visit, draft, Some(why))?)).into_response())
    };
    let window = visit.pages.services.asked.signature_window;
    if own.timestamp.is_some_and(|at| signer::is_late(at, visit.now(), window)) {
        let why = "This text is too old to sign (review.signature_window_hours). Below is the same decision with a \
                   new id and time: sign that one.";
        return refused(&draft(visit, filled, RequestIdentity::default())?, why);
    }
    let draft = draft(visit, filled, own)?;
    let roster = roster(visit)?;
    if let Err(why) = draft.signable.check(&visit.pages.services, roster.find(who), visit.now()) {
        return refused(&draft, &why);
    }
    let Draft { filled, own, .. } = draft;
    let submitted = decide(&visit.pages.services, SOURCE, who, only(&filled)?.clone(), own)?;
    visit
        .pages
        .services
        .held
        .say(who, DecisionOutcome { text: format!("{}, signed: {}", filled.what, submitted.effect), good: true });
    Ok(redirect::to(&super::inbox::after(visit, &filled.subject)?).into_response())
}

/// Returns the request with the decision carried by its form, if its sender may decide.
fn carried(visit: &Visit) -> Result<Visit, Failure> {
    let caller = visit.caller.clone().ok_or_else(Failure::nobody)?;
    caller.may(Scope::Decide)?;
    let mut all = fields(visit.option("decided").unwrap_or_default().as_bytes());
    OWN.iter().for_each(|name| drop(all.remove(*name)));
    all.extend(OWN.iter().filter_map(|name| Some(((*name).to_owned(), visit.fields.get(*name)?.clone()))));
    let visit = Visit {
        pages: visit.pages.clone(),
        path: visit.path.clone(),
        id: String::new(),
        fields: all,
        caller: Some(caller.clone()),
    };
    caller.decides(visit.option("as"))?;
    Ok(visit)
}

/// Returns id, time and signature as sent.
fn own(visit: &Visit) -> Result<RequestIdentity, Failure> {
    let missing = || {
        let detail = "The form is incomplete; nothing was decided. Go back and decide again.";
        Failure::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    };
    let timestamp: Timestamp = visit.option("timestamp").and_then(|at| at.parse().ok()).ok_or_else(missing)?;
    let review_id = visit.option("review_id").ok_or_else(missing)?;
    Ok(RequestIdentity {
        review_id: Some(review_id.to_owned()),
        timestamp: Some(timestamp),
        signature: visit.option("signature").map(str::to_owned),
    })
}

fn draft(visit: &Visit, filled: FormValues, own: RequestIdentity) -> Result<Draft, Failure> {
    let who = visit.who().ok_or_else(Failure::nobody)?;
    let payload = complete(SOURCE, who, only(&filled)?.clone(), own.clone(), visit.now())?;
    let signable = signable(&visit.pages.services, &payload)?;
    Ok(Draft { filled, own, signable })
}

/// Returns the single review to sign: each needs its own signature.
fn only(filled: &FormValues) -> Result<&Value, Failure> {
    let [action] = filled.actions.as_slice() else {
        let detail = "This answer consists of several reviews, each with its own signature; nothing was decided. \
                      Answer it with feedbackd clusters review --sign KEY.";
        return Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, detail));
    };
    Ok(action)
}

fn page(visit: &Visit, draft: &Draft, wrong: Option<&str>) -> Result<String, Failure> {
    let Draft { filled, own, signable } = draft;
    let (review, action) = (&signable.review, only(filled)?);
    let roster = roster(visit)?;
    let keys = signer::keys(visit.who().and_then(|who| roster.find(who)), review.timestamp, visit.now());
    let rule = match filled.subject.starts_with("RULE-") {
        true => Some(visit.ask(|c| c.queries.proposal_show(&filled.subject))?.it.record),
        false => None,
    };
    let text = rule.as_ref().map_or("", |rule| &rule.rule_content);
    let signature = own.signature.as_deref().unwrap_or_default();
    let page = SigningPage {
        frame: Frame::bare(visit, "Sign your decision"),
        what: &filled.what,
        reason: action["reason"].as_str(),
        pieces: changes(text, action["modified_content"].as_str().unwrap_or(text)),
        rule: rule.as_ref(),
        text: &signable.text(),
        file: file(signable),
        namespace: NAMESPACE,
        keys: keys.into_iter().filter_map(fingerprint).collect(),
        wrong,
        decided: carry(visit),
        review_id: &review.review_id,
        timestamp: review.timestamp.to_string(),
        signature,
    };
    Ok(page.render()?)
}

/// Encodes the decision in characters that no form changes.
fn carry(visit: &Visit) -> String {
    let mut text = form_urlencoded::Serializer::new(String::new());
    for (name, values) in visit.fields.iter().filter(|(name, _)| !OWN.contains(&name.as_str())) {
        text.extend_pairs(values.iter().map(|value| (name, value)));
    }
    text.finish()
}

/// Returns the download name of the text: it appears in a command, so it contains no shell characters.
fn file(signable: &Signable) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    format!("review-{}.txt", signable.review.review_id.chars().map(plain).collect::<String>())
}

fn roster(visit: &Visit) -> Result<Roster, Failure> {
    let asked = &visit.pages.services.asked;
    Ok(visit.ask(|c| c.queries.rosters(asked))?.it.in_force)
}
