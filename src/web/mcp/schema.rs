//! The schemas of tools' inputs and outputs, in a form that all clients can read. [`super::shapes`] contains the types.

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::Value;
use std::sync::Arc;

/// Returns a tool's input schema. Some clients support only one type per property, so optional ones are not also null.
pub fn taken<T: JsonSchema>() -> Schema {
    settings().with_transform(LeftOut).into_generator().into_root_schema_for::<T>()
}

/// Returns a tool's output schema.
pub fn answered<T: JsonSchema>() -> Schema {
    settings().with_transform(OrNull).for_serialize().into_generator().into_root_schema_for::<T>()
}

/// Converts a schema to the protocol's form.
pub fn object(mut schema: Schema) -> Arc<JsonObject> {
    // Our type names mean nothing to a client.
    schema.remove("title");
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// Omits references, on which clients fail, and Rust-only formats, about which clients warn.
fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .with_transform(NoWidths)
}

/// Removes the bit widths of numbers.
#[derive(Clone)]
struct NoWidths;

impl Transform for NoWidths {
    fn transform(&mut self, schema: &mut Schema) {
        if matches!(schema.get("type"), Some(kind) if is_number(kind)) {
            schema.remove("format");
        }
        transform_subschemas(self, schema);
    }
}

fn is_number(kind: &Value) -> bool {
    let is = |kind: &Value| kind == "integer" || kind == "number";
    kind.as_array().map_or_else(|| is(kind), |kinds| kinds.iter().any(is))
}

/// Returns the one type alongside null, if any.
fn beside_null(schema: &Schema) -> Option<Value> {
    match schema.get("type")?.as_array()?.as_slice() {
        [kind, null] if null == "null" => Some(kind.clone()),
        _ => None,
    }
}

/// Removes null alongside one other type.
#[derive(Clone)]
struct LeftOut;

impl Transform for LeftOut {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(kind) = beside_null(schema) {
            schema.insert("type".to_owned(), kind);
        }
        transform_subschemas(self, schema);
    }
}

/// Splits null and another type into two schemas with one type each.
#[derive(Clone)]
struct OrNull;

impl Transform for OrNull {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(kind) = beside_null(schema) {
            let about = ["description", "default"].map(|name| (name, schema.remove(name)));
            schema.insert("type".to_owned(), kind);
            let mut either = json_schema!({ "anyOf": [schema.clone(), { "type": "null" }] });
            for (name, value) in about {
                value.map(|value| either.insert(name.to_owned(), value));
            }
            *schema = either;
        }
        transform_subschemas(self, schema);
    }
}
