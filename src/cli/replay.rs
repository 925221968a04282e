//! `replay`: runs events from JSON lines through the same pipeline, without Redis, for a cold start from history.

use super::exit::{CliError, Exit};
use super::model::{self, ModelArgs};
use super::output::Output;
use super::progress_bar;
use super::readings::Readings;
use crate::app::pipeline::{BatchCounts, EntryOutcome, Pipeline, ProcessedBatch};
use crate::config::Config;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::decode::{DecodeLimits, from_json_line};
use crate::domain::intake::event::RawEntry;
use crate::wiring;
use indicatif::ProgressBar;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::time::Instant;

/// Maximum number of rejected lines named in the summary.
const NAMED: usize = 5;

/// What to replay.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file with one JSON event per line; `-` is standard input
    file: PathBuf,
    /// Do everything except write: leaves the store unchanged and ignores its contents
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    readings: Readings,
    #[command(flatten)]
    model: ModelArgs,
}

/// The result of a replay.
#[derive(Debug, Serialize)]
struct Summary {
    dry_run: bool,
    lines: u64,
    recorded: u64,
    duplicates: u64,
    ignored: u64,
    rejected: u64,
    /// Turns, refinements, actions and review documents.
    heard: u64,
    /// Valid reviews, injections and imports.
    submitted: u64,
    /// Rejected reviews.
    refused: u64,
    reevaluated: u64,
    commits: u64,
    /// Final feedback counts by class, for the whole store.
    classes: BTreeMap<&'static str, u64>,
    clusters: u64,
    proposals: Vec<String>,
    open_edge_cases: u64,
    open_ambiguous: u64,
    seconds: f64,
    events_per_second: f64,
    /// The first rejected lines, each with its reason.
    first_rejections: Vec<RejectedLine>,
}

#[derive(Debug, Serialize)]
struct RejectedLine {
    line: String,
    code: &'static str,
    message: String,
}

/// Runs the command.
pub fn run(args: &Args, config: &Config, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let config = &*args.model.configured(config)?;
    let (input, bytes) = open(args)?;
    let mut pipeline = if args.dry_run { wiring::dry_pipeline(config, &[])? } else { wiring::pipeline(config)? };
    args.readings.give(&mut pipeline, out)?;
    let asks = args.model.advise(&mut pipeline, config)?;
    let clock = wiring::clock();
    let bar = progress_bar::bar(bytes);
    progress_bar::lay_out(&bar, "{bar:30} {percent:>3} %  {msg}  {elapsed}, {eta} left");
    let started = Instant::now();
    let mut tally = Tally::default();
    let limits = DecodeLimits { max_entry_bytes: config.intake.max_entry_bytes, ..DecodeLimits::default() };
    let mut lines = Lines { input, number: 0 };
    loop {
        let batch = lines.batch(config.intake.batch_max, &limits, &bar)?;
        if batch.is_empty() {
            break;
        }
        tally.lines += batch.len() as u64;
        let processed = pipeline.process(&batch, clock.now()).map_err(wiring::WiringError::from)?;
        tally.add(&batch, processed);
        bar.set_message(format!("{} recorded", tally.counts.recorded));
    }
    bar.finish_and_clear();
    if asks {
        tally.counts.proposals.extend(model::follow(&mut pipeline, config, out)?);
    }
    let last = pipeline.flush(clock.now()).map_err(wiring::WiringError::from)?;
    tally.add(&[], last);
    let summary = tally.finish(&pipeline, args.dry_run, started.elapsed().as_secs_f64())?;
    out.answer(&summary, |_| describe(&summary))?;
    Ok(if summary.rejected > 0 { Exit::Failure } else { Exit::Ok })
}

fn open(args: &Args) -> Result<(Box<dyn BufRead>, Option<u64>), CliError> {
    if args.file.as_os_str() == "-" {
        return Ok((Box::new(BufReader::new(std::io::stdin())), None));
    }
    let refuse = |e: std::io::Error| {
        CliError::new(
            Exit::Failure,
            format!("cannot read {}: {e}", args.file.display()),
            "give a file with one JSON event per line, or - for standard input",
        )
    };
    let file = File::open(&args.file).map_err(refuse)?;
    let bytes = file.metadata().map_err(refuse)?.len();
    Ok((Box::new(BufReader::new(file)), Some(bytes)))
}

/// The input, line by line. Overlong lines are cut, so that they are rejected without filling memory.
struct Lines {
    input: Box<dyn BufRead>,
    number: u64,
}

impl Lines {
    fn batch(&mut self, max: usize, limits: &DecodeLimits, bar: &ProgressBar) -> Result<Vec<RawEntry>, CliError> {
        let mut batch = Vec::with_capacity(max);
        let mut line = Vec::new();
        while batch.len() < max.max(1) {
            line.clear();
            let most = limits.max_entry_bytes as u64 + 2;
            let read = self.input.by_ref().take(most).read_until(b'\n', &mut line).map_err(unreadable)?;
            if read == 0 {
                break;
            }
            bar.inc(read as u64);
            if read as u64 == most && line.last() != Some(&b'\n') {
                self.skip_line(bar)?;
            }
            self.number += 1;
            let text = String::from_utf8_lossy(&line);
            if !text.trim().is_empty() {
                batch.push(from_json_line(text.trim(), self.number, limits));
            }
        }
        Ok(batch)
    }

