//! Where a body does not fit: JSON pointers, one for each fault.

use axum::body::Bytes;
use schemars::{Schema, generate::SchemaSettings};
use serde_json::{Value, json};

/// So many faults are told.
const MOST: usize = 20;

/// What speaks against a body by its schema; nothing where it is no JSON, or fits.
pub fn faults(schema: fn(&mut schemars::SchemaGenerator) -> Schema, body: &Bytes) -> Vec<Value> {
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return Vec::new() };
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut root = schema(&mut generator).to_value();
    root["$defs"] = Value::Object(generator.take_definitions(true));
    let Ok(validator) = jsonschema::validator_for(&root) else { return Vec::new() };
    let faults = validator.iter_errors(&body).take(MOST);
    faults.map(|fault| json!({ "pointer": fault.instance_path().to_string(), "detail": fault.to_string() })).collect()
}
