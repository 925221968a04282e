//! The store is rolled back under the daemon, shared by two, or edited into nonsense: nothing is lost silently, and
//! what can continue does.

use super::{World, record, three_alike};
use crate::harness::daemon::Site;
use crate::harness::streams::{DECISIONS, add, decide, decision, drain, entries, pending};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use serde_json::Value;

fn complaint(ready: &Value, check: &str) -> String {
    ready["checks"][check]["message"].as_str().unwrap_or_default().to_owned()
}

/// Checks that a new decision stays pending in Redis, and that the store is unchanged.
fn waits(world: &World, id: &str) {
    let before = world.site.git(&["for-each-ref"]);
    decide(&world.redis, &decision(id, "ann", "REJECTED", Some("Please name the units of every timeout")));
    wait_until("it says that the store was rolled back", || {
        complaint(&world.daemon.ready().1, "store").contains("was rolled back")
    });
    let (status, ready) = world.daemon.ready();
    assert_eq!(status, 503);
    assert!(complaint(&ready, "store").contains("feedbackd store accept"), "{ready}");
    assert_eq!(world.site.git(&["for-each-ref"]), before, "nothing is written");
    wait_until("the entry was read", || pending(&world.redis, DECISIONS) > 0);
}

#[test]
fn a_branch_that_is_gone_stops_writing_until_it_is_back() {
    let world = World::new();
    world.decide(&three_alike());
    let head = world.site.git(&["rev-parse", "HEAD"]);
    world.site.git(&["branch", "-m", "main", "elsewhere"]);
    world.site.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
    waits(&world, "d4");
    world.site.git(&["branch", "main", head.trim()]);
    world.drain();
    world.daemon.wait_ready();
    world.record("d4");
    assert_eq!(world.site.git(&["rev-list", "--max-parents=0", "main"]).lines().count(), 1);
}

#[test]
fn a_rewound_branch_stops_writing_until_people_say_that_it_is_right() {
    let mut world = World::new();
    let [first, second, third] = three_alike();
    world.decide(&[first]);
    let early = world.site.git(&["rev-parse", "main"]).trim().to_owned();
    world.decide(&[second, third]);
    world.site.git(&["update-ref", "refs/heads/main", &early]);
    waits(&world, "d4");
    // A restart does not fix it.
    assert!(world.daemon.stop().code().is_some());
    world.daemon = world.site.start();
    waits(&world, "d5");
    let said = world.site.run(&["store", "accept", "0123456789012345678901234567890123456789"]);
    assert!(said.code != Some(0) && said.err.contains("the branch is at"), "{said:?}");
    let said = world.site.run(&["store", "accept", "HEAD"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    world.drain();
    world.daemon.wait_ready();
    world.record("d4");
    world.record("d5");
    assert_eq!(world.site.git(&["merge-base", "main", &early]).trim(), early);
}

#[test]
fn a_push_that_contains_what_was_acknowledged_is_taken_up() {
    let world = World::new();
    world.decide(&three_alike());
    world.site.push_roster(&["ann", "bob"]);
    world.decide(&[decision("d4", "ann", "APPROVED", None)]);
    world.record("d4");
}

#[test]
fn two_stores_never_share_a_group() {
    let world = World::new();
    world.decide(&three_alike());
    let mut other = Site::new(&world.redis.url());
    other.set("REDIS__CONSUMER", "other");
    let daemon = other.start();
    wait_until("it says whose the group is", || {
        complaint(&daemon.ready().1, "redis").contains("belongs to another store")
    });
    add(&world.redis, DECISIONS, &[("data", &decision("d4", "ann", "APPROVED", None).to_string())]);
    assert_eq!(other.files(layout::DECISIONS), []);
    // It releases the entries it was given meanwhile when it ends.
    assert!(daemon.stop().code().is_some());
}

#[test]
fn what_people_wrote_wrong_is_set_aside_alone() {
    let world = World::new();
    world.decide(&three_alike());
    let cluster = world.record("d1").evaluation.cluster.expect("a group");
    let rules = world.site.files(layout::PROPOSED);
    let (rule, _) = rules.first().expect("a proposal");
    let id = layout::cluster(&cluster);
    let wrong = [
        (rule.as_str(), "proposal_id: RULE", "proposal_id: ../../../RULE"),
        (id.as_str(), "agent:", "merged_into: ../../../x\nagent:"),
    ];
    for (path, from, to) in wrong {
        world.site.push(path, |text| text.replacen(from, to, 1));
        world.decide(&[decision(&format!("after {to}"), "ann", "REJECTED", Some("Name the units of every timeout"))]);
    }
    let path = format!("{}RULE-2026-4294967295.yaml", layout::PROPOSED);
    let text = rules[0].1.clone();
    let number = rule.rsplit('/').next().expect("a name").trim_end_matches(".yaml").to_owned();
    world.site.push(&path, |_| text.replace(&number, "RULE-2026-4294967295"));
    world.decide(&[decision("d9", "ann", "REJECTED", Some("Name the units of every timeout"))]);
    record(&world.site, "d9");
    assert_eq!(world.daemon.metric("feedbackd_unreadable_records"), 3.0);
    let doctor = world.site.run(&["doctor"]);
    for path in [rule.as_str(), &id, &path] {
        assert!(doctor.out.contains(path), "{doctor:?}");
    }
    assert!(doctor.out.contains("which is not an id"), "{doctor:?}");
}

#[test]
fn a_file_where_a_directory_belongs_is_moved_out_of_the_way() {
    let world = World::new();
    world.site.push("feedback", |_| "a note of mine\n".to_owned());
    world.decide(&three_alike());
    world.record("d1");
    assert_eq!(world.site.git(&["show", "main:feedback.set-aside"]).trim_end(), "a note of mine");
}

#[test]
fn the_dead_letters_key_of_another_type_holds_up_nothing() {
    let world = World::with(&[("REDIS__CLAIM_IDLE_MS", "1000"), ("REDIS__CLAIM_EVERY_MS", "100")]);
    let _: () = world.redis.cli(&["SET", "asdlc:events:dead_letters", "a text"]);
    add(&world.redis, DECISIONS, &[("nonsense", "1")]);
    decide(&world.redis, &decision("d1", "ann", "APPROVED", None));
    wait_until("the good one is recorded", || world.site.files(layout::DECISIONS).len() == 1);
    let _: i64 = world.redis.cli(&["DEL", "asdlc:events:dead_letters"]);
    // The entry is claimed again, and its dead letter follows.
    drain(&world.redis, &world.site);
    assert_eq!(entries(&world.redis, "asdlc:events:dead_letters").len(), 1);
}
