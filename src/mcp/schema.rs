//! The schemas of what tools take and answer, written so that all clients can read them. What they describe is said in
//! [`super::shapes`].

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::Value;
use std::sync::Arc;

/// What a tool takes. A property that may be left out is not also null: some clients know only one type for a property.
pub fn taken<T: JsonSchema>() -> Schema {
    settings().with_transform(LeftOut).into_generator().into_root_schema_for::<T>()
}

/// What a tool answers.
pub fn answered<T: JsonSchema>() -> Schema {
    settings().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// As the protocol carries it.
pub fn object(mut schema: Schema) -> Arc<JsonObject> {
    // The name of a type of ours says nothing to a client.
    schema.remove("title");
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// Without references, at which clients fail, and without formats that only Rust knows, of which clients warn.
fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .with_transform(NoWidths)
}

/// Removes how many bits a number has.
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

/// Removes null beside one other type.
#[derive(Clone)]
struct LeftOut;

impl Transform for LeftOut {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::Array(kinds)) = schema.get("type")
            && let [kind, Value::String(null)] = kinds.as_slice()
            && null == "null"
        {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
        transform_subschemas(self, schema);
    }
}
