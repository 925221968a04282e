//! `feedbackd mcp`, as a client starts it: without a daemon, and with only the protocol on standard output.

use super::{calls, hello, modern, older};
use crate::harness::streams::entries;
use crate::http::api::agents::with_rule;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn both_revisions_are_answered_without_a_daemon() {
    let mut api = with_rule(&[]);
    api.daemon.kill9();
    let mut all: Vec<Value> = vec![hello(), json!({"jsonrpc": "2.0", "method": "notifications/initialized"})];
    all.push(older(2, "tools/list", &json!({})));
    for (at, (name, given)) in (10..).zip(calls()) {
        all.push(older(at, "tools/call", &json!({"name": name, "arguments": given})));
    }
    let answers = talk(&api.site, &all);
    assert_eq!(answers.len(), all.len() - 1, "a notification has no answer: {answers:?}");
    let by = |id: u64| answers.iter().find(|answer| answer["id"] == id).expect("an answer");
    assert_eq!(by(1)["result"]["protocolVersion"], "2025-11-25");
    for id in 10..15 {
        assert_eq!(by(id)["result"]["isError"], false, "{}", by(id));
    }
    let rules = &by(10)["result"]["structuredContent"]["rules"];
    let prompt: String = api.redis.cli(&["GET", "asdlc:rules:active:coding-agent"]);
    assert_eq!(*rules, serde_json::from_str::<Value>(&prompt).expect("JSON"), "as the key says");
    assert_eq!(entries(&api.redis, "asdlc:events:action_results").len(), 1);

    let modern = [
        modern(1, "server/discover", json!({})),
        modern(2, "skills/list", json!({})),
        modern(3, "tools/call", json!({"name": "nothing", "arguments": {}})),
    ];
    let answers = talk(&api.site, &modern);
    let by = |id: u64| answers.iter().find(|answer| answer["id"] == id).expect("an answer");
    assert_eq!(by(1)["result"]["resultType"], "complete", "{}", by(1));
    assert_eq!(by(2)["result"]["skills"][0]["frontmatter"]["name"], "rules-for-coding-agent");
    assert_eq!(by(3)["error"]["code"], -32602);
}

/// Sends all messages, closes standard input, and reads the answers: every line is a message.
fn talk(site: &crate::harness::daemon::Site, messages: &[Value]) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_feedbackd"));
    command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    site.surround(&mut command);
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    for message in messages {
        writeln!(input, "{message}").expect("it reads");
    }
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    said.lines().map(|line| serde_json::from_str(line).expect("a message")).collect()
}
