//! Finds the server that holds the keys, and opens a connection to it: by Sentinels, or by a cluster's redirections.
//!
//! All keys of a tenant are in one slot, so one server of a cluster holds them, and a plain connection to it suffices. The
//! client's own cluster connection is deliberately not used: it repeats commands of which it is not known whether they
//! ran, and a repeated read would strand the entries of the first. Nothing is remembered between two look-ups.

use super::options::Sentinels;
use super::reply;
use super::request::ask;
use redis::aio::MultiplexedConnection;
use redis::io::tcp::TcpSettings;
use redis::sentinel::{SentinelClient, SentinelClientBuilder, SentinelServerType};
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, ConnectionInfo, ErrorKind, RedisError, RedisResult, TlsCertificates,
    TlsMode, cmd,
};
use std::io;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How long an address may take before the next one is asked too: a server that is up answers sooner.
const HEAD_START: Duration = Duration::from_millis(50);

/// The most redirections followed. While nodes disagree about a slot, they may send a client in a circle.
const MOST_REDIRECTIONS: usize = 5;

/// A connection to the server that holds the keys.
pub(super) struct Primary {
    pub(super) connection: MultiplexedConnection,
    /// Its host and port, or the path of its socket.
    pub(super) address: String,
}

/// Everything that a look-up needs.
#[derive(Clone)]
pub(super) struct Resolver {
    /// The addresses, with the settings of connections to the server that holds the keys.
    pub(super) seeds: Vec<ConnectionInfo>,
    pub(super) certificates: Option<TlsCertificates>,
    pub(super) config: AsyncConnectionConfig,
}

impl Resolver {
    /// Opens a connection to this server.
    pub(super) async fn open_one(self, server: ConnectionInfo) -> RedisResult<Primary> {
        let address = server.addr().to_string();
        let client = Client::open(server)?;
        let connection = client.get_multiplexed_async_connection_with_config(&self.config).await?;
        Ok(Primary { connection, address })
    }

    /// Asks a node of a cluster for a key, and follows it to the primary of the key's slot.
    pub(super) async fn follow(self, node: ConnectionInfo, key: String) -> RedisResult<Primary> {
        let mut node = node;
        for _ in 0..=MOST_REDIRECTIONS {
            let mut found = self.clone().open_one(node.clone()).await?;
            match ask(&mut found.connection, cmd("EXISTS").arg(&key)).await {
                Err(error) if error.code() == Some("MOVED") => node = redirected(&node, &error)?,
                Err(error) if !matches!(error.code(), Some("ASK" | "TRYAGAIN")) => return Err(error),
                // ASK and TRYAGAIN: the slot is moving, and this node is still its owner.
                Ok(_) | Err(_) => return Ok(found),
            }
        }
        Err(io::Error::other("the nodes of the cluster do not agree which of them holds the keys").into())
    }

