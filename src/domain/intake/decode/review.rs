//! What people and programs submit about what was learned (specification, "Reviews"): reviews here, the rest in
//! `notice`.
//!
//! The kind follows from the fields. Texts are cleaned and redacted, since they go into records unchanged. Whether the
//! proposal exists, and whether the reviewer may decide it, is checked later.
//!
//! In addition to the specification's decisions (APPROVE, REJECT, MODIFY of a `proposal_id`; a `resolution` of a
//! `feedback_id`), a `decision` may be one of these:
//!
//! | decision | fields |
//! |---|---|
//! | `RETIRE`, `ROLL_BACK` | `rule_id` (or `proposal_id`) |
//! | `STOP`, `RESUME` | `rule_id`, or `all` set to true |
//! | `MERGE_CLUSTERS` | `from`, `into` |
//! | `SPLIT_CLUSTER` | `cluster_id`, `feedback_ids` |
//! | `WORD_RULE` | `cluster_id`, `rule_content` |
//! | `MOVE_FEEDBACK` | `feedback_id`, `into` |
//! | `SAME`, `KEEP_APART` | `a`, `b`: a `cluster_id` or a `feedback_id` each |
//! | `SORT` | `same`, `others`, `nothing`, `particular`: feedback ids each, all optional; `into` |
//! | `MARK` | `feedback_id`, `mark` (NOTHING, PARTICULAR or DEMAND), `demand` with the last |
//! | `RETRACT` | `reviewer` or `feedback_id` |
//! | `SNOOZE` | `item`, `until`: a day such as 2026-12-01 |
//! | `WAKE` | `item` |

use super::fields::{self, Fields, invalid, missing, quoted};
use super::limits::{DecodeLimits, check_shape, check_size, has_field};
use super::submission_fields::{clean, clean_name, name, names, tenant, text};
use super::{envelope, program_submission};
use crate::intake::capture::presentable_id;
use crate::intake::event::{RawEntry, Rejection};
use crate::intake::submission::{Mark, Resolution, Review, ReviewAction, Submission};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The fields that identify the kind of submission, in order of precedence.
const MARKS: [&str; 4] = ["review_id", "injection_id", "import", "follow_up_id"];

/// Decodes one entry of `asdlc:events:meta_hitl_decisions`.
pub(super) fn decode(entry: &RawEntry, limits: &DecodeLimits, now: Timestamp) -> Result<Submission, Rejection> {
    check_size(entry, limits)?;
    let fields = envelope::unpack(entry, limits, |entry| MARKS.iter().any(|name| has_field(entry, name)))?;
    check_shape(&fields, limits)?;
    let is_there = |name| fields.has(name);
    if !is_there("review_id") && is_there("injection_id") {
        return program_submission::injection(fields, limits, now).map(Submission::Injection);
    }
    if !is_there("review_id") && is_there("import") {
        return program_submission::import(fields, limits, now).map(Submission::Import);
    }
    if !is_there("review_id") && is_there("follow_up_id") {
        return program_submission::follow_up(fields, limits, now).map(Submission::FollowUp);
    }
    review(entry, fields, limits, now).map(Submission::Review)
}

/// Reports whether an event has the fields of a submission.
pub(super) fn is_submission(event: &Map<String, Value>) -> bool {
    MARKS.iter().any(|name| event.get(*name).is_some_and(|value| !fields::is_null(value)))
}

fn review(entry: &RawEntry, mut fields: Fields, limits: &DecodeLimits, now: Timestamp) -> Result<Review, Rejection> {
    let review_id = presentable_id(&fields.required_id("review_id")?);
    let action = action(&mut fields)?;
    let reviewer_id = name(&mut fields, &["reviewer_id"])?;
    let timestamp = fields.required_time("timestamp", now)?;
    let tenant_id = tenant(&mut fields, limits)?;
    let mut reasons = ["reason", "rationale", "comment"].into_iter().filter_map(|name| fields.text(name));
    let reason = reasons.find_map(|text| Some(clean(&text)).filter(|text| !text.is_empty()));
    Ok(Review {
        review_id,
        action,
        reviewer_id,
        timestamp,
        reason,
        content_hash: fields.text("content_hash").map(|hash| clean_name(&hash)),
        // It is compared and not stored, so it stays unchanged.
        signature: fields.text("signature"),
        tenant_id,
        source: super::limits::source(entry),
    })
}

