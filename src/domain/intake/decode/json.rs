//! Strict JSON: an object, no duplicate names, limited nesting.
//!
//! `serde_json` alone would silently keep the last of two equal names.

use super::fields::{kind_of, quoted, shown};
use crate::intake::event::{RejectCode, Rejection};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Parses the object in a field's text. A doubly encoded object (a JSON text in a JSON text) is also accepted.
pub(super) fn object(field: &str, text: &str) -> Result<Map<String, Value>, Rejection> {
    let text = text.trim_start_matches('\u{feff}').trim();
    match parse(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(Value::String(inner)) if inner.trim_start().starts_with('{') => match parse(inner.trim()) {
            Ok(Value::Object(map)) => Ok(map),
            Ok(other) => Err(not_an_object(field, &other)),
            Err(error) => Err(broken(field, &inner, &error)),
        },
        Ok(other) => Err(not_an_object(field, &other)),
        Err(error) => Err(broken(field, text, &error)),
    }
}

/// Parses a JSON value, rejecting duplicate names in objects.
pub(super) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Strict>(text).map(|strict| strict.0)
}

fn not_an_object(field: &str, value: &Value) -> Rejection {
    Rejection {
        code: RejectCode::InvalidJson,
        field: Some(field.to_owned()),
        message: format!("`{}` is {}; expected a JSON object.", shown(field), kind_of(value)),
    }
}

fn broken(field: &str, text: &str, error: &serde_json::Error) -> Rejection {
    Rejection {
        code: RejectCode::InvalidJson,
        field: Some(field.to_owned()),
        message: format!(
            "`{}` is {}, which is not valid JSON ({}); expected a JSON object.",
            shown(field),
            quoted(text),
            shown(&error.to_string())
        ),
    }
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> DeserializeSeed<'de> for StrictVisitor {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(StrictVisitor)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            let value = access.next_value_seed(StrictVisitor)?;
            if map.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the name {} appears twice", quoted(&name))));
            }
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}
