//! The section about HTTP: the listen address and the API's token.

use super::oidc::OidcConfig;
use super::problem::{ConfigError, Origin, Problem, read_file, variable};
use super::secret::Secret;
use super::words::parts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// A shorter token could be guessed.
const MIN_TOKEN_CHARS: usize = 16;
/// The digests that a proxy may sign with; SHA-1 and older ones are excluded.
const DIGESTS: [&str; 3] = ["sha256", "sha384", "sha512"];
/// The identity headers that oauth2-proxy signs. X-Forwarded-Preferred-Username is not among them.
const SIGNED_HEADERS: [&str; 4] = ["x-forwarded-user", "x-forwarded-email", "x-forwarded-preferred-user", "gap-auth"];

/// `[http]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpConfig {
    /// Address and port of `/health`, `/ready`, `/metrics` and `/api/v1`.
    pub listen: std::net::SocketAddr,
    /// A file that holds the API's token for programs; empty: the systemd credential `http_api_token` if it exists,
    /// else none.
    pub api_token_file: PathBuf,
    /// Names and addresses under which it is reached, without ports, comma-separated; those of this machine and of the
    /// listen address need not be listed.
    pub hosts: String,
    /// Origins of pages other than its own that may call it, such as `http://localhost:5173`, comma-separated.
    pub origins: String,
    /// A reverse proxy that identifies the user.
    pub proxy: ProxyConfig,
    /// An OpenID Connect provider for logging in.
    pub oidc: OidcConfig,
    /// The address at which people find the pages, without a trailing slash; empty: notifications have no links.
    pub public_url: String,
    /// Whether users on this machine may read the pages without logging in.
    pub anonymous_reading: AnonymousReading,
    /// Maximum concurrent connections.
    pub max_connections: u64,
    /// Maximum concurrent connections per address.
    pub max_connections_per_client: u64,
    /// Maximum requests per second and address; probes are not counted.
    pub requests_per_second: u32,
    /// The largest request head, in bytes.
    pub max_head_bytes: u64,
    /// The time limit for a complete head, and for an idle connection, in seconds.
    pub head_timeout_seconds: u64,
    /// The largest request body, in bytes.
    pub max_body_bytes: u64,
    /// The time limit for a complete body, in seconds.
    pub body_timeout_seconds: u64,
    /// `/ready` fails if work makes no progress for this long, in seconds.
    pub stalled_after_seconds: u64,
}

/// Whether users on this machine may read the pages without logging in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnonymousReading {
    /// Yes, unless the configuration indicates a proxy or a public name.
    #[default]
    Auto,
    /// Always: for a machine whose proxy admits no strangers.
    On,
    /// Never.
    Off,
}

/// `[http.proxy]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProxyConfig {
    /// The header in which it names the person, by roster id; empty: none.
    pub header: String,
    /// The proxy's addresses, comma-separated.
    pub addresses: String,
    /// A file with the key that it signs with, in the form of oauth2-proxy's `signature_key`; empty: it does not sign.
    pub signature_key_file: PathBuf,
}

impl ProxyConfig {
    /// Returns the addresses; `None` if one of them is invalid.
    pub fn ips(&self) -> Option<Vec<IpAddr>> {
        parts(&self.addresses).map(|address| address.parse().ok()).collect()
    }

    /// Reports whether its header is covered by the signature, if it signs.
    pub fn is_covered(&self) -> bool {
        let signs = self.signature_key_file != Path::new("") && !self.header.is_empty();
        !signs || SIGNED_HEADERS.contains(&self.header.to_ascii_lowercase().as_str())
    }

    /// Returns the key from `signature_key_file`: the digest, a colon and the secret; `None` if no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file is set but cannot be read, [`ConfigError::Invalid`] if its content is
    /// not such a key or could be guessed.
    pub fn signature_key(&self) -> Result<Option<Secret>, ConfigError> {
        const KEY: &str = "http.proxy.signature_key_file";
        if self.signature_key_file == Path::new("") {
            return Ok(None);
        }
        let text = read_file(&self.signature_key_file, KEY)?;
        let key = text.trim_end_matches(['\n', '\r']);
        let good = key
            .split_once(':')
            .is_some_and(|(digest, secret)| DIGESTS.contains(&digest) && secret.chars().count() >= MIN_TOKEN_CHARS);
        if good {
            return Ok(Some(Secret::new(key)));
        }
        Err(ConfigError::Invalid(vec![Problem {
            key: KEY.to_owned(),
            variable: variable(KEY),
            origin: Origin::File(self.signature_key_file.clone()),
            found: "something else".to_owned(),
            allowed: format!("sha256, sha384 or sha512, a colon, and a secret of {MIN_TOKEN_CHARS} or more characters"),
            hint: "copy oauth2-proxy's signature_key exactly; sha1 is not accepted".to_owned(),
        }]))
    }
}

