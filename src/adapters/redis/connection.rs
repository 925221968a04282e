//! Opens connections to Redis, and names their target without the password.
//!
//! Every connection goes to the server that holds the keys: the given one, or the primary as found by [`super::primary`].
//! It is looked up again for each connection. It does not retry: the caller waits and tries again.

use super::error::{bus_error, is_elsewhere};
use super::options::{RedisOptions, Tls, Topology};
use super::password::Password;
use super::primary::{Primary, Resolver, first_answer};
use super::redis_url::redacted;
use super::request::ask;
use crate::config::addresses;
use crate::ports::BusError;
use redis::aio::MultiplexedConnection;
use redis::io::tcp::TcpSettings;
use redis::{
    AsyncConnectionConfig, Client, ClientTlsConfig, ConnectionInfo, IntoConnectionInfo, RedisError, RedisResult,
    TlsCertificates, cmd,
};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// How long one server may take to accept a connection if there are others to ask.
const CONNECTING: Duration = Duration::from_secs(1);

/// Opens connections to the server that holds the keys.
#[derive(Clone)]
pub(super) struct Connector {
    seeds: Vec<ConnectionInfo>,
    certificates: Option<TlsCertificates>,
    password: Password,
    topology: Topology,
    /// A key of ours: in a cluster, all the others are where it is.
    key: String,
    place: String,
    response_timeout: Duration,
    on_resolve: fn(),
}

impl Connector {
    pub(super) fn new(options: &RedisOptions) -> Result<Connector, BusError> {
        let place = redacted(&options.url);
        let certificates = certificates(&options.tls);
        let mut seeds: Vec<ConnectionInfo> = Vec::new();
        for url in addresses(&options.url) {
            let mut info = url.into_connection_info().map_err(|_| not_a_url(&redacted(url)))?;
            if let Some(first) = seeds.first() {
                let (settings, stated) = (first.redis_settings(), info.redis_settings());
                let differs = (stated.username().is_some() && stated.username() != settings.username())
                    || (stated.password().is_some() && stated.password() != settings.password())
                    || (stated.db() != 0 && stated.db() != settings.db());
                if differs {
                    return Err(BusError::Refused {
                        message: format!("the addresses `{place}` have different users, passwords or databases"),
                        hint: "write them into the first address of redis.url only: they apply to all".into(),
                    });
                }
                info = info.clone().set_redis_settings(settings.clone());
            }
            let info = info.set_tcp_settings(TcpSettings::default().set_nodelay(true));
            let client = match &certificates {
                Some(certificates) => Client::build_with_tls(info, certificates.clone()),
                None => Client::open(info),
            };
            let client = client.map_err(|error| BusError::Refused {
                message: format!("TLS to `{place}` cannot be set up: {error}"),
                hint:
                    "redis.ca_file, redis.certificate_file and redis.key_file must name PEM files, and redis.url must \
                     begin with rediss://"
                        .into(),
            })?;
            seeds.push(client.get_connection_info().clone());
        }
        Ok(Connector {
            seeds,
            certificates,
            password: options.password.clone(),
            topology: options.topology.clone(),
            key: options.owner_key(),
            place,
            response_timeout: options.response_timeout,
            on_resolve: options.on_resolve,
        })
    }

    /// Opens a connection.
    pub(super) async fn open(&self) -> RedisResult<MultiplexedConnection> {
        Ok(self.open_primary().await?.connection)
    }

    /// Opens a connection, and returns the server's address with it.
    pub(super) async fn open_primary(&self) -> RedisResult<Primary> {
        (self.on_resolve)();
        let resolver = self.resolver()?;
        let seeds = resolver.seeds.clone().into_iter();
        match &self.topology {
            Topology::Single => first_answer(seeds.map(|seed| resolver.clone().open_one(seed)).collect()).await,
            Topology::Sentinel(sentinels) => resolver.ask_sentinels(sentinels).await,
            Topology::Cluster => {
                first_answer(seeds.map(|seed| resolver.clone().follow(seed, self.key.clone())).collect()).await
            }
        }
    }

    /// Returns what the look-up needs, with the present password.
    pub(super) fn resolver(&self) -> RedisResult<Resolver> {
        let seeds = match self.password.read()? {
            None => self.seeds.clone(),
            Some(password) => {
                let with_password = |seed: &ConnectionInfo| {
                    seed.clone().set_redis_settings(seed.redis_settings().clone().set_password(&password))
                };
                self.seeds.iter().map(with_password).collect()
            }
        };
        // A server that died with its host does not answer at all, and the next one must not wait for it.
        let is_one = self.topology == Topology::Single && seeds.len() == 1;
        let connecting = if is_one { self.response_timeout } else { self.response_timeout.min(CONNECTING) };
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(connecting))
            .set_response_timeout(Some(self.response_timeout));
        Ok(Resolver { seeds, certificates: self.certificates.clone(), config })
    }

    /// Reports whether the server at the other end still answers and, in a cluster, still holds the keys.
    async fn is_alive(&self, connection: &mut MultiplexedConnection) -> bool {
        let question = match self.topology {
            Topology::Cluster => cmd("EXISTS").arg(&self.key).to_owned(),
            Topology::Single | Topology::Sentinel(_) => cmd("PING"),
        };
        ask(connection, &question).await.is_ok()
    }

    /// Describes an error on one of these connections for the caller.
    pub(super) fn explain(&self, error: &RedisError) -> BusError {
        bus_error(&self.place, &self.topology, error)
    }
}

