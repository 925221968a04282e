//! Reading the streams from a real server: no added entry is ever stranded.

use crate::harness::proxy::Proxy;
use crate::harness::redis::RedisServer;
use crate::harness::{DEADLINE, wait_until};
use feedbackd::adapters::redis::{RedisOptions, RedisPublisher, RedisSource};
use feedbackd::domain::intake::event::{GateRequest, RawEntry, StreamKind};
use feedbackd::ports::{BusError, EventSource, Publisher};
use redis::Connection;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const HITL: &str = "asdlc:events:hitl_decisions";
const DISPATCHER: &str = "asdlc:events";
const REVIEWS: &str = "asdlc:events:meta_hitl_decisions";

/// Abandons reads quickly and never claims on its own: returning entries come from the backlog.
fn options(url: String) -> RedisOptions {
    RedisOptions {
        url,
        consumer: "worker-1".into(),
        block: Duration::from_millis(100),
        response_timeout: Duration::from_millis(400),
        claim_idle: Duration::from_secs(3600),
        ..RedisOptions::default()
    }
}

fn source(options: RedisOptions) -> RedisSource {
    RedisSource::new(options).expect("valid options")
}

fn add(server: &RedisServer, stream: &str, name: &str) -> String {
    add_on(&mut server.connect(), stream, name)
}

fn add_on(connection: &mut Connection, stream: &str, name: &str) -> String {
    redis::cmd("XADD").arg(stream).arg("*").arg("name").arg(name).query(connection).expect("XADD")
}

/// Returns an entry's name across streams: two streams often use the same id.
fn at(stream: &str, id: &str) -> String {
    format!("{stream} {id}")
}

fn ids(batch: &[RawEntry]) -> Vec<&str> {
    batch.iter().map(|entry| entry.id.as_str()).collect()
}

/// Reads, through errors, until all the entries arrived (named by [`at`]); returns the number of errors.
async fn read_until(source: &mut RedisSource, wanted: &[String]) -> usize {
    let mut missing: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    let (start, mut errors) = (Instant::now(), 0);
    while !missing.is_empty() {
        assert!(start.elapsed() < DEADLINE, "stranded: {missing:?}");
        match source.next(512).await {
            Ok(batch) => missing.retain(|name| !batch.iter().any(|entry| at(&entry.stream, &entry.id) == **name)),
            Err(BusError::Unavailable(_)) => errors += 1,
            Err(error) => panic!("{error}"),
        }
    }
    errors
}

/// Returns the server's id of the reading connection, once it reads.
fn reader(connection: &mut Connection) -> Option<String> {
    let list: String = redis::cmd("CLIENT").arg("LIST").query(connection).expect("CLIENT LIST");
    let is_reading = |line: &&str| line.contains("name=feedbackd-read-") && line.contains("cmd=evalsha");
    list.lines().find(is_reading)?.split(' ').find_map(|word| word.strip_prefix("id=")).map(str::to_owned)
}

fn wait_for_reader(connection: &mut Connection) -> String {
    let mut found = None;
    wait_until("the source reads", || {
        found = reader(connection);
        found.is_some()
    });
    found.expect("just found")
}

#[tokio::test]
async fn every_stream_is_read_from_its_beginning() {
    let server = RedisServer::start();
    let first = add(&server, HITL, "before the group");
    let second = add(&server, DISPATCHER, "before the group");
    let third = add(&server, REVIEWS, "before the group");
    let mut source = source(options(server.url()));
    let batch = source.next(10).await.expect("a batch");
    assert_eq!(ids(&batch), [&first, &second, &third]);
    assert_eq!(batch[0].kind, StreamKind::HitlDecisions);
    assert_eq!(batch[0].stream, HITL);
    assert_eq!(batch[0].fields, [("name".to_owned(), b"before the group".to_vec())]);
    assert_eq!(batch[1].kind, StreamKind::Dispatcher);
    assert_eq!(batch[1].stream, DISPATCHER);
    assert_eq!(batch[2].kind, StreamKind::MetaHitl);
    assert_eq!(batch[2].stream, REVIEWS);
    assert!(source.next(10).await.expect("an empty batch").is_empty());
}

