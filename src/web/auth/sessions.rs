//! Login sessions. They are lost when the daemon stops.

use crate::app::admin::tokens::{Scope, Token};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How long a session may be idle.
const IDLE: SignedDuration = SignedDuration::from_hours(12);
/// Maximum duration of a session.
pub const LONGEST: SignedDuration = SignedDuration::from_hours(24 * 7);
/// Maximum number of sessions; beyond it, the longest idle one is ended.
const MANY: usize = 10_000;

/// All sessions, by the hash of their ids: reading this memory does not allow logging in.
#[derive(Default)]
pub struct Sessions {
    by: Mutex<HashMap<[u8; 32], Session>>,
}

/// A session.
#[derive(Clone, Debug)]
pub struct Session {
    /// The person logged in.
    pub reviewer: String,
    /// What they may do.
    pub scope: Scope,
    /// The id of the token used to log in; none after a provider login.
    pub token: Option<String>,
    began: Timestamp,
    seen: Timestamp,
}

impl Session {
    fn is_over(&self, now: Timestamp) -> bool {
        let longest = if self.token.is_some() { LONGEST } else { IDLE };
        now.duration_since(self.seen) > IDLE || now.duration_since(self.began) > longest
    }
}

impl Sessions {
    /// Starts a session for this token's owner, and returns its id.
    ///
    /// # Errors
    /// If the system's random number source fails.
    pub fn begin(&self, token: &Token, now: Timestamp) -> Result<String, String> {
        self.begin_for(token.reviewer.clone(), token.scope, Some(token.id.clone()), now)
    }

    /// Starts a session for a person identified by a provider. It ends within [`IDLE`]: the provider does not report
    /// when it no longer knows them.
    ///
    /// # Errors
    /// As [`Sessions::begin`].
    pub fn begin_known(&self, reviewer: String, now: Timestamp) -> Result<String, String> {
        self.begin_for(reviewer, Scope::Decide, None, now)
    }

    fn begin_for(
        &self,
        reviewer: String,
        scope: Scope,
        token: Option<String>,
        now: Timestamp,
    ) -> Result<String, String> {
        let mut random = [0_u8; 32];
        getrandom::fill(&mut random).map_err(|error| error.to_string())?;
        let id = crate::text::ids::hex(&random);
        let session = Session { reviewer, scope, token, began: now, seen: now };
        let mut by = self.lock();
        if by.len() >= MANY {
            by.retain(|_, session| !session.is_over(now));
        }
        if by.len() >= MANY
            && let Some(oldest) = by.iter().min_by_key(|(_, session)| session.seen).map(|(id, _)| *id)
        {
            by.remove(&oldest);
        }
        by.insert(hashed(&id), session);
        Ok(id)
    }

    /// Returns the session with this id. It continues only if `holds` confirms its token.
    pub fn find(&self, id: &str, now: Timestamp, holds: impl FnOnce(&Session) -> bool) -> Option<Session> {
        let id = hashed(id);
        let session = self.lock().get(&id).cloned()?;
        if session.is_over(now) || !holds(&session) {
            self.lock().remove(&id);
            return None;
        }
        if let Some(session) = self.lock().get_mut(&id) {
            session.seen = now;
        }
        Some(session)
    }

    /// Ends a session.
    pub fn end(&self, id: &str) {
        self.lock().remove(&hashed(id));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<[u8; 32], Session>> {
        self.by.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hashed(id: &str) -> [u8; 32] {
    *blake3::hash(id.as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::admin::tokens::Kind;

    fn at(hours: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours)
    }

    fn token() -> Token {
        Token {
            id: "0a1b2c3d".into(),
            kind: Kind::Token,
            hash: String::new(),
            reviewer: "ana".into(),
            name: "laptop".into(),
            scope: Scope::Decide,
            created_at: at(0),
            expires_at: at(10_000),
            used_at: None,
            revoked_at: None,
        }
    }

    #[test]
    fn a_session_ends_when_nobody_uses_it_and_in_any_case_after_a_week() {
        let sessions = Sessions::default();
        let idle = sessions.begin(&token(), at(0)).expect("random");
        assert!(sessions.find(&idle, at(12), |_| true).is_some());
        assert!(sessions.find(&idle, at(25), |_| true).is_none());
        assert!(sessions.find(&idle, at(12), |_| true).is_none(), "it does not come back");
        let busy = sessions.begin(&token(), at(0)).expect("random");
        assert!((1..=16).all(|n| sessions.find(&busy, at(n * 10), |_| true).is_some()));
        assert!(sessions.find(&busy, at(169), |_| true).is_none());
    }

    #[test]
    fn whom_a_provider_knew_logs_in_again_the_next_day() {
        let sessions = Sessions::default();
        let id = sessions.begin_known("ana".to_owned(), at(0)).expect("random");
        assert!([6, 12].iter().all(|hours| sessions.find(&id, at(*hours), |_| true).is_some()));
        assert!(sessions.find(&id, at(13), |_| true).is_none(), "however busy it was");
    }

    #[test]
    fn a_session_ends_with_its_token_and_on_request() {
        let sessions = Sessions::default();
        let id = sessions.begin(&token(), at(0)).expect("random");
        assert_ne!(id, sessions.begin(&token(), at(0)).expect("random"));
        assert!(sessions.find(&id, at(0), |session| session.token.as_deref() != Some("0a1b2c3d")).is_none());
        let other = sessions.begin(&token(), at(0)).expect("random");
        sessions.end(&other);
        assert!(sessions.find(&other, at(0), |_| true).is_none());
        assert!(sessions.find("nobody", at(0), |_| true).is_none());
    }
}
