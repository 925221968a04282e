//! Whether a forge's API can be read: asked once each, without patience.

use super::client::{HistoryError, judged};
use super::import::History;
use super::pull_requests::address;
use crate::domain::intake::forge::Kind;
use jiff::Timestamp;

/// What an API says of whoever asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeted {
    /// How many requests are left, where it says so.
    pub left: Option<u64>,
    /// When there are more.
    pub more_at: Option<Timestamp>,
}

impl History {
    /// Asks for something that everybody may read who has a token: whether the API answers and knows the token.
    ///
    /// # Errors
    /// When it does not.
    pub fn greet(&self) -> Result<Greeted, HistoryError> {
        self.once(match self.forge.kind {
            // Costs nothing.
            Kind::Github => "/rate_limit",
            Kind::Gitea | Kind::Forgejo => "/repos/search?limit=1",
            Kind::Gitlab => "/projects?membership=true&per_page=1",
            Kind::Gerrit => "/config/server/version",
        })
    }

    /// Asks for the repository's pull requests, on Gerrit for the project: whether the token may read them.
    ///
    /// # Errors
    /// When it may not.
    pub fn peek(&self) -> Result<Greeted, HistoryError> {
        self.once(&address(self.forge.kind, &self.repository))
    }

    fn once(&self, place: &str) -> Result<Greeted, HistoryError> {
        let answer = self.api.read(place, None).map_err(HistoryError::Failing)?;
        if answer.is_limited {
            return Err(HistoryError::Limited(answer.more_at.unwrap_or_else(|| self.clock.now())));
        }
        let answer = judged(answer)?;
        Ok(Greeted { left: answer.left, more_at: answer.more_at })
    }
}
