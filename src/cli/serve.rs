//! `serve`: the daemon.

use super::exit::{CliError, Exit};
use crate::config::{Config, LogFormat};
use crate::daemon::DaemonExit;
use crate::{telemetry, wiring};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Runs until SIGTERM, SIGINT or SIGHUP; a second signal exits at once.
pub fn run(config: Config) -> Result<Exit, CliError> {
    telemetry::init(&config.log.level, config.log.format == LogFormat::Json).map_err(|e| {
        CliError::new(Exit::Configuration, e.to_string(), "set log.level to, for example, info or feedbackd=debug")
    })?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| CliError::new(Exit::Failure, format!("cannot start: {e}"), ""))?;
    let ended = runtime.block_on(serve(config));
    // A read that still blocks, or a batch past its deadline, must not keep the process alive.
    runtime.shutdown_background();
    ended
}

async fn serve(config: Config) -> Result<Exit, CliError> {
    let stop = CancellationToken::new();
    let signals =
        |kind| signal(kind).map_err(|e| CliError::new(Exit::Failure, format!("cannot listen for signals: {e}"), ""));
    let (mut terminate, mut interrupt) = (signals(SignalKind::terminate())?, signals(SignalKind::interrupt())?);
    // Its terminal is gone: still finish the current batch.
    let mut hangup = signals(SignalKind::hangup())?;
    let daemon = wiring::daemon(config)?;
    let running = daemon.run(stop.clone());
    tokio::pin!(running);
    let mut asked = 0;
    loop {
        tokio::select! {
            ended = &mut running => return ended_as(ended?),
            _ = terminate.recv() => asked += 1,
            _ = interrupt.recv() => asked += 1,
            _ = hangup.recv() => asked += 1,
        }
        if asked > 1 {
            tracing::warn!("second stop signal: unfinished entries stay pending and are read again at the next start");
            return Ok(Exit::Failure);
        }
        stop.cancel();
    }
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
