//! The cost of understanding: comments per second and core for embedding alone, for capturing, for reading, and from
//! decoding to clusters; and the memory that 100,000 feedback records take in the evaluator.
//!
//! Uses the project's own streams (`tests/data/streams`) without their labels, in-process, without Redis or disk. The
//! rate is by CPU time, so that other load on the machine matters little. Sizes are environment variables:
//! `BENCH_ROUNDS` (default 3, the best counts) and `BENCH_FEEDBACK` (default 100000). Linux only: it reads
//! `/proc/self`.

use cpu_time::ProcessTime;
use feedbackd::app::comments::analyzer::Analyzer;
use feedbackd::app::comments::evaluator::remark;
use feedbackd::config::Config;
use feedbackd::domain::clusters::Member;
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::domain::intake::capture::{CaptureContext, CorrectionInput, capture};
use feedbackd::domain::intake::decode::Decoded;
use feedbackd::domain::intake::decode::{DecodeLimits, decode, from_json_line};
use feedbackd::domain::intake::event::RawEntry;
use feedbackd::domain::intake::feedback::Feedback;
use feedbackd::domain::records::layout;
use feedbackd::text::language::catalogue::ClusterConcern;
use feedbackd::wiring;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

const STREAMS: [&str; 2] =
    [include_str!("../tests/data/streams/b.jsonl"), include_str!("../tests/data/streams/c.jsonl")];
const BATCH: usize = 512;
/// Approximate comments per cluster in the working set.
const CLUSTER: usize = 50;

fn main() {
    let mut config = Config::default();
    // Keeps the bench away from the user's store.
    config.store.path = "/nonexistent/understanding-bench.git".into();
    let rounds = number("BENCH_ROUNDS", 3);
    let understanding = wiring::understanding(&config).expect("the embedder");
    let streams: Vec<Vec<RawEntry>> = STREAMS.iter().map(|text| entries(text)).collect();
    let feedback: Vec<Feedback> = streams.iter().flatten().filter_map(captured).collect();
    let texts: Vec<String> = feedback.iter().filter_map(Feedback::compared_text).collect();
    println!("{} decisions, {} of them ask for something", feedback.len(), texts.len());
    // Runs first, so that leftovers of the other measurements are not counted.
    memory(&config, &understanding, &feedback, number("BENCH_FEEDBACK", 100_000));
    let embedder = understanding.embedder();
    let embed = best(rounds, || {
        texts.iter().for_each(|text| {
            embedder.embed(std::slice::from_ref(text)).expect("a vector");
        });
    });
    let alone = shown("embedding alone", embed, texts.len(), None);
    let capture = best(rounds, || {
        streams.iter().flatten().for_each(|entry| {
            captured(entry);
        });
    });
    shown("decoded and captured", capture, feedback.len(), Some(alone));
    let read = best(rounds, || {
        feedback.iter().for_each(|feedback| {
            understanding.feedback(feedback).expect("an embedder that works");
        });
    });
    shown("words, concern and vector", read, texts.len(), Some(alone));
    let all = best(rounds, || {
        for entries in &streams {
            let mut pipeline = wiring::dry_pipeline(&config, &[]).expect("a pipeline");
            let now = wiring::now();
            let (wall, cpu) = (Instant::now(), cpu());
            for batch in entries.chunks(BATCH) {
                pipeline.process(batch, now).expect("a batch");
            }
            pipeline.flush(now).expect("the proposals");
            TAKEN.with_borrow_mut(|taken| {
                taken.0 += wall.elapsed();
                taken.1 += self::cpu() - cpu;
            });
        }
    });
    shown("decode to groups and records", all, feedback.len(), Some(alone));
}

thread_local! {
    /// What a round measured itself, to exclude its startup: wall clock and CPU.
    static TAKEN: std::cell::RefCell<(Duration, Duration)> = const { std::cell::RefCell::new((Duration::ZERO, Duration::ZERO)) };
}

