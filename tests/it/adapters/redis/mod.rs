//! Redis Streams on a real server.

mod connection;
mod deploy;
mod probe;
mod publisher;
mod source;
