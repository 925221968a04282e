//! Repeated faults under load: the daemon is killed, stopped, or aborts at fail points; Redis is killed; the network
//! fails. Nothing is lost or duplicated.
//!
//! By default the counts are small, so that all of it takes minutes. `FEEDBACKD_FAULTS` is the share of the full counts
//! in percent; `make faults` sets 100. `FEEDBACKD_KILLS` sets how often the daemon is killed; `make soak` kills it
//! 1,000 times. When a kill comes is random to the daemon, but the final checks do not depend on it.

mod channels;
mod cluster;
mod election;
mod fail_points;
mod limits;
mod machine;
mod network;
mod producer;
mod reviewers;

use crate::harness::audit::{Audited, audit};
use crate::harness::daemon::{Daemon, Site, git, try_git};
use crate::harness::redis::RedisServer;
use crate::harness::streams::drain;
use crate::harness::wait_until;
use producer::{Producer, Random};
use std::time::{Duration, Instant};

/// The approximate total of the gates' events, regardless of the number of kills.
const MOST_EVENTS: u64 = 40_000;
/// The maximum number of events between two kills.
const EVENTS_A_KILL: u64 = 100;

#[test]
fn the_daemon_is_killed_under_load() {
    let kills = std::env::var("FEEDBACKD_KILLS")
        .map_or_else(|_| times(50, 1_000), |n| n.parse().expect("FEEDBACKD_KILLS is a number"));
    let events = (MOST_EVENTS / kills).clamp(40, EVENTS_A_KILL);
    let redis = RedisServer::start();
    let site = site(&redis);
    let mut random = Random::new(2026);
    let started = Instant::now();
    let mut slowest = Duration::ZERO;
    let ledger = Producer::run(&redis, |producer| {
        for kill in 0..kills {
            let spawned = Instant::now();
            // Every fifth dies while starting, the others at work.
            let mut daemon = if kill % 5 == 4 { site.spawn() } else { site.start() };
            if kill % 5 != 4 {
                slowest = slowest.max(spawned.elapsed());
            }
            producer.allow(events);
            live(&mut daemon, Duration::from_millis(20 + random.below(380)));
            daemon.kill9();
        }
    });
    let daemon = site.start();
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    let worked = started.elapsed();
    let audited = audit(&redis, &site, &ledger);
    println!(
        "{kills} kills in {worked:.1?}, slowest start {slowest:.1?}, all in {:.1?}; {audited:?}",
        started.elapsed()
    );
    check_load(&audited, kills * events);
}

#[test]
fn redis_is_killed_under_load() {
    let kills = times(6, 200);
    let mut redis = RedisServer::durable();
    let site = site(&redis);
    let mut random = Random::new(7);
    let mut daemon = site.start();
    let ledger = Producer::run_beside(&mut redis, |producer, redis| {
        for _ in 0..kills {
            producer.allow(EVENTS_A_KILL);
            wait_until("the daemon is ready", || daemon.ready().0 == 200);
            live(&mut daemon, Duration::from_millis(20 + random.below(380)));
            redis.kill9();
            live(&mut daemon, Duration::from_millis(random.below(200)));
            redis.restart();
        }
    });
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    let audited = audit(&redis, &site, &ledger);
    println!("{kills} kills of Redis; {audited:?}");
    check_load(&audited, kills * EVENTS_A_KILL);
}

/// A service manager stops the daemon under load: it finishes or leaves its current work, in time.
#[test]
fn the_daemon_is_stopped_under_load() {
    let stops = times(12, 200);
    let redis = RedisServer::start();
    let site = site(&redis);
    let mut random = Random::new(19);
    let mut slowest = Duration::ZERO;
    let ledger = Producer::run(&redis, |producer| {
        for _ in 0..stops {
            let mut daemon = site.start();
            producer.allow(EVENTS_A_KILL / 2);
            live(&mut daemon, Duration::from_millis(random.below(300)));
            let asked = Instant::now();
            assert_eq!(daemon.stop().code(), Some(0));
            slowest = slowest.max(asked.elapsed());
        }
    });
    let daemon = site.start();
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
    let audited = audit(&redis, &site, &ledger);
    println!("{stops} stops, the slowest {slowest:.1?}; {audited:?}");
    check_load(&audited, stops * EVENTS_A_KILL / 2);
}

/// People push to the branch while the daemon commits to it, and while it is killed.
#[test]
fn people_push_under_load() {
    const PUSHES: u64 = 12;
    let redis = RedisServer::start();
    let site = site(&redis);
    let mut random = Random::new(11);
    let clone = site.path("clone");
    git(&site.store(), &["clone", "-q", ".", &clone.display().to_string()]);
    let mut daemon = site.start();
    let ledger = Producer::run(&redis, |producer| {
        for push in 0..PUSHES {
            producer.allow(EVENTS_A_KILL / 2);
            live(&mut daemon, Duration::from_millis(random.below(100)));
            std::fs::write(clone.join(format!("note-{push}.md")), "A note\n").expect("the clone can be written");
            git(&clone, &["add", "."]);
            git(&clone, &["commit", "-qm", &format!("Note {push}")]);
            // The daemon is faster than a person: if it was first, they try again.
            wait_until("the push is taken", || {
                git(&clone, &["pull", "-q", "--rebase", "origin", "main"]);
                try_git(&clone, &["push", "-q", "origin", "HEAD:main"]).is_ok()
            });
            if push % 4 == 3 {
                daemon.kill9();
                daemon = site.start();
            }
        }
    });
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    let notes = site.files("").into_iter().filter(|(path, _)| path.starts_with("note-")).count();
    assert_eq!(notes as u64, PUSHES);
    let audited = audit(&redis, &site, &ledger);
    println!("{PUSHES} pushes; {audited:?}");
    check_load(&audited, PUSHES * EVENTS_A_KILL / 2);
}

/// Returns a count: a few times, or the share of the full count set by `FEEDBACKD_FAULTS`.
fn times(few: u64, full: u64) -> u64 {
    std::env::var("FEEDBACKD_FAULTS").map_or(few, |share| {
        let share: u64 = share.parse().expect("FEEDBACKD_FAULTS is a number, percent of the full counts");
        (full * share / 100).max(few)
    })
}

/// Creates a site with small batches: more commits give more places for a kill.
fn site(redis: &RedisServer) -> Site {
    let mut site = Site::new(&redis.url());
    site.set("INTAKE__BATCH_MAX", "8");
    site
}

/// Lets the daemon run for this time; it must not end on its own.
fn live(daemon: &mut Daemon, time: Duration) {
    let end = Instant::now() + time;
    wait_until("it is time", || {
        assert!(daemon.is_running() || daemon.log().contains("cannot listen"), "the daemon ended by itself");
        Instant::now() >= end
    });
}

/// Checks that the load had everything that may go wrong; otherwise the test proves little.
fn check_load(audited: &Audited, events: u64) {
    let themes = usize::try_from(events / producer::THEME).expect("not that many");
    assert!(audited.decisions >= 15 * themes, "{audited:?}");
    assert!(audited.commits >= themes, "{audited:?}");
    assert!(audited.revisions > audited.decisions, "nothing was evaluated anew: {audited:?}");
    for (what, count) in [
        ("clusters", audited.clusters),
        ("proposals", audited.proposals),
        ("edge cases", audited.edge_cases),
        ("tiebreaks", audited.ambiguous),
        ("dead letters", audited.dead_letters),
    ] {
        assert!(count >= themes, "few {what}: {audited:?}");
    }
}
