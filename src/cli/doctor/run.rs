//! All checks, in display order.

use super::check::{Check, Verdict, describe, ok, problem};
use super::daemon::check_daemon;
use super::host::{check_corrections, check_http, check_pages, check_review_ui, check_state};
use super::models::{check_catalogue, check_model, check_understanding};
use super::notifications::check_notices;
use super::redis::check_redis;
use super::remote::check_remote;
use super::store::check_store;
use crate::cli::context::Context;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::Output;
use crate::config::Config;
use crate::wiring;

/// Runs all checks. Exit code 1 if there is a problem.
pub fn run(context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let mut checks = Vec::new();
    match context.config() {
        Err(error) => checks.push(problem("configuration", error.message, error.hint)),
        Ok(config) => {
            check_configuration(&config, &mut checks);
            let daemon = wiring::ask_daemon(&config);
            check_daemon(&daemon, &mut checks);
            check_redis(&config, &mut checks);
            check_store(&config, &mut checks);
            checks.extend(check_remote(&config));
            checks.push(check_understanding(&config));
            checks.extend(check_catalogue(&config));
            checks.push(check_model(&config));
            checks.push(check_state(&config));
            checks.extend(check_corrections(&config));
            checks.push(check_http(&config, &daemon));
            checks.push(check_pages(&config));
            checks.extend(check_review_ui(&config));
            checks.extend(check_notices(&config));
        }
    }
    let bad = checks.iter().any(|c| c.verdict == Verdict::Problem);
    out.answer(&checks, |o| describe(&checks, o.list_width().unwrap_or(usize::MAX)))?;
    Ok(if bad { Exit::Failure } else { Exit::Ok })
}

/// Reports what was read, and what the daemon would reject of it.
fn check_configuration(config: &Config, checks: &mut Vec<Check>) {
    let (file, variables) = config.read_from();
    let file = file.map_or_else(|| "no file".to_owned(), |file| file.display().to_string());
    let variables = if variables.is_empty() { "no variables".to_owned() } else { variables.join(" ") };
    let wrong = wiring::check(config);
    if wrong.is_empty() {
        checks.push(ok("configuration", format!("all keys are valid; read from {file} and {variables}")));
    }
    for error in wrong.into_iter().map(CliError::from) {
        checks.push(problem("configuration", error.message, error.hint));
    }
}
