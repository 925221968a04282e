//! Probing a real server.

use crate::harness::redis::RedisServer;
use feedbackd::adapters::redis::{RedisOptions, RedisSource, probe};
use feedbackd::ports::EventSource;

const HITL: &str = "asdlc:events:hitl_decisions";

fn options(server: &RedisServer) -> RedisOptions {
    RedisOptions { url: server.url(), block: std::time::Duration::from_millis(20), ..RedisOptions::default() }
}

#[tokio::test]
async fn an_empty_server() {
    let server = RedisServer::start();
    let seen = probe(&options(&server)).await.expect("a server");
    assert!(seen.version.starts_with(char::is_numeric));
    assert_eq!(seen.role, "master");
    assert_eq!(seen.appendonly, Some(false));
    assert_eq!(seen.maxmemory_policy.as_deref(), Some("noeviction"));
    let keys: Vec<_> = seen.streams.iter().map(|stream| stream.key.as_str()).collect();
    assert_eq!(keys, crate::harness::streams::READ);
    assert_eq!(seen.streams[0].group, None);
    let problems: Vec<_> = seen.findings().into_iter().map(|finding| finding.problem).collect();
    assert_eq!(problems, ["the append-only file is off: if Redis crashes, everything since its last snapshot is lost"]);
    serde_json::to_value(&seen).expect("JSON");
}

#[tokio::test]
async fn what_waits_is_counted_and_what_is_unknown_is_not() {
    let server = RedisServer::durable();
    for n in 1..=5 {
        let _: String = server.cli(&["XADD", HITL, &format!("{n}-0"), "a", "b"]);
    }
    let mut source = RedisSource::new(options(&server)).expect("valid options");
    assert_eq!(source.next(2).await.expect("a batch").len(), 2);
    let look = async || {
        let seen = probe(&options(&server)).await.expect("a server");
        (seen.streams[0].clone(), seen.streams[0].group.clone().expect("a group"), seen.findings())
    };
    let (stream, group, findings) = look().await;
    assert_eq!((stream.length, stream.entries_added), (5, Some(5)));
    assert_eq!((group.pending, group.lag, group.trimmed_unread), (2, Some(3), Some(0)));
    assert_eq!(group.consumers.len(), 1);
    assert_eq!(group.consumers[0].pending, 2);
    assert!(findings.is_empty(), "{findings:?}");

    // Deleted ahead of the group: Redis cannot tell the group's lag.
    let _: i64 = server.cli(&["XDEL", HITL, "4-0"]);
    let (_, group, _) = look().await;
    assert_eq!((group.lag, group.trimmed_unread), (None, None));

    // Trimmed ahead of it.
    let _: i64 = server.cli(&["XTRIM", HITL, "MAXLEN", "1"]);
    let (_, group, findings) = look().await;
    assert_eq!(group.trimmed_unread, Some(2));
    assert_eq!(findings.len(), 1, "{findings:?}");
}

#[tokio::test]
async fn a_key_of_another_type_is_a_finding() {
    let server = RedisServer::durable();
    let _: () = server.cli(&["SET", HITL, "x"]);
    let seen = probe(&options(&server)).await.expect("a server");
    assert_eq!(seen.streams[0].wrong_type.as_deref(), Some("string"));
    assert_eq!(seen.findings().len(), 1);
}

#[tokio::test]
async fn an_absent_server_is_an_error() {
    let mut server = RedisServer::start();
    server.kill9();
    assert!(probe(&options(&server)).await.is_err());
}
