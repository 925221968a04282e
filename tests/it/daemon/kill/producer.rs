//! The gates of a busy team: an endless, always identical sequence of decisions, and a ledger of what was sent.
//!
//! Twenty events are about one agent: three people ask it for the same, a fourth opposes it, another asks for something
//! else, most approve, one entry is broken, one comes twice, one comes on both streams.

use crate::harness::DEADLINE;
use crate::harness::audit::{BROKEN, Ledger};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DECISIONS, DISPATCHER};
use redis::{Client, Connection, Pipeline};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The number of events about one agent.
pub const THEME: u64 = 20;

/// A thread that sends events while allowed to.
pub struct Producer {
    url: String,
    allowed: AtomicU64,
    done: AtomicBool,
}

impl Producer {
    /// Sends while `work` runs, and returns the ledger.
    pub fn run(redis: &RedisServer, work: impl FnOnce(&Producer)) -> Ledger {
        Producer::new(redis).beside(work)
    }

    /// Does the same if `work` needs the server exclusively.
    pub fn run_beside(redis: &mut RedisServer, work: impl FnOnce(&Producer, &mut RedisServer)) -> Ledger {
        Producer::new(redis).beside(|producer| work(producer, redis))
    }

    /// Allows it to send so many more events.
    pub fn allow(&self, events: u64) {
        self.allowed.fetch_add(events, Ordering::SeqCst);
    }

    fn new(redis: &RedisServer) -> Producer {
        Producer { url: redis.url(), allowed: AtomicU64::new(0), done: AtomicBool::new(false) }
    }

    fn beside(&self, work: impl FnOnce(&Producer)) -> Ledger {
        thread::scope(|scope| {
            let sending = scope.spawn(|| self.send());
            // Whatever happens in `work`, the thread must end.
            let end = End(self);
            work(self);
            drop(end);
            sending.join().expect("the producer ends")
        })
    }

    /// Sends everything that is allowed before it ends.
    fn send(&self) -> Ledger {
        let mut ledger = Ledger::default();
        let mut connection = None;
        let mut next = 0;
        loop {
            let allowed = self.allowed.load(Ordering::SeqCst);
            if next >= allowed && self.done.load(Ordering::SeqCst) {
                return ledger;
            }
            // A few at a time, to form many batches.
            let until = allowed.min(next + 2);
            for n in next..until {
                deliver(&self.url, &mut connection, &event(n, &mut ledger));
            }
            next = until;
            thread::park_timeout(Duration::from_millis(4));
        }
    }
}

struct End<'a>(&'a Producer);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.done.store(true, Ordering::SeqCst);
    }
}

/// Sends until Redis has confirmed receipt; if Redis was killed meanwhile, that may be twice.
fn deliver(url: &str, connection: &mut Option<Connection>, commands: &Pipeline) {
    let start = Instant::now();
    loop {
        if connection.is_none() {
            *connection = Client::open(url).and_then(|client| client.get_connection()).ok();
        }
        if connection.as_mut().is_some_and(|open| commands.query::<()>(open).is_ok()) {
            return;
        }
        *connection = None;
        assert!(start.elapsed() < DEADLINE, "Redis does not come back");
        thread::park_timeout(Duration::from_millis(10));
    }
}

/// Creates the n-th event.
fn event(n: u64, ledger: &mut Ledger) -> Pipeline {
    let (theme, place) = (n / THEME, n % THEME);
    let part = ["customer", "invoice", "product"][theme as usize % 3];
    let mut commands = redis::pipe();
    let mut send = |id: String, reviewer: &str, verdict: &str, remark: Option<&str>| {
        let event = decision(&id, theme, n, reviewer, verdict, remark);
        encode(&mut commands, n, &event);
        ledger.decisions.insert(id);
    };
    let id = |place: u64| format!("d-{theme}-{place}");
    match place {
        1 => send(id(1), "ann", "REJECTED", Some(&format!("Add an index on the {part} column"))),
        5 | 15 => send(id(5), "bob", "REJECTED", Some(&format!("There is no index on the {part} column"))),
        8 => send(id(8), "cem", "APPROVED_WITH_CHANGES", Some(&format!("Please add an index to the {part} column"))),
        11 => send(id(11), "dee", "APPROVED", Some(&format!("No index is needed on the {part} column"))),
        3 => send(id(3), "eve", "REJECTED", Some("The changelog entry is missing")),
        13 => {
            ledger.broken += 1;
            match theme % 3 {
                0 => commands.cmd("XADD").arg(DECISIONS).arg("*").arg("data").arg(format!("{{{BROKEN}")),
                1 => commands.cmd("XADD").arg(DECISIONS).arg("*").arg("decision").arg(BROKEN).arg("gate_id").arg("x"),
                _ => commands
                    .cmd("XADD")
                    .arg(DISPATCHER)
                    .arg("*")
                    .arg("event_type")
                    .arg("gate_approved")
                    .arg("metadata")
                    .arg(BROKEN),
            };
        }
        // The dispatcher reports one that the gate reported too, and one that only it knows.
        9 | 17 => {
            let (id, request) = (id(if place == 9 { 8 } else { 17 }), format!("r-{n}"));
            let metadata = json!({"request_id": request, "decision_id": id, "reviewer": "cem", "reason": null});
            commands
                .cmd("HSET")
                .arg(format!("asdlc:gate_request:{request}"))
                .arg("gate_type")
                .arg("hitl_4_code")
                .arg("requested_by")
                .arg(agent(theme));
            commands
                .cmd("XADD")
                .arg(DISPATCHER)
                .arg("*")
                .arg("event_type")
                .arg("gate_approved")
                .arg("session_id")
                .arg("s")
                .arg("timestamp")
                .arg(time(n))
                .arg("metadata")
                .arg(metadata.to_string());
            ledger.decisions.insert(id);
        }
        2 | 12 => send(id(place), "fay", "APPROVED", Some("Looks good, thank you")),
        _ => send(id(place), ["ann", "bob", "gus"][(n % 3) as usize], "APPROVED", None),
    }
    commands
}

fn decision(id: &str, theme: u64, n: u64, reviewer: &str, verdict: &str, remark: Option<&str>) -> Value {
    json!({
        "decision_id": id, "gate_id": "HITL-4", "decision": verdict, "reviewer_id": reviewer, "timestamp": time(n),
        "reviewer_comment": remark, "agent": agent(theme), "task_id": format!("T-{theme}"),
    })
}

/// Uses one of the three encodings.
fn encode(commands: &mut Pipeline, n: u64, event: &Value) {
    let add = commands.cmd("XADD").arg(DECISIONS).arg("*");
    match n % 3 {
        0 => {
            for (name, value) in event.as_object().expect("an object") {
                add.arg(name).arg(value.as_str().unwrap_or("null"));
            }
        }
        1 => {
            add.arg("data").arg(event.to_string());
        }
        _ => {
            let cloud =
                json!({"specversion": "1.0", "type": "hitl.decision", "source": "/gate", "id": "e", "data": event});
            add.arg("event").arg(cloud.to_string());
        }
    }
}

fn agent(theme: u64) -> String {
    format!("agent-{theme}")
}

/// Returns a time half a minute after the previous one.
fn time(n: u64) -> String {
    let first: jiff::Timestamp = "2026-01-12T10:00:00Z".parse().expect("a time");
    let after = jiff::SignedDuration::from_secs(30 * i64::try_from(n).expect("not that many"));
    first.checked_add(after).expect("a time").to_string()
}

/// Numbers that look random and are the same in every run (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}
