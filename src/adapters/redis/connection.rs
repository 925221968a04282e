//! Opens connections to Redis, and names their target without the password.
//!
//! It does not retry: the caller waits and tries again.

use super::error::bus_error;
use super::options::{RedisOptions, Tls};
use super::redis_url::redacted;
use crate::ports::BusError;
use redis::aio::MultiplexedConnection;
use redis::io::tcp::TcpSettings;
use redis::{
    AsyncConnectionConfig, Client, ClientTlsConfig, Cmd, IntoConnectionInfo, Pipeline, RedisError, RedisResult,
    TlsCertificates, Value, cmd,
};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Opens connections to one server.
#[derive(Clone)]
pub(super) struct Connector {
    client: Client,
    place: String,
    response_timeout: Duration,
}

impl Connector {
    pub(super) fn new(options: &RedisOptions) -> Result<Connector, BusError> {
        let place = redacted(&options.url);
        let info = options
            .url
            .as_str()
            .into_connection_info()
            .map(|info| info.set_tcp_settings(TcpSettings::default().set_nodelay(true)))
            .map(|info| match &options.password {
                Some(password) => {
                    let settings = info.redis_settings().clone().set_password(password);
                    info.set_redis_settings(settings)
                }
                None => info,
            })
            .map_err(|_| BusError::Refused {
                message: format!("`{place}` is not a Redis URL"),
                hint: "set redis.url to redis://[user:password@]host[:port][/db], with special characters in the \
                       password percent-encoded"
                    .into(),
            })?;
        let client = match certificates(&options.tls) {
            Some(certificates) => Client::build_with_tls(info, certificates),
            None => Client::open(info),
        };
        let client = client.map_err(|error| BusError::Refused {
            message: format!("TLS to `{place}` cannot be set up: {error}"),
            hint: "redis.ca_file, redis.certificate_file and redis.key_file must name PEM files, and redis.url must \
                 begin with rediss://"
                .into(),
        })?;
        Ok(Connector { client, place, response_timeout: options.response_timeout })
    }

    /// Opens a connection.
    pub(super) async fn open(&self) -> RedisResult<MultiplexedConnection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.response_timeout))
            .set_response_timeout(Some(self.response_timeout));
        self.client.get_multiplexed_async_connection_with_config(&config).await
    }

    /// Describes an error on one of these connections for the caller.
    pub(super) fn explain(&self, error: &RedisError) -> BusError {
        bus_error(&self.place, error)
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
            if asked.as_ref().is_err_and(|error| error.is_unrecoverable_error() || error.is_timeout()) {
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
            && cmd("PING").query_async::<Value>(&mut kept).await.is_ok()
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

/// Returns the runtime that drives the kept connections: one thread for all of them.
fn event_loop() -> Result<&'static Runtime, BusError> {
    static EVENT_LOOP: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let started = EVENT_LOOP.get_or_init(|| {
        let builder = Builder::new_multi_thread().worker_threads(1).thread_name("redis").enable_all().build();
        builder.map_err(|error| error.to_string())
    });
    started.as_ref().map_err(|error| BusError::Unavailable(format!("cannot start: {error}")))
}

/// Sends a command. Server errors become errors; nested ones are left to the reader of the reply.
pub(super) async fn ask(connection: &mut MultiplexedConnection, command: &Cmd) -> RedisResult<Value> {
    accepted(connection.send_packed_command(command).await?)
}

/// Pipelines commands; returns one reply each, server errors included.
pub(super) async fn ask_all(
    connection: &mut MultiplexedConnection,
    pipeline: &Pipeline,
) -> RedisResult<Vec<RedisResult<Value>>> {
    let answers = connection.send_packed_commands(pipeline, 0, pipeline.len()).await?;
    Ok(answers.into_iter().map(accepted).collect())
}

fn accepted(answer: Value) -> RedisResult<Value> {
    match answer {
        Value::ServerError(error) => Err(error.into()),
        answer => Ok(answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_url_is_refused_with_a_hint() {
        let options = RedisOptions { url: "http://me:geheim@h".into(), ..RedisOptions::default() };
        let error = Connector::new(&options).err().expect("not a Redis URL").to_string();
        assert!(!error.contains("geheim"));
        insta::assert_snapshot!(error, @"redis: `http://***@h` is not a Redis URL; set redis.url to redis://[user:password@]host[:port][/db], with special characters in the password percent-encoded");
    }
}
