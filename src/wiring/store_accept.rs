//! A person confirms that the store's history is intended.

use super::error::WiringError;
use super::store::{open_store, store_id};
use super::streams::redis_options;
use crate::adapters::redis::RedisPublisher;
use crate::app::publication::OutboxPublisher;
use crate::config::Config;
use crate::ports::{StoreError, StoreReader};
use crate::text::ids::CommitId;

/// Makes the branch's commit the one from which publishing continues, and the store the consumer group's store. `HEAD`
/// is that commit, whichever it is.
///
/// # Errors
/// If the branch does not exist, or Redis cannot be reached.
pub async fn accept(config: &Config, commit: &str) -> Result<CommitId, WiringError> {
    let store = open_store(config)?;
    let none = || StoreError::Damaged("its branch has no commit; restore it with `git branch`".to_owned());
    let head = store.head()?.ok_or_else(none)?;
    if commit != "HEAD" && commit != head.0 {
        let message = format!("the branch is at {head}, not at {commit}; check it, then give the full id, or HEAD");
        return Err(StoreError::Git(message).into());
    }
    let publisher = RedisPublisher::new(redis_options(config)?, &store_id(&store)?)?;
    publishing(config, publisher).set(&head).await?;
    Ok(head)
}

/// The publishing position is recorded in the state directory.
pub(super) fn publishing(config: &Config, publisher: RedisPublisher) -> OutboxPublisher<RedisPublisher> {
    OutboxPublisher::new(publisher, config.state.dir.join("published"))
}
