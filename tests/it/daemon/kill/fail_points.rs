//! The daemon aborts at each fail point of the data path, and the next one continues.

use super::producer::{Producer, Random};
use super::{check_load, site, times};
use crate::harness::audit::audit;
use crate::harness::redis::RedisServer;
use crate::harness::streams::drain;
use crate::harness::wait_until;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

/// The number of events before each abort: processing them reaches every fail point at least twice.
const EVENTS: u64 = 40;
/// The minimum; fewer prove little.
const LEAST: usize = 20;

#[test]
fn an_abort_at_each_fail_point_is_survived() {
    let names = fail_points();
    assert!(names.len() >= LEAST, "{names:?}");
    let each = times(2, 50);
    let redis = RedisServer::start();
    let mut site = site(&redis);
    let mut random = Random::new(27);
    let mut aborts = 0;
    let ledger = Producer::run(&redis, |producer| {
        for name in (0..each).flat_map(|_| &names) {
            // Messages are pending, so that each start has something to publish as well.
            producer.allow(EVENTS);
            site.set_fail_points(&format!("{name}={}*off->return", random.below(2)));
            loop {
                let mut daemon = site.spawn();
                wait_until(&format!("the daemon aborts at {name}"), || !daemon.is_running());
                let log = daemon.log();
                let ended = daemon.wait();
                if ended.signal() == Some(libc::SIGABRT) {
                    break;
                }
                assert!(log.contains("cannot listen"), "{name}: {ended}");
            }
            aborts += 1;
        }
    });
    site.set_fail_points("");
    let daemon = site.start();
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    let audited = audit(&redis, &site, &ledger);
    println!("{aborts} aborts at {} places; {audited:?}", names.len());
    check_load(&audited, aborts * EVENTS);
}

/// Returns the names in the source, except those of a purge, when no daemon runs, and of a push, which needs a host: they
/// have their own tests.
fn fail_points() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut names);
    names.retain(|name| !name.starts_with("purge.") && !name.starts_with("push."));
    names
}

fn collect(directory: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).expect("the source").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("the source");
            let found = text.split("fail_point!(\"").skip(1).filter_map(|rest| rest.split('"').next());
            for name in found {
                assert!(names.insert(name.to_owned()), "{name} is there twice");
            }
        }
    }
}
