//! Acknowledging, dead-lettering and publishing on a real server: each happens once.
//!
//! Deploying rules is in `redis_deploy`.

use crate::harness::redis::RedisServer;
use feedbackd::adapters::redis::{RedisOptions, RedisPublisher, RedisSource};
use feedbackd::domain::intake::event::{RawEntry, RejectCode, Rejection, StreamKind};
use feedbackd::domain::records::message::{Outgoing, Topic};
use feedbackd::ports::{BusError, EventSource, Publisher};
use feedbackd::text::ids::CommitId;
use std::collections::BTreeMap;
use std::time::Duration;

const HITL: &str = "asdlc:events:hitl_decisions";
const DEAD: &str = "asdlc:events:dead_letters";

type Fields = Vec<(Vec<u8>, Vec<u8>)>;

fn options(server: &RedisServer) -> RedisOptions {
    RedisOptions {
        url: server.url(),
        block: Duration::from_millis(20),
        claim_idle: Duration::from_millis(1),
        claim_every: Duration::from_millis(1),
        ..RedisOptions::default()
    }
}

fn publisher(server: &RedisServer) -> RedisPublisher {
    RedisPublisher::new(options(server), "store-1").expect("valid options")
}

async fn read(server: &RedisServer) -> Vec<RawEntry> {
    let mut source = RedisSource::new(options(server)).expect("valid options");
    source.next(512).await.expect("a batch")
}

fn rejection() -> Rejection {
    Rejection { code: RejectCode::MissingField, field: Some("gate_id".into()), message: "gate_id is missing".into() }
}

fn stream(server: &RedisServer, key: &str) -> Vec<(String, Fields)> {
    server.cli(&["XRANGE", key, "-", "+"])
}

fn pending(server: &RedisServer) -> i64 {
    let summary: (i64, redis::Value, redis::Value, redis::Value) = server.cli(&["XPENDING", HITL, "feedbackd"]);
    summary.0
}

fn by_name(fields: &Fields) -> BTreeMap<String, Vec<u8>> {
    fields.iter().map(|(name, value)| (String::from_utf8_lossy(name).into_owned(), value.clone())).collect()
}

fn commit(n: u32) -> CommitId {
    CommitId(format!("{n:040x}"))
}

fn message(topic: Topic, key: &str) -> Outgoing {
    Outgoing {
        topic,
        schema: "feedbackd.test/1",
        idempotency_key: key.into(),
        tenant_id: "acme".into(),
        timestamp: "2026-11-21T10:00:00Z".parse().expect("a timestamp"),
        trace: None,
        data: "{\"a\":1}".into(),
    }
}

#[tokio::test]
async fn acknowledged_entries_are_no_longer_pending() {
    let server = RedisServer::start();
    for n in 0..2500 {
        let _: String = server.cli(&["XADD", HITL, "*", "n", &n.to_string()]);
    }
    let mut source = RedisSource::new(options(&server)).expect("valid options");
    let batch = source.next(5000).await.expect("a batch");
    assert_eq!(batch.len(), 2500);
    let entries: Vec<_> = batch.into_iter().map(|entry| (entry.stream, entry.id)).collect();
    let mut publisher = publisher(&server);
    for _ in 0..2 {
        publisher.ack(&entries).await.expect("acknowledged");
    }
    publisher.ack(&[]).await.expect("nothing to do");
    assert_eq!(pending(&server), 0);
}

#[tokio::test]
async fn a_dead_letter_appears_once_with_every_byte() {
    let server = RedisServer::start();
    let bytes: Vec<u8> = (0..=255).collect();
    let _: String = server.cli(&[b"XADD".as_slice(), HITL.as_bytes(), b"1700000000000-3", b"raw", &bytes, b"b", b""]);
    let _ = read(&server).await;
    let batch = read(&server).await;
    let mut publisher = publisher(&server);
    for _ in 0..3 {
        publisher.dead_letter(&batch[0], &rejection()).await.expect("dead-lettered");
    }
    let letters = stream(&server, DEAD);
    assert_eq!(letters.len(), 1);
    assert_eq!(pending(&server), 0);
    let fields = by_name(&letters[0].1);
    assert_eq!(fields["original:raw"], bytes);
    assert_eq!(fields["original:b"], b"");
    assert_eq!(fields["schema"], b"feedbackd.dead_letter/1");
    assert_eq!(fields["idempotency_key"], format!("dead_letter:{HITL}:1700000000000-3").as_bytes());
    assert_eq!(fields["timestamp"], b"2023-11-14T22:13:20Z");
    assert_eq!(fields["tenant_id"], b"");
    let data: serde_json::Value = serde_json::from_slice(&fields["data"]).expect("JSON");
    assert_eq!(data["stream"], HITL);
    assert_eq!(data["entry_id"], "1700000000000-3");
    assert_eq!(data["code"], "missing_field");
    assert_eq!(data["field"], "gate_id");
    assert_eq!(data["delivery_count"], 2);
}

