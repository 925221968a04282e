//! Errors in a body: JSON pointers, one for each fault.

use axum::body::Bytes;
use schemars::{Schema, generate::SchemaSettings};
use serde_json::{Value, json};

/// Maximum number of reported faults.
const MOST: usize = 20;

/// Returns a body's schema violations; none if it is not JSON, or is valid.
pub fn faults(schema: fn(&mut schemars::SchemaGenerator) -> Schema, body: &Bytes) -> Vec<Value> {
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return Vec::new() };
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut root = schema(&mut generator).to_value();
    root["$defs"] = Value::Object(generator.take_definitions(true));
    let Ok(validator) = jsonschema::validator_for(&root) else { return Vec::new() };
    let faults = validator.iter_errors(&body).take(MOST);
    faults.map(|fault| json!({ "pointer": fault.instance_path().to_string(), "detail": fault.to_string() })).collect()
}
