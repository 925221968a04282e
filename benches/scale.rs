//! The cost of rules at scale: batches while the store grows, daemon startup, an idle poll, and the commands that read.
//!
//! Runs in-process, without Redis; the commands are separate processes. Sizes are environment variables:
//! `BENCH_DECISIONS` (default 100000), `BENCH_RULES` (300, two fifths of them in force), `BENCH_REVIEWS` (5000),
//! `BENCH_INJECTIONS` (50000), `BENCH_DIR` (default the system's temporary directory). With `BENCH_FILE`, the events of
//! that file (one JSON object per line) also go through the pipeline, into a separate store.

#![allow(clippy::disallowed_types, reason = "it runs the program's commands")]

#[path = "end_to_end/decisions.rs"]
mod decisions;

use decisions::Decisions;
use feedbackd::adapters::git::{GitWriter, WriterOptions};
use feedbackd::app::pipeline::{Pipeline, Timings};
use feedbackd::config::Config;
use feedbackd::domain::intake::decode::{DecodeLimits, from_json_line};
use feedbackd::domain::intake::event::RawEntry;
use feedbackd::domain::intake::submission::InjectedRule;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{InjectionRecord, ProposalRecord, ProposalStatus, ReviewRecord};
use feedbackd::domain::rules::draft::proposal::content_hash;
use feedbackd::domain::testing::sample;
use feedbackd::ports::{ChangeSet, CommitOutcome, FileWrite, StoreReader, StoreWriter};
use feedbackd::text::ids::numbered;
use feedbackd::text::yaml;
use feedbackd::wiring;
use jiff::{SignedDuration, Timestamp};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// 2026-01-05T08:00:00Z, the time of the first decision.
const START: i64 = 1_767_600_000;
const BATCH: usize = 512;
const AGENTS: [&str; 6] = ["prd-agent", "design-agent", "planner-agent", "coding-agent", "test-agent", "release-agent"];

fn main() {
    if let Some(file) = std::env::var_os("BENCH_FILE") {
        let text = std::fs::read_to_string(&file).expect("the file");
        let limits = DecodeLimits::default();
        let entries: Vec<RawEntry> =
            (1..).zip(text.lines()).map(|(n, line)| from_json_line(line, n, &limits)).collect();
        println!("{} events of {}", entries.len(), Path::new(&file).display());
        let world = World::new();
        grow(&mut world.pipeline(), &entries, wiring::now());
    }
    let count = number("BENCH_DECISIONS", 100_000);
    let mut decisions = Decisions::new();
    let mut entries: Vec<RawEntry> = (0..count + BATCH).map(|n| entry(n, decisions.next())).collect();
    let last = entries.split_off(count);
    let now = Timestamp::from_second(START + 5 * count as i64).expect("a time");
    println!("{count} decisions");
    let world = World::new();
    grow(&mut world.pipeline(), &entries, now);
    world.add_rules(number("BENCH_RULES", 300), number("BENCH_REVIEWS", 5_000), number("BENCH_INJECTIONS", 50_000));
    let later = now + SignedDuration::from_hours(24);
    timed("start, with these to be indexed", || world.pipeline());
    let mut pipeline = timed("start", || world.pipeline());
    let mut process = |name: &str, entries: &[RawEntry], at| {
        timed(name, || pipeline.process(entries, at).expect("a batch"));
    };
    process("the first look, which measures", &[], later);
    process("an idle look", &[], later);
    process("a look that measures", &[], later + SignedDuration::from_hours(2));
    process("a batch of 512", &last, later + SignedDuration::from_hours(2));
    process("an idle look after it", &[], later + SignedDuration::from_hours(2));
    timed("the agents' keys", || pipeline.deployed());
    drop(pipeline);
    let rule = numbered("RULE", 2026, FIRST_RULE + 1);
    for arguments in [
        &["status"][..],
        &["report"],
        &["lineage", &rule],
        &["rules", "effect"],
        &["rules", "effect", &rule],
        &["prompt", "--agent", "coding-agent", "--no-log"],
    ] {
        let best = (0..3).map(|_| world.command(arguments)).min().unwrap_or_default();
        println!("  {:<40} {:>9.1} ms", format!("feedbackd {}", arguments.join(" ")), millis(best));
    }
}

/// Runs the batches and prints where their time goes, in five parts of the run.
fn grow(pipeline: &mut Pipeline, entries: &[RawEntry], now: Timestamp) {
    let batches: Vec<&[RawEntry]> = entries.chunks(BATCH).collect();
    println!("  us an event      decode  capture    embed evaluate   render   commit    index    total");
    for part in batches.chunks(batches.len().div_ceil(5).max(1)) {
        let (started, mut sum, mut events) = (Instant::now(), Timings::default(), 0);
        for batch in part {
            let timings = pipeline.process(batch, now).expect("a batch").timings;
            for (sum, timing) in all_mut(&mut sum).into_iter().zip(all_mut(&mut { timings })) {
                *sum += *timing;
            }
            events += batch.len();
        }
        let each = |time: Duration| time.as_secs_f64() * 1e6 / events as f64;
        let stages: String = all_mut(&mut sum).into_iter().map(|s| format!(" {:>8.1}", each(*s))).collect();
        println!("    {events:>8}    {stages} {:>8.1}", each(started.elapsed()));
    }
    let idle: Vec<Duration> = (0..5)
        .map(|_| {
            let started = Instant::now();
            pipeline.process(&[], now).expect("a look");
            started.elapsed()
        })
        .collect();
    println!(
        "  an idle look                             {:>9.1} ms",
        millis(idle.into_iter().min().unwrap_or_default())
    );
    println!("  {:?}", pipeline.index().counts().expect("counts"));
}

