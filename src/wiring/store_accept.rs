//! People say that the store's history is as it shall be.

use super::error::WiringError;
use super::store::{open_store, store_id};
use super::streams::redis_options;
use crate::adapters::redis::RedisPublisher;
use crate::app::publication::Publishing;
use crate::config::Config;
use crate::ports::{StoreError, StoreReader};
use crate::text::ids::CommitId;

/// Makes the commit at which the branch is the one from which publishing goes on, and the store the one for which the
/// group works. `HEAD` is whatever commit that is.
///
/// # Errors
/// When the branch is not there, or Redis cannot be reached.
pub async fn accept(config: &Config, commit: &str) -> Result<CommitId, WiringError> {
    let store = open_store(config)?;
    let none = || StoreError::Damaged("its branch has no commit; restore it with `git branch`".to_owned());
    let head = store.head()?.ok_or_else(none)?;
    if commit != "HEAD" && commit != head.0 {
        let message = format!("the branch is at {head}, not at {commit}; look at it, and name the whole id, or HEAD");
        return Err(StoreError::Git(message).into());
    }
    let publisher = RedisPublisher::new(redis_options(config)?, &store_id(&store)?)?;
    publishing(config, publisher).set(&head).await?;
    Ok(head)
}

/// Where publishing stands is noted in the state directory.
pub(super) fn publishing(config: &Config, publisher: RedisPublisher) -> Publishing<RedisPublisher> {
    Publishing::new(publisher, config.state.dir.join("published"))
}
