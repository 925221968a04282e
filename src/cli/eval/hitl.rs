//! `eval hitl`: labelled decisions through the whole pipeline, in RAM, and the results against the labels.
//!
//! It writes nothing and reads no store. The labels never reach the pipeline.

use super::answers::{self, Asking};
use super::data::{self, Labels, Line};
use super::outcome::{Answer, Answered, Read, Seen, Timing};
use super::{lists, text};
use crate::app::pipeline::{EntryOutcome, Pipeline, ProcessedBatch};
use crate::app::queries::StoreError;
use crate::cli::exit::{CliError, Exit};
use crate::cli::model::{self, ModelArgs};
use crate::cli::output::Output;
use crate::cli::readings::Readings;
use crate::config::Config;
use crate::domain::intake::decode::from_json_line;
use crate::domain::intake::event::RawEntry;
use crate::domain::records::layout;
use crate::domain::records::record::{ClusterRecord, DecisionRecord, ProposalRecord};
use crate::domain::reporting::score::{self, Item, Labelled, Proposed};
use crate::text::language::comment;
use crate::text::prose::line;
use crate::text::yaml;
use crate::wiring;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::Duration;

/// Number of rejected lines that are named.
const NAMED: usize = 5;
/// Maximum length of a shown comment, in characters.
const REMARK: usize = 160;

/// What to evaluate and show.
#[derive(Debug, clap::Args)]
#[command(after_long_help = text::DEFINITIONS)]
pub struct Args {
    /// A file with one JSON decision per line, each with `theme_id` and `expected_class_when_final`
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// A JSON file with ground truth beyond the lines: `contradictory_pair`, `near_misses`, `single_reviewer_theme`
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Also list every theme, or every cluster of three or more members; may be given twice
    #[arg(long, value_enum)]
    list: Vec<List>,
    #[command(flatten)]
    readings: Readings,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    asking: Asking,
}

/// Available lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum List {
    /// The outcome of each theme
    Themes,
    /// The members of each cluster
    Clusters,
}

/// Runs the command.
pub fn run(args: &Args, config: &Config, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let config = &*args.model.configured(config)?;
    let lines = data::read(&args.data)?;
    let truth = args.truth.as_deref().map(data::read_truth).transpose()?.unwrap_or_default();
    let without = match args.asking.answers {
        0 => None,
        _ => {
            let mut pipeline = wiring::dry_pipeline(config, &[])?;
            args.readings.give(&mut pipeline, out)?;
            let asks = args.model.advise(&mut pipeline, config)?;
            let (seen, _) = evaluate(&mut pipeline, &lines, config, None, asks, out)?;
            Some(read_back(&pipeline, &seen)?)
        }
    };
    let mut pipeline = wiring::dry_pipeline(config, &answers::roster())?;
    args.readings.give(&mut pipeline, out)?;
    let asks = args.model.advise(&mut pipeline, config)?;
    let (seen, questions) = evaluate(&mut pipeline, &lines, config, Some(&args.asking), asks, out)?;
    let read = read_back(&pipeline, &seen)?;
    let taught = without.map(|without| answers::figures(&without, &read, &seen, questions));
    let (items, proposals) = read;
    let labelled = Labelled { items, proposals, truth };
    let seconds = seen.spent.as_secs_f64();
    let answer = Answer {
        lines: lines.len() as u64,
        redeliveries: seen.redeliveries,
        not_evaluated: seen.not_evaluated,
        score: score::score(&labelled),
        timing: Timing {
            evaluation_seconds: seconds,
            remarks_per_second: labelled.items.len() as f64 / seconds.max(1e-9),
        },
        answers: taught,
        theme_list: args.list.contains(&List::Themes).then(|| score::theme_rows(&labelled)),
        cluster_list: args.list.contains(&List::Clusters).then(|| score::cluster_rows(&labelled)),
    };
    out.answer(&answer, |o| text::page(&answer) + &lists::text(&answer, o.list_width()))?;
    if !out.is_json() {
        let Timing { evaluation_seconds, remarks_per_second } = answer.timing;
        out.notice(&format!(
            "evaluated in {evaluation_seconds:.1} s, {remarks_per_second:.0} comments per second in this run; not a \
             benchmark"
        ));
    }
    Ok(Exit::Ok)
}

