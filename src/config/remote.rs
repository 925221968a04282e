//! `[remote]`: the Git host that holds the store too.

use super::problem::{ConfigError, read_file};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `[remote]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoteConfig {
    /// The repository's address there, without a password; empty: there is none.
    pub url: String,
    /// The branch there; empty: that of the store.
    pub branch: String,
    /// What the host is for.
    pub mode: RemoteMode,
    /// The shortest time between two pushes, in seconds.
    pub push_every_seconds: u64,
    /// How often the host is asked for people's commits, in seconds.
    pub fetch_every_seconds: u64,
    /// The user name that belongs to the token.
    pub username: String,
    /// A file that holds the token or password for https; read again at each push. Empty: none.
    pub token_file: PathBuf,
    /// The private key for ssh; empty: those that ssh finds itself.
    pub ssh_key_file: PathBuf,
    /// The host keys for ssh; empty: ssh's own file.
    pub known_hosts_file: PathBuf,
    /// The CA certificates (PEM) for https; empty: the system's.
    pub ca_file: PathBuf,
    /// How long one push or fetch may take, in seconds.
    pub timeout_seconds: u64,
}

/// What the host is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RemoteMode {
    /// It holds a copy, which may be some seconds behind.
    Copy,
}

impl RemoteConfig {
    /// Reports whether there is one.
    pub fn is_on(&self) -> bool {
        !self.url.is_empty()
    }

    /// Returns the branch there; `store` is the store's own.
    pub fn branch<'a>(&'a self, store: &'a str) -> &'a str {
        if self.branch.is_empty() { store } else { &self.branch }
    }

    /// Returns how long one push or fetch may take.
    pub fn limit(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds)
    }

    /// Checks that the files which are named can be read.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] with the first that cannot.
    pub fn check_files(&self) -> Result<(), ConfigError> {
        let files = [
            (&self.token_file, "remote.token_file"),
            (&self.ssh_key_file, "remote.ssh_key_file"),
            (&self.known_hosts_file, "remote.known_hosts_file"),
            (&self.ca_file, "remote.ca_file"),
        ];
        let mut named = files.into_iter().filter(|(path, _)| self.is_on() && **path != *Path::new(""));
        named.try_for_each(|(path, key)| read_file(path, key).map(drop))
    }
}

/// How an address is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    Http,
    Ssh,
    /// `git://`: neither encrypted nor authenticated.
    Git,
    /// A folder of this machine.
    File,
}

/// Reports whether this is an address that Git pushes to, without a password or token in it.
pub(super) fn is_remote_url(url: &str) -> bool {
    let is_plain = !url.starts_with('-') && !url.chars().any(|c| c.is_whitespace() || c.is_control());
    let Some((transport, rest)) = transport(url) else { return false };
    let user = match transport {
        Transport::File => return is_plain && rest.starts_with('/') && rest.len() > 1,
        _ => rest.split('/').next().unwrap_or_default().rsplit_once('@').map(|(user, _)| user),
    };
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let names_no_secret = match transport {
        // A host takes a token as the user name, too.
        Transport::Http | Transport::Git => user.is_none() && !rest.contains('@'),
        _ => user.is_none_or(|user| !user.is_empty() && !user.contains(':')),
    };
    is_plain && names_no_secret && !host.is_empty() && !host.starts_with(['/', '-', ':']) && !rest.contains(['?', '#'])
}

/// Reports whether a token may be sent there: encrypted, or within this machine.
pub(super) fn may_see_token(url: &str) -> bool {
    transport(url).is_some_and(|(kind, _)| kind == Transport::Http) && super::model::is_trusted_url(url)
}

fn transport(url: &str) -> Option<(Transport, &str)> {
    if let Some((scheme, rest)) = url.split_once("://") {
        return match scheme {
            "https" | "http" => Some((Transport::Http, rest)),
            "ssh" => Some((Transport::Ssh, rest)),
            "git" => Some((Transport::Git, rest)),
            "file" => Some((Transport::File, rest)),
            _ => None,
        };
    }
    if url.starts_with('/') {
        return Some((Transport::File, url));
    }
    // As scp writes it: user@host:path. `a::b` would call a helper program of Git.
    let (host, path) = url.split_once(':')?;
    let is_host = !host.is_empty() && !host.contains('/');
    // `user:password@host:path` has an @ after the colon.
    let is_path = !path.is_empty() && !path.starts_with(':') && !path.contains('@');
    (is_host && is_path).then_some((Transport::Ssh, url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_no_password() {
        for good in [
            "https://github.com/octo/feedback.git",
            "http://127.0.0.1:3000/octo/feedback",
            "ssh://git@git.example.org:2222/octo/feedback.git",
            "git@github.com:octo/feedback.git",
            "git://127.0.0.1:9418/feedback.git",
            "file:///srv/feedback.git",
            "/srv/feedback.git",
        ] {
            assert!(is_remote_url(good), "{good}");
        }
        for bad in [
            "",
            "-x",
            "feedback.git",
            "https://",
            "https://me:hunter2@github.com/octo/feedback.git",
            "https://ghp_token@github.com/octo/feedback.git",
            "ssh://git:hunter2@host/x",
            "git:hunter2@host:x",
            "ext::sh -c id",
            "ext::id",
            "ftp://host/x",
            "https://host/x?token=1",
            "https:///x",
            "ssh://-oProxyCommand=id/x",
            "https://host/a b",
        ] {
            assert!(!is_remote_url(bad), "{bad}");
        }
    }

    #[test]
    fn a_token_is_not_sent_in_the_clear() {
        for good in ["https://github.com/o/r", "http://127.0.0.1:3000/o/r", "http://localhost/o/r"] {
            assert!(may_see_token(good), "{good}");
        }
        for bad in ["http://git.example.org/o/r", "git://127.0.0.1/o/r", "git@github.com:o/r", "/srv/x.git", ""] {
            assert!(!may_see_token(bad), "{bad}");
        }
    }
}
