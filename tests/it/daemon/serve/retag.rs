//! A tenant's keys get the names that a Redis Cluster needs, while the daemon is stopped: it goes on as if nothing had been.

use super::{World, three_alike};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DECISIONS, EVALUATED, Entry, add, decision, drain_of, entries};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use std::collections::BTreeSet;

const OLD: &str = "tenant:acme:";
const NEW: &str = "tenant:{acme}:";

#[test]
fn a_tenants_keys_get_braces() {
    let World { redis, mut site, daemon } = World::with(&[("REDIS__TENANT", "acme")]);
    let said = site.run(&["redis", "retag"]);
    assert!(said.err.contains("set redis.tenant and redis.hash_tags = true first"), "{said:?}");
    for event in three_alike() {
        add(&redis, &format!("{OLD}{DECISIONS}"), &[("data", &event.to_string())]);
    }
    drain_of(&redis, &site, OLD);
    let sent = entries(&redis, &format!("{OLD}{EVALUATED}"));
    site.set("REDIS__HASH_TAGS", "true");
    let said = site.run(&["redis", "retag", "--yes"]);
    assert_ne!(said.code, Some(0), "the daemon runs: {said:?}");
    assert_eq!(daemon.stop().code(), Some(0));

    let said = site.run(&["redis", "retag"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains(&format!("{OLD}{DECISIONS} -> {NEW}{DECISIONS}")), "{said:?}");
    let keys =
        |pattern: &str| -> BTreeSet<String> { redis.cli::<Vec<String>>(&["KEYS", pattern]).into_iter().collect() };
    let before = keys("*");
    assert!(before.iter().all(|key| key.starts_with(OLD)), "nothing was renamed: {before:?}");
    let said = site.run(&["redis", "retag", "--yes"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(keys("*"), before.iter().map(|key| key.replace(OLD, NEW)).collect());

    let daemon = site.start();
    add(&redis, &format!("{NEW}{DECISIONS}"), &[("data", &decision("later", "ann", "APPROVED", None).to_string())]);
    drain_of(&redis, &site, NEW);
    assert_eq!(daemon.stop().code(), Some(0));
    let keys_of = |sent: &[Entry]| sent.iter().map(|entry| entry.key().to_owned()).collect::<Vec<_>>();
    let now = keys_of(&entries(&redis, &format!("{NEW}{EVALUATED}")));
    assert_eq!(now[..sent.len()], keys_of(&sent));
    assert_eq!(now.len(), sent.len() + 1, "nothing is published again: {now:?}");
    assert_eq!(site.files(layout::DECISIONS).len(), 4);
    assert!(keys(&format!("{OLD}*")).is_empty());
}

#[test]
fn names_that_are_taken_are_not_overwritten() {
    let World { redis, mut site, daemon } = World::with(&[("REDIS__TENANT", "acme")]);
    wait_for_streams(&redis);
    assert_eq!(daemon.stop().code(), Some(0));
    site.set("REDIS__HASH_TAGS", "true");
    add(&redis, &format!("{NEW}{DECISIONS}"), &[("data", "{}")]);
    let said = site.run(&["redis", "retag", "--yes"]);
    assert!(said.err.contains(&format!("these keys exist already: {NEW}{DECISIONS}")), "{said:?}");
    let kept: i64 = redis.cli(&["EXISTS", &format!("{OLD}{DECISIONS}")]);
    assert_eq!(kept, 1);
}

/// Waits until the daemon has created the streams.
fn wait_for_streams(redis: &RedisServer) {
    wait_until("the streams are there", || redis.cli::<i64>(&["EXISTS", &format!("{OLD}{DECISIONS}")]) == 1);
}
