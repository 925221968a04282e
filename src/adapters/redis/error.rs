//! Server errors, sorted into temporary ones and those that need a fix.
//!
//! It names the server but never the user or the password.

use super::options::Topology;
use crate::ports::BusError;
use redis::{ErrorKind, RedisError};

/// Builds the error for the caller. Unless known to be permanent, it counts as temporary: retrying does no harm.
pub(super) fn bus_error(place: &str, topology: &Topology, error: &RedisError) -> BusError {
    let message = format!("{place}: {}", describe(error));
    match hint(topology, error) {
        Some(hint) => BusError::Refused { message, hint: hint.into() },
        None => BusError::Unavailable(message),
    }
}

/// Reports whether the consumer group or its stream was removed while in use.
pub(super) fn group_is_gone(error: &RedisError) -> bool {
    matches!(error.code(), Some("NOGROUP" | "UNBLOCKED"))
}

/// Reports whether the command was refused because another server holds the keys, or this one cannot serve them now. It
/// was not executed; the server has to be looked up again.
pub(super) fn is_elsewhere(error: &RedisError) -> bool {
    matches!(
        error.code(),
        Some("MOVED" | "ASK" | "TRYAGAIN" | "CLUSTERDOWN" | "MASTERDOWN" | "READONLY" | "LOADING" | "UNBLOCKED")
    )
}

fn describe(error: &RedisError) -> String {
    match (error.code(), error.detail()) {
        (Some(code), Some(detail)) => format!("{code} {detail}"),
        (Some(code), None) => code.to_owned(),
        _ if error.is_timeout() => "no answer in time".to_owned(),
        _ => match error.kind() {
            ErrorKind::AuthenticationFailed => "the user or the password is wrong".to_owned(),
            ErrorKind::MasterNameNotFoundBySentinel => error.detail().unwrap_or("no such primary").to_owned(),
            _ => error.to_string(),
        },
    }
}

fn hint(topology: &Topology, error: &RedisError) -> Option<&'static str> {
    let by_sentinel = matches!(topology, Topology::Sentinel(_));
    let credentials = if by_sentinel {
        "check the user and the password of the primary (redis.url, redis.password_file) and those of the Sentinels \
         (redis.sentinel_user, redis.sentinel_password_file)"
    } else {
        "check the user and the password in redis.url"
    };
    match error.kind() {
        ErrorKind::AuthenticationFailed => return Some(credentials),
        ErrorKind::MasterNameNotFoundBySentinel => return Some("set redis.sentinel_master to one of these names"),
        ErrorKind::InvalidClientConfig if by_sentinel => {
            return Some("redis.mode is sentinel, so redis.url must name Sentinels (port 26379 by default)");
        }
        ErrorKind::InvalidClientConfig => return Some("check redis.url"),
        _ => {}
    }
    let detail = error.detail().unwrap_or_default();
    match error.code()? {
        "NOAUTH" | "WRONGPASS" if by_sentinel => Some(credentials),
        "NOAUTH" | "WRONGPASS" => Some("put the user and the password into redis.url"),
        "NOPERM" => Some("grant the user of redis.url the missing right (ACL SETUSER)"),
        "WRONGTYPE" => {
            Some("a key that must be a stream holds something else: rename or remove it, or configure another key")
        }
        // A cluster's own redirections pass: the next look-up follows them.
        "MOVED" | "ASK" if *topology == Topology::Cluster => None,
        "MOVED" | "ASK" | "CROSSSLOT" => {
            Some("this is a Redis Cluster node: set redis.mode = \"cluster\", or point redis.url at a single server")
        }
        // A cluster leaves single nodes no choice of the database.
        "ERR" if detail.starts_with("SELECT is not allowed") => {
            Some("a Redis Cluster has only database 0: leave the number out of redis.url")
        }
        "ERR" if detail.starts_with("unknown command") || detail.starts_with("Unexpected engine") => {
            Some("Redis 7.0 or later is needed")
        }
        "ERR" if detail.contains("DB index") => Some("the database number in redis.url does not exist"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::options::Sentinels;
    use redis::make_extension_error;

    #[test]
    fn errors_that_last_come_with_a_hint() {
        for code in ["NOAUTH", "WRONGPASS", "NOPERM", "WRONGTYPE", "MOVED", "ASK", "CROSSSLOT"] {
            let error = make_extension_error(code.into(), Some("said so".into()));
            assert!(matches!(bus_error("r", &Topology::Single, &error), BusError::Refused { .. }), "{code}");
        }
    }

    #[test]
    fn errors_that_pass_do_not() {
        for code in ["READONLY", "LOADING", "NOGROUP", "UNBLOCKED", "OOM", "MISCONF", "NOREPLICAS", "BUSY", "ERR"] {
            let error = make_extension_error(code.into(), Some("said so".into()));
            assert!(matches!(bus_error("r", &Topology::Single, &error), BusError::Unavailable(_)), "{code}");
        }
    }

    #[test]
    fn what_a_failover_or_a_moving_slot_says_passes() {
        let sentinel = Topology::Sentinel(Sentinels::default());
        for code in ["READONLY", "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOSCRIPT"] {
            let error = make_extension_error(code.into(), Some("said so".into()));
            for topology in [&Topology::Cluster, &sentinel] {
                assert!(matches!(bus_error("r", topology, &error), BusError::Unavailable(_)), "{code}");
            }
        }
        for code in ["MOVED", "ASK"] {
            let error = make_extension_error(code.into(), Some("3999 a:1".into()));
            assert!(is_elsewhere(&error));
            assert!(matches!(bus_error("r", &Topology::Cluster, &error), BusError::Unavailable(_)), "{code}");
        }
    }
}
