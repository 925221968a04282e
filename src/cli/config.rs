//! `config`: what is in force, and whether it is right.

use super::exit::{CliError, Exit};
use super::output::Output;
use crate::config::Config;
use crate::wiring;
use clap::Subcommand;
use serde::Serialize;
use serde_json::Value;

/// What to do with the configuration.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Every key with the value in force and where it came from; secrets are masked
    Show,
    /// Say whether the configuration is right; exit code 4 where it is not
    Check,
}

#[derive(Serialize)]
struct Line {
    key: String,
    value: Value,
    origin: String,
}

/// Runs it. That the configuration could be loaded says that it is right.
pub fn run(command: &Command, config: &Config, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match command {
        Command::Show => show(config, out)?,
        Command::Check => {
            wiring::check_commit_key(config)?;
            let model = config.model.described();
            out.answer(&serde_json::json!({ "ok": true, "model": model }), |_| {
                format!("The configuration is right; {model}.")
            })?;
        }
    }
    Ok(Exit::Ok)
}

fn show(config: &Config, out: &mut Output<'_>) -> Result<(), CliError> {
    let lines: Vec<Line> = config
        .effective()
        .into_iter()
        .map(|s| Line { key: s.key, value: s.value, origin: s.origin.to_string() })
        .collect();
    out.answer(&lines, |_| {
        let wide = lines.iter().map(|l| l.key.len()).max().unwrap_or_default();
        let text = lines.iter().map(|l| format!("{:wide$}  {}  ({})", l.key, l.value, l.origin));
        text.collect::<Vec<_>>().join("\n")
    })
}
