//! Redis is away, loses everything, or rejects commands: the daemon stays up, reports it, and continues.

use super::{World, record, three_alike};
use crate::harness::daemon::Site;
use crate::harness::proxy::Proxy;
use crate::harness::redis::RedisServer;
use crate::harness::sentinel::replicate;
use crate::harness::streams::{
    ALERTS, DEAD_LETTERS, DECISIONS, EVALUATED, GROUP, PROPOSALS, add, decide, decision, drain, entries, pending,
    published,
};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Returns what `/ready` reports about Redis.
fn complaint(ready: &serde_json::Value) -> String {
    ready["checks"]["redis"]["message"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn redis_may_be_away_at_the_start_and_later() {
    let mut redis = RedisServer::durable();
    let site = Site::new(&redis.url());
    redis.stop();
    let mut daemon = site.start();
    wait_until("it says that Redis is away", || complaint(&daemon.ready().1).contains("redis"));
    assert_eq!((daemon.get("/health").0, daemon.ready().0), (200, 503));
    redis.restart();
    daemon.wait_ready();
    let [first, second, third] = three_alike();
    decide(&redis, &first);
    drain(&redis, &site);

    redis.stop();
    wait_until("it says that Redis is away", || daemon.ready().0 == 503);
    assert!(complaint(&daemon.ready().1).contains(&redis.port().to_string()), "{}", daemon.ready().1);
    assert_eq!(daemon.get("/health").0, 200);
    assert_eq!(daemon.metric("feedbackd_redis_up"), 0.0);
    redis.restart();
    let back = Instant::now();
    decide(&redis, &second);
    decide(&redis, &third);
    drain(&redis, &site);
    assert!(back.elapsed() < Duration::from_secs(5), "it took {:?} to go on", back.elapsed());
    daemon.wait_ready();
    for id in ["d1", "d2", "d3"] {
        record(&site, id);
    }
    assert_eq!(entries(&redis, PROPOSALS).len(), 1);
    assert!(daemon.is_running());
}

#[test]
fn what_redis_forgets_is_neither_published_again_nor_recorded_twice() {
    let world = World::new();
    world.decide(&three_alike());
    let _: String = world.redis.cli(&["FLUSHALL"]);
    let flushed = Instant::now();
    wait_until("the group is back", || {
        let groups: redis::RedisResult<Vec<redis::Value>> = world.redis.try_cli(&["XINFO", "GROUPS", DECISIONS]);
        groups.is_ok_and(|groups| groups.len() == 1)
    });
    assert!(flushed.elapsed() < Duration::from_secs(5), "it took {:?}", flushed.elapsed());
    // The gates resend what they consider lost, and something new.
    let [again, ..] = three_alike();
    world.decide(&[again, decision("p1", "ann", "APPROVED", None)]);
    assert_eq!(world.site.files(layout::DECISIONS).len(), 4);
    assert_eq!(
        entries(&world.redis, EVALUATED).iter().map(|e| e.key().to_owned()).collect::<Vec<_>>(),
        ["feedback_evaluated:p1:1"]
    );
    assert_eq!(entries(&world.redis, PROPOSALS).len(), 0);
}

#[test]
fn a_daemon_that_starts_after_redis_forgot_publishes_no_history() {
    let world = World::new();
    world.decide(&three_alike());
    let World { redis, site, daemon } = world;
    assert_eq!(daemon.stop().code(), Some(0));
    let _: String = redis.cli(&["FLUSHALL"]);
    let daemon = site.start();
    daemon.wait_ready();
    decide(&redis, &decision("p1", "ann", "APPROVED", None));
    drain(&redis, &site);
    assert_eq!(entries(&redis, EVALUATED).len(), 1);
    assert_eq!(entries(&redis, PROPOSALS).len(), 0);
}

/// Another value is stored under a stream's name: publishing fails, and everything else continues.
#[test]
fn when_publishing_is_refused_the_streams_are_drained_and_ready_says_why() {
    let world = World::new();
    let _: String = world.redis.cli(&["SET", EVALUATED, "not a stream"]);
    for event in three_alike() {
        decide(&world.redis, &event);
    }
    add(&world.redis, DECISIONS, &[("data", "{}")]);
    wait_until("everything is acknowledged", || {
        world.site.files(layout::DECISIONS).len() == 3
            && entries(&world.redis, DEAD_LETTERS).len() == 1
            && pending(&world.redis, DECISIONS) == 0
    });
    wait_until("it says that publishing is refused", || world.daemon.ready().0 == 503);
    let said = complaint(&world.daemon.ready().1);
    assert!(said.contains("WRONGTYPE") && said.contains(EVALUATED), "{said}");
    let _: i64 = world.redis.cli(&["DEL", EVALUATED]);
    world.drain();
    wait_until("it is ready again", || world.daemon.ready().0 == 200);
    assert_eq!(entries(&world.redis, EVALUATED).len(), world_revisions(&world));
    assert_eq!(entries(&world.redis, PROPOSALS).len(), 1);
    assert_eq!(entries(&world.redis, ALERTS).len(), 0);
}

fn world_revisions(world: &World) -> usize {
    ["d1", "d2", "d3"].iter().map(|id| world.record(id).evaluation.revision as usize).sum()
}

/// A full Redis rejects appends, but allows reading and acknowledging: pending entries are still processed.
#[test]
fn a_full_redis_is_drained() {
    let redis = RedisServer::start();
    let site = Site::new(&redis.url());
    for event in three_alike() {
        decide(&redis, &event);
    }
    let _: String = redis.cli(&["CONFIG", "SET", "maxmemory", "1"]);
    let daemon = site.start();
    wait_until("everything is acknowledged", || {
        site.files(layout::DECISIONS).len() == 3 && pending(&redis, DECISIONS) == 0
    });
    wait_until("it says that Redis is full", || complaint(&daemon.ready().1).contains("OOM"));
    assert_eq!(published(&redis, ""), None);
    let _: String = redis.cli(&["CONFIG", "SET", "maxmemory", "0"]);
    drain(&redis, &site);
    assert_eq!(entries(&redis, PROPOSALS).len(), 1);
    daemon.wait_ready();
}

#[test]
fn it_stops_in_time_while_redis_is_away() {
    let world = World::new();
    world.decide(&[decision("p1", "ann", "APPROVED", None)]);
    let World { mut redis, site: _site, daemon } = world;
    redis.kill9();
    wait_until("it says that Redis is away", || daemon.ready().0 == 503);
    let asked = Instant::now();
    assert_eq!(daemon.stop().code(), Some(0), "nothing was in hand");
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
}

/// Makes Redis accept connections and commands, but answer nothing.
fn pause(redis: &RedisServer) {
    let _: String = redis.cli(&["CLIENT", "PAUSE", "60000", "ALL"]);
}

#[test]
fn it_stops_in_time_while_redis_says_nothing() {
    let world = World::with(&[("REDIS__RESPONSE_TIMEOUT_MS", "1000")]);
    pause(&world.redis);
    let asked = Instant::now();
    assert_eq!(world.daemon.stop().code(), Some(0), "nothing was in hand");
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let mut world = World::new();
    pause(&world.redis);
    world.daemon.terminate();
    wait_until("it is stopping", || world.daemon.log().contains("\"stopping"));
    let asked = Instant::now();
    world.daemon.terminate();
    assert_eq!(world.daemon.wait().code(), Some(1));
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
}

/// A read may block for longer than the shutdown limit. What arrives meanwhile is read again at the next start.
#[test]
fn a_long_read_does_not_keep_it_from_stopping() {
    let settings =
        [("REDIS__BLOCK_MS", "60000"), ("REDIS__RESPONSE_TIMEOUT_MS", "61000"), ("SHUTDOWN__DRAIN_SECONDS", "1")];
    // Redis answers before a read begins, but the daemon reports it only afterwards: it is not ready for a minute.
    let redis = RedisServer::start();
    let mut site = Site::new(&redis.url());
    settings.iter().for_each(|(key, value)| site.set(key, value));
    let daemon = site.start();
    decide(&redis, &decision("p1", "ann", "APPROVED", None));
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    decide(&redis, &decision("p2", "ann", "APPROVED", None));
    let daemon = site.start();
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    assert_eq!(entries(&redis, EVALUATED).len(), 2);
}

/// The network drops everything on the existing connections, without closing them.
#[test]
fn connections_that_fall_silent_are_left() {
    let redis = RedisServer::start();
    let proxy = Proxy::to(redis.port());
    let mut site = Site::new(&proxy.url());
    site.set("REDIS__RESPONSE_TIMEOUT_MS", "1000");
    let daemon = site.start();
    let [first, second, third] = three_alike();
    decide(&redis, &first);
    drain(&redis, &site);
    proxy.silence();
    let silent = Instant::now();
    decide(&redis, &second);
    decide(&redis, &third);
    drain(&redis, &site);
    assert!(silent.elapsed() < Duration::from_secs(10), "{:?}", silent.elapsed());
    daemon.wait_ready();
    assert_eq!(entries(&redis, PROPOSALS).len(), 1);
}

/// Entries that another member took and never finished are taken over.
#[test]
fn entries_of_a_dead_member_are_taken_over() {
    let world = World::with(&[("REDIS__CLAIM_IDLE_MS", "1000"), ("REDIS__CLAIM_EVERY_MS", "100")]);
    world.decide(&[decision("p1", "ann", "APPROVED", None)]);
    let World { redis, site, daemon } = world;
    assert_eq!(daemon.stop().code(), Some(0));
    for event in three_alike() {
        decide(&redis, &event);
    }
    let _: redis::Value = redis.cli(&["XREADGROUP", "GROUP", GROUP, "another", "STREAMS", DECISIONS, ">"]);
    assert_eq!(pending(&redis, DECISIONS), 3);
    let _daemon = site.start();
    drain(&redis, &site);
    for id in ["d1", "d2", "d3"] {
        record(&site, id);
    }
}

/// The replica that takes over lacks the cursor and the messages of a commit: they are published there, although no
/// entry arrives.
#[test]
fn messages_that_a_failover_lost_are_published_again() {
    let mut primary = RedisServer::start();
    let replica = RedisServer::start();
    let proxy = Proxy::to(primary.port());
    let mut site = Site::new(&proxy.url());
    site.set("REDIS__RESPONSE_TIMEOUT_MS", "1000");
    let daemon = site.start();
    let [first, second, _] = three_alike();
    decide(&primary, &first);
    drain(&primary, &site);
    replicate(&replica, &primary);
    wait_until("the replica has the cursor", || published(&replica, "") == published(&primary, ""));
    let _: String = replica.cli(&["REPLICAOF", "NO", "ONE"]);
    decide(&primary, &second);
    drain(&primary, &site);
    let keys = |redis: &RedisServer| -> BTreeSet<String> {
        entries(redis, EVALUATED).iter().map(|entry| entry.key().to_owned()).collect()
    };
    // The second comment joins the first, which is evaluated anew.
    let sent = keys(&primary);
    assert_eq!((sent.len(), keys(&replica).len()), (3, 1));

    primary.kill9();
    proxy.lead_to(replica.port());
    proxy.cut();
    let head = site.git(&["rev-parse", "main"]);
    wait_until("the cursor is at the head again", || published(&replica, "").as_deref() == Some(head.trim()));
    assert_eq!((keys(&replica), entries(&replica, EVALUATED).len()), (sent, 3), "each once");
    assert_eq!(site.files(layout::DECISIONS).len(), 2);
    assert_eq!(daemon.stop().code(), Some(0));
}
