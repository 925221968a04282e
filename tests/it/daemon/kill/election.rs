//! Three Sentinels monitor a primary and its replica. The primary is killed, they hold an election, and the daemon goes
//! on with the result: it asks the Sentinels itself, or its one address follows.

use super::times;
use crate::harness::daemon::Site;
use crate::harness::proxy::Proxy;
use crate::harness::redis::RedisServer;
use crate::harness::sentinel::{NAME, Sentinel, replicate};
use crate::harness::streams::{DECISIONS, EVALUATED, decide, decision, drain, entries};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use std::time::{Duration, Instant};

#[test]
fn sentinels_elect_another_primary() {
    elections(times(1, 50), false);
}

#[test]
fn the_daemon_asks_the_sentinels_for_the_primary() {
    elections(times(1, 50), true);
}

fn elections(moves: u64, asks: bool) {
    let mut servers = [RedisServer::start(), RedisServer::start()];
    replicate(&servers[1], &servers[0]);
    let proxy = Proxy::to(servers[0].port());
    let mut site = Site::new(&proxy.url());
    site.set("REDIS__RESPONSE_TIMEOUT_MS", "1000");
    let sentinels: Vec<Sentinel> =
        (0..3).map(|n| Sentinel::start(&site.path(&format!("sentinel-{n}")), servers[0].port(), 2)).collect();
    if asks {
        site.set("REDIS__URL", &sentinels.iter().map(Sentinel::url).collect::<Vec<_>>().join(","));
        site.set("REDIS__MODE", "sentinel");
        site.set("REDIS__SENTINEL_MASTER", NAME);
    }
    let daemon = site.start();
    let (mut primary, mut slowest) = (0, Duration::ZERO);
    for n in 0..moves {
        let other = 1 - primary;
        wait_until("all Sentinels know the replica and each other", || sentinels.iter().all(Sentinel::is_complete));
        decide(&servers[primary], &decision(&format!("d-{n}"), "ann", "APPROVED", None));
        drain(&servers[primary], &site);
        let sent = entries(&servers[primary], DECISIONS).len();
        wait_until("the replica has it", || entries(&servers[other], DECISIONS).len() == sent);
        let _: i64 = servers[primary].cli(&["WAIT", "1", "5000"]);
        servers[primary].kill9();
        let killed = Instant::now();
        wait_until("they agree on the other", || {
            sentinels.iter().all(|sentinel| sentinel.primary() == Some(servers[other].port()))
        });
        let elected = Instant::now();
        proxy.lead_to(servers[other].port());
        proxy.cut();
        decide(&servers[other], &decision(&format!("e-{n}"), "ann", "APPROVED", None));
        drain(&servers[other], &site);
        slowest = slowest.max(elected.elapsed());
        println!("elected after {:.1?}, went on after {:.1?} more", elected - killed, elected.elapsed());
        servers[primary].restart();
        replicate(&servers[primary], &servers[other]);
        primary = other;
    }
    if asks {
        assert!(daemon.metric("feedbackd_redis_resolves_total{mode=\"sentinel\"}") > 0.0);
    }
    assert_eq!(daemon.stop().code(), Some(0));
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
    let recorded = site.files(layout::DECISIONS).len() as u64;
    assert_eq!(recorded, 2 * moves);
    let sent = entries(&servers[primary], EVALUATED);
    let mut keys: Vec<&str> = sent.iter().map(|entry| entry.key()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!((keys.len(), sent.len() as u64), (sent.len(), recorded), "published once");
    println!("{moves} elections, the slowest was made good in {slowest:.1?}; {recorded} decisions");
}
