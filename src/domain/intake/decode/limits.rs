//! Limits on accepted entries, and checks shared by all readers.

use super::fields::{self, Fields};
use crate::intake::event::{RawEntry, RejectCode, Rejection};
use crate::source::Source;
use crate::text::redact::Personal;
use serde_json::Value;

/// Limits on accepted entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeLimits {
    /// Maximum total bytes of an entry's field names and values.
    pub max_entry_bytes: usize,
    /// Maximum bytes of a name or a text in an event; a correction's diff has its own limit.
    pub max_field_bytes: usize,
    /// Maximum nesting depth of lists and objects in an event.
    pub max_nesting: usize,
    /// Maximum number of items in a list, and of names in an object, in an event.
    pub max_list_items: usize,
    /// Maximum number of tags per event.
    pub max_tags: usize,
    /// Maximum number of agents per event.
    pub max_agents: usize,
    /// The tenant this daemon serves; if set, events that name another are rejected.
    pub tenant: Option<String>,
    /// How personal data is handled.
    pub personal: Personal,
}

impl Default for DecodeLimits {
    fn default() -> Self {
        DecodeLimits {
            max_entry_bytes: 1 << 20,
            max_field_bytes: 1 << 20,
            max_nesting: 32,
            max_list_items: 10_000,
            max_tags: 100,
            max_agents: 100,
            tenant: None,
            personal: Personal::default(),
        }
    }
}

/// Maximum length of an identifying id, in characters.
const MAX_ID_CHARS: usize = 512;

pub(super) fn source(entry: &RawEntry) -> Source {
    Source { stream: entry.stream.clone(), entry_id: entry.id.clone() }
}

pub(super) fn has_field(entry: &RawEntry, name: &str) -> bool {
    entry.fields.iter().any(|(n, value)| n == name && !fields::is_null_text(&String::from_utf8_lossy(value)))
}

pub(super) fn check_size(entry: &RawEntry, limits: &DecodeLimits) -> Result<(), Rejection> {
    if entry.bytes() <= limits.max_entry_bytes as u64 { Ok(()) } else { Err(too_large(entry, limits)) }
}

/// Rejects an entry for its size, even if only the beginnings were read.
pub(super) fn too_large(entry: &RawEntry, limits: &DecodeLimits) -> Rejection {
    let largest = entry.fields.iter().max_by_key(|(_, value)| value.len()).map(|(name, _)| name.clone());
    let named = largest.as_deref().map(|n| format!(", most of it in `{}`", fields::shown(n))).unwrap_or_default();
    let digest = entry.oversize.as_ref().map(|o| format!(" Its digest is {}.", o.digest)).unwrap_or_default();
    let (bytes, most) = (entry.bytes(), limits.max_entry_bytes);
    Rejection {
        code: RejectCode::TooLarge,
        field: largest.as_deref().map(fields::shown),
        message: format!("The entry has {bytes} bytes{named}; the limit is {most}.{digest}"),
    }
}

/// Rejects an event with a part larger than allowed. A flat field that holds JSON counts as its content.
pub(super) fn check_shape(fields: &Fields, limits: &DecodeLimits) -> Result<(), Rejection> {
    for (name, value) in fields.all() {
        check_part(name, value, 0, limits)?;
        if let Value::String(text) = value
            && text.trim_start().starts_with(['{', '['])
            && let Ok(inner) = serde_json::from_str(text)
        {
            check_part(name, &inner, 0, limits)?;
        }
        // Also comma-separated.
        if name == "tags" || name == "agents" {
            check_count(name, fields::read_list(value).map_or(0, |list| list.len()), limits)?;
        }
    }
    Ok(())
}

fn check_part(name: &str, value: &Value, depth: usize, limits: &DecodeLimits) -> Result<(), Rejection> {
    let most = limits.max_field_bytes;
    if name.len() > most {
        return Err(beyond(name, &format!("has a name of {} bytes", name.len()), most, "intake.max_field_bytes"));
    }
    if matches!(value, Value::Array(_) | Value::Object(_)) && depth >= limits.max_nesting {
        let what = format!("is nested more than {} deep", limits.max_nesting);
        return Err(beyond(name, &what, limits.max_nesting, "intake.max_nesting"));
    }
    match value {
        Value::String(text) if text.len() > most && name != "correction_diff" => {
            Err(beyond(name, &format!("has {} bytes", text.len()), most, "intake.max_field_bytes"))
        }
        Value::Array(items) => {
            check_count(name, items.len(), limits)?;
            items.iter().try_for_each(|item| check_part(name, item, depth + 1, limits))
        }
        Value::Object(map) => {
            check_count(name, map.len(), limits)?;
            map.iter().try_for_each(|(name, value)| check_part(name, value, depth + 1, limits))
        }
        _ => Ok(()),
    }
}

fn check_count(name: &str, count: usize, limits: &DecodeLimits) -> Result<(), Rejection> {
    let (most, key) = match name {
        "tags" => (limits.max_tags, "intake.max_tags"),
        "agents" => (limits.max_agents, "intake.max_agents"),
        _ => (limits.max_list_items, "intake.max_list_items"),
    };
    if count > most { Err(beyond(name, &format!("has {count} items"), most, key)) } else { Ok(()) }
}

fn beyond(name: &str, what: &str, most: usize, key: &str) -> Rejection {
    let name = fields::shown(name);
    let message = format!("`{name}` {what}; at most {most} are accepted (`{key}`).");
    Rejection { code: RejectCode::TooLarge, field: Some(name), message }
}

pub(super) fn check_tenant(found: Option<&str>, limits: &DecodeLimits) -> Result<(), Rejection> {
    match (found, limits.tenant.as_deref()) {
        (Some(found), Some(own)) if found != own => Err(Rejection {
            code: RejectCode::TenantMismatch,
            field: Some("tenant_id".into()),
            message: format!(
                "`tenant_id` is {}, but this daemon serves {}; publish it to that tenant's key.",
                fields::quoted(found),
                fields::quoted(own)
            ),
        }),
        _ => Ok(()),
    }
}

/// Rejects an id that is too long.
pub(super) fn check_id(field: &str, id: &str) -> Result<(), Rejection> {
    let chars = id.chars().count();
    if chars > MAX_ID_CHARS {
        return Err(fields::invalid(field, &format!("{chars} characters long"), "at most 512 characters"));
    }
    Ok(())
}