    /// Asks the Sentinels for the primary.
    pub(super) async fn ask_sentinels(self, sentinels: &Sentinels) -> RedisResult<Primary> {
        let mut client = self.sentinel_client(sentinels)?;
        match client.async_get_client().await {
            Ok(client) => self.open_one(client.get_connection_info().clone()).await,
            Err(error) if error.kind() == ErrorKind::MasterNameNotFoundBySentinel => {
                let names = names(&mut client).await?;
                Err(not_found(&sentinels.master, &names))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns a client that asks the Sentinels.
    pub(super) fn sentinel_client(&self, sentinels: &Sentinels) -> RedisResult<SentinelClient> {
        let addresses = self.seeds.iter().map(|seed| seed.addr().clone());
        let tcp = TcpSettings::default().set_nodelay(true);
        let mut builder = SentinelClientBuilder::new(addresses, &sentinels.master, SentinelServerType::Master)?
            .set_client_to_redis_tcp_settings(tcp.clone())
            .set_client_to_sentinel_tcp_settings(tcp);
        // The settings of the primary are those of the first address, TLS included.
        if let Some(first) = self.seeds.first() {
            let settings = first.redis_settings();
            builder = builder.set_client_to_redis_db(settings.db()).set_client_to_redis_protocol(settings.protocol());
            if let Some(user) = settings.username() {
                builder = builder.set_client_to_redis_username(user);
            }
            if let Some(password) = settings.password() {
                builder = builder.set_client_to_redis_password(password);
            }
            if let ConnectionAddr::TcpTls { insecure, .. } = first.addr() {
                let mode = if *insecure { TlsMode::Insecure } else { TlsMode::Secure };
                builder = builder.set_client_to_redis_tls_mode(mode);
            }
        }
        if let Some(certificates) = &self.certificates {
            builder = builder.set_client_to_redis_certificates(certificates.clone());
        }
        if let Some(user) = &sentinels.user {
            builder = builder.set_client_to_sentinel_username(user);
        }
        if let Some(password) = sentinels.password.read()? {
            builder = builder.set_client_to_sentinel_password(password);
        }
        builder.build()
    }
}

/// Returns the first success. The next attempt begins once one has failed or has taken a little while, so that an address
/// that does not answer costs little. If all fail, returns what a server said, otherwise the last error.
pub(super) async fn first_answer<F>(attempts: Vec<F>) -> RedisResult<Primary>
where
    F: Future<Output = RedisResult<Primary>> + Send + 'static,
{
    let (mut attempts, mut running) = (attempts.into_iter().peekable(), JoinSet::new());
    let mut failed: Option<RedisError> = None;
    loop {
        if let Some(attempt) = attempts.next() {
            running.spawn(attempt);
        }
        let patience = if attempts.peek().is_some() { HEAD_START } else { Duration::MAX };
        match timeout(patience, running.join_next()).await {
            Ok(Some(Ok(Ok(found)))) => return Ok(found),
            Ok(Some(Ok(Err(error)))) => {
                if failed.as_ref().is_none_or(RedisError::is_io_error) {
                    failed = Some(error);
                }
            }
            Ok(Some(Err(error))) => failed = failed.or_else(|| Some(io::Error::other(error).into())),
            Ok(None) if attempts.peek().is_none() => {
                return Err(failed.unwrap_or_else(|| io::Error::other("there is no address to ask").into()));
            }
            Ok(None) | Err(_) => {}
        }
    }
}

/// Returns the node to which another one redirects. Without a host it is the same host: a cluster behind a proxy names
/// none.
fn redirected(from: &ConnectionInfo, error: &RedisError) -> RedisResult<ConnectionInfo> {
    let unknown = || RedisError::from(io::Error::other(format!("a redirection that names no port: {error}")));
    let (named, _) = error.redirect_node().ok_or_else(unknown)?;
    let (named_host, named_port) = named.rsplit_once(':').ok_or_else(unknown)?;
    let named_port: u16 = named_port.parse().map_err(|_| unknown())?;
    let mut address = from.addr().clone();
    let (ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. }) = &mut address else {
        return Err(unknown());
    };
    if !matches!(named_host, "" | "?") {
        named_host.clone_into(host);
    }
    *port = named_port;
    Ok(from.clone().set_addr(address))
}

/// Returns the names of the primaries that a Sentinel watches.
async fn names(client: &mut SentinelClient) -> RedisResult<Vec<String>> {
    let sentinel = client.async_get_sentinel_client().await?;
    let mut connection = sentinel.get_multiplexed_async_connection().await?;
    let mut names = Vec::new();
    for watched in reply::array(ask(&mut connection, cmd("SENTINEL").arg("MASTERS")).await?)? {
        for (name, value) in reply::pairs(watched)? {
            if name == "name" {
                names.push(reply::text(value)?);
            }
        }
    }
    Ok(names)
}

/// Describes a name without a primary: an unknown name is a mistake, otherwise the primary is down.
fn not_found(name: &str, names: &[String]) -> RedisError {
    if names.iter().any(|known| known == name) {
        return io::Error::other(format!("no primary of `{name}` is up, as far as the Sentinels know")).into();
    }
    let known = match names {
        [] => "they watch none".to_owned(),
        names => format!("they watch {}", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
    };
    let detail = format!("the Sentinels watch no primary named `{name}`: {known}");
    (ErrorKind::MasterNameNotFoundBySentinel, "no such primary", detail).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use redis::{IntoConnectionInfo, Value, parse_redis_value};

    fn moved(said: &str) -> RedisError {
        match parse_redis_value(format!("-MOVED {said}\r\n").as_bytes()) {
            Ok(Value::ServerError(error)) => error.into(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_redirection_keeps_user_and_tls_and_takes_host_and_port() {
        for (from, said, expected) in [
            ("redis://me:pw@a:1", "3999 b:2", "b:2"),
            ("redis://me:pw@a:1", "3999 :2", "a:2"),
            ("redis://me:pw@a:1", "3999 ?:2", "a:2"),
            ("rediss://me:pw@a:1", "3999 10.0.0.7:2", "10.0.0.7:2"),
            ("redis://me:pw@a:1", "3999 fe80::7:2", "fe80::7:2"),
        ] {
            let from = from.into_connection_info().expect("a URL");
            let to = redirected(&from, &moved(said)).expect("an address");
            assert_eq!((to.addr().to_string().as_str(), to.redis_settings().username()), (expected, Some("me")));
            let is_tls = |info: &ConnectionInfo| matches!(info.addr(), ConnectionAddr::TcpTls { .. });
            assert_eq!(is_tls(&to), is_tls(&from));
        }
        let from = "redis://a:1".into_connection_info().expect("a URL");
        for said in ["3999", "3999 b", "3999 b:x"] {
            assert!(redirected(&from, &moved(said)).is_err(), "{said}");
        }
    }

    #[test]
    fn a_name_that_is_not_watched_is_told_apart_from_a_primary_that_is_down() {
        let names = ["orders".to_owned(), "feedback".to_owned()];
        assert!(not_found("feedback", &names).is_io_error());
        insta::assert_snapshot!(not_found("feedbak", &names).detail().unwrap_or_default(), @"the Sentinels watch no primary named `feedbak`: they watch `orders`, `feedback`");
    }
}
