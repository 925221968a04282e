//! Shortages of disk space and file descriptors, nonsensical input, and large volumes.

use super::producer::Random;
use super::times;
use crate::harness::audit::{fsck, records};
use crate::harness::daemon::Site;
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DEAD_LETTERS, DECISIONS, DISPATCHER, READ, decide, decision, drain, entries, pending};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::DeadLetterRecord;
use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The number of entries sent to Redis at once.
const AT_A_TIME: u64 = 1_000;

/// Nonsensical entries of every kind, on every stream, with good ones between them.
#[test]
fn entries_that_make_no_sense_are_set_aside_each() {
    let bad = times(1_000, 100_000);
    let redis = RedisServer::start();
    let site = Site::new(&redis.url());
    let daemon = site.start();
    let mut random = Random::new(31);
    let mut connection = redis.connect();
    let mut good = 0;
    for first in (0..bad).step_by(AT_A_TIME as usize) {
        let mut commands = redis::pipe();
        for n in first..bad.min(first + AT_A_TIME) {
            let stream = READ[random.below(READ.len() as u64) as usize];
            // On the dispatcher's stream an unrequested kind of event is not ours, so it goes to decisions.
            let stream = if stream == DISPATCHER { DECISIONS } else { stream };
            let add = commands.cmd("XADD").arg(stream).arg("*");
            for (name, value) in nonsense(n, &mut random) {
                add.arg(name).arg(value);
            }
            if n % 50 == 0 {
                let event = decision(&format!("good-{n}"), "ann", "APPROVED", None);
                commands.cmd("XADD").arg(DECISIONS).arg("*").arg("data").arg(event.to_string());
                good += 1;
            }
        }
        commands.query::<()>(&mut connection).expect("Redis takes them");
    }
    drain(&redis, &site);
    for stream in READ {
        assert_eq!(pending(&redis, stream), 0, "{stream}");
    }
    assert!(!daemon.log().contains("panicked"), "{}", daemon.log());
    assert_eq!(daemon.stop().code(), Some(0));
    let letters = entries(&redis, DEAD_LETTERS);
    let with_reason =
        letters.iter().filter(|letter| letter.data()["code"].as_str().is_some_and(|code| !code.is_empty()));
    assert_eq!((letters.len() as u64, with_reason.count() as u64), (bad, bad));
    let recorded: Vec<(String, DeadLetterRecord)> = records(&site, layout::DEAD_LETTERS);
    assert_eq!(recorded.len() as u64, bad);
    assert_eq!(site.files(layout::DECISIONS).len(), good);
    fsck(&site);
    println!("{bad} entries set aside, {good} good ones recorded");
}

