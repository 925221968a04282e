//! The store writer against `git fast-import` on the same records, and the choice of the shard.
//!
//! CPU is user plus system time: of this process around each commit, of the child as reported by `wait4`. Building the
//! records and feeding the child is not counted. Sizes are environment variables: `BENCH_RECORDS` (default 20000, for
//! batches of 512 and 64), `BENCH_SINGLES` (default 600, for batches of 1), `BENCH_SHARD_RECORDS` (default
//! `10000,100000`), `BENCH_ONLY` (`import` or `shards`), `BENCH_DIR` (default the system's temporary directory).

#![allow(clippy::disallowed_types, reason = "it compares with the git program")]

use feedbackd::adapters::git::{GitWriter, WriterOptions, init};
use feedbackd::domain::records::layout;
use feedbackd::ports::{ChangeSet, CommitOutcome, FileWrite, StoreReader, StoreWriter};
use feedbackd::text::ids::Gate;
use jiff::{Timestamp, tz::TimeZone};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// 2026-01-05T08:00:00Z
const START: i64 = 1_767_600_000;
/// Seconds between two records.
const STEP: i64 = 4;

fn main() {
    let only = std::env::var("BENCH_ONLY").unwrap_or_default();
    let records = number("BENCH_RECORDS", 20_000);
    println!("{:.0} bytes a record, {} s apart, 6 gates\n", mean_size(), STEP);
    if only != "shards" {
        against_fast_import(number("BENCH_SINGLES", 600), records);
    }
    if only != "import" {
        shards();
    }
}

fn against_fast_import(singles: usize, records: usize) {
    for (batch, records) in [(1, singles), (64, records), (512, records)] {
        println!("batch {batch}, {records} records             us CPU/record   us wall/record   bytes/record");
        let fsync = ours(records, batch, 1, File::sync_all);
        report("ours, level 1, fsync", records, &fsync);
        let plain = ours(records, batch, 1, |_| Ok(()));
        report("ours, level 1, no fsync of packs", records, &plain);
        let small = ours(records, batch, 6, File::sync_all);
        report("ours, level 6, fsync", records, &small);
        println!(
            "    combining packs (not counted above): {:.1} us CPU a record, at most {} ms at a time",
            micros(fsync.upkeep_cpu, records),
            fsync.longest_upkeep.as_millis()
        );
        let default = theirs(records, batch, &[], &[], false);
        report("fast-import, defaults, one pack", records, &default);
        ratio("ours (fsync) / fast-import (defaults)", &fsync, &default);
        let nosync = theirs(records, batch, &["core.fsync=none"], &[], true);
        report("fast-import, checkpoint, no fsync", records, &nosync);
        ratio("ours (no fsync) / that", &plain, &nosync);
        let synced = theirs(records, batch, &["core.fsync=all"], &[], true);
        report("fast-import, checkpoint, fsync all", records, &synced);
        ratio("ours (fsync) / that", &fsync, &synced);
        for (level, mine) in [(1, &fsync), (6, &small)] {
            let setting = format!("core.compression={level}");
            let equal = theirs(records, batch, &[&setting], &[], false);
            report(&format!("fast-import, level {level}, one pack"), records, &equal);
            ratio("ours at the same level (fsync) / that", mine, &equal);
            let whole = theirs(records, batch, &[&setting], &["--depth=0"], false);
            report(&format!("fast-import, level {level}, no deltas"), records, &whole);
            ratio("ours at the same level (fsync) / that", mine, &whole);
        }
        println!();
    }
}

fn shards() {
    let sizes = std::env::var("BENCH_SHARD_RECORDS").unwrap_or_else(|_| "10000,100000".to_owned());
    println!("shard, batch 512, no fsync             us CPU/record   of the last tenth   bytes/record");
    for records in sizes.split(',').filter_map(|n| n.trim().parse::<usize>().ok()) {
        for (name, path) in [("day", by_day as Place), ("hour", by_hour), ("minute", by_minute)] {
            let cost = write_records(records, 512, 1, |_| Ok(()), path);
            println!(
                "{:<36} {:>15.1} {:>19.1} {:>14.0}",
                format!("{name}, {records} records"),
                micros(cost.cpu, records),
                micros(cost.cpu_of_last_tenth, records / 10),
                cost.bytes as f64 / records as f64
            );
        }
    }
}

#[derive(Default)]
struct Cost {
    cpu: Duration,
    cpu_of_last_tenth: Duration,
    /// Combining packs, off the path to the acknowledgement.
    upkeep_cpu: Duration,
    longest_upkeep: Duration,
    wall: Duration,
    bytes: u64,
}

