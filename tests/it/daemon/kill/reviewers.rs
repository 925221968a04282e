//! SIGKILL while people decide on proposals: every review counts once, every rule is announced once.
//!
//! A proposal's number selects one of five courses: approved, approved with everything sent twice, rejected, approved
//! and then retired, reworded and then approved.

use super::producer::Random;
use super::{live, site};
use crate::harness::audit::{Ledger, audit, records};
use crate::harness::daemon::Site;
use crate::harness::redis::RedisServer;
use crate::harness::streams::{PROPOSALS, RULES, decide, decision, drain, entries, review};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{ProposalRecord, ProposalStatus};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const KILLS: u64 = 25;
/// The number of patterns that appear between two kills.
const PATTERNS: u64 = 2;

#[test]
fn the_daemon_is_killed_while_people_decide() {
    let redis = RedisServer::start();
    let mut site = site(&redis);
    // So many rejected proposals lower the confidence of later ones; none should wait for a batch because of that.
    site.set("PROPOSALS__IMMEDIATE_THRESHOLD", "0.01");
    site.push_roster(&["cleo", "dora"]);
    let mut random = Random::new(3);
    let started = Instant::now();
    let (allowed, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let mut people = thread::scope(|scope| {
        let working = scope.spawn(|| People::new(&redis).work(&allowed, &done));
        // Whatever happens here, the thread must end.
        let end = End(&done);
        for kill in 0..KILLS {
            // Every fifth dies while starting, the others at work.
            let mut daemon = if kill % 5 == 4 { site.spawn() } else { site.start() };
            let head = site.git(&["rev-parse", "main"]);
            allowed.fetch_add(PATTERNS, Ordering::SeqCst);
            if kill % 5 < 3 {
                // It dies shortly after a commit: while it deploys, publishes, acknowledges, or with the next batch.
                wait_until("something is recorded", || site.git(&["rev-parse", "main"]) != head);
            }
            live(&mut daemon, Duration::from_millis(random.below(350)));
            daemon.kill9();
        }
        drop(end);
        working.join().expect("the people's thread ends")
    });
    let before = records::<ProposalRecord>(&site, layout::ACTIVE).len();
    let daemon = site.start();
    drain(&redis, &site);
    while people.look() {
        drain(&redis, &site);
    }
    assert_eq!(daemon.stop().code(), Some(0));
    let audited = audit(&redis, &site, &people.ledger);
    println!("{KILLS} kills, {before} rules in force by then, in {:.1?}; {audited:?}", started.elapsed());
    check_ways(&site);
    assert_eq!(audited.proposals as u64, KILLS * PATTERNS);
    assert!(audited.reviews as u64 > 2 * KILLS * PATTERNS, "{audited:?}");
    assert!(before as u64 >= KILLS / 5, "few rules came into force while the daemon was killed: {before}");
}

/// Checks that each proposal took its course.
fn check_ways(site: &Site) {
    for (path, rule) in records::<ProposalRecord>(site, layout::RULES) {
        let expected = match way(&rule.proposal_id) {
            2 => (ProposalStatus::Rejected, 1),
            3 => (ProposalStatus::Retired, 1),
            4 => (ProposalStatus::Active, 2),
            _ => (ProposalStatus::Active, 1),
        };
        assert_eq!((rule.status, rule.version), expected, "{path}");
        let approvers: Vec<&str> = rule.approvals.iter().map(|a| a.reviewer_id.as_str()).collect();
        let both = if rule.status == ProposalStatus::Rejected { vec![] } else { vec!["cleo", "dora"] };
        assert_eq!(approvers, both, "{path}");
        let activated = rule.history.iter().filter(|event| event.event == "activated").count();
        assert_eq!(activated, usize::from(!both.is_empty()), "{path}: {:?}", rule.history);
    }
}

fn way(rule: &str) -> u32 {
    let number = rule.rsplit('-').next().and_then(|n| n.parse::<u32>().ok());
    number.unwrap_or_else(|| panic!("{rule} has no number")) % 5
}

struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// People at the gates, and people who decide on proposals when they see them.
struct People<'a> {
    redis: &'a RedisServer,
    ledger: Ledger,
    /// The patterns they caused.
    patterns: u64,
    /// What they have answered.
    answered: BTreeSet<String>,
}

