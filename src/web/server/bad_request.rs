//! A connection that turns hyper's bare error responses into problem documents.
//!
//! For an unreadable head, hyper sends a bare status line before the connection fails. That line is held back here, so
//! that the caller can send a full response.

use crate::problem::Problem;
use axum::http::StatusCode;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a rejected client may take to read the reason.
const LINGER: Duration = Duration::from_millis(500);

/// A connection.
pub struct Wire {
    stream: TcpStream,
    /// Whether anything was received since the last response.
    begun: bool,
    refused: Option<StatusCode>,
}

impl Wire {
    pub fn new(stream: TcpStream) -> Wire {
        Wire { stream, begun: false, refused: None }
    }

    /// Returns the status that was held back.
    pub fn refused(&self) -> Option<StatusCode> {
        self.refused
    }

    /// Reports whether an unanswered request has begun to arrive.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Sends the problem, then closes.
    pub async fn refuse(mut self, problem: Problem) {
        let body = problem.body();
        let head = format!(
            "HTTP/1.1 {}\r\ncontent-type: application/problem+json\r\ncache-control: no-store\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n",
            problem.status(),
            body.len()
        );
        let said = async {
            self.stream.write_all(head.as_bytes()).await?;
            self.stream.write_all(body.as_bytes()).await?;
            self.stream.shutdown().await?;
            // Closing with unread input would discard the response.
            let mut rest = [0; 4096];
            while self.stream.read(&mut rest).await? > 0 {}
            io::Result::Ok(())
        };
        // A client that does not read it is gone.
        let _ = timeout(LINGER, said).await;
    }

    /// Closes gracefully.
    pub async fn close(mut self) {
        let _ = timeout(LINGER, self.stream.shutdown()).await;
    }
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, into);
        self.begun |= into.filled().len() > before;
        polled
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if let Some(status) = bare_error(bytes) {
            self.refused = Some(status);
            return Poll::Ready(Ok(bytes.len()));
        }
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.begun = false;
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Returns the status of an error without a body; the daemon's own errors always have one.
fn bare_error(head: &[u8]) -> Option<StatusCode> {
    let text = std::str::from_utf8(head).ok()?.strip_prefix("HTTP/1.")?;
    let status = StatusCode::from_bytes(text.get(2..5)?.as_bytes()).ok()?;
    let is_bare = text.ends_with("\r\n\r\n") && text.contains("\r\ncontent-length: 0\r\n");
    (status.is_client_error() && is_bare).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_without_a_body_are_held_back() {
        let bare = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\ndate: x\r\n\r\n";
        assert_eq!(bare_error(bare), Some(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE));
        for other in [
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}",
            "HTTP/1.1 100 Continue\r\n\r\n",
            "{\"status\":431}",
            "",
        ] {
            assert_eq!(bare_error(other.as_bytes()), None, "{other}");
        }
    }
}