#[tokio::test]
async fn both_protocols_work_and_bytes_stay_bytes() {
    let server = RedisServer::start();
    let bytes = [0u8, 0xff, b'\r', b'\n'];
    let _: String = server.cli(&[b"XADD", HITL.as_bytes(), b"*", b"raw", &bytes]);
    for (consumer, protocol) in [("a", "2"), ("b", "3")] {
        let url = format!("{}?protocol=resp{protocol}", server.url());
        let group = format!("group-{consumer}");
        let mut source = source(RedisOptions { group, consumer: consumer.into(), ..options(url) });
        let batch = source.next(10).await.expect("a batch");
        assert_eq!(batch[0].fields, [("raw".to_owned(), bytes.to_vec())]);
        assert!(source.next(10).await.expect("nothing more").is_empty());
    }
}

#[tokio::test]
async fn a_tenant_reads_its_own_keys() {
    let server = RedisServer::start();
    let mut ours = Vec::new();
    for stream in [HITL, REVIEWS] {
        add(&server, stream, "somebody else's");
        ours.push(add(&server, &format!("tenant:acme:{stream}"), "ours"));
    }
    let mut source = source(RedisOptions { tenant: Some("acme".into()), ..options(server.url()) });
    let batch = source.next(10).await.expect("a batch");
    assert_eq!(ids(&batch), ours);
    assert_eq!(batch[0].stream, format!("tenant:acme:{HITL}"));
    assert_eq!(batch[1].stream, format!("tenant:acme:{REVIEWS}"));
}

