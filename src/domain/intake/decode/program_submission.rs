//! What programs submit: which rules entered a prompt, rules in force elsewhere, and follow-ups to a review on a forge
//! (specification, "Reviews").
//!
//! Everything in them counts, so any unreadable part rejects the whole: half a list of rules would be wrong.

use super::fields::{Fields, invalid, kind_of, quoted};
use super::json;
use super::limits::DecodeLimits;
use super::submission_fields::{clean, clean_name, name, names, tenant, text};
use crate::intake::capture::presentable_id;
use crate::intake::event::Rejection;
use crate::intake::submission::{FollowUp, Import, ImportedRule, InjectedRule, Injection};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// `{"injection_id", "agent", "session_id"?, "timestamp", "rules": [{"rule_id", "version"}], "held_out"?: [..],
/// "base_hash", "prompt_hash"}`
pub(super) fn injection(mut fields: Fields, limits: &DecodeLimits, now: Timestamp) -> Result<Injection, Rejection> {
    let rules = objects(&mut fields, "rules", "a list of {rule_id, version}")?;
    Ok(Injection {
        injection_id: presentable_id(&fields.required_id("injection_id")?),
        agent: name(&mut fields, &["agent", "agent_name"])?,
        timestamp: fields.required_time("timestamp", now)?,
        rules: each(rules, "rules", |rule| {
            let rule_id = name(rule, &["rule_id", "proposal_id"])?;
            Ok(InjectedRule { rule_id, version: whole(rule, "version", "a version, at least 1")? })
        })?,
        held_out: names(&mut fields, "held_out")?,
        base_hash: name(&mut fields, &["base_hash"])?,
        prompt_hash: name(&mut fields, &["prompt_hash"])?,
        tenant_id: tenant(&mut fields, limits)?,
        session_id: fields.text("session_id").map(|id| clean_name(&id)).filter(|id| !id.is_empty()),
    })
}

/// `{"follow_up_id", "forge", "repository", "number", "what", "decision_id", "remark"?, "by", "text"?, "timestamp"}`
pub(super) fn follow_up(mut fields: Fields, limits: &DecodeLimits, now: Timestamp) -> Result<FollowUp, Rejection> {
    const WHAT: &str = "edited, deleted, resolved, unresolved or dismissed";
    let what = fields.required("what", WHAT)?;
    Ok(FollowUp {
        follow_up_id: presentable_id(&fields.required_id("follow_up_id")?),
        forge: name(&mut fields, &["forge"])?,
        repository: name(&mut fields, &["repository"])?,
        number: name(&mut fields, &["number"])?,
        what: what.to_lowercase().parse().map_err(|_| invalid("what", &quoted(&what), WHAT))?,
        decision_id: presentable_id(&fields.required_id("decision_id")?),
        remark: fields.text("remark").map(|id| clean_name(&id)).filter(|id| !id.is_empty()),
        by: name(&mut fields, &["by"])?,
        text: fields.text("text").map(|text| clean(&text)).filter(|text| !text.is_empty()),
        timestamp: fields.required_time("timestamp", now)?,
        tenant_id: tenant(&mut fields, limits)?,
    })
}

/// `{"import": {"name", "agents"?: [..], "imported_by", "imported_at", "file_hash", "rules": [{"line", "section"?,
/// "text"}]}}`
pub(super) fn import(mut outer: Fields, limits: &DecodeLimits, now: Timestamp) -> Result<Import, Rejection> {
    const OBJECT: &str = "an object with name, imported_by, imported_at, file_hash and rules";
    let object = match outer.required_value("import", OBJECT)? {
        Value::Object(object) => object,
        Value::String(text) => json::object("import", &text)?,
        other => return Err(invalid("import", &kind_of(&other), OBJECT)),
    };
    let outer_tenant = tenant(&mut outer, limits)?;
    within("import", || {
        let mut fields = Fields::from_object(object);
        let rules = objects(&mut fields, "rules", "a list of {line, text}")?;
        Ok(Import {
            name: name(&mut fields, &["name"])?,
            tenant_id: tenant(&mut fields, limits)?.or(outer_tenant),
            agents: names(&mut fields, "agents")?,
            imported_by: name(&mut fields, &["imported_by"])?,
            imported_at: fields.required_time("imported_at", now)?,
            file_hash: name(&mut fields, &["file_hash"])?,
            rules: each(rules, "rules", |rule| {
                Ok(ImportedRule {
                    line: whole(rule, "line", "a line number, at least 1")?,
                    section: rule.text("section").map(|s| clean(&s)).filter(|s| !s.is_empty()),
                    text: text(rule, "text", "the text of the rule")?,
                })
            })?,
        })
    })
}

/// Reads a required list of objects: an array, or its JSON text. It may be empty.
fn objects(fields: &mut Fields, field: &str, expected: &str) -> Result<Vec<Map<String, Value>>, Rejection> {
    let value = match fields.required_value(field, expected)? {
        Value::String(text) => json::parse(text.trim()).unwrap_or(Value::String(text)),
        value => value,
    };
    let Value::Array(items) = value else { return Err(invalid(field, &kind_of(&value), expected)) };
    items
        .into_iter()
        .map(|item| match item {
            Value::Object(object) => Ok(object),
            other => Err(invalid(field, &format!("a list with {}", kind_of(&other)), expected)),
        })
        .collect()
}

/// Reads each object; errors state its position.
fn each<T>(
    objects: Vec<Map<String, Value>>,
    field: &str,
    read: impl Fn(&mut Fields) -> Result<T, Rejection>,
) -> Result<Vec<T>, Rejection> {
    let numbered = objects.into_iter().enumerate();
    numbered.map(|(n, o)| within(&format!("{field}[{n}]"), || read(&mut Fields::from_object(o)))).collect()
}

fn whole(fields: &mut Fields, field: &str, expected: &str) -> Result<u32, Rejection> {
    let found = fields.required(field, expected)?;
    found.parse().ok().filter(|n| *n > 0).ok_or_else(|| invalid(field, &quoted(&found), expected))
}

/// Adds the location to an error in a nested object.
fn within<T>(place: &str, read: impl FnOnce() -> Result<T, Rejection>) -> Result<T, Rejection> {
    read().map_err(|wrong| Rejection {
        field: wrong.field.map(|field| format!("{place}.{field}")),
        message: format!("In `{place}`: {}", wrong.message),
        ..wrong
    })
}
