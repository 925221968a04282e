//! Unpacks the three encodings of an entry (specification, "How an entry is encoded"): flat fields, one JSON field,
//! CloudEvents.
//!
//! Fields next to a JSON field fill in what the JSON lacks, so that nothing is dropped.

use super::fields::{self, Fields, kind_of, shown};
use super::json;
use super::limits::DecodeLimits;
use crate::intake::event::{RawEntry, RejectCode, Rejection};
use serde_json::{Map, Value};

/// The possible names of a JSON payload field.
pub(super) const PAYLOAD_FIELDS: [&str; 4] = ["data", "payload", "event", "json"];

/// Returns the fields of an entry's event in any encoding. `is_flat` decides from the flat fields alone whether they
/// are the event; a field that happens to be named `data` is then an ordinary unknown field. Personal data is removed:
/// every entry passes through here.
pub(super) fn unpack(
    entry: &RawEntry,
    limits: &DecodeLimits,
    is_flat: impl Fn(&RawEntry) -> bool,
) -> Result<Fields, Rejection> {
    fields_of(entry, is_flat).map(|fields| fields.without_personal(&limits.personal))
}

fn fields_of(entry: &RawEntry, is_flat: impl Fn(&RawEntry) -> bool) -> Result<Fields, Rejection> {
    let payload = if is_flat(entry) { None } else { payload_field(entry) };
    let mut flat = Fields::default();
    for (index, (name, value)) in entry.fields.iter().enumerate() {
        if Some(index) != payload {
            flat.push_flat(name, value);
        }
    }
    let Some(index) = payload else { return Ok(flat) };
    let (name, bytes) = &entry.fields[index];
    let text = std::str::from_utf8(bytes).map_err(|error| Rejection {
        code: RejectCode::InvalidJson,
        field: Some(name.clone()),
        message: format!(
            "`{}` is not valid UTF-8 (byte {}); expected a JSON object.",
            shown(name),
            error.valid_up_to()
        ),
    })?;
    let object = json::object(name, text)?;
    let mut fields =
        if object.contains_key("specversion") { cloud_event(object)? } else { Fields::from_object(object) };
    fields.fill_from(flat);
    Ok(fields)
}

/// Returns the first field with a payload's name, preferring one that looks like an object.
fn payload_field(entry: &RawEntry) -> Option<usize> {
    let named = || {
        let is_payload = |(_, (name, _)): &(usize, &(String, Vec<u8>))| PAYLOAD_FIELDS.contains(&name.as_str());
        entry.fields.iter().enumerate().filter(is_payload)
    };
    let object = named().find(|(_, (_, value))| value.trim_ascii_start().starts_with(b"{"));
    object.or_else(|| named().next()).map(|(index, _)| index)
}

/// Returns the data of a CloudEvents 1.x envelope in structured mode; its other attributes are kept as `cloudevent`.
fn cloud_event(mut envelope: Map<String, Value>) -> Result<Fields, Rejection> {
    let version = envelope.get("specversion").cloned().unwrap_or(Value::Null);
    let known = match &version {
        Value::String(text) => text.trim() == "1" || text.trim().starts_with("1."),
        Value::Number(number) => number.as_f64().is_some_and(|n| (1.0..2.0).contains(&n)),
        _ => false,
    };
    if !known {
        return Err(broken("specversion", &format!("`specversion` is {}; expected 1.0.", kind_of(&version))));
    }
    let data = envelope.shift_remove("data").filter(|v| !fields::is_null(v));
    let encoded = envelope.shift_remove("data_base64").filter(|v| !fields::is_null(v));
    let object = match (data, encoded) {
        (Some(Value::Object(object)), _) => object,
        (Some(Value::String(text)), _) => json::object("data", &text)?,
        (Some(other), _) => {
            let found = kind_of(&other);
            return Err(broken("data", &format!("`data` of the CloudEvents envelope is {found}; expected an object.")));
        }
        (None, Some(Value::String(text))) => {
            let decoded = base64(&text).and_then(|bytes| String::from_utf8(bytes).ok());
            let text = decoded
                .ok_or_else(|| broken("data_base64", "`data_base64` is not base64 of UTF-8 text; expected JSON."))?;
            json::object("data_base64", &text)?
        }
        (None, _) => return Err(broken("data", "The CloudEvents envelope has no `data`; expected a JSON object.")),
    };
    let mut fields = Fields::from_object(object);
    fields.keep("cloudevent", Value::Object(envelope));
    Ok(fields)
}

fn broken(field: &str, message: &str) -> Rejection {
    Rejection { code: RejectCode::InvalidEnvelope, field: Some(field.to_owned()), message: message.to_owned() }
}

/// Decodes standard or URL-safe base64, with or without padding; white space is skipped.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in text.bytes().filter(|b| !b.is_ascii_whitespace() && *b != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}
