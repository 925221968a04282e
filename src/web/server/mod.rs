//! Connections: how many, how long, from where, and which requests are answered at all.

pub mod bad_request;
pub mod connection_limit;
pub mod limits;
pub mod listener;
pub mod origin;
pub mod proxy_detection;
pub mod request_filter;