#[tokio::test]
async fn an_entry_with_thousands_of_fields_is_kept_whole() {
    let server = RedisServer::start();
    let mut add = redis::cmd("XADD");
    add.arg(HITL).arg("*");
    for n in 0..9000 {
        add.arg(format!("f{n}")).arg(n);
    }
    add.exec(&mut server.connect()).expect("XADD");
    let batch = read(&server).await;
    publisher(&server).dead_letter(&batch[0], &rejection()).await.expect("dead-lettered");
    let letters = stream(&server, DEAD);
    let fields = by_name(&letters[0].1);
    assert_eq!(fields["original:f2999"], b"2999");
    let rest = redis::parse_redis_value(&fields["original_rest"]).expect("a RESP array");
    let rest: Vec<String> = redis::from_redis_value(rest).expect("texts");
    assert_eq!(rest.len(), 2 * 6000);
    assert_eq!(rest[..2], ["f3000", "3000"]);
}

#[tokio::test]
async fn an_entry_that_is_not_pending_makes_no_dead_letter() {
    let server = RedisServer::start();
    let _: String = server.cli(&["XADD", HITL, "*", "a", "b"]);
    let batch = read(&server).await;
    let mut publisher = publisher(&server);
    publisher.ack(&[(HITL.into(), batch[0].id.clone())]).await.expect("acknowledged by another member");
    publisher.dead_letter(&batch[0], &rejection()).await.expect("nothing to do");
    // Without a stream or a group there is nothing to acknowledge either.
    let _: () = server.cli(&["FLUSHALL"]);
    publisher.dead_letter(&batch[0], &rejection()).await.expect("nothing to do");
    assert!(stream(&server, DEAD).is_empty());
}

#[tokio::test]
async fn a_new_group_does_not_repeat_dead_letters() {
    let server = RedisServer::start();
    for n in 0..200 {
        let _: String = server.cli(&["XADD", HITL, "*", "n", &n.to_string()]);
    }
    let mut publisher = publisher(&server);
    for _ in 0..2 {
        let batch = read(&server).await;
        assert_eq!(batch.len(), 200);
        for entry in &batch {
            publisher.dead_letter(entry, &rejection()).await.expect("dead-lettered");
        }
        assert_eq!(pending(&server), 0);
        assert_eq!(stream(&server, DEAD).len(), 200);
        let _: i64 = server.cli(&["XGROUP", "DESTROY", HITL, "feedbackd"]);
    }
    // The data for recognising them does not outgrow the stream.
    let _: i64 = server.cli(&["XTRIM", HITL, "MAXLEN", "0"]);
    for n in 0..64 {
        let _: String = server.cli(&["XADD", HITL, "*", "n", &n.to_string()]);
    }
    for entry in read(&server).await {
        publisher.dead_letter(&entry, &rejection()).await.expect("dead-lettered");
    }
    let kept: i64 = server.cli(&["ZCARD", &format!("feedbackd:dead_lettered:feedbackd:{HITL}")]);
    assert!(kept <= 128, "{kept}");
}

