//! One decision about several items of the inbox: each is approved, rejected or snoozed by itself.

use super::failure::Failure;
use super::form_values::{FormValues, day, unfit};
use super::request::Visit;
use crate::text::prose::{count, list};
use serde_json::{Value, json};

/// Maximum number of items at once: they are submitted one after another.
const MOST: usize = 50;
/// Maximum number of items named in the notice.
const NAMED: usize = 3;

/// Parses a decision about the selected items; `None` if it is another decision.
///
/// # Errors
/// If nothing fitting is selected, or something is missing.
pub fn read(visit: &Visit, decision: &str) -> Result<Option<FormValues>, Failure> {
    let reason = visit.option("reason");
    let selected = visit.all("item");
    // Only what is listed with the hash of its text is a proposal.
    let hash = |id: &str| visit.option(&field(id)).map(str::to_owned);
    let proposals = || selected.iter().filter_map(|id| Some((id.clone(), hash(id)?)));
    let decide = |word: &str| {
        let action = |(id, hash)| json!({"decision": word, "proposal_id": id, "content_hash": hash});
        proposals().map(action).collect::<Vec<Value>>()
    };
    let (mut actions, did) = match decision {
        "approve_selected" => (decide("APPROVE"), "You approved"),
        "reject_selected" if reason.is_none() && !selected.is_empty() => {
            return Err(unfit(visit, "Say why, in the field “Reason”"));
        }
        "reject_selected" => (decide("REJECT"), "You rejected"),
        "snooze_selected" => {
            let until = day(visit)?;
            let action = |id| json!({"decision": "SNOOZE", "item": id, "until": until});
            (selected.iter().map(action).collect(), "You snoozed")
        }
        _ => return Ok(None),
    };
    if selected.is_empty() {
        return Err(unfit(visit, "Select at least one item"));
    }
    if selected.len() > MOST {
        return Err(unfit(visit, &format!("Select at most {MOST} items at once")));
    }
    if actions.is_empty() {
        return Err(unfit(visit, "Only proposals can be approved or rejected here, and none is selected"));
    }
    if let Some(reason) = reason {
        actions.iter_mut().for_each(|action| action["reason"] = json!(reason));
    }
    let items: Vec<String> = actions.iter().filter_map(|action| Some(about(action)?.to_owned())).collect();
    let named = list(items.iter().map(String::as_str), NAMED);
    let what = match selected.len() - items.len() {
        0 => format!("{did} {named}"),
        left => format!("{did} {named} (not the other {}: no proposals)", count(left as u64, "selected item")),
    };
    Ok(Some(FormValues { actions, what, items, independent: true, ..FormValues::default() }))
}

/// Returns the item that an action is about.
fn about(action: &Value) -> Option<&str> {
    action["proposal_id"].as_str().or(action["item"].as_str())
}

/// Returns the field with the hash of a listed proposal's text.
pub fn field(id: &str) -> String {
    format!("hash.{id}")
}
