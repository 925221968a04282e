//! Checks whether a forge's API can be read: one request each, without retries.

use super::client::{HistoryError, judged};
use super::import::History;
use super::pull_requests::address;
use crate::domain::intake::forge::Kind;
use jiff::Timestamp;

/// What an API reports to the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeResult {
    /// Number of requests left, if given.
    pub left: Option<u64>,
    /// When the limit resets.
    pub more_at: Option<Timestamp>,
}

impl History {
    /// Requests something that any valid token may read, to check that the API answers and knows the token.
    ///
    /// # Errors
    /// If it does not.
    pub fn greet(&self) -> Result<ProbeResult, HistoryError> {
        self.once(match self.forge.kind {
            // Costs no quota.
            Kind::Github => "/rate_limit",
            Kind::Gitea | Kind::Forgejo => "/repos/search?limit=1",
            Kind::Gitlab => "/projects?membership=true&per_page=1",
            Kind::Gerrit => "/config/server/version",
        })
    }

    /// Requests the repository's pull requests, on Gerrit the project, to check that the token may read them.
    ///
    /// # Errors
    /// If it may not.
    pub fn peek(&self) -> Result<ProbeResult, HistoryError> {
        self.once(&address(self.forge.kind, &self.repository))
    }

    fn once(&self, place: &str) -> Result<ProbeResult, HistoryError> {
        let answer = self.api.read(place, None).map_err(HistoryError::Failing)?;
        if answer.is_limited {
            return Err(HistoryError::Limited(answer.more_at.unwrap_or_else(|| self.clock.now())));
        }
        let answer = judged(answer)?;
        Ok(ProbeResult { left: answer.left, more_at: answer.more_at })
    }
}
