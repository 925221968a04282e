//! The daemon on a Redis Cluster: the primary of its tenant's slot is killed, hands over, or gives the slot away while
//! entries arrive.

use super::times;
use crate::harness::cluster::Cluster;
use crate::harness::daemon::{Daemon, Site};
use crate::harness::streams::{EVALUATED, decision, drain_of, entries};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use redis::Value;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const PREFIX: &str = "tenant:{acme}:";

/// Any key of the tenant: all are in its slot.
const KEY: &str = "tenant:{acme}:asdlc:events:hitl_decisions";

fn site(cluster: &Cluster) -> Site {
    let mut site = Site::without_store(&cluster.url());
    site.set("REDIS__MODE", "cluster");
    site.set("REDIS__TENANT", "acme");
    site.set("REDIS__RESPONSE_TIMEOUT_MS", "1000");
    let said = site.run(&["init"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    site
}

/// Sends a decision to the node that serves the tenant, however often that takes, and returns which it was. Where there is
/// a replica, it has the entry too.
fn send(cluster: &Cluster, id: &str, replicas: u32) -> usize {
    let event = decision(id, "ann", "APPROVED", None).to_string();
    let mut sent = None;
    wait_until("a node takes the entry", || {
        sent = cluster.find(KEY).filter(|primary| {
            let mut taken = redis::pipe();
            taken.cmd("XADD").arg(KEY).arg("*").arg("data").arg(&event);
            taken.cmd("WAIT").arg(replicas).arg(1000);
            let reply = cluster.node(*primary).try_query::<(String, u32)>(&taken);
            reply.is_ok_and(|(_, copies)| copies >= replicas)
        });
        sent.is_some()
    });
    sent.expect("it was waited for")
}

/// Makes a replica the primary. The other primaries vote for one of a slot only every two timeouts, so it may have to ask
/// again.
fn hand_over(cluster: &Cluster, to: usize) {
    let mut asked: Option<Instant> = None;
    wait_until("it is the primary", || {
        if asked.is_none_or(|at| at.elapsed() > Duration::from_secs(2)) {
            let taken = cluster.node(to).try_cli::<String>(&["CLUSTER", "FAILOVER"]).is_ok();
            asked = taken.then(Instant::now);
        }
        cluster.find(KEY) == Some(to)
    });
}

/// Ends the daemon and checks that each decision has one record, and one message.
fn check(daemon: Daemon, site: &Site, cluster: &Cluster, decisions: usize) {
    assert_eq!(daemon.stop().code(), Some(0));
    let records = site.files(layout::DECISIONS).len();
    let sent = entries(cluster.node(cluster.primary(KEY)), &format!("{PREFIX}{EVALUATED}"));
    let keys: BTreeSet<&str> = sent.iter().map(|entry| entry.key()).collect();
    assert_eq!((records, keys.len(), sent.len()), (decisions, decisions, decisions), "recorded and published once");
}

#[test]
fn a_cluster_replaces_the_primary() {
    let failovers = times(1, 20);
    let mut cluster = Cluster::start(3, 1);
    let site = site(&cluster);
    let daemon = site.start();
    // The first batch of a process loads what reads comments.
    let first = send(&cluster, "first", 1);
    drain_of(cluster.node(first), &site, PREFIX);
    let (mut decisions, mut slowest) = (1, Duration::ZERO);
    for n in 0..failovers {
        for m in 0..3 {
            send(&cluster, &format!("d-{n}-{m}"), 1);
        }
        let killed = send(&cluster, &format!("d-{n}-3"), 1);
        cluster.node_mut(killed).kill9();
        let at = Instant::now();
        let primary = send(&cluster, &format!("e-{n}"), 0);
        let serves = Instant::now();
        drain_of(cluster.node(primary), &site, PREFIX);
        slowest = slowest.max(serves.elapsed());
        println!("another primary after {:.1?}, went on after {:.1?} more", serves - at, serves.elapsed());
        cluster.node_mut(killed).restart();
        cluster.wait_whole();
        // The former primary takes over again, without a fault.
        hand_over(&cluster, killed);
        send(&cluster, &format!("f-{n}"), 0);
        drain_of(cluster.node(killed), &site, PREFIX);
        decisions += 6;
    }
    assert!(daemon.metric("feedbackd_redis_resolves_total{mode=\"cluster\"}") > 0.0);
    println!("{failovers} failovers, the slowest was made good in {slowest:.1?}; {decisions} decisions");
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
    check(daemon, &site, &cluster, decisions);
}

#[test]
fn a_slot_that_moves_is_waited_for() {
    let cluster = Cluster::start(3, 0);
    let site = site(&cluster);
    let daemon = site.start();
    let from = send(&cluster, "before", 0);
    drain_of(cluster.node(from), &site, PREFIX);
    let to = (from + 1) % 3;
    let (source, target) = (cluster.node(from), cluster.node(to));
    let slot = source.cli::<i64>(&["CLUSTER", "KEYSLOT", KEY]).to_string();
    let [source_id, target_id] = [source, target].map(|node| node.cli::<String>(&["CLUSTER", "MYID"]));
    let _: String = target.cli(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &source_id]);
    let _: String = source.cli(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &target_id]);
    let event = decision("meanwhile", "ann", "APPROVED", None).to_string();
    let _: String = source.cli(&["XADD", KEY, "*", "data", &event]);
    wait_until("it says that the slot moves", || daemon.ready().1.to_string().contains("TRYAGAIN"));

    let keys: Vec<String> = source.cli(&["CLUSTER", "GETKEYSINSLOT", &slot, "1000"]);
    let port = target.port().to_string();
    let mut migrate = vec!["MIGRATE", "127.0.0.1", &port, "", "0", "5000", "KEYS"];
    migrate.extend(keys.iter().map(String::as_str));
    let _: String = source.cli(&migrate);
    let _: String = target.cli(&["CLUSTER", "SETSLOT", &slot, "NODE", &target_id]);
    cluster.tell_all(&["CLUSTER", "SETSLOT", &slot, "NODE", &target_id]);
    let moved = Instant::now();
    drain_of(target, &site, PREFIX);
    println!("went on {:.1?} after the slot had moved", moved.elapsed());
    assert_eq!(send(&cluster, "after", 0), to);
    drain_of(target, &site, PREFIX);
    daemon.wait_ready();
    check(daemon, &site, &cluster, 3);
}

#[test]
fn a_node_of_a_cluster_is_told_apart_from_a_single_server() {
    let cluster = Cluster::start(3, 0);
    let mut site = site(&cluster);
    let other = (cluster.primary(KEY) + 1) % 3;
    let url = format!("redis://127.0.0.1:{}", cluster.node(other).port());
    site.set("REDIS__URL", &url);
    let said = site.run(&["doctor"]);
    assert!(said.out.contains("the slot of `tenant:{acme}:` is on 127.0.0.1"), "one node suffices: {said:?}");
    site.set("REDIS__MODE", "single");
    site.set("REDIS__HASH_TAGS", "true");
    let said = site.run(&["doctor"]);
    assert!(said.out.contains("set redis.mode = \"cluster\""), "{said:?}");
    let moved: Result<Value, _> = cluster.node(other).try_cli(&["GET", KEY]);
    assert_eq!(moved.expect_err("it is elsewhere").code(), Some("MOVED"));
}