impl HttpConfig {
    /// Reports whether the endpoints can be reached from other machines; health and metrics have no authentication.
    pub fn is_exposed(&self) -> bool {
        !self.listen.ip().is_loopback()
    }

    /// Returns the keys that make the address reachable from other machines: it is open, has a public name, or is
    /// behind a proxy.
    pub fn published_by(&self) -> Vec<&'static str> {
        let names_others = self.host_names().any(|host| !is_own_name(host));
        let signs = [
            ("http.listen", self.is_exposed()),
            ("http.hosts", names_others),
            ("http.origins", self.origin_names().any(|origin| !is_own_url(origin))),
            ("http.public_url", !self.public_url.is_empty() && !is_own_url(&self.public_url)),
            ("http.proxy.header", !self.proxy.header.is_empty()),
        ];
        signs.into_iter().filter(|(_, is_there)| *is_there).map(|(key, _)| key).collect()
    }

    /// Returns the names and addresses in `hosts`.
    pub fn host_names(&self) -> impl Iterator<Item = &str> {
        parts(&self.hosts)
    }

    /// Returns the origins in `origins`.
    pub fn origin_names(&self) -> impl Iterator<Item = &str> {
        parts(&self.origins)
    }

    /// Returns the token from `api_token_file`, without its trailing newline; `None` if no file is set.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`] if the file is set but cannot be read, [`ConfigError::Invalid`] if its content could
    /// be guessed or cannot be sent in a header.
    pub fn api_token(&self) -> Result<Option<Secret>, ConfigError> {
        token(&self.api_token_file, "http.api_token_file")
    }
}

/// Returns the token in a file, without its trailing newline; `None` if there is no file.
///
/// # Errors
/// [`ConfigError::Unreadable`] if the file cannot be read, [`ConfigError::Invalid`] if its content could be guessed or
/// cannot be sent in a header.
pub(super) fn token(file: &Path, key: &str) -> Result<Option<Secret>, ConfigError> {
    if file == Path::new("") {
        return Ok(None);
    }
    let text = read_file(file, key)?;
    let token = text.trim_end_matches(['\n', '\r']);
    if token.len() >= MIN_TOKEN_CHARS && token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(Some(Secret::new(token)));
    }
    Err(ConfigError::Invalid(vec![Problem {
        key: key.to_owned(),
        variable: variable(key),
        origin: Origin::File(file.to_owned()),
        found: format!("a token of {} characters", token.chars().count()),
        allowed: format!("{MIN_TOKEN_CHARS} or more visible ASCII characters on one line"),
        hint: "generate one with `openssl rand -hex 32`".to_owned(),
    }]))
}

/// Reports whether a name or address is one that every machine has for itself.
fn is_own_name(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Reports whether an address leads to the machine where it is read.
fn is_own_url(url: &str) -> bool {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest).split('/').next().unwrap_or_default();
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    is_own_name(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn what_names_a_proxy_or_another_name_publishes_the_address() {
        let published = |change: fn(&mut HttpConfig)| {
            let mut config = Config::default().http;
            change(&mut config);
            config.published_by()
        };
        assert!(published(|_| {}).is_empty());
        assert!(published(|c| c.public_url = "http://127.0.0.1:9464".into()).is_empty());
        assert!(published(|c| c.origins = "http://localhost:5173, http://[::1]:3000".into()).is_empty());
        assert!(published(|c| c.hosts = "localhost, 127.0.0.1".into()).is_empty());
        assert_eq!(published(|c| c.public_url = "https://feedback.example.org".into()), ["http.public_url"]);
        assert_eq!(published(|c| c.public_url = "http://localhost.example.org".into()), ["http.public_url"]);
        assert_eq!(published(|c| c.origins = "https://review.example.org".into()), ["http.origins"]);
        assert_eq!(published(|c| c.hosts = "localhost, feedback.example.org".into()), ["http.hosts"]);
        assert_eq!(published(|c| c.proxy.header = "X-Forwarded-User".into()), ["http.proxy.header"]);
        assert_eq!(published(|c| c.listen = ([0, 0, 0, 0], 9464).into()), ["http.listen"]);
    }
}
