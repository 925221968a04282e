//! Fields of submissions: cleaned and redacted, since they go into records unchanged.

use super::fields::{Fields, invalid, kind_of, missing, read_list};
use super::limits::{DecodeLimits, check_id, check_tenant};
use crate::intake::capture::presentable_name;
use crate::intake::event::Rejection;
use crate::text::redact::{clean_text, redact};

/// Returns the tenant, if one is named; it must be ours.
pub(super) fn tenant(fields: &mut Fields, limits: &DecodeLimits) -> Result<Option<String>, Rejection> {
    let tenant = fields.text("tenant_id");
    check_tenant(tenant.as_deref(), limits)?;
    Ok(tenant.map(|tenant| clean_name(&tenant)))
}

/// Takes a required id or name under one of its names; errors name the first.
pub(super) fn name(fields: &mut Fields, names: &[&str]) -> Result<String, Rejection> {
    let field = names.iter().find(|name| fields.has(name)).unwrap_or(&names[0]);
    let found = clean_name(&fields.required_id(field)?);
    if found.is_empty() { Err(missing(field, "a non-empty text")) } else { Ok(found) }
}

/// Takes a list of ids or names; empty if missing. An unreadable list is an error, not empty.
pub(super) fn names(fields: &mut Fields, field: &str) -> Result<Vec<String>, Rejection> {
    const LIST: &str = "a list of non-empty texts";
    if !fields.has(field) {
        return Ok(Vec::new());
    }
    let value = fields.required_value(field, LIST)?;
    let list = read_list(&value).ok_or_else(|| invalid(field, &kind_of(&value), LIST))?;
    list.into_iter()
        .map(|item| {
            check_id(field, &item)?;
            let item = clean_name(&item);
            if item.is_empty() { Err(invalid(field, "a list with an empty text", LIST)) } else { Ok(item) }
        })
        .collect()
}

/// Takes a required text.
pub(super) fn text(fields: &mut Fields, field: &str, expected: &str) -> Result<String, Rejection> {
    let text = clean(&fields.required(field, expected)?);
    if text.is_empty() { Err(missing(field, expected)) } else { Ok(text) }
}

/// Removes hidden characters, secrets and surrounding blanks from a text.
pub(super) fn clean(text: &str) -> String {
    // Clean first: a zero-width space inside a secret would hide it.
    redact(&clean_text(text)).text.trim().to_owned()
}

/// Returns a name or an id on one line; one with a secret is replaced by the same words everywhere.
pub(super) fn clean_name(text: &str) -> String {
    presentable_name(text)
}
