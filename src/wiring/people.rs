//! Access: tokens, and the roster they are checked against.

use super::clock::now;
use super::settings::asked;
use super::store::open_store;
use crate::adapters::secret_file::OwnFile;
use crate::app::admin::tokens::Tokens;
use crate::app::decisions::reviewers::Reviewers;
use crate::config::Config;
use crate::daemon::People;
use crate::ports::{StoreError, StoreReader};

/// Returns the tokens of a daemon with this configuration.
pub fn tokens(config: &Config) -> Tokens {
    Tokens::new(Box::new(OwnFile::new(config.state.tokens_file())))
}

/// Returns how a daemon with this configuration identifies callers.
pub fn people(config: &Config) -> People {
    let of = config.clone();
    let open = move || -> Result<Box<dyn StoreReader>, StoreError> { Ok(Box::new(open_store(&of)?)) };
    People::new(tokens(config), Reviewers::new(Box::new(open), asked(config)), now)
}