impl People<'_> {
    fn new(redis: &RedisServer) -> People<'_> {
        People { redis, ledger: Ledger::default(), patterns: 0, answered: BTreeSet::new() }
    }

    /// Creates the allowed patterns and answers proposals, until done.
    fn work(mut self, allowed: &AtomicU64, done: &AtomicBool) -> Self {
        loop {
            // Read first: what was allowed before the end is created.
            let last = done.load(Ordering::SeqCst);
            while self.patterns < allowed.load(Ordering::SeqCst) {
                self.bring_up();
                self.look();
            }
            if last {
                return self;
            }
            self.look();
            thread::park_timeout(Duration::from_millis(4));
        }
    }

    /// Has three people ask an agent for the same.
    fn bring_up(&mut self) {
        let theme = self.patterns;
        self.patterns += 1;
        let remarks = [
            ("ann", "Missing error handling in API handler"),
            ("bob", "API handler lacks error handling"),
            ("cem", "Please add error handling to the API handler"),
        ];
        for (who, remark) in remarks {
            let id = format!("d-{theme}-{who}");
            let mut event = decision(&id, who, "REJECTED", Some(remark));
            event["agent"] = json!(format!("agent-{theme}"));
            decide(self.redis, &event);
            self.ledger.decisions.insert(id);
        }
    }

    /// Answers what is new on the streams; returns false if nothing is.
    fn look(&mut self) -> bool {
        let mut news = entries(self.redis, PROPOSALS);
        news.extend(entries(self.redis, RULES));
        news.retain(|entry| self.answered.insert(entry.key().to_owned()));
        for entry in &news {
            let data = entry.data();
            if entry.key().starts_with("rule_proposal:") {
                self.decide(&data);
            } else if data["event"] == "rule_activated" && way(data["rule_id"].as_str().expect("an id")) == 3 {
                let reason = json!("it confuses the agent");
                self.send("dora", json!({"decision": "RETIRE", "rule_id": data["rule_id"], "reason": reason}));
            }
        }
        !news.is_empty()
    }

    fn decide(&mut self, proposal: &Value) {
        let way = way(proposal["proposal_id"].as_str().expect("an id"));
        let about = |decision: &str, more: Value| {
            let mut review = json!({"decision": decision, "proposal_id": proposal["proposal_id"],
                "content_hash": proposal["content_hash"]});
            review.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
            review
        };
        match (way, proposal["version"].as_u64()) {
            (2, _) => return self.send("cleo", about("REJECT", json!({"reason": "the framework does it"}))),
            (4, Some(1)) => {
                let text = "Handle every error that the calls of an API handler can return.";
                return self.send("cleo", about("MODIFY", json!({ "modified_content": text })));
            }
            // An unauthorised person, and one who read another text.
            (3, _) => self.send("mallory", about("APPROVE", json!({}))),
            (1, _) => self.send("dora", about("APPROVE", json!({"content_hash": "0".repeat(64)}))),
            _ => {}
        }
        for who in ["cleo", "dora"] {
            for _ in 0..=u32::from(way == 1) {
                self.send(who, about("APPROVE", json!({})));
            }
        }
    }

    /// Sends a decision. The same decision on the same text by the same person is the same review.
    fn send(&mut self, who: &str, mut decided: Value) {
        let text = |name: &str| decided[name].as_str().unwrap_or_default().to_owned();
        let about = text("proposal_id") + &text("rule_id");
        let hash: String = text("content_hash").chars().take(8).collect();
        let id = format!("{about}-{hash}-{}-{who}", text("decision"));
        decided["review_id"] = json!(id);
        decided["reviewer_id"] = json!(who);
        decided["timestamp"] = json!(feedbackd::wiring::now());
        review(self.redis, &decided);
        self.ledger.reviews.insert(id);
    }
}
