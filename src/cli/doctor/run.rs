//! All checks, in the order in which they are shown.

use super::check::{Verdict, describe, ok, problem};
use super::host::{check_corrections, check_http, check_state};
use super::notices::check_notices;
use super::redis::check_redis;
use super::store::check_store;
use super::understanding::{check_catalogue, check_model, check_understanding};
use crate::cli::context::Context;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::Output;

/// Runs all checks. Exit code 1 where there is a problem.
pub fn run(context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let mut checks = Vec::new();
    match context.config() {
        Err(error) => checks.push(problem("configuration", error.message, error.hint)),
        Ok(config) => {
            checks.push(ok("configuration", "every key is right"));
            check_redis(&config, &mut checks);
            check_store(&config, &mut checks);
            checks.push(check_understanding(&config));
            checks.extend(check_catalogue(&config));
            checks.push(check_model(&config));
            checks.push(check_state(&config));
            checks.extend(check_corrections(&config));
            checks.push(check_http(&config));
            checks.extend(check_notices(&config));
        }
    }
    let bad = checks.iter().any(|c| c.verdict == Verdict::Problem);
    out.answer(&checks, |_| describe(&checks))?;
    Ok(if bad { Exit::Failure } else { Exit::Ok })
}
