//! Recorded readings from a file: what a language model said of each remark, as if it had arrived with the decision.

use super::exit::{CliError, Exit};
use super::output::Output;
use crate::app::pipeline::Pipeline;
use crate::domain::intake::capture::feedback_id;
use crate::domain::rules::drafting::advice::recorded_reading;
use crate::wiring;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Error};
use std::path::{Path, PathBuf};

/// How many lines that are left out are named.
const NAMED: usize = 5;

/// Where readings are taken from.
#[derive(Debug, clap::Args)]
pub struct Readings {
    /// A file with what a language model made of each remark, one JSON object a line: `decision_id`, `demand`, `aspect`,
    /// `direction`, `generic`, `none`; each counts as if it had arrived with its decision
    #[arg(long, value_name = "FILE")]
    readings: Option<PathBuf>,
    /// Also answer to which group each remark belongs that was read, by the `theme_id` of the events: `labels`, or
    /// `labels:RATE` with this share of the answers wrong by chance, 0 to 1
    #[arg(long, value_name = "labels[:RATE]", value_parser = wrong_share, requires = "readings")]
    second_answers: Option<f64>,
}

impl Readings {
    /// Whether it is answered to which group each remark belongs.
    pub fn answers(&self) -> bool {
        self.second_answers.is_some()
    }

    /// Gives them to a pipeline, for the events of a file. A line that is not as it should be is left out by itself, and named.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn give(&self, pipeline: &mut Pipeline, events: &Path, out: &mut Output<'_>) -> Result<(), CliError> {
        let Some(path) = &self.readings else { return Ok(()) };
        if let Some(wrong) = self.second_answers {
            wiring::answer_by_labels(pipeline, labels(events)?, wrong);
        }
        let file = File::open(path).map_err(|e| unreadable(path, &e))?;
        let (mut readings, mut left_out) = (HashMap::new(), 0);
        for (text, number) in BufReader::new(file).lines().zip(1_u64..) {
            let text = text.map_err(|e| unreadable(path, &e))?;
            if text.trim().is_empty() {
                continue;
            }
            match recorded_reading(text.trim()) {
                Ok((id, reading)) => {
                    readings.insert(feedback_id(&id), reading);
                }
                Err(why) => {
                    left_out += 1;
                    if left_out <= NAMED {
                        out.notice(&format!("the reading in line {number} is left out: {why}"));
                    }
                }
            }
        }
        if left_out > NAMED {
            out.notice(&format!("{left_out} readings are left out"));
        }
        pipeline.read_by(readings);
        Ok(())
    }
}

/// What each event is labelled with, by its feedback's id.
fn labels(events: &Path) -> Result<HashMap<String, String>, CliError> {
    let file = File::open(events).map_err(|e| unreadable(events, &e))?;
    let mut labels = HashMap::new();
    for text in BufReader::new(file).lines() {
        let Ok(event) = serde_json::from_str::<Value>(&text.map_err(|e| unreadable(events, &e))?) else { continue };
        if let (Some(id), Some(label)) = (event["decision_id"].as_str(), event["theme_id"].as_str()) {
            labels.insert(feedback_id(id), label.to_owned());
        }
    }
    Ok(labels)
}

fn wrong_share(text: &str) -> Result<f64, String> {
    let rate = match text.strip_prefix("labels") {
        Some("") => return Ok(0.0),
        Some(rate) => rate.strip_prefix(':'),
        None => None,
    };
    let share = rate.and_then(|rate| rate.parse::<f64>().ok()).filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "it is `labels`, or `labels:` and a share from 0 to 1".to_owned())
}

fn unreadable(path: &Path, e: &Error) -> CliError {
    let message = format!("cannot read {}: {e}", path.display());
    CliError::new(Exit::Failure, message, "give a file with one reading a line, as JSON")
}
