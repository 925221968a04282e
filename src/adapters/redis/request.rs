//! Sends commands, and turns a server's errors into errors. It opens no connection.

use redis::aio::MultiplexedConnection;
use redis::{Cmd, Pipeline, RedisResult, Value};

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
