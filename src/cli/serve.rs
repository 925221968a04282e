//! `serve`: the daemon.

#![allow(clippy::disallowed_types, reason = "a reload replaces the process by itself")]

use super::context::Context;
use super::exit::{CliError, Exit};
use crate::config::{Config, LogFormat};
use crate::daemon::DaemonExit;
use crate::{telemetry, wiring};
use std::io::IsTerminal;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Runs until SIGTERM or SIGINT; a second signal exits at once. SIGHUP reads the configuration again.
pub fn run(context: &Context<'_>) -> Result<Exit, CliError> {
    let config = context.config()?;
    telemetry::init(&config.log.level, config.log.format == LogFormat::Json).map_err(|e| {
        CliError::new(Exit::Configuration, e.to_string(), "set log.level to, for example, info or feedbackd=debug")
    })?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| CliError::new(Exit::Failure, format!("cannot start: {e}"), ""))?;
    let reloads = Arc::new(AtomicBool::new(false));
    let ended = runtime.block_on(serve(config, context, &reloads));
    // A read that still blocks, or a batch past its deadline, must not keep the process alive.
    runtime.shutdown_background();
    if ended.is_ok() && reloads.load(Ordering::SeqCst) {
        return Err(start_again());
    }
    ended
}

async fn serve(config: Config, context: &Context<'_>, reloads: &Arc<AtomicBool>) -> Result<Exit, CliError> {
    let stop = CancellationToken::new();
    let signals =
        |kind| signal(kind).map_err(|e| CliError::new(Exit::Failure, format!("cannot listen for signals: {e}"), ""));
    let (mut terminate, mut interrupt) = (signals(SignalKind::terminate())?, signals(SignalKind::interrupt())?);
    let mut hangup = signals(SignalKind::hangup())?;
    // If its terminal is gone, it ends like other programs, but still finishes the current batch.
    let is_interactive = std::io::stdin().is_terminal() || std::io::stderr().is_terminal();
    let daemon = wiring::daemon(config)?;
    let running = daemon.run(stop.clone(), Arc::clone(reloads));
    tokio::pin!(running);
    let mut asked = 0;
    loop {
        tokio::select! {
            ended = &mut running => return ended_as(ended?),
            _ = terminate.recv() => asked += 1,
            _ = interrupt.recv() => asked += 1,
            _ = hangup.recv() => {
                if !is_interactive {
                    if asked == 0 && may_reload(context) {
                        reloads.store(true, Ordering::SeqCst);
                        stop.cancel();
                    }
                    continue;
                }
                asked += 1;
            }
        }
        reloads.store(false, Ordering::SeqCst);
        if asked > 1 {
            tracing::warn!("second stop signal: unfinished entries stay pending and are read again at the next start");
            return Ok(Exit::Failure);
        }
        stop.cancel();
    }
}

/// Reports whether the configuration as it is now can be used.
fn may_reload(context: &Context<'_>) -> bool {
    let problems = match context.config() {
        Ok(config) => wiring::check(&config).iter().map(ToString::to_string).collect(),
        Err(error) => vec![error.message],
    };
    if problems.is_empty() {
        tracing::info!("SIGHUP: starting again with the configuration as it is now");
        return true;
    }
    tracing::error!(
        problems = problems.join("; "),
        "SIGHUP: the configuration is invalid; the previous one stays in use"
    );
    false
}

/// Replaces the process by a new one with the same arguments; returns only if that fails.
fn start_again() -> CliError {
    let mut arguments = std::env::args_os();
    let named = arguments.next();
    let program = std::env::current_exe().ok().filter(|path| path.exists()).map(Into::into).or(named);
    let error = Command::new(program.unwrap_or_else(|| "feedbackd".into())).args(arguments).exec();
    CliError::new(Exit::Failure, format!("cannot start again: {error}"), "start the daemon")
}

fn ended_as(ended: DaemonExit) -> Result<Exit, CliError> {
    match ended {
        DaemonExit::Drained => Ok(Exit::Ok),
        DaemonExit::Abandoned => Err(CliError::new(
            Exit::Failure,
            "the daemon ended with unfinished work",
            "nothing is lost: it stays pending in Redis and is read again at the next start; see the log for the \
             cause",
        )),
    }
}
