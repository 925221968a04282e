//! Opening connections to Redis, and saying where they lead without saying the password.
//!
//! It does not retry: the caller waits and tries again.

use super::error::bus_error;
use super::options::RedisOptions;
use super::place::redacted;
use crate::ports::BusError;
use redis::aio::MultiplexedConnection;
use redis::io::tcp::TcpSettings;
use redis::{AsyncConnectionConfig, Client, Cmd, IntoConnectionInfo, Pipeline, RedisError, RedisResult, Value};
use std::time::Duration;

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
        let client = options
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
            .and_then(Client::open)
            .map_err(|_| BusError::Refused {
                message: format!("`{place}` is not a URL of a Redis server"),
                hint: "set redis.url to redis://[user:password@]host[:port][/db], with special characters in the \
                       password percent-encoded"
                    .into(),
            })?;
        Ok(Connector { client, place, response_timeout: options.response_timeout })
    }

    /// Opens a connection whose answers may take `longer` than usual.
    pub(super) async fn open(&self, longer: Duration) -> RedisResult<MultiplexedConnection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.response_timeout))
            .set_response_timeout(Some(self.response_timeout + longer));
        self.client.get_multiplexed_async_connection_with_config(&config).await
    }

    /// What to tell the caller about an error on one of these connections.
    pub(super) fn explain(&self, error: &RedisError) -> BusError {
        bus_error(&self.place, error)
    }
}

/// Sends a command. Errors of the server become errors; nested ones are left to whoever reads the reply.
pub(super) async fn ask(connection: &mut MultiplexedConnection, command: &Cmd) -> RedisResult<Value> {
    accepted(connection.send_packed_command(command).await?)
}

/// Sends commands in one go; one answer for each, errors of the server among them.
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
        insta::assert_snapshot!(error, @"redis: `http://***@h` is not a URL of a Redis server; set redis.url to redis://[user:password@]host[:port][/db], with special characters in the password percent-encoded");
    }
}