    fn skip_line(&mut self, bar: &ProgressBar) -> Result<(), CliError> {
        loop {
            let buffer = self.input.fill_buf().map_err(unreadable)?;
            let (used, done) = match buffer.iter().position(|b| *b == b'\n') {
                Some(end) => (end + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.input.consume(used);
            bar.inc(used as u64);
            if done {
                return Ok(());
            }
        }
    }
}

fn unreadable(e: std::io::Error) -> CliError {
    CliError::new(
        Exit::Failure,
        format!("cannot read the events: {e}"),
        "what was read so far is recorded; run it again",
    )
}

#[derive(Default)]
struct Tally {
    lines: u64,
    commits: u64,
    counts: BatchCounts,
    first_rejections: Vec<RejectedLine>,
}

impl Tally {
    fn add(&mut self, batch: &[RawEntry], processed: ProcessedBatch) {
        self.commits += u64::from(processed.commit.is_some());
        for (entry, outcome) in batch.iter().zip(processed.outcomes) {
            if let EntryOutcome::Rejected(rejection) = outcome
                && self.first_rejections.len() < NAMED
            {
                self.first_rejections.push(RejectedLine {
                    line: entry.id.clone(),
                    code: rejection.code.as_str(),
                    message: rejection.message,
                });
            }
        }
        let counts = processed.counts;
        self.counts.recorded += counts.recorded;
        self.counts.duplicates += counts.duplicates;
        self.counts.ignored += counts.ignored;
        self.counts.rejected += counts.rejected;
        self.counts.heard.iter_mut().zip(counts.heard).for_each(|(all, more)| *all += more);
        self.counts.submitted += counts.submitted;
        self.counts.refused += counts.refused;
        self.counts.reevaluated += counts.reevaluated;
        self.counts.proposals.extend(counts.proposals);
    }

    fn finish(self, pipeline: &Pipeline, dry_run: bool, seconds: f64) -> Result<Summary, CliError> {
        let all = pipeline.index().counts()?;
        Ok(Summary {
            dry_run,
            lines: self.lines,
            recorded: self.counts.recorded,
            duplicates: self.counts.duplicates,
            ignored: self.counts.ignored,
            rejected: self.counts.rejected,
            heard: self.counts.heard.iter().sum(),
            submitted: self.counts.submitted,
            refused: self.counts.refused,
            reevaluated: self.counts.reevaluated,
            commits: self.commits,
            classes: Classification::ALL.iter().map(|c| c.as_str()).zip(all.by_class).collect(),
            clusters: all.clusters,
            proposals: self.counts.proposals,
            open_edge_cases: all.open_edge_cases,
            open_ambiguous: all.open_ambiguous,
            seconds,
            events_per_second: self.lines as f64 / seconds.max(1e-9),
            first_rejections: self.first_rejections,
        })
    }
}

fn describe(s: &Summary) -> String {
    let mut text = format!(
        "{}{} events in {:.1} s ({:.0} a second), {} commits\n  {} recorded, {} already known, {} ignored, {} \
         rejected\n\nFeedback by class now:\n",
        if s.dry_run { "Dry run, nothing was written. " } else { "" },
        s.lines,
        s.seconds,
        s.events_per_second,
        s.commits,
        s.recorded,
        s.duplicates,
        s.ignored,
        s.rejected
    );
    if s.heard > 0 {
        let line = format!("  {} turns, refinements, actions and review documents\n", s.heard);
        text.insert_str(text.find("\n\n").map_or(text.len(), |at| at + 1), &line);
    }
    if s.submitted + s.refused > 0 {
        let line =
            format!("  {} submissions about what was learned applied, {} reviews rejected\n", s.submitted, s.refused);
        text.insert_str(text.find("\n\n").map_or(text.len(), |at| at + 1), &line);
    }
    for class in Classification::ALL {
        text += &format!("  {:20} {:>7}\n", class.as_str(), s.classes.get(class.as_str()).copied().unwrap_or_default());
    }
    text += &format!(
        "\n{} clusters, {} proposals created, {} one-offs open, {} contradictions pending\n",
        s.clusters,
        s.proposals.len(),
        s.open_edge_cases,
        s.open_ambiguous
    );
    if s.rejected > 0 {
        text += if s.dry_run {
            "\nFirst rejected lines:\n"
        } else {
            "\nFirst rejected lines (all are under feedback/alerts/dead_letters/ in the store):\n"
        };
        for line in &s.first_rejections {
            text += &format!("  line {}: {} ({})\n", line.line, line.message, line.code);
        }
    }
    text
}
