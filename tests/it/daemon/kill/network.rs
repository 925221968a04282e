//! Network failures between the daemon and Redis, of every kind that TCP knows, and a move of Redis to another server.

use super::producer::{Producer, Random};
use super::{check_load, live, site, times};
use crate::harness::audit::audit;
use crate::harness::daemon::Site;
use crate::harness::proxy::{Passage, Proxy};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DECISIONS, EVALUATED, decide, decision, drain, entries};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use std::time::{Duration, Instant};

/// The number of events sent around each failure.
const EVENTS: u64 = 40;

#[test]
fn the_network_fails_under_load() {
    let failures = times(12, 500);
    let redis = RedisServer::start();
    let proxy = Proxy::to(redis.port());
    let mut site = site(&redis);
    site.set("REDIS__URL", &proxy.url());
    site.set("REDIS__RESPONSE_TIMEOUT_MS", "1000");
    let mut random = Random::new(5);
    let mut slowest = Duration::ZERO;
    let mut daemon = site.start();
    let ledger = Producer::run(&redis, |producer| {
        for failure in 0..failures {
            producer.allow(EVENTS);
            live(&mut daemon, Duration::from_millis(random.below(100)));
            match failure % 4 {
                0 => proxy.cut(),
                1 => proxy.silence(),
                2 => proxy.pass(Passage::Late),
                _ => proxy.pass(Passage::Sliced),
            }
            live(&mut daemon, Duration::from_millis(200 + random.below(400)));
            proxy.pass(Passage::Free);
            let over = Instant::now();
            drain(&redis, &site);
            slowest = slowest.max(over.elapsed());
        }
    });
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    let audited = audit(&redis, &site, &ledger);
    println!("{failures} failures of the network, the slowest was made good in {slowest:.1?}; {audited:?}");
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
    check_load(&audited, failures * EVENTS);
}

/// The primary is killed, a healthy replica is promoted, and the address points there, as with a service in front of
/// Sentinel. Who promotes does not matter to the daemon: it knows one address.
#[test]
fn redis_moves_to_its_replica() {
    let moves = times(3, 50);
    let mut primary = RedisServer::start();
    let proxy = Proxy::to(primary.port());
    let mut site = Site::new(&proxy.url());
    site.set("REDIS__RESPONSE_TIMEOUT_MS", "1000");
    let daemon = site.start();
    let mut slowest = Duration::ZERO;
    for n in 0..moves {
        decide(&primary, &decision(&format!("d-{n}"), "ann", "APPROVED", None));
        let replica = RedisServer::start();
        let _: String = replica.cli(&["REPLICAOF", "127.0.0.1", &primary.port().to_string()]);
        decide(&primary, &decision(&format!("e-{n}"), "ann", "APPROVED", None));
        let sent = entries(&primary, DECISIONS).len();
        wait_until("the replica has it", || entries(&replica, DECISIONS).len() == sent);
        drain(&primary, &site);
        let _: i64 = primary.cli(&["WAIT", "1", "5000"]);
        primary.kill9();
        proxy.cut();
        let moved = Instant::now();
        let _: String = replica.cli(&["REPLICAOF", "NO", "ONE"]);
        proxy.lead_to(replica.port());
        proxy.cut();
        decide(&replica, &decision(&format!("f-{n}"), "ann", "APPROVED", None));
        drain(&replica, &site);
        slowest = slowest.max(moved.elapsed());
        primary = replica;
    }
    assert_eq!(daemon.stop().code(), Some(0));
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
    let recorded = site.files(layout::DECISIONS).len() as u64;
    println!("{moves} moves, the slowest took {slowest:.1?}; {recorded} decisions");
    assert_eq!(recorded, 3 * moves);
    let sent = entries(&primary, EVALUATED);
    let mut keys: Vec<&str> = sent.iter().map(|entry| entry.key()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!((keys.len(), sent.len() as u64), (sent.len(), recorded), "published once");
}
