//! Redaction of URLs for display.

use crate::config::addresses;

/// Returns a URL, or each of a list, without its user, password and query, safe to display and log.
pub fn redacted(url: &str) -> String {
    addresses(url).into_iter().map(one_redacted).collect::<Vec<_>>().join(",")
}

fn one_redacted(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    // The last `@`: a password may contain an unescaped one.
    let (user, place) = match rest.rsplit_once('@') {
        Some((_, place)) => ("***@", place),
        None => ("", rest),
    };
    let place = place.split(['?', '#']).next().unwrap_or(place);
    let separator = if scheme.is_empty() { "" } else { "://" };
    format!("{scheme}{separator}{user}{place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_shown() {
        for (url, shown) in [
            ("redis://localhost:6379/0", "redis://localhost:6379/0"),
            ("redis://:pw@h:1/2", "redis://***@h:1/2"),
            ("rediss://me:p@ss/w?rd@h", "rediss://***@h"),
            ("redis+unix:///run/redis.sock?user=u&pass=pw", "redis+unix:///run/redis.sock"),
            ("redis://me:pw@a:1, redis://b:2", "redis://***@a:1,redis://b:2"),
            ("me:pw@host", "***@host"),
            ("", ""),
        ] {
            assert_eq!(redacted(url), shown);
        }
    }
}