const DECISIONS: &str = "APPROVE, REJECT, MODIFY, RETIRE, ROLL_BACK, STOP, RESUME, WITHDRAW_IMPORT, MERGE_CLUSTERS, \
                         SPLIT_CLUSTER, WORD_RULE, MOVE_FEEDBACK, SAME, KEEP_APART, SORT, MARK, RETRACT, SNOOZE or WAKE, \
                         or a `resolution` instead";

const RESOLUTIONS: &str = "GENERALIZABLE, EDGE_CASE, IGNORE or NO_CONTRADICTION";

fn action(fields: &mut Fields) -> Result<ReviewAction, Rejection> {
    if fields.has("resolution") && !fields.has("decision") {
        return resolve(fields);
    }
    let decision = fields.required("decision", DECISIONS)?;
    let action = match words(&decision).iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["resolve" | "resolved"] => return resolve(fields),
        ["approve" | "approved"] => ReviewAction::Approve { proposal_id: name(fields, &["proposal_id", "rule_id"])? },
        ["reject" | "rejected"] => ReviewAction::Reject { proposal_id: name(fields, &["proposal_id", "rule_id"])? },
        ["modify" | "modified"] | ["approve" | "approved", "with", "change" | "changes"] => ReviewAction::Modify {
            proposal_id: name(fields, &["proposal_id", "rule_id"])?,
            modified_content: text(fields, "modified_content", "the new text of the rule")?,
            modified_why: fields.text("modified_why").map(|why| clean(&why)),
            modified_concern: fields.text("modified_concern").map(|concern| clean_name(&concern)),
        },
        ["retire" | "retired"] => ReviewAction::Retire { rule_id: name(fields, &["rule_id", "proposal_id"])? },
        ["rollback"] | ["roll" | "rolled", "back"] => {
            ReviewAction::RollBack { rule_id: name(fields, &["rule_id", "proposal_id"])? }
        }
        ["stop" | "stopped"] => ReviewAction::Stop { rule_id: one_or_all(fields)? },
        ["resume" | "resumed"] => ReviewAction::Resume { rule_id: one_or_all(fields)? },
        ["withdraw" | "withdrawn", "import"] => ReviewAction::WithdrawImport { import: name(fields, &["import"])? },
        ["merge"] | ["merge", "cluster" | "clusters"] => {
            ReviewAction::MergeClusters { from: name(fields, &["from"])?, into: name(fields, &["into"])? }
        }
        ["split"] | ["split", "cluster"] => ReviewAction::SplitCluster {
            cluster_id: name(fields, &["cluster_id"])?,
            feedback_ids: Some(names(fields, "feedback_ids")?)
                .filter(|ids| !ids.is_empty())
                .ok_or_else(|| missing("feedback_ids", "the ids of the feedback to move out of the cluster"))?,
        },
        ["word"] | ["word", "rule"] => ReviewAction::WordRule {
            cluster_id: name(fields, &["cluster_id"])?,
            rule_content: text(fields, "rule_content", "the text of the rule")?,
        },
        ["move"] | ["move", "feedback"] => {
            ReviewAction::MoveFeedback { feedback_id: name(fields, &["feedback_id"])?, into: name(fields, &["into"])? }
        }
        ["same"] => ReviewAction::Same { a: name(fields, &["a"])?, b: name(fields, &["b"])? },
        ["different"] | ["keep" | "kept", "apart"] => {
            ReviewAction::KeepApart { a: name(fields, &["a"])?, b: name(fields, &["b"])? }
        }
        ["sort" | "sorted"] => sort(fields)?,
        ["mark" | "marked"] => mark(fields)?,
        ["retract" | "retracted"] => retract(fields)?,
        ["snooze" | "snoozed"] => ReviewAction::Snooze { item: name(fields, &["item"])?, until: day(fields, "until")? },
        ["wake"] => ReviewAction::Wake { item: name(fields, &["item"])? },
        _ => return Err(invalid("decision", &quoted(&decision), DECISIONS)),
    };
    if fields.has("resolution") {
        return Err(invalid("resolution", "used with another `decision`", "one of the two"));
    }
    Ok(action)
}

