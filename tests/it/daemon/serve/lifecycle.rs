//! Starting, stopping, and other events in the life of store and index.

use super::{World, record, three_alike};
use crate::harness::audit::fsck;
use crate::harness::daemon::{Site, git, overwrite};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DECISIONS, EVALUATED, GROUP, PROPOSALS, decide, decision, drain, entries};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[test]
fn a_stop_under_load_loses_nothing_and_the_next_start_goes_on() {
    let redis = RedisServer::start();
    let site = Site::new(&redis.url());
    let sending = AtomicBool::new(true);
    let sent = std::thread::scope(|scope| {
        let producer = scope.spawn(|| {
            let mut connection = redis.connect();
            let mut sent = 0;
            while sending.load(Ordering::SeqCst) {
                let mut entries = redis::pipe();
                for n in sent..sent + 20 {
                    let event = decision(&format!("p{n}"), "ann", "APPROVED", None).to_string();
                    entries.cmd("XADD").arg(DECISIONS).arg("*").arg("data").arg(event).ignore();
                }
                let _: () = entries.query(&mut connection).expect("Redis takes them");
                sent += 20;
                // Slow enough for a debug build.
                std::thread::park_timeout(Duration::from_millis(10));
            }
            sent
        });
        for _ in 0..3 {
            let daemon = site.start();
            let before = site.files(layout::DECISIONS).len();
            wait_until("it is at work", || site.files(layout::DECISIONS).len() > before);
            let asked = Instant::now();
            let status = daemon.stop();
            assert_eq!(status.code(), Some(0));
            assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
        }
        sending.store(false, Ordering::SeqCst);
        producer.join().expect("the producer ends")
    });
    let daemon = site.start();
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    assert_eq!(site.files(layout::DECISIONS).len(), sent);
    let evaluated = entries(&redis, EVALUATED);
    let keys: BTreeSet<&str> = evaluated.iter().map(|entry| entry.key()).collect();
    assert_eq!((evaluated.len(), keys.len()), (sent, sent));
    fsck(&site);
}