#[tokio::test]
async fn a_lost_entry_makes_one_dead_letter_by_either_route() {
    let server = RedisServer::start();
    let trimmed = Rejection { code: RejectCode::EntryTrimmed, field: None, message: "it was trimmed".into() };
    let mut publisher = publisher(&server);
    let mut expected = 0;
    for member in ["feedbackd-1", "dead"] {
        let _: String = server.cli(&["XADD", HITL, "*", "a", "b"]);
        let reader =
            RedisOptions { consumer: member.into(), claim_idle: Duration::from_secs(3600), ..options(&server) };
        let mut reader = RedisSource::new(reader).expect("valid options");
        assert_eq!(reader.next(10).await.expect("a batch").len(), 1);
        let _: i64 = server.cli(&["XTRIM", HITL, "MAXLEN", "0"]);
        let mut source = RedisSource::new(options(&server)).expect("valid options");
        let mut losses = Vec::new();
        for _ in 0..100 {
            source.next(10).await.expect("an empty batch");
            losses.extend(source.take_losses());
            if !losses.is_empty() {
                break;
            }
        }
        for loss in losses.iter().chain(&losses) {
            publisher.dead_letter(loss, &trimmed).await.expect("dead-lettered");
        }
        expected += 1;
        assert_eq!(stream(&server, DEAD).len(), expected, "{member}");
        // And it does not return at the next start.
        let mut source = RedisSource::new(options(&server)).expect("valid options");
        source.next(10).await.expect("an empty batch");
        assert!(source.take_losses().is_empty());
    }
}

#[tokio::test]
async fn publishing_moves_the_cursor_once() {
    let server = RedisServer::start();
    let mut publisher = publisher(&server);
    assert_eq!(publisher.cursor().await.expect("a cursor"), None);
    let messages =
        [message(Topic::FeedbackEvaluated, "k1"), message(Topic::Alerts, "k2"), message(Topic::Alerts, "k3")];
    let (one, two) = (commit(1), commit(2));
    assert!(publisher.publish(None, &one, &messages).await.expect("published"));
    assert_eq!(publisher.cursor().await.expect("a cursor"), Some(one.clone()));
    // A lost reply: the same call is repeated.
    assert!(!publisher.publish(None, &one, &messages).await.expect("refused"));
    assert!(!publisher.publish(Some(&two), &commit(3), &messages).await.expect("refused"));
    assert!(publisher.publish(Some(&one), &two, &[]).await.expect("nothing to say"));
    assert_eq!(publisher.cursor().await.expect("a cursor"), Some(two));
    let evaluated = stream(&server, "asdlc:events:feedback_evaluated");
    assert_eq!(evaluated.len(), 1);
    let text = |text: &str| text.as_bytes().to_vec();
    let expected: Fields = vec![
        (text("schema"), text("feedbackd.test/1")),
        (text("idempotency_key"), text("k1")),
        (text("tenant_id"), text("acme")),
        (text("timestamp"), text("2026-11-21T10:00:00Z")),
        (text("data"), text("{\"a\":1}")),
    ];
    assert_eq!(evaluated[0].1, expected);
    let alerts = stream(&server, "asdlc:events:alerts");
    let keys: Vec<_> = alerts.iter().map(|(_, fields)| by_name(fields)["idempotency_key"].clone()).collect();
    assert_eq!(keys, [b"k2", b"k3"]);
}

#[tokio::test]
async fn stores_and_tenants_have_their_own_cursors() {
    let server = RedisServer::start();
    let mut first = publisher(&server);
    let acme = RedisOptions { tenant: Some("acme".into()), ..options(&server) };
    let mut second = RedisPublisher::new(acme, "store-1").expect("valid options");
    let mut third = RedisPublisher::new(options(&server), "store-2").expect("valid options");
    let messages = [message(Topic::RuleProposals, "k")];
    assert!(first.publish(None, &commit(1), &messages).await.expect("published"));
    assert!(second.publish(None, &commit(2), &messages).await.expect("published"));
    assert_eq!(third.cursor().await.expect("a cursor"), None);
    assert_eq!(stream(&server, "tenant:acme:asdlc:events:rule_proposals").len(), 1);
    let cursor: String = server.cli(&["GET", "tenant:acme:feedbackd:outbox:store-1"]);
    assert_eq!(cursor, commit(2).0);
}

#[tokio::test]
async fn concurrent_publishers_append_once() {
    let server = RedisServer::start();
    for round in 0..20 {
        let tasks: Vec<_> = (0..4)
            .map(|_| {
                let mut publisher = publisher(&server);
                tokio::spawn(async move {
                    let from = (round > 0).then(|| commit(round));
                    let messages = [message(Topic::Alerts, &format!("k{round}"))];
                    publisher.publish(from.as_ref(), &commit(round + 1), &messages).await.expect("an answer")
                })
            })
            .collect();
        let mut moved = 0;
        for task in tasks {
            moved += usize::from(task.await.expect("no panic"));
        }
        assert_eq!(moved, 1);
    }
    assert_eq!(stream(&server, "asdlc:events:alerts").len(), 20);
}

