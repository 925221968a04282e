//! What an entry may be like to be accepted, and what every reader asks of one.

use super::fields::{self};
use crate::domain::intake::event::{RawEntry, RejectCode, Rejection};
use crate::domain::redact::Personal;
use crate::domain::source::Source;

/// What an entry may be like to be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeLimits {
    /// The most bytes all field names and values of an entry may have together.
    pub max_entry_bytes: usize,
    /// The tenant this daemon serves; where set, events that name another one are rejected.
    pub tenant: Option<String>,
    /// What becomes of personal data.
    pub personal: Personal,
}

impl Default for DecodeLimits {
    fn default() -> Self {
        DecodeLimits { max_entry_bytes: 1 << 20, tenant: None, personal: Personal::default() }
    }
}

/// The most characters an id that everything hangs on may have.
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

/// Refuses an entry for its size, also one of which only the beginnings were read.
pub(super) fn too_large(entry: &RawEntry, limits: &DecodeLimits) -> Rejection {
    let largest = entry.fields.iter().max_by_key(|(_, value)| value.len()).map(|(name, _)| name.clone());
    let named = largest.as_deref().map(|n| format!(", most of it in `{}`", fields::shown(n))).unwrap_or_default();
    let digest = entry.oversize.as_ref().map(|o| format!(" Its digest is {}.", o.digest)).unwrap_or_default();
    let (bytes, most) = (entry.bytes(), limits.max_entry_bytes);
    Rejection {
        code: RejectCode::TooLarge,
        field: largest.as_deref().map(fields::shown),
        message: format!("The entry has {bytes} bytes{named}; at most {most} are accepted.{digest}"),
    }
}

pub(super) fn check_tenant(found: Option<&str>, limits: &DecodeLimits) -> Result<(), Rejection> {
    match (found, limits.tenant.as_deref()) {
        (Some(found), Some(own)) if found != own => Err(Rejection {
            code: RejectCode::TenantMismatch,
            field: Some("tenant_id".into()),
            message: format!(
                "`tenant_id` is {}, but this daemon serves {}; publish it under that tenant's own key.",
                fields::quoted(found),
                fields::quoted(own)
            ),
        }),
        _ => Ok(()),
    }
}

/// Refuses an id that is too long to be one.
pub(super) fn check_id(field: &str, id: &str) -> Result<(), Rejection> {
    let chars = id.chars().count();
    if chars > MAX_ID_CHARS {
        return Err(fields::invalid(field, &format!("{chars} characters long"), "at most 512 characters"));
    }
    Ok(())
}
