//! Machine-readable documents for all permitted callers: the JSON Schemas of records and messages, and the AsyncAPI
//! document of the streams.
//!
//! The current schema is at `/schemas/<name>.json`, and at `/schemas/<name>/<version>.json` as long as that version is
//! written. Its `$id` names both and does not depend on the daemon's address.

use super::asset::Asset;
use crate::domain::records::asyncapi;
use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;
use serde_json::{Value, json};
use std::sync::Arc;

/// A published JSON Schema.
pub struct PublishedSchema {
    /// Its name: `proposal`.
    pub name: String,
    /// The schema, as JSON.
    pub text: String,
}

/// Returns their routes.
pub fn router(schemas: &[PublishedSchema]) -> Router {
    let mut list = Vec::new();
    let mut assets =
        vec![asset("/asyncapi.json".to_owned(), "application/json", format!("{:#}\n", asyncapi::document()))];
    for schema in schemas {
        let id =
            serde_json::from_str::<Value>(&schema.text).ok().map(|schema| schema["$id"].clone()).unwrap_or_default();
        let version = id.as_str().and_then(|id| id.strip_prefix("urn:feedbackd:")?.split_once(':'));
        let latest = format!("/schemas/{}.json", schema.name);
        let mut entry = json!({ "name": schema.name, "id": id, "latest": latest });
        if let Some((_, version)) = version {
            let fixed = format!("/schemas/{}/{version}.json", schema.name);
            entry["fixed"] = json!(fixed);
            assets.push(asset(fixed, SCHEMA, schema.text.clone()));
        }
        assets.push(asset(latest, SCHEMA, schema.text.clone()));
        list.push(entry);
    }
    assets.push(asset("/schemas".to_owned(), "application/json", format!("{:#}\n", json!({ "schemas": list }))));
    assets.into_iter().fold(Router::new(), |router, asset| {
        let path = asset.path.clone();
        router.route(&path, get(move |headers: HeaderMap| async move { asset.answer(&headers) }))
    })
}

const SCHEMA: &str = "application/schema+json";

fn asset(path: String, kind: &'static str, text: String) -> Arc<Asset> {
    Arc::new(Asset::new(path, kind, text))
}