#[tokio::test]
async fn a_batch_is_never_larger_than_asked_for() {
    let server = RedisServer::start();
    let mut wanted = BTreeSet::new();
    for n in 0..50 {
        for stream in [HITL, DISPATCHER, REVIEWS] {
            wanted.insert((stream.to_owned(), add(&server, stream, &n.to_string())));
        }
    }
    let check = async |source: &mut RedisSource, max: usize| {
        let mut seen = BTreeSet::new();
        while seen.len() < wanted.len() {
            let batch = source.next(max).await.expect("a batch");
            assert!(!batch.is_empty() && batch.len() <= max, "{} for {max}", batch.len());
            for entry in batch {
                assert!(seen.insert((entry.stream, entry.id)), "twice");
            }
        }
        assert_eq!(seen, wanted);
    };
    check(&mut source(options(server.url())), 7).await;
    // Nothing was acknowledged, so the next start sees everything again as its backlog, with the same limit.
    for max in [1, 16, 64, 99] {
        check(&mut source(options(server.url())), max).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_entry_does_not_wait_for_a_fuller_batch() {
    let server = RedisServer::start();
    let mut source = source(RedisOptions {
        block: Duration::from_secs(20),
        response_timeout: Duration::from_secs(5),
        ..options(server.url())
    });
    let mut connection = server.connect();
    let reading = tokio::spawn(async move { source.next(512).await });
    wait_for_reader(&mut connection);
    let start = Instant::now();
    let id = add_on(&mut connection, HITL, "alone");
    let batch = reading.await.expect("no panic").expect("a batch");
    assert_eq!(ids(&batch), [&id]);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn the_backlog_comes_first_after_a_restart() {
    let server = RedisServer::start();
    let add_all = |name: &str| [HITL, DISPATCHER, REVIEWS].map(|stream| add(&server, stream, name));
    let old = add_all("old");
    assert_eq!(ids(&source(options(server.url())).next(10).await.expect("a batch")), old);
    let new = add_all("new");
    let mut again = source(options(server.url()));
    assert_eq!(ids(&again.next(10).await.expect("the backlog")), old);
    assert_eq!(ids(&again.next(10).await.expect("what is new")), new);
}

#[tokio::test]
async fn entries_of_a_dead_member_are_claimed() {
    let server = RedisServer::start();
    let add_next = |n: usize| {
        let stream = [HITL, DISPATCHER, REVIEWS][n % 3];
        at(stream, &add(&server, stream, &n.to_string()))
    };
    let wanted: Vec<String> = (0..30).map(add_next).collect();
    let dead = RedisOptions { consumer: "dead".into(), ..options(server.url()) };
    assert_eq!(source(dead).next(100).await.expect("a batch").len(), 30);
    let mut alive = source(RedisOptions {
        claim_idle: Duration::from_millis(50),
        claim_every: Duration::from_millis(20),
        ..options(server.url())
    });
    let mut seen = BTreeSet::new();
    let start = Instant::now();
    while seen.len() < wanted.len() {
        assert!(start.elapsed() < DEADLINE, "{seen:?}");
        let batch = alive.next(8).await.expect("a batch");
        assert!(batch.len() <= 8);
        seen.extend(batch.into_iter().map(|entry| at(&entry.stream, &entry.id)));
    }
    assert_eq!(seen, wanted.into_iter().collect());
}

#[tokio::test]
async fn entries_trimmed_in_the_own_backlog_are_losses() {
    let server = RedisServer::start();
    let streams = [HITL, REVIEWS];
    let gone = streams.map(|stream| add(&server, stream, "gone"));
    let kept = streams.map(|stream| add(&server, stream, "kept"));
    assert_eq!(source(options(server.url())).next(10).await.expect("a batch").len(), 4);
    for stream in streams {
        let _: i64 = server.cli(&["XTRIM", stream, "MAXLEN", "1"]);
    }
    let mut again = source(options(server.url()));
    assert_eq!(ids(&again.next(10).await.expect("the backlog")), kept);
    let losses = again.take_losses();
    assert_eq!(ids(&losses), gone);
    for (loss, stream) in losses.iter().zip(streams) {
        assert!(loss.fields.is_empty());
        assert_eq!(loss.stream, stream);
    }
    assert!(again.take_losses().is_empty());
}

#[tokio::test]
async fn entries_trimmed_with_a_dead_member_are_losses_even_after_a_kill() {
    let server = RedisServer::start();
    let gone = add(&server, HITL, "gone");
    let dead = RedisOptions { consumer: "dead".into(), ..options(server.url()) };
    assert_eq!(source(dead).next(10).await.expect("a batch").len(), 1);
    let _: i64 = server.cli(&["XTRIM", HITL, "MAXLEN", "0"]);
    let claiming = RedisOptions {
        claim_idle: Duration::from_millis(1),
        claim_every: Duration::from_millis(1),
        ..options(server.url())
    };
    // Claiming drops the entry from the pending list; killed before it recorded the loss, the worker restarts.
    for _ in 0..2 {
        let mut source = source(claiming.clone());
        let (start, mut losses) = (Instant::now(), Vec::new());
        while losses.is_empty() {
            assert!(start.elapsed() < DEADLINE);
            assert!(source.next(10).await.expect("an empty batch").is_empty());
            losses = source.take_losses();
        }
        assert_eq!(ids(&losses), [&gone]);
    }
    let pending: (i64, redis::Value, redis::Value, redis::Value) = server.cli(&["XPENDING", HITL, "feedbackd"]);
    assert_eq!(pending.0, 0, "XAUTOCLAIM dropped it, as this test presumes");
}

#[tokio::test]
async fn the_gate_request_is_fetched() {
    let server = RedisServer::start();
    let mut connection = server.connect();
    let mut hash = |key: &str, gate: &str| {
        redis::cmd("HSET").arg(key).arg("gate_type").arg(gate).exec(&mut connection).expect("HSET");
    };
    hash("asdlc:gate_request:shared", "hitl_1_backlog");
    hash("asdlc:gate_request:both", "of somebody else");
    hash("tenant:acme:asdlc:gate_request:both", "hitl_2_design");
    let _: () = server.cli(&["SET", "asdlc:gate_request:odd", "not a hash"]);
    // Fields that are not read may be of any size.
    let other = "x".repeat(10 << 20);
    let _: i64 = server.cli(&["HSET", "asdlc:gate_request:shared", "other", &other]);
    let _: i64 = server.cli(&["HSET", "asdlc:gate_request:large", "task_id", &other[..(64 << 10) + 1]]);
    let stream = format!("tenant:acme:{DISPATCHER}");
    for request in ["shared", "both", "absent", "odd", "large"] {
        let metadata = format!(r#"{{"request_id": "{request}"}}"#);
        let _: String = server.cli(&["XADD", &stream, "*", "event_type", "gate_approved", "metadata", &metadata]);
    }
    let _: String = server.cli(&["XADD", &stream, "*", "event_type", "task_started", "metadata", "{}"]);
    let mut source = source(RedisOptions { tenant: Some("acme".into()), ..options(server.url()) });
    let batch = source.next(10).await.expect("a batch");
    let requests: Vec<_> = batch.iter().map(|entry| entry.gate_request.clone()).collect();
    let found = |gate: &str| Some(GateRequest::Found([("gate_type".to_owned(), gate.to_owned())].into()));
    let too_large = Some(GateRequest::TooLarge { bytes: (64 << 10) + 1, most: 64 << 10 });
    assert_eq!(requests, [found("hitl_1_backlog"), found("hitl_2_design"), None, None, too_large, None]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_group_comes_back_at_the_beginning() {
    let server = RedisServer::start();
    let mut connection = server.connect();
    let first = at(HITL, &add(&server, HITL, "first"));
    let mut source = source(options(server.url()));
    read_until(&mut source, std::slice::from_ref(&first)).await;

    // Destroyed: everything is delivered again.
    let _: i64 = server.cli(&["XGROUP", "DESTROY", HITL, "feedbackd"]);
    let errors = read_until(&mut source, std::slice::from_ref(&first)).await;
    assert!(errors > 0, "the loss of the group must show");

    // Emptied during a read.
    let task = tokio::spawn(async move {
        let errors = loop {
            if let Err(error) = source.next(10).await {
                break error;
            }
        };
        (source, errors)
    });
    wait_for_reader(&mut connection);
    let _: () = server.cli(&["FLUSHALL"]);
    let (mut source, error) = task.await.expect("no panic");
    assert!(matches!(error, BusError::Unavailable(_)), "{error}");
    let second = at(DISPATCHER, &add(&server, DISPATCHER, "second"));
    read_until(&mut source, &[second]).await;

    // Destroyed and recreated at the end by another client: skipped entries still arrive.
    let mut again = redis::pipe();
    again.cmd("XGROUP").arg("DESTROY").arg(HITL).arg("feedbackd");
    again.cmd("FLUSHALL");
    again.cmd("XADD").arg(HITL).arg("5-0").arg("name").arg("skipped");
    again.cmd("XGROUP").arg("CREATE").arg(HITL).arg("feedbackd").arg("$");
    again.cmd("XADD").arg(HITL).arg("6-0").arg("name").arg("seen");
    again.exec(&mut connection).expect("a new group");
    read_until(&mut source, &[at(HITL, "5-0"), at(HITL, "6-0")]).await;
}

#[tokio::test]
async fn a_group_made_by_somebody_else_at_the_end_is_set_back() {
    let server = RedisServer::start();
    let skipped = at(HITL, &add(&server, HITL, "skipped"));
    let _: () = server.cli(&["XGROUP", "CREATE", HITL, "feedbackd", "$"]);
    read_until(&mut source(options(server.url())), &[skipped]).await;
    // The group is now ours: a second member does not start over.
    let second = RedisOptions { consumer: "worker-2".into(), ..options(server.url()) };
    assert!(source(second).next(10).await.expect("an empty batch").is_empty());
}

#[tokio::test]
async fn a_restarted_server_is_read_on() {
    let mut server = RedisServer::durable();
    let mut source = source(options(server.url()));
    let mut wanted = vec![at(HITL, &add(&server, HITL, "before"))];
    read_until(&mut source, &wanted).await;
    for round in 0..3 {
        if round == 1 {
            server.stop()
        } else {
            server.kill9()
        }
        assert!(matches!(source.next(10).await, Err(BusError::Unavailable(_))));
        assert!(!source.is_connected());
        server.restart();
        wanted.push(at(HITL, &add(&server, HITL, "after")));
        // Nothing was acknowledged, so everything must still be there.
        read_until(&mut source, &wanted).await;
    }
}

#[tokio::test]
async fn nothing_is_stranded_when_waiting_reads_are_killed_or_paused() {
    let server = RedisServer::start();
    let mut source = source(options(server.url()));
    let mut connection = server.connect();
    let trouble = std::thread::spawn(move || {
        let mut added = Vec::new();
        for round in 0..9 {
            // The fault and the entry reach the server together, during a read.
            let reader = wait_for_reader(&mut connection);
            let mut at_once = redis::pipe();
            match round % 2 {
                0 => at_once.cmd("CLIENT").arg("KILL").arg("ID").arg(reader).ignore(),
                _ => at_once.cmd("CLIENT").arg("PAUSE").arg(1000).arg("ALL").ignore(),
            };
            let streams = [HITL, DISPATCHER, HITL];
            for stream in streams {
                at_once.cmd("XADD").arg(stream).arg("*").arg("round").arg(round);
            }
            let ids: Vec<String> = at_once.query(&mut connection).expect("the server answers");
            added.extend(streams.iter().zip(&ids).map(|(stream, id)| at(stream, id)));
        }
        added
    });
    let (start, mut seen, mut errors) = (Instant::now(), BTreeSet::new(), 0);
    while !trouble.is_finished() {
        assert!(start.elapsed() < DEADLINE);
        match source.next(512).await {
            Ok(batch) => seen.extend(batch.iter().map(|entry| at(&entry.stream, &entry.id))),
            Err(_) => errors += 1,
        }
    }
    let wanted = trouble.join().expect("no panic");
    let missing: Vec<String> = wanted.into_iter().filter(|name| !seen.contains(name)).collect();
    read_until(&mut source, &missing).await;
    assert!(errors >= 9, "every fault must have been felt, but there were {errors} errors");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_stranded_on_a_half_open_connection() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let mut source = source(options(proxy.url()));
    assert!(source.next(10).await.expect("an empty batch").is_empty());
    for round in 0..5 {
        // The server still considers the old read alive and would deliver the entry to it, unless that read is killed.
        let task = tokio::spawn(async move {
            let error = loop {
                if let Err(error) = source.next(10).await {
                    break error;
                }
            };
            (source, error)
        });
        wait_for_reader(&mut server.connect());
        proxy.silence();
        let (after, error) = task.await.expect("no panic");
        assert!(error.to_string().contains("no answer in time"), "{error}");
        source = after;
        let wanted = [HITL, DISPATCHER, REVIEWS].map(|stream| at(stream, &add(&server, stream, &round.to_string())));
        read_until(&mut source, &wanted).await;
    }
}

#[tokio::test]
async fn nothing_is_stranded_when_a_read_is_dropped() {
    // If also half-open, the server still considers the dropped read alive, and would deliver the entry to it.
    for half_open in [false, true] {
        let server = RedisServer::start();
        let proxy = Proxy::to(server.port());
        let mut connection = server.connect();
        let mut source = source(RedisOptions { block: Duration::from_secs(3600), ..options(proxy.url()) });
        let mut publisher = RedisPublisher::new(options(server.url()), "s").expect("valid options");
        for round in 0..5 {
            drop_a_waiting_read(&mut source, &mut connection, || {
                if half_open {
                    proxy.silence();
                }
            })
            .await;
            // Reconnected, the source is in another read when the entry arrives.
            let mut reading = Box::pin(source.next(10));
            let _ = tokio::time::timeout(Duration::from_millis(50), &mut reading).await;
            let id = add_on(&mut connection, HITL, &round.to_string());
            let batch = tokio::time::timeout(DEADLINE, reading).await.expect("not stranded").expect("a batch");
            assert_eq!(ids(&batch), [&id]);
            publisher.ack(&[(HITL.into(), id)]).await.expect("acknowledged");
        }
    }
}

/// Starts a read and drops it while it blocks.
async fn drop_a_waiting_read(source: &mut RedisSource, connection: &mut Connection, before: impl FnOnce()) {
    let mut reading = Box::pin(source.next(10));
    let start = Instant::now();
    loop {
        // At least once: dropped connections may stay listed for a while.
        let _ = tokio::time::timeout(Duration::from_millis(20), &mut reading).await;
        if reader(connection).is_some() {
            break;
        }
        assert!(start.elapsed() < DEADLINE);
    }
    before();
}

#[tokio::test]
async fn without_the_right_to_kill_claiming_finds_what_was_stranded() {
    let server = RedisServer::start();
    let _: () = server.cli(&["ACL", "SETUSER", "limited", "on", ">pw", "~*", "+@all", "-client|kill", "-client|list"]);
    let mut source = source(RedisOptions {
        claim_idle: Duration::from_millis(300),
        claim_every: Duration::from_millis(100),
        ..options(server.url().replace("redis://", "redis://limited:pw@"))
    });
    assert!(source.next(10).await.expect("an empty batch").is_empty());
    let wanted: Vec<String> = (0..3).map(|n| at(HITL, &add(&server, HITL, &n.to_string()))).collect();
    // Like an abandoned read that still arrives.
    let _: redis::Value = server.cli(&["XREADGROUP", "GROUP", "feedbackd", "worker-1", "STREAMS", HITL, ">"]);
    read_until(&mut source, &wanted).await;
}

#[tokio::test]
async fn a_wrong_password_is_refused_and_not_shown() {
    let server = RedisServer::start_with(&["--requirepass", "richtig"]);
    let wrong = server.url().replace("richtig", "geheim");
    let none = server.url().replace(":richtig@", "");
    let resp3 = format!("{wrong}?protocol=resp3");
    for url in [wrong, resp3, none] {
        let error = source(options(url.clone())).next(10).await.expect_err("no access");
        assert!(matches!(error, BusError::Refused { .. }), "{url}: {error}");
        assert!(!error.to_string().contains("geheim"), "{error}");
        assert!(!format!("{error:?}").contains("geheim"), "{error:?}");
    }
}

#[tokio::test]
async fn an_absent_server_is_unavailable() {
    let mut server = RedisServer::start();
    let url = server.url();
    server.kill9();
    let mut source = source(options(url));
    for _ in 0..2 {
        assert!(matches!(source.next(10).await, Err(BusError::Unavailable(_))));
    }
}

#[tokio::test]
async fn tls_fails_in_good_order_where_the_server_has_none() {
    let server = RedisServer::start();
    let url = server.url().replace("redis://", "rediss://");
    let error = source(options(url)).next(10).await.expect_err("no TLS there");
    assert!(matches!(error, BusError::Unavailable(_)), "{error}");
}

fn add_bytes(connection: &mut Connection, stream: &str, bytes: usize) -> String {
    redis::cmd("XADD").arg(stream).arg("*").arg("text").arg("x".repeat(bytes)).query(connection).expect("XADD")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_comes_as_its_beginning_and_its_size() {
    let server = RedisServer::start();
    let mut connection = server.connect();
    add_bytes(&mut connection, HITL, 3 << 20);
    let mut source = source(RedisOptions { block: Duration::from_secs(20), ..options(server.url()) });
    let first = source.next(10).await.expect("a batch").pop().expect("an entry");
    assert_eq!(first.oversize.as_ref().map(|o| o.bytes), Some((3 << 20) + 4));
    assert_eq!(first.fields, [("text".to_owned(), "x".repeat(1024).into_bytes())]);
    // Nor is it delivered whole to a waiting read.
    let waiting = tokio::spawn(async move { (source.next(10).await, source) });
    wait_for_reader(&mut connection);
    add_bytes(&mut connection, HITL, 3 << 20);
    let (second, mut source) = waiting.await.expect("no panic");
    let second = second.expect("a batch").pop().expect("an entry");
    assert_eq!((&second.oversize, &second.fields), (&first.oversize, &first.fields));
    assert_eq!(add_bytes(&mut connection, HITL, (1 << 20) - 4).len(), first.id.len());
    assert_eq!(source.next(10).await.expect("a batch")[0].oversize, None, "the largest that is allowed");
}

#[tokio::test]
async fn a_batch_holds_so_many_bytes_and_every_stream_has_its_share() {
    let server = RedisServer::start();
    let mut connection = server.connect();
    for _ in 0..30 {
        add_bytes(&mut connection, HITL, 100_000);
    }
    add_bytes(&mut connection, REVIEWS, 10);
    let limited = RedisOptions { read_bytes: 7 * 250_000, ..options(server.url()) };
    let check = async |source: &mut RedisSource| {
        let (mut sizes, mut streams) = (Vec::new(), BTreeSet::new());
        while sizes.iter().sum::<usize>() < 31 {
            let batch = source.next(512).await.expect("a batch");
            sizes.push(batch.len());
            if sizes.len() == 1 {
                streams.extend(batch.into_iter().map(|entry| entry.stream));
            }
        }
        assert!(sizes.iter().all(|size| *size <= 4), "{sizes:?}");
        assert!(streams.contains(REVIEWS), "a flood elsewhere holds up no review");
    };
    check(&mut source(limited.clone())).await;
    // The same for its own backlog.
    check(&mut source(limited)).await;
}

#[tokio::test]
async fn a_key_of_another_type_holds_up_no_other_stream() {
    let server = RedisServer::start();
    let _: () = server.cli(&["SET", REVIEWS, "a text"]);
    let mut source = source(options(server.url()));
    let first = add(&server, HITL, "first");
    assert_eq!(ids(&source.next(10).await.expect("a batch")), [first.as_str()]);
    let troubles = source.troubles();
    assert!(troubles.len() == 1 && troubles[0].contains(REVIEWS) && troubles[0].contains("wrong kind"), "{troubles:?}");
    // And if the key changes during the read.
    let _: i64 = server.cli(&["DEL", DISPATCHER]);
    let _: () = server.cli(&["SET", DISPATCHER, "a text"]);
    let second = add(&server, HITL, "second");
    read_until(&mut source, &[at(HITL, &second)]).await;
    assert_eq!(source.troubles().len(), 2);
    for key in [REVIEWS, DISPATCHER] {
        let _: i64 = server.cli(&["DEL", key]);
    }
    let wanted = [REVIEWS, DISPATCHER].map(|stream| at(stream, &add(&server, stream, "again")));
    read_until(&mut source, &wanted).await;
    assert_eq!(source.troubles(), [""; 0]);
}

#[tokio::test]
async fn entries_trimmed_before_anybody_read_them_are_counted_once() {
    let server = RedisServer::start();
    let mut source = source(options(server.url()));
    let seen = add(&server, HITL, "seen");
    assert_eq!(source.next(10).await.expect("a batch").len(), 1);
    for n in 0..5 {
        add(&server, HITL, &n.to_string());
    }
    let _: i64 = server.cli(&["XTRIM", HITL, "MAXLEN", "2"]);
    assert_eq!(source.next(10).await.expect("a batch").len(), 2);
    let lost = format!("{seen}+3");
    assert_eq!(ids(&source.take_losses()), [&lost]);
    add(&server, HITL, "more");
    assert_eq!(source.next(10).await.expect("a batch").len(), 1);
    assert_eq!(source.take_losses(), []);
    // Killed before that was recorded, it reports it again.
    let mut again = self::source(options(server.url()));
    again.next(10).await.expect("the backlog");
    assert_eq!(ids(&again.take_losses()), [&lost, &seen], "and what was pending, too");
}
