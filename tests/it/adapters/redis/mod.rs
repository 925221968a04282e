//! Redis Streams on a real server.

mod deploy;
mod probe;
mod publisher;
mod source;
