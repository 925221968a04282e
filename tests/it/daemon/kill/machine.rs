//! The machine misbehaves under load: the clock jumps, the disk is slow, the daemon freezes while others take its
//! entries, and garbage is collected in the store throughout.

use super::producer::{Producer, Random};
use super::{EVENTS_A_KILL, check_load, live, site, times};
use crate::harness::audit::{audit, records};
use crate::harness::daemon::{Site, git};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{GROUP, READ, decide, decision, drain};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{ProposalRecord, ProposalStatus};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Where distributions install it.
const LIBRARIES: [&str; 3] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib64/faketime/libfaketime.so.1",
];

/// The daemon's wall clock alone jumps a day forward and back, repeatedly.
#[test]
fn the_clock_jumps_a_day() {
    let Some(library) = LIBRARIES.iter().find(|path| Path::new(path).exists()) else {
        eprintln!("libfaketime is not installed: not checked");
        return;
    };
    let jumps = times(4, 50);
    let redis = RedisServer::start();
    let site = site(&redis);
    let clock = site.path("clock");
    fs::write(&clock, "+0\n").expect("a file");
    let mut daemon = site.start_under(
        "env",
        &[
            &format!("LD_PRELOAD={library}"),
            &format!("FAKETIME_TIMESTAMP_FILE={}", clock.display()),
            "FAKETIME_CACHE_DURATION=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
        ],
    );
    let mut random = Random::new(20);
    let ledger = Producer::run(&redis, |producer| {
        for jump in 0..jumps {
            // The file is read again after a second or two.
            live(&mut daemon, Duration::from_millis(2_500 + random.below(200)));
            let before = commits(&site);
            producer.allow(EVENTS_A_KILL / 2);
            wait_until("commits are made by this clock", || commits(&site) >= before + 2);
            // A day ahead and back, and a day behind.
            fs::write(&clock, ["+1d\n", "+0\n", "-1d\n", "+0\n"][usize::try_from(jump % 4).expect("four")])
                .expect("a file");
        }
    });
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    let audited = audit(&redis, &site, &ledger);
    let proposals: Vec<(String, ProposalRecord)> = records(&site, layout::RULES);
    let expired = proposals.iter().filter(|(_, proposal)| proposal.status == ProposalStatus::Expired).count();
    let commits = site.git(&["log", "--format=%cs", "main"]);
    let days: BTreeSet<&str> = commits.lines().collect();
    println!("{jumps} jumps over {} days; {audited:?}", days.len());
    assert!(days.len() >= 3, "the clock did not jump: {days:?}");
    assert_eq!(expired, 0, "a day is no month");
    check_load(&audited, jumps * EVENTS_A_KILL / 2);
}

fn commits(site: &Site) -> u64 {
    site.git(&["rev-list", "--count", "main"]).trim().parse().expect("a number")
}

/// Every fsync takes half a second: slow but complete.
#[test]
fn a_slow_disk_is_waited_for() {
    let batches = times(3, 60);
    let redis = RedisServer::start();
    let site = Site::new(&redis.url());
    if Command::new("strace").args(["-o", "/dev/null", "true"]).output().map_or(true, |o| !o.status.success()) {
        eprintln!("strace is not installed, or not allowed here: not checked");
        return;
    }
    let slow = "inject=fsync,fdatasync:delay_enter=500000";
    // -D: the daemon is our child, not strace's.
    let arguments = ["-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", slow];
    let daemon = site.start_under("strace", &arguments);
    let mut slowest = Duration::ZERO;
    for batch in 0..batches {
        for n in 0..10 {
            decide(&redis, &decision(&format!("d-{batch}-{n}"), "ann", "APPROVED", None));
        }
        let sent = Instant::now();
        drain(&redis, &site);
        slowest = slowest.max(sent.elapsed());
        // What is acknowledged is stored, whatever comes next.
        assert_eq!(site.files(layout::DECISIONS).len() as u64, 10 * (batch + 1));
    }
    assert!(slowest >= Duration::from_millis(500), "the disk was not slow: {slowest:?}");
    daemon.wait_ready();
    drop(daemon);
    println!("{batches} batches, the slowest took {slowest:.1?}");
}

/// The daemon is frozen while another member takes its entries and leaves them; it wakes, and takes them back in time.
#[test]
fn a_daemon_that_stood_still_wakes() {
    const STOPS: u64 = 3;
    let away = Duration::from_secs(times(2, 300));
    let redis = RedisServer::start();
    let mut site = site(&redis);
    site.set("REDIS__CLAIM_IDLE_MS", "1000");
    site.set("REDIS__CLAIM_EVERY_MS", "100");
    let mut random = Random::new(8);
    let mut daemon = site.start();
    let mut taken = 0;
    let ledger = Producer::run(&redis, |producer| {
        for _ in 0..STOPS {
            producer.allow(EVENTS_A_KILL);
            live(&mut daemon, Duration::from_millis(50 + random.below(100)));
            daemon.signal(libc::SIGSTOP);
            for stream in READ {
                let claim = ["XAUTOCLAIM", stream, GROUP, "another", "0", "0-0", "COUNT", "1000", "JUSTID"];
                let (_, ids, _): (String, Vec<String>, Vec<String>) = redis.cli(&claim);
                taken += ids.len();
            }
            live(&mut daemon, away);
            daemon.signal(libc::SIGCONT);
        }
    });
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    let audited = audit(&redis, &site, &ledger);
    println!("{STOPS} times still for {away:?}, {taken} entries taken meanwhile; {audited:?}");
    check_load(&audited, STOPS * EVENTS_A_KILL);
}

/// Git continuously collects garbage in the store while the daemon commits.
#[test]
fn garbage_is_collected_beside_the_writer() {
    let time = Duration::from_secs(times(5, 60));
    let redis = RedisServer::start();
    let site = site(&redis);
    let mut daemon = site.start();
    let (end, mut events) = (Instant::now() + time, 0);
    let over = AtomicBool::new(false);
    let mut collected = 0;
    let ledger = Producer::run(&redis, |producer| {
        std::thread::scope(|scope| {
            let collecting = scope.spawn(|| {
                let mut times = 0;
                while !over.load(Ordering::SeqCst) {
                    git(&site.store(), &["gc", "--quiet"]);
                    times += 1;
                }
                times
            });
            while Instant::now() < end {
                producer.allow(EVENTS_A_KILL);
                events += EVENTS_A_KILL;
                live(&mut daemon, Duration::from_millis(500));
            }
            over.store(true, Ordering::SeqCst);
            collected = collecting.join().expect("git gc works");
        });
    });
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    let audited = audit(&redis, &site, &ledger);
    println!("garbage collected {collected} times in {time:?}; {audited:?}");
    assert!(collected >= 2, "{collected}");
    assert!(audited.decisions as u64 >= events / 2, "{audited:?}");
}
