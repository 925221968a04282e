//! Known people: their tokens and sessions, checked against the roster in force.

use super::caller::{AuthMethod, Caller, Scope};
use super::sessions::Sessions;
use crate::app::admin::tokens::{TokenError, Tokens};
use crate::app::decisions::reviewers::Reviewers;
use crate::problem::Problem;
use axum::http::StatusCode;
use jiff::Timestamp;

/// The means of identifying people.
pub struct People {
    tokens: Tokens,
    reviewers: Reviewers,
    now: fn() -> Timestamp,
    sessions: Sessions,
}

impl People {
    /// Admits people with one of these tokens who are on the roster.
    pub fn new(tokens: Tokens, reviewers: Reviewers, now: fn() -> Timestamp) -> People {
        People { tokens, reviewers, now, sessions: Sessions::default() }
    }

    /// Returns the owner of this token. May block.
    ///
    /// # Errors
    /// 401 if it is invalid, 403 if its owner is not on the roster, 503 if this cannot be determined.
    pub fn by_token(&self, shown: &str) -> Result<Caller, Problem> {
        let token = self.tokens.check(shown, (self.now)()).map_err(|error| unwelcome(&error))?;
        self.known(Caller { reviewer: token.reviewer, how: AuthMethod::Token { name: token.name }, scope: token.scope })
    }

    /// Returns the person named by a proxy. May block.
    ///
    /// # Errors
    /// As [`People::by_token`].
    pub fn by_proxy(&self, reviewer: String) -> Result<Caller, Problem> {
        self.known(Caller { reviewer, how: AuthMethod::Proxy, scope: Scope::Decide })
    }

    /// Returns the person logged in with this session; `None` if it is over. May block.
    pub fn by_session(&self, id: &str) -> Option<Caller> {
        let now = (self.now)();
        let session = self
            .sessions
            .find(id, now, |session| session.token.as_ref().is_none_or(|token| self.tokens.holds(token, now)))?;
        let caller = Caller {
            reviewer: session.reviewer,
            how: AuthMethod::Session { token: session.token },
            scope: session.scope,
        };
        self.known(caller).ok()
    }

    /// Starts a session for a token or a login link, and returns its id. May block.
    ///
    /// # Errors
    /// As [`People::by_token`].
    pub fn log_in(&self, shown: &str) -> Result<String, Problem> {
        let now = (self.now)();
        // A link works once: it is used up only when everything else is known to succeed.
        let token = self.tokens.would_log_in(shown, now).map_err(|error| unwelcome(&error))?;
        let how = AuthMethod::Session { token: Some(token.id.clone()) };
        self.known(Caller { reviewer: token.reviewer, how, scope: token.scope })?;
        let token = self.tokens.log_in(shown, now).map_err(|error| unwelcome(&error))?;
        self.sessions.begin(&token, now).map_err(|why| unknowable(&why))
    }

    /// Starts a session for a person identified by a provider, and returns its id. May block.
    ///
    /// # Errors
    /// 403 if they are not on the roster, 503 if this cannot be determined.
    pub fn log_in_known(&self, reviewer: &str) -> Result<String, Problem> {
        let how = AuthMethod::Session { token: None };
        self.known(Caller { reviewer: reviewer.to_owned(), how, scope: Scope::Decide })?;
        self.sessions.begin_known(reviewer.to_owned(), (self.now)()).map_err(|why| unknowable(&why))
    }

    /// Ends a session.
    pub fn log_out(&self, id: &str) {
        self.sessions.end(id);
    }

    fn known(&self, caller: Caller) -> Result<Caller, Problem> {
        let roster = self.reviewers.now().map_err(|error| unknowable(&error.to_string()))?;
        if roster.find(&caller.reviewer).is_some() {
            return Ok(caller);
        }
        let detail = format!(
            "`{}` is not on the roster in force, so access is denied; ask an administrator to add this person to the \
             roster",
            caller.reviewer
        );
        Err(Problem::new(StatusCode::FORBIDDEN, detail))
    }
}

fn unwelcome(error: &TokenError) -> Problem {
    match error {
        TokenError::File(_) | TokenError::Unreadable(_) | TokenError::Random(_) => unknowable(&error.to_string()),
        _ => Problem::new(StatusCode::UNAUTHORIZED, error.to_string()),
    }
}

/// Reports that the caller cannot be determined now.
fn unknowable(why: &str) -> Problem {
    tracing::warn!(why, "the caller cannot be identified");
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "callers cannot be identified now; see the daemon's log")
}