#[tokio::test]
async fn thousands_of_messages_go_out_at_once() {
    let server = RedisServer::start();
    let messages: Vec<_> = (0..5000).map(|n| message(Topic::FeedbackEvaluated, &n.to_string())).collect();
    assert!(publisher(&server).publish(None, &commit(1), &messages).await.expect("published"));
    let length: i64 = server.cli(&["XLEN", "asdlc:events:feedback_evaluated"]);
    assert_eq!(length, 5000);
}

#[tokio::test]
async fn outgoing_streams_can_be_bounded() {
    let server = RedisServer::start();
    let bounded = RedisOptions { max_len: Some(100), ..options(&server) };
    let mut publisher = RedisPublisher::new(bounded, "s").expect("valid options");
    let messages: Vec<_> = (0..2000).map(|n| message(Topic::Alerts, &n.to_string())).collect();
    assert!(publisher.publish(None, &commit(1), &messages).await.expect("published"));
    let length: i64 = server.cli(&["XLEN", "asdlc:events:alerts"]);
    assert!((100..400).contains(&length), "{length}");
}

#[tokio::test]
async fn half_a_commit_is_never_published() {
    let server = RedisServer::start();
    let messages = [message(Topic::FeedbackEvaluated, "k1"), message(Topic::Alerts, "k2")];
    // One stream's key holds something else.
    let _: () = server.cli(&["SET", "asdlc:events:alerts", "not a stream"]);
    let error = publisher(&server).publish(None, &commit(1), &messages).await.expect_err("a wrong type");
    let shown = error.to_string().replace(&server.port().to_string(), "PORT");
    insta::assert_snapshot!(shown, @"redis: redis://127.0.0.1:PORT/0: WRONGTYPE asdlc:events:alerts is a string, not a stream; a key that must be a stream holds something else: rename or remove it, or configure another key");
    assert!(stream(&server, "asdlc:events:feedback_evaluated").is_empty());
    let _: i64 = server.cli(&["DEL", "asdlc:events:alerts"]);

    // A stream that accepts no more entries: discovered only on trying, after the first message was sent.
    let last = format!("{0}-{0}", u64::MAX);
    let _: String = server.cli(&["XADD", "asdlc:events:alerts", &last, "a", "b"]);
    let mut publisher = publisher(&server);
    for from in [None, Some(commit(1))] {
        publisher.publish(from.as_ref(), &commit(2), &messages).await.expect_err("no more ids");
        assert!(stream(&server, "asdlc:events:feedback_evaluated").is_empty());
        assert_eq!(publisher.cursor().await.expect("a cursor"), from);
        let _: () = server.cli(&["SET", "feedbackd:outbox:store-1", &commit(1).0]);
    }
}

/// Some managed servers accept at most 3,999 arguments.
#[tokio::test]
async fn a_large_commit_is_published_in_parts_and_each_message_once() {
    const MESSAGES: usize = 1_200;
    let server = RedisServer::start();
    let messages: Vec<Outgoing> = (0..MESSAGES).map(|n| message(Topic::Alerts, &format!("k{n}"))).collect();
    let _: () = server.cli(&["CONFIG", "SET", "slowlog-log-slower-than", "0", "slowlog-max-len", "10000"]);
    let mut publisher = publisher(&server);
    assert!(publisher.publish(None, &commit(1), &messages).await.expect("published"));
    let keys = || -> Vec<String> {
        let key = |fields: &Fields| String::from_utf8_lossy(&by_name(fields)["idempotency_key"]).into_owned();
        stream(&server, "asdlc:events:alerts").iter().map(|(_, fields)| key(fields)).collect()
    };
    let expected: Vec<String> = (0..MESSAGES).map(|n| format!("k{n}")).collect();
    assert_eq!(keys(), expected);
    let calls: Vec<Vec<redis::Value>> = server.cli(&["SLOWLOG", "GET", "10000"]);
    let arguments = calls.iter().map(|call| redis::from_redis_value::<Vec<String>>(call[3].clone()).expect("words"));
    // It shows 31 of them, then says how many more there are.
    let more =
        arguments.filter_map(|words| words.last()?.strip_prefix("... (")?.split(' ').next()?.parse::<usize>().ok());
    let more: Vec<usize> = more.collect();
    assert!(more.len() >= 3 && more.iter().all(|more| 31 + more <= 3_999), "{more:?}");

    // A call that ended after its first part is continued by another process.
    let appended = 490;
    let _: () = server.cli(&["SET", "feedbackd:outbox:store-1", &format!("{}+{appended}", commit(1))]);
    let mut next = self::publisher(&server);
    assert_eq!(next.cursor().await.expect("a cursor"), Some(commit(1)));
    assert!(!next.publish(Some(&commit(7)), &commit(8), &messages).await.expect("no error"), "it is elsewhere");
    assert!(next.publish(Some(&commit(1)), &commit(2), &messages).await.expect("published"));
    assert_eq!(keys()[MESSAGES..], expected[appended..]);
    assert_eq!(next.cursor().await.expect("a cursor"), Some(commit(2)));
}

