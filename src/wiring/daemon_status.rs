//! Queries to the running daemon.

use crate::adapters::rest;
use crate::app::admin::daemon_status::DaemonState;
use crate::app::admin::health::Report;
use crate::config::Config;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

/// Time limit for its answer: it is local and only reports known facts.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns this configuration's daemon's report on itself.
pub fn ask_daemon(config: &Config) -> DaemonState {
    let address = reachable(config.http.listen);
    let silent = |why: String| DaemonState::silent(address.to_string(), why);
    match rest::get(&format!("http://{address}/ready"), PATIENCE) {
        Err(error) => silent(error.to_string()),
        Ok((status, document)) => match serde_json::from_value::<Report>(document) {
            Ok(report) => DaemonState::answering(address.to_string(), report, &config.store.path.display().to_string()),
            Err(_) => silent(format!("the server there (HTTP {status}) is not feedbackd, or is an older version")),
        },
    }
}

/// Returns the address for reaching a listener: the wildcard address becomes this machine.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
