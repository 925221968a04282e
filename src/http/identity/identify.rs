//! Telling who sent a request.

use super::caller::Caller;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;

/// By what it is known who asks.
#[derive(Clone, Default)]
pub struct Identity {
    /// The hash of the token for programs: two hashes are compared in constant time.
    program: Option<blake3::Hash>,
}

impl Identity {
    /// With a token for programs, which stands for no person.
    pub fn with_program(self, token: &str) -> Identity {
        Identity { program: Some(blake3::hash(token.as_bytes())) }
    }

    /// Whether a program asks that knows the token for programs.
    pub fn is_program(&self, headers: &HeaderMap) -> bool {
        let given = bearer(headers).map(|given| blake3::hash(given.as_bytes()));
        given.is_some() && given == self.program
    }

    fn caller(&self, _request: &Request) -> Option<Caller> {
        None
    }
}

/// Puts an `Extension<Option<Caller>>` on a request.
pub async fn identify(identity: Arc<Identity>, mut request: Request, next: Next) -> Response {
    let caller = identity.caller(&request);
    request.extensions_mut().insert(caller);
    next.run(request).await
}

/// The token, where the header stands there once and is text.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (scheme, token) = values.next()?.to_str().ok()?.split_once(' ')?;
    (values.next().is_none() && scheme.eq_ignore_ascii_case("bearer")).then(|| token.trim())
}
