//! Forms converted to decisions.

use super::failure::Failure;
use super::form_values::{FormValues, day, unfit};
use super::request::Visit;
use super::selected;
use crate::domain::rules::draft::proposal::hash_with;
use crate::domain::rules::lifecycle::rule::NO_NOTE;
use crate::text::prose::count;
use axum::http::StatusCode;
use serde_json::json;

/// Parses a form.
///
/// # Errors
/// If something is missing, with the submitted fields.
pub fn read(visit: &Visit) -> Result<FormValues, Failure> {
    let need = |name: &'static str, what: &str| {
        visit.option(name).map(str::to_owned).ok_or_else(|| unfit(visit, &format!("Say {what}")))
    };
    let decision = need("decision", "what you decide")?;
    let reason = || need("reason", "why, in the field “Why”");
    if let Some(filled) = selected::read(visit, &decision)? {
        return Ok(filled);
    }
    let subject = need("id", "what it is about")?;
    if ["sorted", "all_differ", "same", "different"].contains(&decision.as_str()) {
        return crate::page::answers::read(visit, &decision, subject);
    }
    if ["split", "split_and_approve"].contains(&decision.as_str()) {
        return split(visit, &decision, subject);
    }
    let mut at_once = false;
    let mut more = None;
    let (mut action, what) = match decision.as_str() {
        "approve" => {
            let hash = need("content_hash", "which text you approve")?;
            (json!({"decision": "APPROVE", "proposal_id": subject, "content_hash": hash}), "You approved")
        }
        "reject" => {
            let hash = visit.option("content_hash");
            let mut action = json!({"decision": "REJECT", "proposal_id": subject, "reason": reason()?});
            if let Some(hash) = hash {
                action["content_hash"] = json!(hash);
            }
            (action, "You rejected")
        }
        "modify" | "modify_and_approve" => {
            let text = need("text", "the new text")?;
            let hash = need("content_hash", "which text you are changing")?;
            let shown = visit.ask(|c| c.queries.proposal_show(&subject))?.it.record;
            if decision == "modify_and_approve" {
                let hash = if text == shown.rule_content { hash.clone() } else { hash_with(&shown, &text) };
                more = Some(json!({"decision": "APPROVE", "proposal_id": subject, "content_hash": hash}));
            }
            let what = if more.is_some() { "You changed and approved" } else { "You changed" };
            let mut action =
                json!({"decision": "MODIFY", "proposal_id": subject, "modified_content": text, "content_hash": hash});
            for (name, before) in [("why", &shown.why), ("concern", &shown.concern)] {
                // A field that is sent and empty removes it; one that is not sent leaves it.
                let sent = visit.all(name).first().map(|value| value.trim());
                if let Some(value) = sent.filter(|value| *value != before.as_deref().unwrap_or_default()) {
                    action[format!("modified_{name}")] = json!(if value.is_empty() { NO_NOTE } else { value });
                }
            }
            (action, what)
        }
        "generalizable" | "edge_case" | "ignore" | "no_contradiction" => {
            let resolution = decision.to_ascii_uppercase();
            let action = json!({"feedback_id": subject, "resolution": resolution, "reason": reason()?});
            let what = match decision.as_str() {
                "generalizable" => "You said that the new comment applies in general, in the contradiction",
                "edge_case" => "You said that the new comment applies in this case only, in the contradiction",
                "ignore" => "You said that nothing is to be learned from the contradiction",
                _ => "You said that both sides hold, so there is no contradiction:",
            };
            (action, what)
        }
        "nothing" | "particular" => {
            let mark = decision.to_ascii_uppercase();
            let what =
                if decision == "nothing" { "You marked as asking for nothing:" } else { "You marked as too specific:" };
            (json!({"decision": "MARK", "feedback_id": subject, "mark": mark}), what)
        }
        "merge" => {
            let into = need("into", "into which cluster")?;
            (json!({"decision": "MERGE_CLUSTERS", "from": subject, "into": into}), "You merged")
        }
        "word" => {
            let text = need("text", "the text of the rule")?;
            (json!({"decision": "WORD_RULE", "cluster_id": subject, "rule_content": text}), "You worded a rule for")
        }
        "snooze" => {
            let until = day(visit)?;
            (json!({"decision": "SNOOZE", "item": subject, "until": until}), "You snoozed")
        }
        "wake" => {
            at_once = true;
            (json!({"decision": "WAKE", "item": subject}), "You put back into the inbox")
        }
        "retract" => (json!({"decision": "RETRACT", "feedback_id": subject, "reason": reason()?}), "You withdrew"),
        "retire" => (json!({"decision": "RETIRE", "rule_id": subject, "reason": reason()?}), "You retired"),
        "roll_back" => (json!({"decision": "ROLL_BACK", "rule_id": subject, "reason": reason()?}), "You rolled back"),
        "withdraw_import" => {
            at_once = true;
            (json!({"decision": "WITHDRAW_IMPORT", "import": subject, "reason": reason()?}), "You withdrew the import")
        }
        "stop" | "resume" => {
            at_once = true;
            let word = decision.to_ascii_uppercase();
            let what = if decision == "stop" { "You stopped" } else { "You resumed" };
            match subject.as_str() {
                "all" => (json!({"decision": word, "all": true, "reason": reason()?}), what),
                rule => (json!({"decision": word, "rule_id": rule, "reason": reason()?}), what),
            }
        }
        other => {
            let detail = format!("“{other}” is not a decision that you can make here.");
            return Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, detail));
        }
    };
    if let (None, Some(reason)) = (action.get("reason"), visit.option("reason")) {
        action["reason"] = json!(reason);
    }
    let actions = std::iter::once(action).chain(more).collect();
    let items = vec![subject.clone()];
    Ok(FormValues { actions, what: format!("{what} {subject}"), subject, items, at_once, independent: false })
}

