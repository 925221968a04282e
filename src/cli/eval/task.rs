//! `eval --task`: the verdicts on turns, outputs and comments against labels, line by line.
//!
//! It writes nothing but requested predictions. The labels never reach the predictor.

use super::task_lines::{self, Line, Task};
use super::text::table;
use crate::app::comments::analyzer::Analyzer;
use crate::cli::context::Context;
use crate::cli::exit::CliError;
use crate::cli::exit::Exit;
use crate::cli::files;
use crate::cli::output::Output;
use crate::domain::channels::signal::{Observation, Signal, SignalKind, detect, predict_failure, predict_stance};
use crate::domain::channels::turn::{Exchange, judge, rephrased};
use crate::domain::reporting::score::{LabelScore, Labelling, labels};
use crate::wiring;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Explanation of the figures in `--help`.
pub const DEFINITIONS: &str = "Each line of the data is a JSON object: `id`, `text`, `label`, `source`, and for \
                               next-turn\nand rephrase `previous_query` and `previous_response`. A line without a \
                               label is predicted\nand not scored. A next-turn line without a previous exchange may \
                               also be something that\nfails or is nearly right by itself: runtime_error, \
                               verification_failure or partial_success.\n\nPrecision, recall and F1 are given for each \
                               label that occurs; macro-F1 is the mean F1\nover them. If a figure would divide by \
                               zero, it is 0. A predicted label that no line has\nis wrong, and has no figures of its \
                               own. ECE is the expected calibration error of the\nconfidence in the predicted label, \
                               over ten bins of equal width.";

/// What to check.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Args {
    /// What to predict
    #[arg(long, value_enum, required = true)]
    task: Option<Task>,
    /// A file with one labelled JSON text per line
    #[arg(long, value_name = "FILE", required = true)]
    data: Option<PathBuf>,
    /// Also write predictions there: a line of JSON for each, with `id`, `label` and `confidence`
    #[arg(long, value_name = "OUT")]
    predictions: Option<PathBuf>,
    /// Also show the figures for each value of this field
    #[arg(long, value_name = "FIELD", default_value = "source")]
    by: String,
}

/// A prediction as written.
#[derive(Debug, Serialize)]
struct Predicted<'a> {
    id: &'a str,
    label: String,
    /// The probability that the label is right.
    confidence: f64,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Answer {
    task: Task,
    /// Lines that were predicted.
    predicted: u64,
    /// The figures over all lines with a label.
    all: LabelScore,
    /// The grouping field.
    by: String,
    /// The figures of each of its values.
    groups: BTreeMap<String, LabelScore>,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    // clap ensures that both are present.
    let (Some(task), Some(data)) = (args.task, &args.data) else { return Ok(Exit::Usage) };
    let lines = task_lines::read(data, task)?;
    let predicted = match task {
        Task::NextTurn | Task::Rephrase => compared(task, &lines, &*wiring::understanding(&context.config()?)?)?,
        Task::Failure | Task::Stance => lines.iter().map(|line| read(task, line)).collect(),
    };
    if let Some(path) = &args.predictions {
        let line = |p| serde_json::to_string(p).map(|line| line + "\n").map_err(std::io::Error::from);
        let text = predicted.iter().map(line).collect::<Result<String, _>>()?;
        files::write(path, &text)?;
    }
    let held: Vec<(&Line, Labelling<'_>)> = lines.iter().zip(&predicted).filter_map(labelling).collect();
    let score = |of: &dyn Fn(&Line) -> bool| {
        labels(&held.iter().filter(|(line, _)| of(line)).map(|(_, l)| l.clone()).collect::<Vec<_>>())
    };
    let mut groups: BTreeMap<String, LabelScore> = BTreeMap::new();
    for (line, _) in &held {
        let group = line.group(&args.by);
        let figures = || score(&|other| other.group(&args.by) == group);
        groups.entry(group.clone()).or_insert_with(figures);
    }
    let all = score(&|_| true);
    let answer = Answer { task, predicted: predicted.len() as u64, all, by: args.by.clone(), groups };
    out.answer(&answer, |_| page(&answer))?;
    Ok(Exit::Ok)
}

fn labelling<'a>((line, predicted): (&'a Line, &'a Predicted<'_>)) -> Option<(&'a Line, Labelling<'a>)> {
    let right = line.label.as_deref()?;
    Some((line, Labelling { right, predicted: &predicted.label, confidence: predicted.confidence }))
}

