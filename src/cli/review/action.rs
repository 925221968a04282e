//! Converts wishes to reviews: the fields of the review stream.

use super::entry::{Entry, Tick};
use super::keys::KeyAction;
use crate::app::decisions::inbox::Kind;
use crate::domain::clusters::question::{Inquiry, Marks, ShownComment, is_same};
use crate::domain::intake::submission::Mark;
use serde_json::{Value, json};

/// Returns the review about one comment.
pub fn of_remark(wish: KeyAction, said: &ShownComment) -> Value {
    match wish {
        KeyAction::Mark(mark) => json!({"decision": "MARK", "feedback_id": said.feedback_id, "mark": mark.as_str()}),
        _ => json!({"decision": "RETRACT", "feedback_id": said.feedback_id}),
    }
}

/// Returns the review that merges one cluster into another.
pub fn merge(entry: &Entry, into: &str) -> Value {
    json!({"decision": "MERGE_CLUSTERS", "from": entry.item.id, "into": into})
}

/// Returns the review that changes a proposal's text.
pub fn modify(entry: &Entry, text: &str) -> Value {
    json!({
        "decision": "MODIFY", "proposal_id": entry.item.id, "modified_content": text,
        "content_hash": entry.item.content_hash,
    })
}

/// Returns the reviews for a wish.
///
/// # Errors
/// A sentence explaining why there are none.
pub fn of(wish: KeyAction, entry: &Entry) -> Result<Vec<Value>, String> {
    let id = &entry.item.id;
    let decide = |word: &str| {
        let mut action = json!({"decision": word, "proposal_id": id});
        if let Some(hash) = &entry.item.content_hash {
            action["content_hash"] = json!(hash);
        }
        vec![action]
    };
    Ok(match wish {
        KeyAction::Approve => decide("APPROVE"),
        KeyAction::Reject => decide("REJECT"),
        KeyAction::Retire => vec![json!({"decision": "RETIRE", "rule_id": id})],
        KeyAction::RollBack => vec![json!({"decision": "ROLL_BACK", "rule_id": id})],
        KeyAction::Stop => vec![json!({"decision": "STOP", "rule_id": id})],
        KeyAction::Resolve(resolution) => vec![json!({"feedback_id": id, "resolution": resolution.as_str()})],
        KeyAction::Same | KeyAction::Different => return sorted(entry, wish == KeyAction::Same),
        KeyAction::Modify | KeyAction::Merge | KeyAction::Mark(_) | KeyAction::Withdraw => Vec::new(),
    })
}

/// Returns the answer about comments: the ticked ones ask for the same, or none does.
fn sorted(entry: &Entry, same: bool) -> Result<Vec<Value>, String> {
    if let Some(Inquiry::Pair(pair)) = &entry.item.question {
        return Ok(vec![is_same(&pair.a.id, &pair.b.id, same)]);
    }
    let places = |tick: Tick| {
        let of = entry.ticks.iter().enumerate().filter(move |(_, t)| **t == tick);
        of.map(|(place, _)| place).collect::<Vec<usize>>()
    };
    let marks = Marks {
        same: if same { places(Tick::On) } else { Vec::new() },
        nothing: places(Tick::Nothing),
        particular: places(Tick::Particular),
        demands: Vec::new(),
    };
    let actions = match &entry.item.question {
        Some(Inquiry::List(list)) => list.answered(&marks),
        _ => group(entry, same, &marks),
    };
    if actions.is_empty() {
        Err("tick two or more comments that ask for the same thing".to_owned())
    } else {
        Ok(actions)
    }
}

/// Returns the answer about a cluster: it is correct, it contains several demands, or some members do not belong.
fn group(entry: &Entry, same: bool, marks: &Marks) -> Vec<Value> {
    let id = |place: &usize| entry.remarks[*place].feedback_id.as_str();
    let ids = |places: &[usize]| places.iter().map(id).collect::<Vec<_>>();
    let mut actions: Vec<Value> = Vec::new();
    let off: Vec<usize> = (0..entry.remarks.len()).filter(|place| entry.ticks[*place] == Tick::Off).collect();
    match (same, off.is_empty()) {
        // All comments shown belong to it: confirm that.
        (true, true) if marks.same.len() > 1 => {
            actions.push(json!({"decision": "SORT", "same": ids(&marks.same), "into": entry.item.id}));
        }
        (true, false) => {
            actions.push(json!({"decision": "SPLIT_CLUSTER", "cluster_id": entry.item.id, "feedback_ids": ids(&off)}));
        }
        (true, true) => {}
        (false, _) => {
            let left = (0..entry.remarks.len()).filter(|place| matches!(entry.ticks[*place], Tick::On | Tick::Off));
            let others = ids(&left.collect::<Vec<_>>());
            if others.len() > 1 {
                actions.push(json!({"decision": "SORT", "others": others}));
            }
        }
    }
    for (places, mark) in [(&marks.nothing, Mark::Nothing), (&marks.particular, Mark::Particular)] {
        actions.extend(places.iter().map(|place| of_remark(KeyAction::Mark(mark), &entry.remarks[*place])));
    }
    actions
}

/// Describes a decision, for when it is held back or reported.
pub fn words(wish: KeyAction, entry: &Entry) -> String {
    let id = &entry.item.id;
    match wish {
        KeyAction::Approve => format!("approve {id}"),
        KeyAction::Reject => format!("reject {id}"),
        KeyAction::Modify => format!("new text for {id}"),
        KeyAction::Resolve(resolution) => format!("{id}: {}", resolution.as_str().to_lowercase().replace('_', " ")),
        KeyAction::Same if entry.item.kind == Kind::MixedGroup => format!("members of {id}"),
        KeyAction::Same => "the ticked ones ask for the same thing".to_owned(),
        KeyAction::Different => "they ask for different things".to_owned(),
        KeyAction::Merge => format!("merge {id}"),
        KeyAction::Mark(Mark::Nothing) => "a comment asks for nothing".to_owned(),
        KeyAction::Mark(_) => "a comment is too specific".to_owned(),
        KeyAction::Withdraw => "withdraw a comment".to_owned(),
        KeyAction::Retire => format!("retire {id}"),
        KeyAction::RollBack => format!("roll back {id}"),
        KeyAction::Stop => format!("stop {id}"),
    }
}
