//! Reading a body within the limits.

use super::problem::Problem;
use crate::metrics;
use crate::metrics::HttpRefusal;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use std::time::Duration;
use tokio::time::timeout;

/// Reads the body of a request. `bytes` is the router's size limit, and `time` the maximum duration.
///
/// # Errors
/// 413, 408, or why it cannot be read.
pub async fn body(request: Request, bytes: usize, time: Duration) -> Result<Bytes, Problem> {
    let (why, problem) = match timeout(time, Bytes::from_request(request, &())).await {
        Ok(Ok(body)) => return Ok(body),
        Ok(Err(rejection)) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            let detail = format!("the body is larger than {bytes} bytes; shorten the text");
            (HttpRefusal::Body, Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail))
        }
        Ok(Err(rejection)) => {
            (HttpRefusal::Malformed, Problem::new(rejection.status(), "the body cannot be read; send it again"))
        }
        Err(_) => {
            let detail = format!("the body was not complete after {} seconds", time.as_secs());
            (HttpRefusal::SlowBody, Problem::new(StatusCode::REQUEST_TIMEOUT, detail))
        }
    };
    metrics::http_refused(why);
    Err(problem)
}