/// Parses which comments of a cluster ask for the same; on the page of a proposal, they are its evidence.
fn split(visit: &Visit, decision: &str, cluster: String) -> Result<FormValues, Failure> {
    let stay = visit.all("stays");
    let leave: Vec<&String> = visit.all("member").iter().filter(|id| !stay.contains(id)).collect();
    let kept = format!("You kept {} of {}", stay.len(), count((stay.len() + leave.len()) as u64, "comment"));
    let (same, others) = (json!(stay), json!(leave));
    let sorted = match stay.is_empty() {
        // None of them asks for the same as another.
        true => json!({"decision": "SORT", "same": [], "others": others}),
        false => json!({"decision": "SORT", "same": same, "others": others, "into": cluster}),
    };
    let Some(rule) = visit.option("rule") else {
        let (what, items) = (format!("{kept} in {cluster}"), vec![cluster.clone()]);
        return Ok(FormValues { actions: vec![sorted], what, items, subject: cluster, ..FormValues::default() });
    };
    if leave.is_empty() && decision == "split" {
        return Err(unfit(visit, "Untick the comments that do not ask for it"));
    }
    if stay.is_empty() {
        return Err(unfit(visit, "No comment is left as evidence; reject the proposal instead"));
    }
    if decision == "split" {
        let what = format!("{kept} as evidence of {rule}");
        return Ok(FormValues { actions: vec![sorted], what, subject: cluster, ..FormValues::default() });
    }
    let hash = visit.option("content_hash").ok_or_else(|| unfit(visit, "Say which text you approve"))?;
    let approved = json!({"decision": "APPROVE", "proposal_id": rule, "content_hash": hash});
    let actions = if leave.is_empty() { vec![approved] } else { vec![sorted, approved] };
    let what = format!("{kept} as evidence of {rule} and approved it");
    let (subject, items) = (rule.to_owned(), vec![rule.to_owned()]);
    Ok(FormValues { actions, what, subject, items, ..FormValues::default() })
}
