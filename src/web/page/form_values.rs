//! A parsed form, and the fields that several forms have.

use super::failure::Failure;
use super::request::Visit;
use crate::domain::reporting::inbox::check_day;
use axum::http::StatusCode;
use jiff::civil::Date;
use serde_json::Value;

/// A submitted decision.
#[derive(Debug, Default, PartialEq)]
pub struct FormValues {
    /// The actions to submit, in order.
    pub actions: Vec<Value>,
    /// The same in words, for its author.
    pub what: String,
    /// Its subject; empty if it has several.
    pub subject: String,
    /// The pending items that it settles.
    pub items: Vec<String>,
    /// Whether each action counts whatever becomes of the others.
    pub independent: bool,
    /// Whether it must not be held.
    pub at_once: bool,
}

/// Returns the day until which something is to be snoozed.
pub fn day(visit: &Visit) -> Result<String, Failure> {
    let Some(text) = visit.option("until") else { return Err(unfit(visit, "Say until which day")) };
    let day: Date = text.parse().map_err(|_| unfit(visit, &format!("“{text}” is not a date, such as 2026-01-31")))?;
    check_day(day, visit.today()).map_err(|why| unfit(visit, &why))?;
    Ok(day.to_string())
}

/// Returns the failure of a form that decides nothing, with the fields filled in by hand.
pub fn unfit(visit: &Visit, why: &str) -> Failure {
    let written = ["reason", "text", "why", "concern", "until"].into_iter();
    let kept = written.filter_map(|name| Some((name.to_owned(), visit.option(name)?.to_owned()))).collect();
    Failure { kept, ..Failure::new(StatusCode::UNPROCESSABLE_ENTITY, format!("{why}; nothing was decided.")) }
}
