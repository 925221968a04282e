//! An entry from the dead letter stream: the original, and with changes. Pure; it does not judge whether the entry can
//! now be read.

use crate::ports::EntryFields as Fields;
use serde_json::Value;
use thiserror::Error;

/// The stream with the complete entries (key without the tenant's prefix).
const STREAM: &str = "asdlc:events:dead_letters";
/// Prefix of the original field names in that stream.
const ORIGINAL: &str = "original:";

/// Why a dead letter cannot be sent again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// The dead letter stream no longer has it.
    #[error("the entry is no longer in {STREAM}; its publisher must send it again")]
    Gone,
    /// It has fields that cannot be carried over unchanged.
    #[error("it has fields that are not text, or too many fields; its publisher must send it again")]
    NotText,
    /// A change names no field.
    #[error("`{0}` names no field; write field=value")]
    NoField(String),
}

/// Returns the original entry. `letter` is what the dead letter stream has under its key, if anything.
///
/// # Errors
/// If it is missing or is not text.
pub fn original(letter: Option<Fields>) -> Result<Fields, EditError> {
    let fields = letter.ok_or(EditError::Gone)?;
    let own = |(name, value): &(String, String)| Some((name.strip_prefix(ORIGINAL)?.to_owned(), value.clone()));
    let found: Fields = fields.iter().filter_map(own).collect();
    let is_text = found.iter().all(|(_, value)| !value.contains('\u{fffd}'));
    match (found.is_empty(), is_text, fields.iter().any(|(name, _)| name == "original_rest")) {
        (true, ..) => Err(EditError::Gone),
        (_, false, _) | (.., true) => Err(EditError::NotText),
        _ => Ok(found),
    }
}

/// Returns the entry with changes, each `field=value`. A field belongs to the JSON object in `data` if there is one,
/// otherwise to the entry. A value is JSON if it parses, otherwise text; without one the field is removed.
///
/// # Errors
/// If a change names no field.
pub fn edited(mut fields: Fields, changes: &[String]) -> Result<Fields, EditError> {
    for change in changes {
        let named =
            change.split_once('=').map(|(name, value)| (name.trim(), value)).filter(|(name, _)| !name.is_empty());
        let (name, value) = named.ok_or_else(|| EditError::NoField(change.clone()))?;
        let data = fields.iter_mut().find(|(field, _)| field == "data");
        let object = data.and_then(|(_, text)| match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Some((text, object)),
            _ => None,
        });
        match object {
            Some((text, mut object)) => {
                if value.is_empty() {
                    object.remove(name);
                } else {
                    let json = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
                    object.insert(name.to_owned(), json);
                }
                *text = Value::Object(object).to_string();
            }
            None => {
                fields.retain(|(field, _)| field != name);
                if !value.is_empty() {
                    fields.push((name.to_owned(), value.to_owned()));
                }
            }
        }
    }
    Ok(fields)
}

/// Returns the entry with whole fields replaced. A field without a text is removed; a new one is appended.
pub fn replaced(mut fields: Fields, texts: impl IntoIterator<Item = (String, Option<String>)>) -> Fields {
    for (name, text) in texts {
        let at = fields.iter().position(|(field, _)| *field == name).unwrap_or(fields.len());
        fields.retain(|(field, _)| *field != name);
        if let Some(text) = text {
            fields.insert(at.min(fields.len()), (name, text));
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn an_entry_is_found_whole() {
        let kept = vec![field("idempotency_key", "k"), field("data", "{}"), field("original:data", "{\"a\":1}")];
        assert_eq!(original(Some(kept.clone())), Ok(vec![field("data", "{\"a\":1}")]));
        assert_eq!(original(None), Err(EditError::Gone));
        let rest = [kept.clone(), vec![field("original_rest", "*2")]].concat();
        assert_eq!(original(Some(rest)), Err(EditError::NotText));
        let bytes = [kept, vec![field("original:b", "\u{fffd}")]].concat();
        assert_eq!(original(Some(bytes)), Err(EditError::NotText));
    }

    #[test]
    fn a_text_replaces_a_field_where_it_stood() {
        let fields = vec![field("a", "1"), field("b", "2"), field("a", "3")];
        let texts =
            [("a".to_owned(), Some("x".to_owned())), ("b".to_owned(), None), ("c".to_owned(), Some("y".to_owned()))];
        assert_eq!(replaced(fields.clone(), texts), [field("a", "x"), field("c", "y")]);
        assert_eq!(replaced(fields.clone(), []), fields);
    }

    #[test]
    fn changes_go_into_the_data_where_there_is_one() {
        let changes = |of: &[&str]| of.iter().map(|change| (*change).to_owned()).collect::<Vec<_>>();
        let data = vec![field("data", r#"{"decision":"REJECT","tags":["a"]}"#), field("x", "y")];
        let said = edited(data.clone(), &changes(&["decision=REJECTED", "seconds=30", "tags="])).unwrap();
        assert_eq!(said[1], data[1]);
        let json: Value = serde_json::from_str(&said[0].1).unwrap();
        assert_eq!(json, serde_json::json!({"decision": "REJECTED", "seconds": 30}));
        let plain = vec![field("gate_id", "HITL")];
        assert_eq!(edited(plain.clone(), &changes(&["gate_id=HITL-4"])).unwrap(), [field("gate_id", "HITL-4")]);
        assert_eq!(edited(plain.clone(), &changes(&["=x"])), Err(EditError::NoField("=x".into())));
        assert_eq!(edited(plain.clone(), &[]), Ok(plain));
    }
}
