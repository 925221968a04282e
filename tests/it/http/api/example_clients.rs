//! The clients under `examples/clients/`, run unchanged against a daemon.

use super::client::{Api, TOKEN};
use crate::harness::wait_until;
use serde_json::Value;
use std::process::{Command, Output};

#[test]
fn the_python_client_reads_refines_and_sends() {
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/clients/python/feedbackd_client.py");
    let Some(python) = version("python3") else {
        return eprintln!("python3 is not installed: the client is not tried");
    };
    assert!(python >= (3, 8), "Python {python:?} is too old for the client");
    reads_refines_and_sends(Command::new("python3").arg(client));
}

/// Node reads TypeScript directly from 22.6 on; for older versions esbuild strips the types, if installed.
#[test]
fn the_typescript_client_reads_refines_and_sends() {
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/clients/typescript/feedbackd_client.mts");
    let Some(node) = version("node") else {
        return eprintln!("node is not installed: the client is not tried");
    };
    if node >= (22, 6) {
        return reads_refines_and_sends(Command::new("node").args(["--experimental-strip-types", client]));
    }
    let directory = tempfile::tempdir().expect("a directory");
    let plain = directory.path().join("client.mjs");
    let Ok(made) = Command::new("esbuild").arg(client).output() else {
        return eprintln!("neither Node 22.6 nor esbuild is installed: the client is not tried");
    };
    std::fs::write(&plain, said(made)).expect("written");
    reads_refines_and_sends(Command::new("node").arg(&plain));
}

fn reads_refines_and_sends(client: &mut Command) {
    let api = Api::start();
    let redis = api.redis.url().trim_start_matches("redis://").split('/').next().unwrap_or_default().to_owned();
    let base = format!("http://127.0.0.1:{}", api.daemon.port());
    let told: Value =
        serde_json::from_slice(&said(client.args([&base, TOKEN, &redis]).output().expect("it runs"))).expect("JSON");
    assert_eq!((&told["same_rules"], &told["not_modified"]), (&true.into(), &1.into()), "{told}");
    assert_eq!(told["refined_prompt"], "Add up the cart.\n\nTo clarify the goal: Use Decimal, not float");
    wait_until("the decision is recorded", || {
        api.get("/feedback?agent=coding-agent").ok().to_string().contains("Use Decimal for money")
    });
}

fn said(output: Output) -> Vec<u8> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Returns the major and minor version of an interpreter.
fn version(program: &str) -> Option<(u32, u32)> {
    let said = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let mut numbers = text.trim().trim_start_matches(|c: char| !c.is_ascii_digit()).split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}
