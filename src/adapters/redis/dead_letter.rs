//! The content of a dead letter: why an entry could not be processed, and every field of it, byte for byte.
//!
//! Pure. It neither decides what is one nor appends it.

use crate::domain::intake::event::{RawEntry, Rejection};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// Name and version of the data's schema.
pub(super) const SCHEMA: &str = "feedbackd.dead_letter/1";

/// Characters of a field that are repeated as text in the JSON. `original:<name>` has all of it.
const MAX_TEXT: usize = 4096;
/// Fields kept under their own names; a Redis script cannot pass many more in one command.
const MAX_FIELDS: usize = 3000;

/// A dead letter, except for what only Redis knows.
pub(super) struct DeadLetter {
    /// The fields besides `data`.
    pub(super) fields: Vec<(Vec<u8>, Vec<u8>)>,
    /// The JSON of `data` up to the delivery count, and what follows it.
    pub(super) data: (String, String),
    /// The entry's time, in milliseconds since 1970.
    pub(super) milliseconds: u64,
}

/// Builds the dead letter for the rejected `entry`.
///
/// The time is the entry's own (its id), so that the same entry always gives the same dead letter. Each field is kept
/// as `original:<name>`; those beyond the 3,000th are combined in `original_rest`, encoded as a RESP array of names and
/// values.
pub(super) fn dead_letter(entry: &RawEntry, rejection: &Rejection, tenant: &str) -> DeadLetter {
    let milliseconds = entry.id.split('-').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    let timestamp = i64::try_from(milliseconds).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let mut fields = vec![
        pair("schema", SCHEMA),
        pair("idempotency_key", &format!("dead_letter:{}:{}", entry.stream, entry.id)),
        pair("tenant_id", tenant),
        pair("timestamp", &timestamp.unwrap_or(Timestamp::UNIX_EPOCH).to_string()),
    ];
    let named = entry.fields.iter().take(MAX_FIELDS);
    fields.extend(named.map(|(name, value)| (format!("original:{name}").into_bytes(), value.clone())));
    if let Some(rest) = entry.fields.get(MAX_FIELDS..).filter(|rest| !rest.is_empty()) {
        fields.push((b"original_rest".to_vec(), resp_array(rest)));
    }
    DeadLetter { fields, data: data(entry, rejection), milliseconds }
}

fn data(entry: &RawEntry, rejection: &Rejection) -> (String, String) {
    let texts: Map<String, Value> =
        entry.fields.iter().take(MAX_FIELDS).map(|(name, value)| (name.clone(), shortened(value).into())).collect();
    let head = json!({
        "stream": entry.stream,
        "entry_id": entry.id,
        "code": rejection.code.as_str(),
        "field": rejection.field,
        "message": rejection.message,
    });
    let head = head.to_string();
    // The object stays open for the count, which Redis fills in.
    let head = format!("{},\"delivery_count\":", head.strip_suffix('}').unwrap_or(&head));
    (head, format!(",\"fields\":{}}}", Value::Object(texts)))
}

fn shortened(value: &[u8]) -> String {
    // A character takes at most four bytes: no need to scan the rest of a large value.
    let start = value.get(..4 * MAX_TEXT).unwrap_or(value);
    let text = String::from_utf8_lossy(start);
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

fn resp_array(fields: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", 2 * fields.len()).into_bytes();
    for (name, value) in fields {
        for part in [name.as_bytes(), value] {
            bytes.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
            bytes.extend_from_slice(part);
            bytes.extend_from_slice(b"\r\n");
        }
    }
    bytes
}

fn pair(name: &str, value: &str) -> (Vec<u8>, Vec<u8>) {
    (name.as_bytes().to_vec(), value.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::intake::event::{RejectCode, StreamKind};

    fn letter(fields: Vec<(String, Vec<u8>)>) -> DeadLetter {
        let entry = RawEntry {
            stream: "s".into(),
            kind: StreamKind::HitlDecisions,
            id: "1700000000000-3".into(),
            fields,
            gate_request: None,
            oversize: None,
        };
        let rejection = Rejection {
            code: RejectCode::MissingField,
            field: Some("gate_id".into()),
            message: "it is \"gone\"".into(),
        };
        dead_letter(&entry, &rejection, "acme")
    }

    #[test]
    fn the_data_is_json_once_the_count_is_in() {
        let letter = letter(vec![("a".into(), b"x\"y".to_vec()), ("b".into(), vec![0xff, b'z'])]);
        let data = format!("{}{}{}", letter.data.0, 7, letter.data.1);
        serde_json::from_str::<Value>(&data).expect("valid JSON");
        insta::assert_snapshot!(data, @r#"{"stream":"s","entry_id":"1700000000000-3","code":"missing_field","field":"gate_id","message":"it is \"gone\"","delivery_count":7,"fields":{"a":"x\"y","b":"�z"}}"#);
        let shown: Vec<_> = letter
            .fields
            .iter()
            .map(|(name, value)| format!("{}={}", String::from_utf8_lossy(name), value.escape_ascii()))
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r#"
        schema=feedbackd.dead_letter/1
        idempotency_key=dead_letter:s:1700000000000-3
        tenant_id=acme
        timestamp=2023-11-14T22:13:20Z
        original:a=x\"y
        original:b=\xffz
        "#);
    }

    #[test]
    fn large_values_are_shortened_in_the_json_only() {
        let letter = letter(vec![("a".into(), "ü".repeat(100_000).into_bytes())]);
        assert!(letter.data.1.len() < 3 * MAX_TEXT);
        assert_eq!(letter.fields[4].1.len(), 200_000);
    }
}
