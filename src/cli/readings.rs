//! Recorded readings from a file: what a language model stated about each comment, as if it had arrived with the
//! decision.

use super::exit::{CliError, Exit};
use super::output::Output;
use crate::app::pipeline::Pipeline;
use crate::domain::intake::capture::feedback_id;
use crate::domain::rules::draft::advice::recorded_reading;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Error};
use std::path::{Path, PathBuf};

/// Maximum number of skipped lines named.
const NAMED: usize = 5;

/// The source of readings.
#[derive(Debug, clap::Args)]
pub struct Readings {
    /// A file with a language model's reading of each comment, one JSON object per line: `decision_id`, `demand`,
    /// `aspect`, `direction`, `generic`, `none`; each counts as if it had arrived with its decision
    #[arg(long, value_name = "FILE")]
    readings: Option<PathBuf>,
}

impl Readings {
    /// Passes the readings to a pipeline. Invalid lines are skipped individually, and named.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn give(&self, pipeline: &mut Pipeline, out: &mut Output<'_>) -> Result<(), CliError> {
        let Some(path) = &self.readings else { return Ok(()) };
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

fn unreadable(path: &Path, e: &Error) -> CliError {
    let message = format!("cannot read {}: {e}", path.display());
    CliError::new(Exit::Failure, message, "give a file with one JSON reading per line")
}
