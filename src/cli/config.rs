//! `config`: the configuration in force, and whether it is valid.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::Page;
use crate::config::{self, Config};
use crate::wiring::{self, WiringError};
use clap::Subcommand;
use serde::Serialize;
use serde_json::Value;

/// Configuration subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Every key with the value in force and its source; secrets are masked
    Show,
    /// Check whether the configuration is valid, and whether the language model responds; exit code 4 if it is invalid
    Check {
        /// Contact nothing: do not query the language model
        #[arg(long)]
        offline: bool,
    },
    /// Print a configuration to begin with
    Init {
        /// What the reviews come from: a repository on GitHub, gates that write to Redis, or GitHub and containers
        #[arg(long = "for", value_name = "SETUP")]
        setup: Setup,
    },
    /// Print the JSON Schema of a configuration file, for editors
    Schema,
    /// Print every key with its default and its meaning, as Markdown
    Reference,
}

/// A setup with a configuration to begin with.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Setup {
    Github,
    Gate,
    Compose,
}

impl Setup {
    fn text(self) -> &'static str {
        match self {
            Setup::Github => include_str!("../../config/github.toml"),
            Setup::Gate => include_str!("../../config/gate.toml"),
            Setup::Compose => include_str!("../../config/compose.toml"),
        }
    }
}

#[derive(Serialize)]
struct Line {
    key: String,
    value: Value,
    origin: String,
}

/// Runs the command. A configuration that could be loaded is valid; what describes the keys needs none.
pub fn run(command: &Command, context: &Context, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match command {
        Command::Show => show(&context.config()?, out)?,
        Command::Init { setup } => out.raw(setup.text().as_bytes())?,
        Command::Schema => out.raw(format!("{:#}\n", config::schema()).as_bytes())?,
        Command::Reference => out.raw(config::markdown().as_bytes())?,
        Command::Check { offline } => {
            let config = &context.config()?;
            refuse(wiring::check(config))?;
            let model = config.model.described();
            for old in &config.old_keys {
                out.notice(old);
            }
            let (file, variables) = config.read_from();
            let asked = if *offline { None } else { wiring::probe_model(config)? };
            let answers = asked.map(|asked| match asked {
                Ok(probe) => probe.described(),
                Err(why) => format!("it does not answer: {why}"),
            });
            let answer = serde_json::json!({
                "ok": true, "model": model, "model_answers": answers, "file": file, "variables": variables,
            });
            out.answer(&answer, |o| {
                let mut page = Page::new(&format!("The configuration is valid; {model}."), o.page_width());
                page.line("file", file.map_or("none, defaults only".to_owned(), |file| file.display().to_string()));
                if let Some(answers) = &answers {
                    page.line("model", answers.as_str());
                }
                page.line("variables", if variables.is_empty() { "none".to_owned() } else { variables.join(" ") });
                page.finish()
            })?;
        }
    }
    Ok(Exit::Ok)
}

/// Combines everything `serve` would reject into one error.
fn refuse(wrong: Vec<WiringError>) -> Result<(), CliError> {
    let mut wrong = wrong.into_iter().map(CliError::from);
    let Some(first) = wrong.next() else { return Ok(()) };
    let rest: Vec<CliError> = wrong.collect();
    if rest.is_empty() {
        return Err(CliError { exit: Exit::Configuration, ..first });
    }
    let all = std::iter::once(&first).chain(&rest).map(|error| {
        let hint = if error.hint.is_empty() { String::new() } else { format!("; {}", error.hint) };
        format!("\n  {}{hint}", error.message)
    });
    let message = format!("the configuration cannot be used:{}", all.collect::<String>());
    Err(CliError::new(Exit::Configuration, message, ""))
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