#[test]
fn without_a_store_it_says_how_to_make_one() {
    let redis = RedisServer::start();
    let site = Site::without_store(&redis.url());
    let said = site.run(&["serve"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.err.contains("feedbackd init") && said.out.is_empty(), "{said:?}");
}

#[test]
fn a_second_daemon_on_the_same_store_is_refused() {
    let world = World::new();
    let said = world.site.run(&["serve"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.err.contains("another process") && said.err.contains("stop the other process"), "{}", said.err);
    assert_eq!(world.daemon.ready().0, 200);
    world.decide(&three_alike());
}

#[test]
fn a_taken_address_is_told_with_a_hint() {
    let redis = RedisServer::start();
    let mut site = Site::new(&redis.url());
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    site.set("HTTP__LISTEN", &taken.local_addr().expect("its address").to_string());
    let said = site.run(&["serve"]);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.err.contains("http.listen"), "{}", said.err);
}

#[test]
fn a_persons_commit_is_taken_up_and_kept() {
    let world = World::new();
    let [first, second, third] = three_alike();
    world.decide(&[first]);
    let clone = world.site.path("clone");
    git(&world.site.store(), &["clone", "-q", ".", &clone.display().to_string()]);
    let roster = clone.join(layout::ROSTER);
    let text = std::fs::read_to_string(&roster).expect("a roster");
    let note = "# Ann decides on Fridays\n";
    std::fs::write(&roster, format!("{text}{note}")).expect("the clone can be written");
    git(&clone, &["commit", "-qam", "Say when Ann decides"]);
    git(&clone, &["push", "-q", "origin", "HEAD:main"]);
    let pushed = git(&clone, &["rev-parse", "HEAD"]).trim().to_owned();
    world.decide(&[second, third]);
    git(&world.site.store(), &["merge-base", "--is-ancestor", &pushed, "main"]);
    assert!(world.site.git(&["show", "main:reviewers.yaml"]).ends_with(note));
    assert_eq!(entries(&world.redis, PROPOSALS).len(), 1);
    // A push without further events is applied too: it is published (it has no messages) at the next check.
    git(&clone, &["pull", "-q", "--rebase", "origin", "main"]);
    std::fs::write(&roster, text).expect("the clone can be written");
    git(&clone, &["commit", "-qam", "Take it back"]);
    git(&clone, &["push", "-q", "origin", "HEAD:main"]);
    world.drain();
    fsck(&world.site);
}

#[test]
fn an_index_that_is_gone_or_garbage_is_made_again() {
    let world = World::new();
    let [first, second, third] = three_alike();
    world.decide(&[first]);
    let World { redis, site, mut daemon } = world;
    for (event, garbage) in [(second, None), (third, Some(b"not a database, not at all".as_slice()))] {
        assert_eq!(daemon.stop().code(), Some(0));
        let index = site.state().join("index.sqlite");
        assert!(index.exists());
        match garbage {
            None => std::fs::remove_file(&index).expect("it can be removed"),
            Some(garbage) => overwrite(&index, garbage),
        }
        daemon = site.start();
        decide(&redis, &event);
        drain(&redis, &site);
    }
    let said = site.run(&["reindex", "--check"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(record(&site, "d1").evaluation.revision, 2);
    assert_eq!(entries(&redis, PROPOSALS).len(), 1);
}

/// The system calls for one batch: everything is on disk before the entries are acknowledged.
#[test]
fn a_batch_is_on_disk_before_it_is_acknowledged() {
    let redis = RedisServer::start();
    let site = Site::new(&redis.url());
    for event in three_alike() {
        decide(&redis, &event);
    }
    let trace = site.path("trace");
    let Some(daemon) = site.start_traced("fsync,fdatasync,rename,write,writev,sendto", &trace) else { return };
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    let read = || std::fs::read_to_string(&trace).unwrap_or_default();
    wait_until("the trace is complete", || read().contains("+++ exited with 0 +++"));
    let trace = read();
    // From the read that returned the entries (the pack directory is untouched before) to their acknowledgement.
    let steps: Vec<&str> = trace.lines().skip_while(|line| !line.contains("tmp_feedbackd_pack")).collect();
    let acknowledged = steps.iter().position(|line| line.contains("XACK")).expect("an acknowledgement");
    let synced = |line: &&str| line.contains("sync(") && line.contains("store.git");
    let before = steps[..acknowledged].iter().copied().filter(synced).count();
    let after = steps[acknowledged..].iter().copied().filter(synced).count();
    // Pack, its index, their directory, the branch, its directory.
    assert_eq!((before, after), (5, 0), "{}", steps.join("\n"));
}

#[test]
fn names_of_earlier_starts_leave_the_group_and_are_no_strangers() {
    let World { redis, mut site, daemon } = World::new();
    assert_eq!(daemon.stop().code(), Some(0));
    let members = || -> Vec<String> {
        let members: Vec<BTreeMap<String, redis::Value>> = redis.cli(&["XINFO", "CONSUMERS", DECISIONS, GROUP]);
        members.iter().map(|facts| redis::from_redis_value(facts["name"].clone()).expect("a name")).collect()
    };
    for (name, id) in [("pod-a", "d-a"), ("pod-b", "d-b"), ("pod-c", "d-c")] {
        site.set("REDIS__CONSUMER", name);
        let daemon = site.start();
        daemon.wait_ready();
        decide(&redis, &decision(id, "ann", "APPROVED", None));
        drain(&redis, &site);
        wait_until("it alone is a member", || members() == [name]);
        let said = site.run(&["doctor"]);
        assert!(!said.out.contains("other members"), "{said:?}");
        assert_eq!(daemon.metric("feedbackd_foreign_members"), 0.0);
        assert_eq!(daemon.stop().code(), Some(0));
    }
    // One with pending entries stays until they are taken over.
    decide(&redis, &decision("d-d", "ann", "APPROVED", None));
    let _: redis::Value = redis.cli(&["XREADGROUP", "GROUP", GROUP, "stranger", "STREAMS", DECISIONS, ">"]);
    let daemon = site.start();
    daemon.wait_ready();
    assert!(members().contains(&"stranger".to_owned()), "{:?}", members());
    let said = site.run(&["doctor"]);
    assert!(said.out.contains("other members: stranger"), "{said:?}");
    assert_eq!(daemon.stop().code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_supervisor_is_told_at_a_socket_that_is_no_file() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    let World { site, daemon, redis: _redis } = World::new();
    assert_eq!(daemon.stop().code(), Some(0));
    let name = format!("feedbackd-test-{}", std::process::id());
    let socket = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).expect("a name")).expect("a socket");
    socket.set_read_timeout(Some(std::time::Duration::from_secs(30))).expect("set");
    let daemon = site.start_under("env", &[&format!("NOTIFY_SOCKET=@{name}")]);
    let told = || {
        let mut bytes = [0; 64];
        let length = socket.recv(&mut bytes).expect("a message");
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    };
    assert_eq!(told(), "READY=1\n");
    assert_eq!(daemon.stop().code(), Some(0));
    assert_eq!(told(), "STOPPING=1\n");
    let daemon = site.start_under("env", &[&format!("NOTIFY_SOCKET=@{name}-nobody")]);
    daemon.wait_ready();
    assert_eq!(daemon.log().matches("cannot report the daemon's state to the supervisor").count(), 1);
    assert_eq!(daemon.stop().code(), Some(0));
}

#[test]
fn on_sighup_the_configuration_is_read_again_if_it_is_valid() {
    let redis = RedisServer::start();
    let mut site = Site::new(&redis.url());
    let file = site.path("config.toml");
    std::fs::write(&file, "").expect("written");
    site.set_file(&file);
    let mut daemon = site.start();
    daemon.wait_ready();
    assert_eq!(daemon.get("/proposals").0, 200);

    std::fs::write(&file, "[http]\nanonymous_reading = \"perhaps\"\n").expect("written");
    daemon.signal(libc::SIGHUP);
    wait_until("it says what is wrong", || daemon.log().contains("the previous one stays in use"));
    assert!(daemon.log().contains("http.anonymous_reading"), "{}", daemon.log());
    assert_eq!(daemon.get("/proposals").0, 200);

    std::fs::write(&file, "[http]\nanonymous_reading = \"off\"\n").expect("written");
    daemon.signal(libc::SIGHUP);
    wait_until("the new configuration is in use", || {
        daemon.try_get("/proposals").is_some_and(|(status, _)| status != 200)
    });
    daemon.wait_ready();
    assert!(daemon.is_running(), "it is the same process");
    decide(&redis, &decision("d1", "ann", "REJECTED", Some("Missing error handling in API handler")));
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
}