/// Reads a rule, or none if `all` is set: a missing name does not mean all.
fn one_or_all(fields: &mut Fields) -> Result<Option<String>, Rejection> {
    match (fields.has("rule_id"), fields.flag("all") == Some(true)) {
        (true, true) => Err(invalid("all", "used with `rule_id`", "one of the two")),
        (true, false) => Ok(Some(name(fields, &["rule_id"])?)),
        (false, true) => Ok(None),
        (false, false) => Err(missing("rule_id", "the id of a rule, or `all` set to true")),
    }
}

fn resolve(fields: &mut Fields) -> Result<ReviewAction, Rejection> {
    let feedback_id = name(fields, &["feedback_id"])?;
    let text = fields.required("resolution", RESOLUTIONS)?;
    let resolution = match words(&text).iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generalizable" | "generalisable" | "generalize" | "generalise"] => Resolution::Generalizable,
        ["edgecase"] | ["edge", "case"] => Resolution::EdgeCase,
        ["ignore" | "ignored"] => Resolution::Ignore,
        ["nocontradiction"] | ["no", "contradiction"] => Resolution::NoContradiction,
        _ => return Err(invalid("resolution", &quoted(&text), RESOLUTIONS)),
    };
    Ok(ReviewAction::Resolve { feedback_id, resolution })
}

/// Each feedback may be listed only once: it cannot ask for the same as others and for something else.
fn sort(fields: &mut Fields) -> Result<ReviewAction, Rejection> {
    const LISTS: [&str; 4] = ["same", "others", "nothing", "particular"];
    let mut lists: Vec<Vec<String>> = Vec::new();
    for name in LISTS {
        lists.push(names(fields, name)?);
    }
    let mut seen = BTreeSet::new();
    for (name, list) in LISTS.iter().zip(&lists) {
        if let Some(twice) = list.iter().find(|id| !seen.insert(id.as_str())) {
            return Err(invalid(name, &format!("a list that repeats {}", quoted(twice)), "each id once"));
        }
    }
    if seen.is_empty() {
        return Err(missing("same", "the ids of the feedback that asks for the same, or one of the other lists"));
    }
    let into = if fields.has("into") { Some(name(fields, &["into"])?) } else { None };
    let mut lists = lists.into_iter();
    let mut next = || lists.next().unwrap_or_default();
    Ok(ReviewAction::Sort { same: next(), others: next(), nothing: next(), particular: next(), into })
}

const MARK: &str = "NOTHING, PARTICULAR or DEMAND";

fn mark(fields: &mut Fields) -> Result<ReviewAction, Rejection> {
    let feedback_id = name(fields, &["feedback_id"])?;
    let text = fields.required("mark", MARK)?;
    let mark = match words(&text).iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["nothing" | "praise"] => Mark::Nothing,
        ["particular"] => Mark::Particular,
        ["demand"] => Mark::Demand,
        _ => return Err(invalid("mark", &quoted(&text), MARK)),
    };
    let demand = match (mark, fields.has("demand")) {
        (Mark::Demand, _) => Some(name(fields, &["demand"])?),
        (_, true) => return Err(invalid("demand", "used with another `mark`", "no `demand`, or the mark DEMAND")),
        (_, false) => None,
    };
    Ok(ReviewAction::Mark { feedback_id, mark, demand })
}

/// Reads either a person or one feedback: both together would be ambiguous.
fn retract(fields: &mut Fields) -> Result<ReviewAction, Rejection> {
    match (fields.has("reviewer"), fields.has("feedback_id")) {
        (true, true) => Err(invalid("reviewer", "used with `feedback_id`", "one of the two")),
        (true, false) => Ok(ReviewAction::Retract { reviewer: Some(name(fields, &["reviewer"])?), feedback_id: None }),
        (false, true) => {
            Ok(ReviewAction::Retract { reviewer: None, feedback_id: Some(name(fields, &["feedback_id"])?) })
        }
        (false, false) => Err(missing("feedback_id", "a feedback id, or a `reviewer`")),
    }
}

/// Takes a required day.
fn day(fields: &mut Fields, field: &str) -> Result<Date, Rejection> {
    const DAY: &str = "a day such as 2026-12-01";
    let text = fields.required(field, DAY)?;
    text.trim().parse().map_err(|_| invalid(field, &quoted(&text), DAY))
}

/// Returns the words of an enumeration's value, in lower case.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_alphabetic()).filter(|w| !w.is_empty()).map(str::to_ascii_lowercase).collect()
}
