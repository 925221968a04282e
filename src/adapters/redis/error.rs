//! Server errors, sorted into temporary ones and those that need a fix.
//!
//! It names the server but never the user or the password.

use crate::ports::BusError;
use redis::{ErrorKind, RedisError};

/// Builds the error for the caller. Unless known to be permanent, it counts as temporary: retrying does no harm.
pub(super) fn bus_error(place: &str, error: &RedisError) -> BusError {
    let message = format!("{place}: {}", describe(error));
    match hint(error) {
        Some(hint) => BusError::Refused { message, hint: hint.into() },
        None => BusError::Unavailable(message),
    }
}

/// Reports whether the consumer group or its stream was removed while in use.
pub(super) fn group_is_gone(error: &RedisError) -> bool {
    matches!(error.code(), Some("NOGROUP" | "UNBLOCKED"))
}

fn describe(error: &RedisError) -> String {
    match (error.code(), error.detail()) {
        (Some(code), Some(detail)) => format!("{code} {detail}"),
        (Some(code), None) => code.to_owned(),
        _ if error.is_timeout() => "no answer in time".to_owned(),
        _ => match error.kind() {
            ErrorKind::AuthenticationFailed => "the user or the password is wrong".to_owned(),
            _ => error.to_string(),
        },
    }
}

fn hint(error: &RedisError) -> Option<&'static str> {
    match error.kind() {
        ErrorKind::AuthenticationFailed => return Some("check the user and the password in redis.url"),
        ErrorKind::InvalidClientConfig => return Some("check redis.url"),
        _ => {}
    }
    let detail = error.detail().unwrap_or_default();
    match error.code()? {
        "NOAUTH" | "WRONGPASS" => Some("put the user and the password into redis.url"),
        "NOPERM" => Some("grant the user of redis.url the missing right (ACL SETUSER)"),
        "WRONGTYPE" => {
            Some("a key that must be a stream holds something else: rename or remove it, or configure another key")
        }
        "MOVED" | "ASK" | "CROSSSLOT" => Some("this is a Redis Cluster node; point redis.url at a single server"),
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
    use redis::make_extension_error;

    #[test]
    fn errors_that_last_come_with_a_hint() {
        for code in ["NOAUTH", "WRONGPASS", "NOPERM", "WRONGTYPE", "MOVED"] {
            let error = make_extension_error(code.into(), Some("said so".into()));
            assert!(matches!(bus_error("r", &error), BusError::Refused { .. }), "{code}");
        }
    }

    #[test]
    fn errors_that_pass_do_not() {
        for code in ["READONLY", "LOADING", "NOGROUP", "UNBLOCKED", "OOM", "MISCONF", "NOREPLICAS", "BUSY", "ERR"] {
            let error = make_extension_error(code.into(), Some("said so".into()));
            assert!(matches!(bus_error("r", &error), BusError::Unavailable(_)), "{code}");
        }
    }
}
