//! Purging the history, and its consequences outside the store: the index is removed, remembered heads move, entries in
//! Redis are removed.

use super::clock::clock;
use super::error::WiringError;
use super::notifications::purge_notices;
use super::purge_host::RewrittenHost;
use super::store::{new_store_id, open_store, store_id, writer_options};
use super::store_accept::{accept, publishing};
use super::streams::redis_options;
use crate::adapters::git::GitPurger;
use crate::adapters::redis::{self, RedisPublisher};
use crate::app::admin::purge;
use crate::app::admin::purge::{By, Fingerprint, Purge, PurgeTarget};
use crate::config::Config;
use crate::domain::identity;
use crate::domain::intake::event::StreamKind;
use crate::domain::records::layout;
use crate::domain::records::message::Topic;
use crate::domain::rules::lifecycle::roster::Roster;
use crate::ports::{BusError, StoreError, StoreReader};
use crate::text::ids::safe_name;
use crate::text::yaml;
use strum::VariantNames;

/// What to remove: a secret by its fingerprint, or a person by id.
#[derive(Clone, Debug)]
pub enum PurgeOf {
    /// A secret.
    Secret(Fingerprint),
    /// A person; the name on the roster goes with the id.
    Person(String),
}

/// What was done outside the store, or remains to be done there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PurgeNotes {
    /// The number of entries removed from each stream.
    pub entries: Vec<(String, usize)>,
    /// What could not be done, in sentences.
    pub left: Vec<String>,
}

/// Returns where it occurs; changes nothing.
///
/// # Errors
/// If the store cannot be read.
pub fn purge_survey(config: &Config, of: &PurgeOf) -> Result<Purge, WiringError> {
    let (purger, what) = open(config, of)?;
    Ok(purge::look(&purger, &what)?)
}

/// Removes it from the history and the streams. The index is removed: the next start rebuilds it.
///
/// # Errors
/// If a daemon writes to the store, if a commit was not published, if a Git host holds a copy that may not be rewritten,
/// or if the disk fails; the call may be repeated.
pub async fn purge(
    config: &Config,
    of: &PurgeOf,
    who: &str,
    reason: &str,
    force_remote: bool,
) -> Result<(Purge, PurgeNotes), WiringError> {
    let host = RewrittenHost::of(config, force_remote)?;
    let (mut purger, what) = open(config, of)?;
    purger.lock()?;
    all_published(config).await?;
    let lease = host.as_ref().map(RewrittenHost::lease).transpose()?.flatten();
    let by = By { who: who.to_owned(), reason: reason.to_owned(), at: clock().now() };
    let done = purge::purge(&mut purger, &what, &by)?;
    drop(purger);
    remove_index(config)?;
    purge_notices(config, &what)?;
    let mut notes = PurgeNotes::default();
    if let (Some(host), Some(lease)) = (&host, &lease) {
        notes.left.extend(host.rewrite(lease)?);
    }
    match accept(config, "HEAD").await {
        Ok(_) => remove_entries(config, &what, &mut notes).await?,
        Err(error) => notes.left.push(format!(
            "Redis was not told about the new history ({error}); once it is up, run `feedbackd store accept HEAD`, \
             then this command again"
        )),
    }
    Ok((done, notes))
}

fn open(config: &Config, of: &PurgeOf) -> Result<(GitPurger, PurgeTarget), WiringError> {
    let store = open_store(config)?;
    let what = match of {
        PurgeOf::Secret(fingerprint) => PurgeTarget::Secret(*fingerprint),
        PurgeOf::Person(id) => {
            let head = store.head()?;
            let roster = head.map(|head| store.read(&head, layout::ROSTER)).transpose()?.flatten();
            let roster = roster.and_then(|bytes| yaml::parse::<Roster>(&String::from_utf8_lossy(&bytes)).ok());
            let people = roster.map(|roster| roster.reviewers).unwrap_or_default();
            let named = people.into_iter().filter(|person| identity::same(&person.id, id));
            let names = named.flat_map(|person| [person.id, person.name]);
            let names = names.chain([id.clone(), safe_name(id)]);
            PurgeTarget::person(names, format!("person-{}", &new_store_id()[..8]))
        }
    };
    let purger = GitPurger::open(&config.store.path, store.branch(), writer_options(config)?)?;
    Ok((purger, what))
}

/// Unpublished commits never would be published: the remembered heads move to the new history.
async fn all_published(config: &Config) -> Result<(), WiringError> {
    let store = open_store(config)?;
    let Some(head) = store.head()? else { return Ok(()) };
    let publisher = RedisPublisher::new(redis_options(config)?, &store_id(&store)?)?;
    // Without Redis this is unknown; people are informed afterwards.
    let Ok(position) = publishing(config, publisher).position().await else { return Ok(()) };
    match position.published {
        Some(published) if published != head && store.contains(&head, &published)? => {
            let message = "not all commits are published; let the daemon run until they are, then stop it";
            Err(StoreError::Git(message.to_owned()).into())
        }
        _ => Ok(()),
    }
}

/// Removes the index and its companion files: they contain what the store contains.
fn remove_index(config: &Config) -> Result<(), WiringError> {
    let index = config.state.index_file();
    let name = index.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let entries = std::fs::read_dir(&config.state.dir).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let ours = path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&name));
        if ours {
            std::fs::remove_file(&path)
                .map_err(|source| WiringError::State { path: path.display().to_string(), source })?;
        }
    }
    Ok(())
}

/// Removes entries of the streams read and written, including dead letters, and every key of the daemon: pending parts
/// of reviews there would be committed later.
async fn remove_entries(config: &Config, what: &PurgeTarget, notes: &mut PurgeNotes) -> Result<(), WiringError> {
    let options = redis_options(config)?;
    let read = StreamKind::ALL
        .iter()
        .filter_map(|kind| options.streams.iter().find(|(_, other)| other == kind).map(|(key, _)| key.clone()));
    let written = Topic::VARIANTS.iter().map(|name| format!("asdlc:events:{name}"));
    let is_it = |text: &str| what.out_of(text.as_bytes()).is_some();
    let mut note = |key: String, removed: Result<usize, BusError>| match removed {
        Ok(0) => {}
        Ok(removed) => notes.entries.push((key, removed)),
        Err(error) => notes.left.push(format!("{key} may still contain it: {error}")),
    };
    for stream in read.chain(written).collect::<Vec<_>>() {
        let removed = redis::remove_entries(&options, &stream, &is_it).await;
        note(stream, removed);
    }
    match redis::own_keys(&options).await {
        Ok(keys) => {
            for key in keys {
                let removed = redis::remove_from_key(&options, &key, &is_it).await;
                // The key's name may itself contain the purged text.
                note(if is_it(&key) { "a key of feedbackd".to_owned() } else { key }, removed);
            }
        }
        Err(error) => notes.left.push(format!("keys that begin with feedbackd: may still contain it: {error}")),
    }
    Ok(())
}
