//! Text that must not appear in logs, errors or listings: a password, or a URL that may contain one.
//!
//! This prevents accidental display. It does not wipe memory.

use super::address_list::addresses;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// The replacement for a secret.
const MASK: &str = "***";

/// A secret. `Debug`, `Display` and `Serialize` show a URL with its password masked, and hide any other text entirely.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text to keep it hidden.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// Returns the text itself, for opening a connection.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the displayable form.
    pub fn masked(&self) -> String {
        mask(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({})", self.masked())
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.masked())
    }
}

/// Masks each URL of a list.
fn mask(text: &str) -> String {
    addresses(text).into_iter().map(mask_one).collect::<Vec<_>>().join(",")
}

/// Masks the user name, password and all but harmless parameters of a URL; returns `***` for any other text.
fn mask_one(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return if text.is_empty() { String::new() } else { MASK.to_owned() };
    };
    // The last `@` ends the password: a `?` or another `@` in it must not reveal part of it.
    let (user, rest) = rest.rsplit_once('@').map_or(("", rest), |(_, rest)| ("***@", rest));
    let (host, query) = rest.split_once('?').map_or((rest, None), |(host, query)| (host, Some(query)));
    let query = query.map(|q| q.split('&').map(mask_parameter).collect::<Vec<_>>().join("&"));
    format!("{scheme}://{user}{host}{}", query.map(|q| format!("?{q}")).unwrap_or_default())
}

fn mask_parameter(parameter: &str) -> String {
    match parameter.split_once('=') {
        Some(("db" | "protocol", _)) => parameter.to_owned(),
        Some((name, _)) => format!("{name}={MASK}"),
        None => MASK.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_never_shown() {
        for (text, shown) in [
            ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
            ("redis://:hunter2@db:6379/1", "redis://***@db:6379/1"),
            ("rediss://me:hun@ter2@db/1?protocol=resp3", "rediss://***@db/1?protocol=resp3"),
            ("redis+unix:///run/r.sock?db=1&pass=hunter2", "redis+unix:///run/r.sock?db=1&pass=***"),
            ("redis://:hun?ter2@db", "redis://***@db"),
            ("redis://:hun,ter2@a:1, redis://:hunter2@b:2", "redis://***@a:1,redis://***@b:2"),
            ("hunter2", "***"),
            ("", ""),
        ] {
            let secret = Secret::new(text);
            assert_eq!(secret.to_string(), shown);
            assert_eq!(format!("{secret:?}"), format!("Secret({shown})"));
            assert_eq!(serde_json::to_value(&secret).unwrap(), shown);
            assert_eq!(secret.expose(), text);
        }
    }
}