/// Predicts from the text alone.
fn read(task: Task, line: &Line) -> Predicted<'_> {
    let prediction = if task == Task::Stance { predict_stance(&line.text) } else { predict_failure(&line.text) };
    Predicted { id: &line.id, label: prediction.label, confidence: prediction.confidence }
}

/// Predicts from two queries and their similarity under the configured embedder.
fn compared<'a>(task: Task, lines: &'a [Line], understanding: &Analyzer) -> Result<Vec<Predicted<'a>>, CliError> {
    let texts = lines.iter().flat_map(|line| [&line.text, line.previous_query.as_ref().unwrap_or(&line.text)]);
    understanding.prepare(&mut texts.cloned())?;
    let predict = |line: &'a Line| -> Result<Predicted<'a>, CliError> {
        let query = line.previous_query.clone().unwrap_or_default();
        let similarity = understanding.compared_with(&query)?.similarity(&line.text)?;
        let (label, confidence) = if task == Task::Rephrase {
            let again = rephrased(&query, &line.text, similarity);
            let sure = if again.is { again.confidence } else { 1.0 - again.confidence };
            (if again.is { "rephrased" } else { "different" }, sure)
        } else {
            let previous_response = line.previous_response.clone().unwrap_or_default();
            if let Some(signal) = signal_alone(&query, &previous_response, &line.text) {
                return Ok(Predicted {
                    id: &line.id,
                    label: signal.kind.as_str().to_owned(),
                    confidence: signal.confidence,
                });
            }
            let exchange = Exchange { previous_query: query, previous_response, text: line.text.clone(), similarity };
            let result = judge(&exchange);
            (result.feedback_type.as_str(), result.confidence)
        };
        Ok(Predicted { id: &line.id, label: label.to_owned(), confidence })
    };
    lines.iter().map(predict).collect()
}

/// Returns the signal of a text alone. Without a preceding exchange it may be no answer: failures and near misses are
/// recognised from the text itself (specification, "Refinement"). Whether a user rejects something is left to the turn
/// judge.
fn signal_alone(query: &str, response: &str, text: &str) -> Option<Signal> {
    if !query.trim().is_empty() || !response.trim().is_empty() {
        return None;
    }
    let seen = Observation { text, exit_code: None, tool: None, report: None, from_user: None };
    detect(&seen).filter(|signal| signal.kind != SignalKind::UserRejection)
}

fn page(answer: &Answer) -> String {
    let mut text = String::new();
    group(&mut text, "all", &answer.all);
    if answer.groups.len() > 1 {
        answer.groups.iter().for_each(|(value, score)| group(&mut text, &format!("{} {value}", answer.by), score));
    }
    let unlabelled = answer.predicted - answer.all.items;
    if unlabelled > 0 {
        text += &format!("\n{unlabelled} without a label: predicted, not scored\n");
    }
    text.trim_start().to_owned()
}

fn group(text: &mut String, name: &str, score: &LabelScore) {
    let title = format!(
        "{name}: {} scored, macro-F1 {:.3}, accuracy {:.3}, ECE {:.3}",
        score.items,
        score.macro_f1,
        score.accuracy,
        score.confidence.ece.unwrap_or_default()
    );
    let rows = score.labels.iter().map(|l| {
        let figures = [l.precision, l.recall, l.f1].map(|figure| format!("{figure:.3}"));
        [l.label.clone()].into_iter().chain(figures).chain([l.items.to_string(), l.predicted.to_string()]).collect()
    });
    table(text, &title, &["label", "precision", "recall", "F1", "lines", "predicted"], rows.collect());
    if !score.confusions.is_empty() {
        let confused = score.confusions.iter().map(|c| format!("{} as {}: {}", c.right, c.predicted, c.count));
        *text += &format!("  misclassified: {}\n", confused.collect::<Vec<_>>().join(", "));
    }
}