/// Returns what no reader can decode.
fn nonsense(n: u64, random: &mut Random) -> Vec<(Vec<u8>, Vec<u8>)> {
    let bytes = |random: &mut Random, most: u64| -> Vec<u8> {
        (0..=random.below(most)).map(|_| u8::try_from(random.below(256)).expect("a byte")).collect()
    };
    let field = |name: &[u8], value: &[u8]| vec![(name.to_vec(), value.to_vec())];
    let data = |text: &str| field(b"data", text.as_bytes());
    match n % 8 {
        0 => vec![(bytes(random, 20), bytes(random, 200))],
        1 => field(b"data", &bytes(random, 200)),
        2 => data(&"[".repeat(100 + random.below(2_000) as usize)),
        3 => data(r#"{"decision_id": 7, "gate_id": null, "id": [], "turn_id": {}, "timestamp": "yesterday"}"#),
        4 => data("{\"decision_id\": \"x\", \"decision\": \"MAYBE\", \"timestamp\": \"2026-13-45\"}"),
        5 => data("null"),
        6 => field(b"decision_id", b"\xff\xfe"),
        _ => data(&format!("{{\"n\": {n}")),
    }
}

/// The space or inodes of the store's file system run out while decisions arrive, and become available again.
#[test]
fn a_full_disk_is_waited_for() {
    for (options, room) in [("size=8m", 8), ("size=64m,nr_inodes=2000", 0)] {
        let redis = RedisServer::start();
        let site = Site::without_store(&redis.url());
        fs::create_dir(site.store()).expect("a directory");
        let Some(mounted) = Mounted::on(&site.store(), options) else {
            eprintln!("mounting is not allowed here: not checked");
            return;
        };
        assert_eq!(site.run(&["init"]).code, Some(0));
        let daemon = site.start();
        decide(&redis, &decision("before", "ann", "APPROVED", None));
        drain(&redis, &site);
        fill(&site.store(), room);
        for n in 0..200 {
            decide(
                &redis,
                &decision(&format!("full-{n}"), "ann", "REJECTED", Some("Add an index on the customer column")),
            );
        }
        wait_until("it says that the store cannot be written", || daemon.ready().1["checks"]["store"]["ok"] == false);
        assert!(pending(&redis, DECISIONS) > 0, "nothing is acknowledged that is not durable");
        fs::remove_dir_all(site.store().join("filler")).expect("removed");
        let back = Instant::now();
        drain(&redis, &site);
        println!("{options}: it went on after {:.1?}", back.elapsed());
        assert!(back.elapsed() < Duration::from_secs(20), "{:?}", back.elapsed());
        daemon.wait_ready();
        assert_eq!(daemon.stop().code(), Some(0));
        assert_eq!(site.files(layout::DECISIONS).len(), 201);
        fsck(&site);
        drop(mounted);
    }
}

/// Uses so many MiB of space, or all that is left; else all inodes.
fn fill(store: &Path, room: usize) {
    let directory = store.join("filler");
    fs::create_dir(&directory).expect("a directory");
    if room > 0 {
        assert!(fs::write(directory.join("room"), vec![b'x'; room << 20]).is_err(), "there is less room");
        return;
    }
    assert!((0..10_000).any(|n| fs::write(directory.join(n.to_string()), []).is_err()), "there are fewer inodes");
}

/// A separate in-memory file system.
struct Mounted(PathBuf);

impl Mounted {
    fn on(path: &Path, options: &str) -> Option<Mounted> {
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(path).output().ok()?;
        done.status.success().then(|| Mounted(path.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

/// With 64 file descriptors, most of them held by silent clients, entries are still processed.
#[test]
fn few_file_descriptors_are_enough() {
    let redis = RedisServer::start();
    let site = Site::new(&redis.url());
    let daemon = site.start_with_files(64);
    let held: Vec<TcpStream> = (0..100).filter_map(|_| TcpStream::connect(("127.0.0.1", daemon.port())).ok()).collect();
    for n in 0..200 {
        decide(&redis, &decision(&format!("d-{n}"), "ann", "REJECTED", Some("Add an index on the customer column")));
    }
    drain(&redis, &site);
    drop(held);
    wait_until("it answers again", || daemon.ready().0 == 200);
    assert_eq!(daemon.stop().code(), Some(0));
    assert_eq!(site.files(layout::DECISIONS).len(), 200);
    fsck(&site);
}

/// A backlog from the daemon's absence is drained within the service's memory limit.
#[test]
fn a_backlog_is_drained() {
    let entries = times(5_000, 1_000_000);
    let redis = RedisServer::start();
    let site = Site::new(&redis.url());
    let mut connection = redis.connect();
    for first in (0..entries).step_by(AT_A_TIME as usize) {
        let mut commands = redis::pipe();
        for n in first..entries.min(first + AT_A_TIME) {
            let event = decision(&format!("d-{n}"), "ann", "APPROVED", None);
            commands.cmd("XADD").arg(DECISIONS).arg("*").arg("data").arg(event.to_string());
        }
        commands.query::<()>(&mut connection).expect("Redis takes them");
    }
    let started = Instant::now();
    let daemon = site.start();
    drain(&redis, &site);
    let (took, memory) = (started.elapsed(), daemon.peak_memory());
    assert_eq!(daemon.stop().code(), Some(0));
    println!("{entries} entries in {took:.1?}, at most {memory:?} MiB");
    assert!(memory.is_none_or(|mebibytes| mebibytes <= 600), "{memory:?}");
    assert_eq!(
        site.git(&["ls-tree", "-r", "--name-only", "main", "--", layout::DECISIONS]).lines().count() as u64,
        entries
    );
}