#[tokio::test]
async fn a_full_server_refuses_to_publish_while_intake_goes_on() {
    let server = RedisServer::start();
    for n in 0..3 {
        let _: String = server.cli(&["XADD", HITL, "*", "n", &n.to_string()]);
    }
    let mut publisher = publisher(&server);
    let _: () = server.cli(&["CONFIG", "SET", "maxmemory", "1"]);
    let batch = read(&server).await;
    assert_eq!(batch.len(), 3);
    let error = publisher.publish(None, &commit(1), &[message(Topic::Alerts, "k")]).await.expect_err("full");
    assert!(matches!(&error, BusError::Unavailable(text) if text.contains("OOM")), "{error}");
    publisher.ack(&[(HITL.into(), batch[0].id.clone())]).await.expect("acknowledged");
    publisher.dead_letter(&batch[1], &rejection()).await.expect("dead-lettered");
    assert_eq!(stream(&server, DEAD).len(), 1);
    assert_eq!(pending(&server), 1);
    let _: () = server.cli(&["CONFIG", "SET", "maxmemory", "0"]);
    assert!(publisher.publish(None, &commit(1), &[message(Topic::Alerts, "k")]).await.expect("published"));
    assert_eq!(stream(&server, "asdlc:events:alerts").len(), 1);
}

#[tokio::test]
async fn a_publisher_survives_its_server() {
    let mut server = RedisServer::durable();
    let mut publisher = publisher(&server);
    assert!(publisher.publish(None, &commit(1), &[message(Topic::Alerts, "k1")]).await.expect("published"));
    server.kill9();
    let again = [message(Topic::Alerts, "k2")];
    assert!(matches!(publisher.publish(Some(&commit(1)), &commit(2), &again).await, Err(BusError::Unavailable(_))));
    server.restart();
    assert_eq!(publisher.cursor().await.expect("a cursor"), Some(commit(1)));
    assert!(publisher.publish(Some(&commit(1)), &commit(2), &again).await.expect("published"));
    assert_eq!(stream(&server, "asdlc:events:alerts").len(), 2);
}

#[tokio::test]
async fn a_replica_is_unavailable_and_the_connection_is_given_up() {
    let server = RedisServer::start();
    let mut publisher = publisher(&server);
    assert!(publisher.publish(None, &commit(1), &[]).await.expect("published"));
    let _: () = server.cli(&["REPLICAOF", "127.0.0.1", "1"]);
    let error = publisher.publish(Some(&commit(1)), &commit(2), &[]).await.expect_err("read-only");
    assert!(matches!(error, BusError::Unavailable(_)), "{error}");
    let entry = RawEntry {
        stream: HITL.into(),
        kind: StreamKind::HitlDecisions,
        id: "1-1".into(),
        fields: Vec::new(),
        gate_request: None,
        oversize: None,
    };
    let error = publisher.dead_letter(&entry, &rejection()).await.expect_err("read-only");
    assert!(matches!(error, BusError::Unavailable(_)), "{error}");
    let _: () = server.cli(&["REPLICAOF", "NO", "ONE"]);
    assert!(publisher.publish(Some(&commit(1)), &commit(2), &[]).await.expect("published"));
}
