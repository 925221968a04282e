//! Serving a router to clients that may be slow, silent or many: every wait has a limit.
//!
//! `axum::serve` has none of these limits, so the connections are driven here.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// More connections wait in the listener's queue.
const MAX_CONNECTIONS: usize = 64;
/// A request's head must be complete after so long; an idle connection is closed after so long.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// A connection that was told to end is dropped after so long.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);
/// A connection is told to end after so long, however busy it is; clients open another.
const MAX_AGE: Duration = Duration::from_secs(60);
/// A larger head is refused with 431.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Serves until the token is cancelled, then lets the requests in hand finish, for 2 seconds at most.
///
/// An error of one connection, or of one accept, ends that connection alone.
pub async fn serve(listener: TcpListener, router: Router, shutdown: CancellationToken) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    while let Some((stream, slot)) = accept(&listener, &slots, &shutdown).await {
        // Those that are done are let go here, so the set is never larger than the number of slots.
        while connections.try_join_next().is_some() {}
        let router = router.clone();
        let shutdown = shutdown.clone();
        connections.spawn(async move {
            drive(stream, router, shutdown).await;
            drop(slot);
        });
    }
    while connections.join_next().await.is_some() {}
}

/// The next connection with its slot; `None` when it is time to end.
async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
    shutdown: &CancellationToken,
) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let next = async {
        let slot = slots.clone().acquire_owned().await.ok()?;
        loop {
            match listener.accept().await {
                Ok((stream, _)) => return Some((stream, slot)),
                // Out of file descriptors, most likely. Those in use will be given back.
                Err(error) => {
                    tracing::warn!(%error, "cannot accept an HTTP connection");
                    sleep(Duration::from_millis(200)).await;
                }
            }
        }
    };
    shutdown.run_until_cancelled(next).await.flatten()
}

async fn drive(stream: TcpStream, router: Router, shutdown: CancellationToken) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_header_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(connection);
    let finished = tokio::select! {
        result = connection.as_mut() => Some(result),
        () = shutdown.cancelled() => None,
        () = sleep(MAX_AGE) => None,
    };
    let result = match finished {
        Some(result) => result,
        None => {
            connection.as_mut().graceful_shutdown();
            timeout(DRAIN_TIMEOUT, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, "an HTTP connection ended early");
    }
}
