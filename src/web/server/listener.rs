//! Serves a router to clients that may be slow, silent or many: every wait has a limit, and rejected clients are told
//! why.
//!
//! `axum::serve` has none of these limits, so connections are driven here.

use super::bad_request::Wire;
use super::connection_limit::{ConnectionLimit, ConnectionPermit};
use super::limits::Limits;
use super::request_filter::{Ends, Gate, crowd};
use crate::metrics;
use crate::metrics::HttpRefusal;
use crate::problem::Problem;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower_service::Service;

/// How long a closing connection may take before it is dropped.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);
/// The maximum age of a connection, however busy; clients open another.
const MAX_AGE: Duration = Duration::from_secs(60);
/// How long to wait before checking for a seat again.
const SEAT_WAIT: Duration = Duration::from_millis(10);

/// Serves until the token is cancelled, then lets current requests finish, for 2 seconds at most.
///
/// An error on one connection or accept ends only that connection.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits, shutdown: CancellationToken) {
    let seats = ConnectionLimit::new(&limits);
    let gate = Arc::new(Gate::new(&limits));
    let limits = Arc::new(limits);
    let mut connections = JoinSet::new();
    while let Some((stream, ends, seat)) = shutdown.run_until_cancelled(accept(&listener, &seats)).await {
        // Reap finished tasks, so that the set is hardly larger than the number of seats.
        while connections.try_join_next().is_some() {}
        let (router, gate, limits) = (router.clone(), Arc::clone(&gate), Arc::clone(&limits));
        connections.spawn(drive(
            stream,
            ends,
            Arc::new(seat),
            RequestHandler { router, gate },
            limits,
            shutdown.clone(),
        ));
    }
    while connections.join_next().await.is_some() {}
}

/// Accepts the next connection with its seat.
async fn accept(listener: &TcpListener, seats: &Arc<ConnectionLimit>) -> (TcpStream, Ends, ConnectionPermit) {
    loop {
        let accepted = listener.accept().await;
        let (stream, ends) = match accepted.and_then(|(stream, peer)| {
            let ends = Ends { client: peer.ip().to_canonical(), ours: stream.local_addr()? };
            Ok((stream, ends))
        }) {
            Ok(accepted) => accepted,
            // Most likely out of file descriptors. Those in use will be released.
            Err(error) => {
                tracing::warn!(%error, "cannot accept an HTTP connection");
                sleep(Duration::from_millis(200)).await;
                continue;
            }
        };
        loop {
            match seats.take(ends.client, Instant::now()) {
                Some(seat) => return (stream, ends, seat),
                None => sleep(SEAT_WAIT).await,
            }
        }
    }
}

/// The state for answering requests.
struct RequestHandler {
    router: Router,
    gate: Arc<Gate>,
}

async fn drive(
    stream: TcpStream,
    ends: Ends,
    seat: Arc<ConnectionPermit>,
    answering: RequestHandler,
    limits: Arc<Limits>,
    shutdown: CancellationToken,
) {
    let answering = Arc::new(answering);
    let holder = Arc::clone(&seat);
    let service = service_fn(move |request: Request<Incoming>| {
        let (answering, seat) = (Arc::clone(&answering), Arc::clone(&holder));
        let answer: Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>> = Box::pin(async move {
            seat.waits_since(None);
            let response = answering.answer(request, ends, seat.only_probes).await;
            seat.waits_since(Some(Instant::now()));
            response
        });
        answer
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_header_size(limits.head_bytes)
        .serve_connection(TokioIo::new(Wire::new(stream)), service);
    let finished = tokio::select! {
        result = poll_fn(|context| connection.poll_without_shutdown(context)) => Some(result),
        () = seat.leave.cancelled() => {
            metrics::http_refused(HttpRefusal::Connections);
            return connection.into_parts().io.into_inner().refuse(crowd()).await;
        }
        () = shutdown.cancelled() => None,
        () = sleep(MAX_AGE) => None,
    };
    let result = match finished {
        Some(result) => result,
        None => {
            Pin::new(&mut connection).graceful_shutdown();
            let rest = poll_fn(|context| connection.poll_without_shutdown(context));
            timeout(DRAIN_TIMEOUT, rest).await.unwrap_or(Ok(()))
        }
    };
    let wire = connection.into_parts().io.into_inner();
    let Err(error) = result else { return wire.close().await };
    tracing::debug!(%error, "an HTTP connection ended early");
    if let Some((why, problem)) = objection(&wire, &error, &limits) {
        metrics::http_refused(why);
        wire.refuse(problem).await;
    }
}

impl RequestHandler {
    async fn answer(&self, request: Request<Incoming>, ends: Ends, only_probes: bool) -> Result<Response, Infallible> {
        let begun = Instant::now();
        let (parts, body) = request.into_parts();
        let answer = match self.gate.refuse(&parts, ends, only_probes) {
            Some(refusal) => Ok(refusal),
            None => {
                let mut request = Request::from_parts(parts, Body::new(body));
                request.extensions_mut().insert(ends);
                self.router.clone().call(request).await
            }
        };
        if let Ok(response) = &answer {
            metrics::http_answered(response.status().as_u16(), begun.elapsed());
        }
        answer
    }
}

/// Returns the response to an unreadable request; `None` if none was begun.
fn objection(wire: &Wire, error: &hyper::Error, limits: &Limits) -> Option<(HttpRefusal, Problem)> {
    let problem = |why, status, detail: String| Some((why, Problem::new(status, detail)));
    match wire.refused() {
        Some(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE) => problem(
            HttpRefusal::Head,
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            format!("the request head has more than {} bytes, or too many fields; send less", limits.head_bytes),
        ),
        Some(StatusCode::URI_TOO_LONG) => problem(
            HttpRefusal::Head,
            StatusCode::URI_TOO_LONG,
            "the request target is too long; send long content in a body".to_owned(),
        ),
        Some(status) => problem(HttpRefusal::Malformed, status, "this is not a valid HTTP/1.1 request".to_owned()),
        None if error.is_timeout() && wire.has_begun() => problem(
            HttpRefusal::SlowHead,
            StatusCode::REQUEST_TIMEOUT,
            format!("the request head was not complete after {} seconds; send it again", limits.head_time.as_secs()),
        ),
        None => None,
    }
}