fn all_mut(s: &mut Timings) -> [&mut Duration; 7] {
    [&mut s.decode, &mut s.capture, &mut s.embed, &mut s.evaluate, &mut s.render, &mut s.commit, &mut s.index]
}

/// A separate store.
struct World {
    dir: tempfile::TempDir,
    config: Config,
}

const FIRST_RULE: u32 = 5_000;

impl World {
    fn new() -> World {
        let base = std::env::var_os("BENCH_DIR").map_or_else(std::env::temp_dir, Into::into);
        let dir = tempfile::tempdir_in(base).expect("a directory");
        let mut config = Config::default();
        config.store.path = dir.path().join("store.git");
        config.state.dir = dir.path().join("state");
        config.intake.corrections_root = dir.path().join("corrections");
        wiring::init_store(&config, false).expect("a store");
        World { dir, config }
    }

    fn pipeline(&self) -> Pipeline {
        wiring::pipeline(&self.config).expect("a pipeline")
    }

    fn add_rules(&self, rules: usize, reviews: usize, injections: usize) {
        println!("{rules} rules, {reviews} reviews, {injections} prompts with rules");
        let options = WriterOptions::new(|| START);
        let mut store = GitWriter::open(&self.config.store.path, options).expect("a writer");
        let rules =
            (0..rules as u32).map(|n| file(|r: &ProposalRecord| layout::rule(&r.proposal_id, r.status), &rule(n)));
        let reviews = (0..reviews as u32).map(|n| {
            file(|r: &ReviewRecord| layout::review(r.timestamp, &r.review_id), &sample::review(FIRST_RULE + n))
        });
        let injections = (0..injections as u32)
            .map(|n| file(|r: &InjectionRecord| layout::injection(r.timestamp, &r.injection_id), &injection(n)));
        let all: Vec<FileWrite> = rules.chain(reviews).chain(injections).collect();
        for writes in all.chunks(5_000) {
            let head = store.head().expect("a head");
            let change = ChangeSet { writes: writes.to_vec(), subject: "Add".to_owned(), ..ChangeSet::default() };
            let done = store.commit(head.as_ref(), &change).expect("a commit");
            assert!(matches!(done, CommitOutcome::Committed(_)), "{done:?}");
        }
    }

    fn command(&self, arguments: &[&str]) -> Duration {
        let started = Instant::now();
        let status = Command::new(env!("CARGO_BIN_EXE_feedbackd"))
            .args(arguments)
            .current_dir(self.dir.path())
            .env("FEEDBACKD__STORE__PATH", &self.config.store.path)
            .env("FEEDBACKD__STATE__DIR", &self.config.state.dir)
            .stdout(Stdio::null())
            .status()
            .expect("the program");
        assert!(status.success(), "{arguments:?}");
        started.elapsed()
    }
}

/// Of ten rules, four are in force, two pending, the rest finished.
fn rule(n: u32) -> ProposalRecord {
    let status = match n % 10 {
        0..4 => ProposalStatus::Active,
        4 | 5 => ProposalStatus::Pending,
        6..8 => ProposalStatus::Rejected,
        _ => ProposalStatus::Retired,
    };
    let content = format!("Name the owner of part {n} in every document, and the day {} it was agreed on.", n * 7);
    let at = Timestamp::from_second(START + i64::from(n) * 60).expect("a time");
    ProposalRecord {
        proposal_id: numbered("RULE", 2026, FIRST_RULE + n),
        affected_agents: vec![AGENTS[n as usize % 6].to_owned()],
        content_hash: content_hash(&content),
        rule_content: content,
        cluster_id: format!("CLUSTER-{n:012}"),
        status,
        created_at: at,
        activated_at: status.in_force().then_some(at + SignedDuration::from_hours(1)),
        ..sample::proposal(n)
    }
}

/// Builds a prompt with twenty rules.
fn injection(n: u32) -> InjectionRecord {
    let rules =
        (0..20).map(|r| InjectedRule { rule_id: numbered("RULE", 2026, FIRST_RULE + (n % 15) * 20 + r), version: 1 });
    let at = Timestamp::from_second(START + i64::from(n) * 10).expect("a time");
    InjectionRecord { rules: rules.collect(), timestamp: at, ..sample::injection(n) }
}

fn file<T: serde::Serialize>(path: impl Fn(&T) -> String, record: &T) -> FileWrite {
    FileWrite { path: path(record), content: yaml::render(record).expect("it renders").into_bytes() }
}

fn entry(n: usize, fields: Vec<(&'static str, String)>) -> RawEntry {
    let object: serde_json::Map<_, _> =
        fields.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    from_json_line(&serde_json::Value::Object(object).to_string(), n as u64, &DecodeLimits::default())
}

fn timed<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = work();
    println!("  {name:<40} {:>9.1} ms", millis(started.elapsed()));
    result
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}