fn report(name: &str, records: usize, cost: &Cost) {
    let bytes = cost.bytes as f64 / records as f64;
    println!("  {name:<38} {:>9.1} {:>16.1} {bytes:>14.0}", micros(cost.cpu, records), micros(cost.wall, records));
}

fn ratio(name: &str, ours: &Cost, theirs: &Cost) {
    let of = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    let bytes = ours.bytes as f64 / theirs.bytes as f64;
    println!(
        "    RATIO {name:<36} CPU {:.2}, wall {:.2}, bytes {bytes:.2}",
        of(ours.cpu, theirs.cpu),
        of(ours.wall, theirs.wall)
    );
}

fn micros(time: Duration, records: usize) -> f64 {
    time.as_secs_f64() * 1e6 / records.max(1) as f64
}

type Sync = fn(&File) -> std::io::Result<()>;
type Place = fn(Gate, Timestamp, &str) -> String;

fn ours(records: usize, batch: usize, level: i32, sync: Sync) -> Cost {
    write_records(records, batch, level, sync, layout::decision)
}

fn write_records(records: usize, batch: usize, level: i32, sync: Sync, place: Place) -> Cost {
    let directory = Scratch::new("ours");
    let options = WriterOptions { compression: level, sync, ..WriterOptions::new(|| START) };
    init(&directory.0, &[("README.md".to_owned(), b"A store\n".to_vec())], "main", options.clone(), false)
        .expect("a store");
    let before = size(&directory.0.join("objects"));
    let mut writer = GitWriter::open(&directory.0, options).expect("a writer");
    let mut head = writer.head().expect("a head");
    let mut cost = Cost::default();
    for first in (0..records).step_by(batch) {
        let writes = (first..records.min(first + batch)).map(|n| record(n, place)).collect();
        let change = ChangeSet { writes, subject: format!("Record {batch} decisions"), ..ChangeSet::default() };
        let (cpu, wall) = (cpu(), Instant::now());
        match writer.commit(head.as_ref(), &change).expect("a commit") {
            CommitOutcome::Committed(id) => head = Some(id),
            other => panic!("{other:?}"),
        }
        let spent = self::cpu() - cpu;
        cost.cpu += spent;
        cost.wall += wall.elapsed();
        let wall = Instant::now();
        let before = self::cpu();
        writer.maintain().expect("housekeeping");
        cost.upkeep_cpu += self::cpu() - before;
        cost.longest_upkeep = cost.longest_upkeep.max(wall.elapsed());
        if first >= records / 10 * 9 {
            cost.cpu_of_last_tenth += spent;
        }
    }
    drop(writer);
    cost.bytes = size(&directory.0.join("objects")) - before;
    cost
}