/// Evaluates as `replay` does: in batches, at one moment, with all pending proposals at the end. Questions are answered
/// in between if requested.
fn evaluate<'a>(
    pipeline: &mut Pipeline,
    lines: &'a [Line],
    config: &Config,
    asking: Option<&Asking>,
    asks: bool,
    out: &mut Output<'_>,
) -> Result<(Seen<'a>, Vec<Answered>), CliError> {
    let limits = wiring::decode_limits(config);
    let now = wiring::now();
    let mut seen = Seen::default();
    let mut questions = Vec::new();
    let (early, late) = lines.split_at(asking.map_or(lines.len(), |asking| asking.after(lines.len())));
    let size = config.intake.batch_max.max(1);
    let take = |pipeline: &mut Pipeline,
                seen: &mut Seen<'a>,
                batch: &'a [Line],
                out: &mut Output<'_>|
     -> Result<(), CliError> {
        let entries: Vec<RawEntry> = batch.iter().map(|l| from_json_line(&l.event, l.number, &limits)).collect();
        let processed = pipeline.process(&entries, now)?;
        seen.spent += spent(&processed);
        for (line, outcome) in batch.iter().zip(processed.outcomes) {
            seen.take(line, outcome, out);
        }
        Ok(())
    };
    early.chunks(size).try_for_each(|batch| take(pipeline, &mut seen, batch, out))?;
    if asks {
        model::follow(pipeline, config, out)?;
    }
    if let Some(asking) = asking {
        questions = answers::ask(pipeline, &seen.labels, asking.answers, now)?;
        seen.before_questions = seen.order.len();
    }
    late.chunks(size).try_for_each(|batch| take(pipeline, &mut seen, batch, out))?;
    if asks && !late.is_empty() {
        model::follow(pipeline, config, out)?;
    }
    seen.spent += spent(&pipeline.flush(now)?);
    Ok((seen, questions))
}

fn spent(processed: &ProcessedBatch) -> Duration {
    processed.timings.embed + processed.timings.evaluate
}

impl<'a> Seen<'a> {
    fn take(&mut self, line: &'a Line, outcome: EntryOutcome, out: &mut Output<'_>) {
        match outcome {
            EntryOutcome::Recorded(id) => {
                self.labels.insert(id.clone(), &line.labels);
                self.order.push(id);
            }
            EntryOutcome::Duplicate(_) => self.redeliveries += 1,
            EntryOutcome::Rejected(why) => self.leave_out(line, &why.message, out),
            _ => self.leave_out(line, "it is not a decision", out),
        }
    }

    fn leave_out(&mut self, line: &Line, why: &str, out: &mut Output<'_>) {
        self.not_evaluated += 1;
        if self.not_evaluated <= NAMED as u64 {
            out.notice(&format!("line {} is left out: {why}", line.number));
        }
    }
}

/// Reads the final state from the records.
fn read_back(pipeline: &Pipeline, seen: &Seen<'_>) -> Result<Read, CliError> {
    let Some(head) = pipeline.head() else { return Ok(Read::default()) };
    let mut items: HashMap<String, Item> = HashMap::new();
    let (mut rules, mut proposals) = (HashMap::new(), BTreeMap::new());
    pipeline.store().for_each_change(None, head, &mut |file| {
        let (path, Some(content)) = (file.path, file.content) else { return Ok(()) };
        if path.starts_with(layout::DECISIONS) {
            let record: DecisionRecord = parsed(&path, &content)?;
            if let Some(labels) = seen.labels.get(&record.feedback.feedback_id) {
                items.insert(record.feedback.feedback_id.clone(), item(record, labels));
            }
        } else if path.starts_with(layout::CLUSTERS) {
            let record: ClusterRecord = parsed(&path, &content)?;
            if let Some(id) = record.proposal {
                proposals.insert(record.cluster_id, Proposed { id, text: String::new() });
            }
        } else if path.starts_with(layout::RULES) {
            let record: ProposalRecord = parsed(&path, &content)?;
            rules.insert(record.proposal_id, record.rule_content);
        }
        Ok(())
    })?;
    for proposed in proposals.values_mut() {
        proposed.text = rules.get(&proposed.id).cloned().unwrap_or_default();
    }
    Ok((seen.order.iter().filter_map(|id| items.remove(id)).collect(), proposals))
}

fn parsed<T: DeserializeOwned>(path: &str, content: &[u8]) -> Result<T, StoreError> {
    yaml::parse(&String::from_utf8_lossy(content)).map_err(|e| StoreError::Damaged(format!("{path}: {e}")))
}

fn item(record: DecisionRecord, labels: &Labels) -> Item {
    let said = record.compared_text().or_else(|| record.text().map(|text| comment::compared(&text)));
    Item {
        id: record.feedback.feedback_id,
        agent: record.feedback.agent,
        reviewer: record.reviewer_id,
        verdict: record.decision,
        remark: line(&said.unwrap_or_default(), REMARK),
        theme: labels.theme.clone(),
        label: labels.class,
        class: record.evaluation.classification,
        confidence: record.evaluation.confidence,
        cluster: record.evaluation.cluster,
        contradicts: record.evaluation.contradicts.into_iter().map(|s| s.feedback_id).collect(),
    }
}
