//! The clients under `examples/clients/`, run as they are against a daemon.

use super::client::{Api, TOKEN};
use crate::harness::wait_until;
use serde_json::Value;
use std::process::Command;

#[test]
fn the_python_client_reads_refines_and_sends() {
    let api = Api::start();
    let redis = api.redis.url().trim_start_matches("redis://").split('/').next().unwrap_or_default().to_owned();
    let base = format!("http://127.0.0.1:{}", api.daemon.port());
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/clients/python/feedbackd_client.py");
    let Ok(ran) = Command::new("python3").args([client, &base, TOKEN, &redis]).output() else {
        return eprintln!("python3 is not installed: the client is not tried");
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let said: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!((&said["same_rules"], &said["not_modified"]), (&true.into(), &1.into()), "{said}");
    assert_eq!(said["refined_prompt"], "Add up the cart.\n\nTo clarify the goal: Use Decimal, not float");
    wait_until("the decision is recorded", || {
        api.get("/feedback?agent=coding-agent").ok().to_string().contains("Use Decimal for money")
    });
}