/// With `checkpoint`, every batch is on disk before the next one is sent, as in our writer.
fn theirs(records: usize, batch: usize, config: &[&str], arguments: &[&str], checkpoint: bool) -> Cost {
    let directory = Scratch::new("theirs");
    let made = Command::new("git").args(["init", "-q", "--bare", "-b", "main"]).arg(&directory.0).status();
    assert!(made.expect("git").success());
    let before = size(&directory.0.join("objects"));
    let mut git = Command::new("git");
    git.arg("-C").arg(&directory.0);
    for setting in config {
        git.args(["-c", setting]);
    }
    let cpu_before = usage(libc::RUSAGE_CHILDREN);
    let mut child = git
        .args(["fast-import", "--quiet", "--date-format=raw"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git fast-import");
    let mut input = BufWriter::with_capacity(1 << 20, child.stdin.take().expect("a pipe"));
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut cost = Cost::default();
    for first in (0..records).step_by(batch) {
        let writes: Vec<FileWrite> = (first..records.min(first + batch)).map(|n| record(n, layout::decision)).collect();
        let wall = Instant::now();
        let text = format!("Record {batch} decisions\n");
        write!(
            input,
            "commit refs/heads/main\ncommitter feedbackd <feedbackd@localhost> {START} +0000\ndata {}\n{text}",
            text.len()
        )
        .expect("fed");
        for file in &writes {
            write!(input, "M 100644 inline {}\ndata {}\n", file.path, file.content.len()).expect("fed");
            input.write_all(&file.content).expect("fed");
            input.write_all(b"\n").expect("fed");
        }
        if checkpoint {
            input.write_all(b"checkpoint\nprogress done\n").expect("fed");
            input.flush().expect("fed");
            output.read_line(&mut String::new()).expect("an answer");
        }
        cost.wall += wall.elapsed();
    }
    let wall = Instant::now();
    drop(input);
    assert!(child.wait().expect("an end").success());
    cost.wall += wall.elapsed();
    cost.cpu = usage(libc::RUSAGE_CHILDREN) - cpu_before;
    cost.bytes = size(&directory.0.join("objects")) - before;
    cost
}

/// Returns the CPU of this process and its children (`git repack`).
fn cpu() -> Duration {
    usage(libc::RUSAGE_SELF) + usage(libc::RUSAGE_CHILDREN)
}

fn usage(who: libc::c_int) -> Duration {
    // SAFETY: getrusage fills the structure it is given; all zeroes is a valid value.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(who, &mut usage), 0);
        usage
    };
    let of = |t: libc::timeval| Duration::from_secs(t.tv_sec as u64) + Duration::from_micros(t.tv_usec as u64);
    of(usage.ru_utime) + of(usage.ru_stime)
}

fn by_day(gate: Gate, at: Timestamp, id: &str) -> String {
    format!("{}{gate}/{}/{id}.yaml", layout::DECISIONS, at.to_zoned(TimeZone::UTC).strftime("%Y/%m/%d"))
}

fn by_hour(gate: Gate, at: Timestamp, id: &str) -> String {
    layout::decision(gate, at, id)
}

fn by_minute(gate: Gate, at: Timestamp, id: &str) -> String {
    format!("{}{gate}/{}/{id}.yaml", layout::DECISIONS, at.to_zoned(TimeZone::UTC).strftime("%Y/%m/%d/%H/%M"))
}

/// Builds the n-th record, always the same.
fn record(n: usize, place: Place) -> FileWrite {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (n as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9));
    let gate = Gate::new(1 + random.below(6) as u8).expect("a gate");
    let at = Timestamp::from_second(START + n as i64 * STEP).expect("a time");
    let id = format!("dec-{:016x}", random.next());
    let verdict = random.pick(&["APPROVED", "REJECTED", "APPROVED_WITH_CHANGES"]);
    let reviewer = random.pick(&["ana", "bjorn", "chen", "dara", "emeka", "fatima", "goran", "hye-jin"]);
    let agent = ["prd", "design", "planner", "coding", "test", "release"][usize::from(gate.number() - 1)];
    let mut text = String::with_capacity(1000);
    let _ = write!(
        text,
        "schema: feedbackd.decision/1\ndecision_id: {id}\ngate: {gate}\ngate_id: hitl_{}_{agent}\ndecision: {verdict}\n\
         reviewer_id: {reviewer}\ntimestamp: {at}\nepic_id: EPIC-{}\ntask_id: TASK-{}\nsession_id: {:016x}\n\
         review_duration_seconds: {}\nagent_output_sha: {:016x}{:016x}\nreviewer_comment: {}\ntags:\n- {}\n- {}\nsource:\n  \
         stream: asdlc:events:hitl_decisions\n  entry_id: {}-{}\nfeedback:\n  feedback_id: {id}\n  agent: {agent}-agent\n  \
         stance:\n    demand: true\n    direction: more\nevaluation:\n  classification: EDGE_CASE\n  confidence: 0.{}\n  \
         rationale: No earlier remark on this agent asks for the same; {} were compared.\n  revision: 1\n  evaluated_at: {at}\n",
        gate.number(),
        random.below(400),
        random.below(9000),
        random.next(),
        random.below(3600),
        random.next(),
        random.next(),
        sentence(&mut random),
        random.pick(&["quality", "scope", "style", "completeness"]),
        random.pick(&["security", "tests", "docs", "naming", "errors"]),
        (START + n as i64 * STEP) * 1000 + random.below(1000) as i64,
        random.below(9),
        500 + random.below(450),
        random.below(5000),
    );
    FileWrite { path: place(gate, at, &id), content: text.into_bytes() }
}

fn sentence(random: &mut Random) -> String {
    const WORDS: &str = "please add the missing error handling for every endpoint that writes to database and do not log \
        tokens or passwords in plain text tests should cover retry timeout cancellation of request before merge rename \
        variable so it says what means split long function into smaller parts document why cache is invalidated here use \
        existing helper instead copying code acceptance criteria are vague measurable outcome each story needs one owner \
        rollback plan release notes must list breaking changes dependency version pinned configuration default unsafe \
        validate input length encode output migration reversible lock order deadlock pagination limit index query plan";
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let count = 14 + random.below(22);
    (0..count).map(|_| words[random.below(words.len() as u64) as usize]).collect::<Vec<_>>().join(" ")
}

fn mean_size() -> f64 {
    (0..1000).map(|n| record(n, layout::decision).content.len()).sum::<usize>() as f64 / 1000.0
}

/// xorshift64*
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let base = std::env::var_os("BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let path = base.join(format!("feedbackd-bench-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn size(at: &Path) -> u64 {
    let entries = fs::read_dir(at).into_iter().flatten().flatten();
    entries.map(|e| if e.path().is_dir() { size(&e.path()) } else { e.metadata().map_or(0, |m| m.len()) }).sum()
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}
