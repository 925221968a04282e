//! Documents for programs: at the same addresses on every daemon, and public.

use super::api::client::Api;
use serde_json::Value;

#[test]
fn schemas_lie_at_stable_addresses() {
    let api = Api::start();
    let listed = api.raw("GET /schemas", "", "").ok();
    let listed = listed["schemas"].as_array().expect("a list");
    assert!(listed.iter().any(|schema| schema["id"] == "urn:feedbackd:proposal:1"), "{listed:?}");
    for schema in listed {
        // They need no login, even through a proxy.
        let address = schema["latest"].as_str().expect("an address");
        let latest = api.raw(&format!("GET {address}"), "X-Forwarded-For: 192.0.2.9\r\n", "");
        assert!(latest.head.contains("content-type: application/schema+json"), "{}", latest.head);
        let text: Value = latest.json();
        assert_eq!(text["$id"], schema["id"]);
        jsonschema::validator_for(&text).expect("a schema");
        if let Some(fixed) = schema["fixed"].as_str() {
            assert_eq!(api.raw(&format!("GET {fixed}"), "", "").json(), text, "{fixed}");
        }
    }
    let head = api.raw("GET /schemas/proposal/1.json", "", "").head;
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag");
    let known = api.raw("GET /schemas/proposal/1.json", &format!("If-None-Match: {tag}\r\n"), "");
    assert_eq!((known.status, known.text()), (304, ""));
    for missing in ["/schemas/proposal/2.json", "/schemas/nothing.json", "/schemas/../reviewers.yaml"] {
        assert_eq!(api.raw(&format!("GET {missing}"), "", "").status, 404, "{missing}");
    }
}

#[test]
fn the_streams_are_described_where_they_are_served() {
    let api = Api::start();
    let document = api.raw("GET /asyncapi.json", "", "").ok();
    assert_eq!(document["asyncapi"], "3.1.0");
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/asyncapi.json");
    let committed: Value = serde_json::from_slice(&std::fs::read(committed).expect("a file")).expect("JSON");
    assert_eq!(document, committed);
}
