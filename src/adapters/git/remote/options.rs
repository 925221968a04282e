//! Where the host is, and how to log in there.

use std::path::PathBuf;
use std::time::Duration;

/// The repository at a host, and the way to it.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// The Git that is run, by name or path.
    pub git: PathBuf,
    /// The address, without a password.
    pub url: String,
    /// The branch there, without `refs/heads/`.
    pub branch: String,
    /// The user that the token belongs to.
    pub username: String,
    /// The file with the token for https.
    pub token_file: Option<PathBuf>,
    /// The private key for ssh; if absent, those that `ssh` finds itself.
    pub ssh_key_file: Option<PathBuf>,
    /// The known hosts file; if absent, `ssh`'s own.
    pub known_hosts_file: Option<PathBuf>,
    /// The CA certificates for https; if absent, the system's.
    pub ca_file: Option<PathBuf>,
    /// How long one push or fetch may take.
    pub limit: Duration,
}

impl RemoteOptions {
    /// Returns scheme and host, to which alone the token is given; `None` if it is not reached by HTTP.
    pub(super) fn http_host(&self) -> Option<&str> {
        let at = self.url.find("://")? + 3;
        let is_http = ["http://", "https://"].contains(&&self.url[..at]);
        let end = self.url[at..].find('/').map_or(self.url.len(), |slash| at + slash);
        is_http.then_some(&self.url[..end])
    }

    /// Returns Git's name of the transport, which alone is allowed.
    pub(super) fn transport(&self) -> &str {
        match self.url.split_once("://") {
            Some((scheme, _)) => scheme,
            None if self.url.starts_with('/') => "file",
            None => "ssh",
        }
    }
}
