//! Whether the Git host would take a push of the store.

use super::check::{Check, ok, problem};
use crate::config::Config;
use crate::ports::PushOutcome;
use crate::wiring;

/// Rehearses a push; `None` if there is no host, or no store, which is reported elsewhere.
pub(super) fn check_remote(config: &Config) -> Option<Check> {
    const NAME: &str = "remote";
    let (url, branch) = (&config.remote.url, config.remote.branch(&config.store.branch));
    // Wrong settings are reported with the configuration, and a missing store as such.
    Some(match wiring::rehearse_push(config).ok()?? {
        Ok(PushOutcome::Done) => ok(
            NAME,
            format!("{url} lets this user push; whether it protects {branch} shows only in a push (see the daemon)"),
        ),
        Ok(PushOutcome::Behind) => ok(NAME, format!("{url} has commits on {branch} that the daemon will take up")),
        Ok(PushOutcome::Refused(words)) => problem(
            NAME,
            format!("{url} refuses a push to {branch}: {words}"),
            "allow this user to push to the branch, or set remote.branch to one where it may",
        ),
        Err(error) => problem(
            NAME,
            format!("cannot push to {url}: {error}"),
            "check remote.url, and that the token or key may write there (remote.token_file, remote.ssh_key_file, \
             remote.known_hosts_file)",
        ),
    })
}