fn not_a_url(place: &str) -> BusError {
    BusError::Refused {
        message: format!("`{place}` is not a Redis URL"),
        hint: "set redis.url to redis://[user:password@]host[:port][/db], with special characters in the password \
               percent-encoded, or to several of these separated by commas"
            .into(),
    }
}

/// Returns the TLS certificates beyond the system's; `None` if there are none.
fn certificates(tls: &Tls) -> Option<TlsCertificates> {
    let bytes = |text: &String| text.clone().into_bytes();
    let client_tls = tls.certificate.as_ref().zip(tls.key.as_ref());
    let client_tls =
        client_tls.map(|(shown, key)| ClientTlsConfig { client_cert: bytes(shown), client_key: bytes(key) });
    let root_cert = tls.roots.as_ref().map(bytes);
    (client_tls.is_some() || root_cert.is_some()).then_some(TlsCertificates { client_tls, root_cert })
}

/// A connection kept between requests, for callers that block their own thread.
///
/// Opening one takes several round trips, more with TLS and a password. Commands that block on the server must not be
/// sent here.
pub(super) struct KeptConnection {
    connector: Connector,
    kept: Mutex<Option<MultiplexedConnection>>,
}

impl KeptConnection {
    /// Does not connect.
    ///
    /// # Errors
    /// [`BusError::Refused`] if the URL cannot be parsed.
    pub(super) fn new(options: &RedisOptions) -> Result<KeptConnection, BusError> {
        Ok(KeptConnection { connector: Connector::new(options)?, kept: Mutex::default() })
    }

    /// Sends a request and blocks this thread, which must not belong to an event loop.
    ///
    /// # Errors
    /// If Redis cannot be reached or the request fails. It is not retried: a failed request may have taken effect.
    pub(super) fn ask<T>(
        &self,
        asking: impl AsyncFnOnce(&mut MultiplexedConnection) -> RedisResult<T>,
    ) -> Result<T, BusError> {
        let asked = event_loop()?.block_on(async {
            let mut connection = self.open().await?;
            let asked = asking(&mut connection).await;
            if asked.as_ref().is_err_and(is_lost) {
                self.keep(None);
            }
            asked
        });
        asked.map_err(|error| self.connector.explain(&error))
    }

    /// Returns the kept connection if it still responds, otherwise a new one.
    async fn open(&self) -> RedisResult<MultiplexedConnection> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(mut kept) = kept
            && self.connector.is_alive(&mut kept).await
        {
            return Ok(kept);
        }
        self.keep(None);
        let opened = self.connector.open().await?;
        self.keep(Some(opened.clone()));
        Ok(opened)
    }

    fn keep(&self, connection: Option<MultiplexedConnection>) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = connection;
    }
}

/// Reports whether an error ends the use of a connection: it is broken, or its server no longer is the right one.
fn is_lost(error: &RedisError) -> bool {
    error.is_unrecoverable_error() || error.is_timeout() || is_elsewhere(error)
}

/// Returns the runtime that drives the kept connections: one thread for all of them.
fn event_loop() -> Result<&'static Runtime, BusError> {
    static EVENT_LOOP: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let started = EVENT_LOOP.get_or_init(|| {
        let builder = Builder::new_multi_thread().worker_threads(1).thread_name("redis").enable_all().build();
        builder.map_err(|error| error.to_string())
    });
    started.as_ref().map_err(|error| BusError::Unavailable(format!("cannot start: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_url_is_refused_with_a_hint() {
        let options = RedisOptions { url: "http://me:geheim@h".into(), ..RedisOptions::default() };
        let error = Connector::new(&options).err().expect("not a Redis URL").to_string();
        assert!(!error.contains("geheim"));
        insta::assert_snapshot!(error, @"redis: `http://***@h` is not a Redis URL; set redis.url to redis://[user:password@]host[:port][/db], with special characters in the password percent-encoded, or to several of these separated by commas");
    }

    #[test]
    fn all_addresses_are_of_one_user() {
        let connector = |url: &str| Connector::new(&RedisOptions { url: url.into(), ..RedisOptions::default() });
        let seeds = connector("redis://me:geheim@a:1/2,redis://b:2").expect("one user").seeds;
        let settings: Vec<_> = seeds.iter().map(|seed| seed.redis_settings()).collect();
        assert_eq!(settings.iter().map(|s| (s.username(), s.db())).collect::<Vec<_>>(), [(Some("me"), 2); 2]);
        let error = connector("redis://me:geheim@a:1,redis://you:geheim@b:2").err().expect("two users").to_string();
        assert!(!error.contains("geheim"));
        insta::assert_snapshot!(error, @"redis: the addresses `redis://***@a:1,redis://***@b:2` have different users, passwords or databases; write them into the first address of redis.url only: they apply to all");
    }
}
