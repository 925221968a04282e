//! Bounds on input, applied before it costs memory.

use super::World;
use crate::harness::streams::{DEAD_LETTERS, DECISIONS, decision, entries};
use feedbackd::domain::records::layout;

/// How much the daemon may use above its idle level, in MiB.
const SHARE: u64 = 256;

#[test]
fn entries_of_any_size_take_a_share_of_memory() {
    let world = World::new();
    world.decide(&[decision("d1", "ann", "APPROVED", None)]);
    // What startup allocates and frees is not the idle level: later work may allocate it again.
    let rest = world.daemon.memory_at_rest();
    let mut connection = world.redis.connect();
    let mut add = |fields: &[(&str, &str)]| {
        let mut command = redis::cmd("XADD");
        command.arg(DECISIONS).arg("*");
        fields.iter().for_each(|(name, value)| {
            command.arg(name).arg(value);
        });
        command.query::<String>(&mut connection).expect("XADD");
    };
    let huge = "x".repeat(64 << 20);
    for _ in 0..4 {
        add(&[("data", &huge)]);
    }
    // Valid ones, each just within the limit.
    for n in 0..100 {
        let mut event = decision(&format!("large-{n}"), "ann", "REJECTED", Some("Name the units of every timeout"));
        event["notes"] = "words and more words ".repeat(45_000).into();
        add(&[("data", &event.to_string())]);
    }
    world.drain();
    let letters = entries(&world.redis, DEAD_LETTERS);
    assert_eq!(letters.len(), 4);
    for letter in letters {
        let message = letter.data()["message"].to_string();
        assert!(message.contains("67108868 bytes") && message.contains("digest"), "{message}");
        assert!(letter.data().to_string().len() < 10_000);
    }
    assert_eq!(world.site.files(layout::DECISIONS).len(), 101);
    if let (Some(rest), Some(peak)) = (rest, world.daemon.peak_memory()) {
        println!("{rest} MiB at rest, at most {} above it", peak.saturating_sub(rest));
        assert!(peak <= rest + SHARE, "from {rest} to {peak} MiB");
    }
}