/// Returns the wall clock and CPU of the round that took the least CPU.
fn best(rounds: usize, round: impl Fn()) -> (Duration, Duration) {
    let once = || {
        TAKEN.set((Duration::ZERO, Duration::ZERO));
        let (wall, cpu) = (Instant::now(), cpu());
        round();
        let own = TAKEN.take();
        if own.0 > Duration::ZERO { own } else { (wall.elapsed(), self::cpu() - cpu) }
    };
    (0..rounds.max(1)).map(|_| once()).min_by_key(|(_, cpu)| *cpu).unwrap_or_default()
}

fn shown(what: &str, (wall, cpu): (Duration, Duration), count: usize, alone: Option<f64>) -> f64 {
    let each = cpu.as_secs_f64() * 1e6 / count as f64;
    let ratio = alone.map_or(String::new(), |alone| format!(", {:.1} times embedding alone", each / alone));
    println!(
        "  {what:<30} {:>7.0} remarks/s a core, {each:>6.0} us each of CPU, {:>6.0} us of wall clock{ratio}",
        1e6 / each,
        wall.as_secs_f64() * 1e6 / count as f64,
    );
    each
}

/// Fills the evaluator's working set with records as at startup, each with a unique text.
fn memory(config: &Config, understanding: &Analyzer, feedback: &[Feedback], count: usize) {
    let asking: Vec<(&Feedback, String)> =
        feedback.iter().filter_map(|feedback| Some((feedback, feedback.compared_text()?))).collect();
    let mut remembered = wiring::remembered(config, understanding).expect("an evaluator");
    let before = resident();
    let mut clusters: Vec<String> = Vec::new();
    for n in 0..count {
        // Pairs demands of the same stream: as long as two comments, and no two the same.
        let (feedback, text) = &asking[n % asking.len()];
        let other = &asking[(n + 1 + n / asking.len()) % asking.len()].1;
        let text = format!("{text}. {other}");
        let Some(understood) = understanding.read(&text, Some(feedback.decision.gate), false).expect("a vector") else {
            continue;
        };
        if n % CLUSTER == 0 {
            clusters.push(format!("CLUSTER-{n:012x}"));
        }
        let id = format!("bench-{n:012}");
        let at = feedback.decision.timestamp;
        let member = Member {
            path: layout::decision(feedback.decision.gate, at, &id),
            id,
            tenant: feedback.tenant.clone(),
            agent: feedback.agent.clone(),
            reviewer: feedback.decision.reviewer_id.clone(),
            verdict: feedback.decision.verdict,
            gate: feedback.decision.gate,
            at,
            direction: understood.direction.unwrap_or(feedback.stance.direction),
            voiced: ClusterConcern::of(understood.concern.as_ref(), false),
            text: remark(&text),
            vector: understood.vector,
            classification: Classification::GeneralizableHigh,
            revision: 1,
            edge_case: None,
            cluster: None,
            tied: true,
            sentence: None,
            judged: false,
            withdrawn: false,
            place: None,
            language: None,
            outright: false,
            task: None,
        };
        remembered.remarks.groups.restore(member, clusters.last().map(String::as_str));
    }
    let after = resident();
    println!("  {count} feedback records in the evaluator's memory: {:.0} MB more", megabytes(after - before));
    println!("  the process that has read them, with the catalogue and the embedder: {:.0} MB", megabytes(after));
    drop(remembered);
}

/// Returns the entries of a stream, without their human labels.
fn entries(stream: &str) -> Vec<RawEntry> {
    let limits = DecodeLimits::default();
    let unlabelled = |line: &str| {
        let mut event: Map<String, Value> = serde_json::from_str(line).expect("a decision");
        event.retain(|key, _| key != "theme_id" && key != "expected_class_when_final");
        Value::Object(event).to_string()
    };
    (1..).zip(stream.lines()).map(|(number, line)| from_json_line(&unlabelled(line), number, &limits)).collect()
}

fn captured(entry: &RawEntry) -> Option<Feedback> {
    match decode(entry, &DecodeLimits::default(), jiff::Timestamp::MAX) {
        Decoded::Decision(decision) => Some(capture(*decision, CorrectionInput::None, &CaptureContext::default())),
        _ => None,
    }
}

/// Returns the CPU time of this process, all threads.
fn cpu() -> Duration {
    ProcessTime::now().as_duration()
}

/// Returns the resident memory of this process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("kilobytes") * 1024
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}
