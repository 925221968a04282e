//! Predicates on single values.

use crate::address_list::addresses;
use crate::model::is_base_url;
use crate::settings::Config;
use crate::text::ids::is_safe_name;
use std::ops::RangeInclusive;
use std::path::Path;

pub fn within(value: u64, range: RangeInclusive<u64>) -> bool {
    range.contains(&value)
}

pub fn is_share(value: f64) -> bool {
    value > 0.0 && value <= 1.0
}

/// Reports whether no other stream has this name.
pub fn is_only_one(config: &Config, name: &str) -> bool {
    config.redis.streams_in().iter().filter(|other| **other == name).count() == 1
}

pub fn is_name(text: &str) -> bool {
    (1..=200).contains(&text.len()) && !text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\u{FFFD}')
}

pub fn is_chroma_name(text: &str) -> bool {
    text.len() >= 3 && is_safe_name(text)
}

pub fn is_url_where(needed: bool, url: &str) -> bool {
    is_base_url(url) || (!needed && url.is_empty())
}

/// Reports whether a browser can be sent to this address.
pub fn is_web_url(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && !url.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '<' | '>'))
}

pub fn is_path(path: &Path) -> bool {
    path != Path::new("") && is_path_or_empty(path)
}

/// A replacement character stands for invalid UTF-8, so the path would name a different file.
pub fn is_path_or_empty(path: &Path) -> bool {
    !path.to_string_lossy().contains(['\0', '\u{FFFD}'])
}

/// Reports whether each address of a list has the form of one.
pub fn are_redis_urls(list: &str) -> bool {
    addresses(list).into_iter().all(is_redis_url)
}

fn is_redis_url(url: &str) -> bool {
    let known = ["redis", "rediss", "valkey", "valkeys", "redis+unix", "valkey+unix", "unix"];
    url.split_once("://").is_some_and(|(scheme, rest)| {
        known.contains(&scheme) && !rest.is_empty() && !rest.starts_with('?') && !rest.contains(char::is_whitespace)
    })
}

/// Implements the rules of `git check-ref-format`, slightly stricter.
pub fn is_branch(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let part = |p: &str| !p.is_empty() && !p.starts_with(['.', '-']) && !p.ends_with('.') && !p.ends_with(".lock");
    name.len() <= 100 && name.chars().all(plain) && !name.contains("..") && name.split('/').all(part)
}

/// Reports whether a text is a host name or address, without scheme, port or path.
pub fn is_host(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    text.parse::<std::net::IpAddr>().is_ok() || (text.len() <= 253 && !text.is_empty() && text.chars().all(plain))
}

pub fn is_filter(directives: &str) -> bool {
    // A lone word that is not a level would be read as an unused module name: nothing would be logged.
    let is_known = |word: &str| {
        word.contains(['=', '[']) || word.starts_with("feedbackd") || LEVELS.contains(&word.to_lowercase().as_str())
    };
    let mut words = directives.split(',').map(str::trim);
    !directives.trim().is_empty() && words.all(is_known) && tracing_subscriber::EnvFilter::try_new(directives).is_ok()
}

/// Reports whether a text is an origin as browsers write it.
pub fn is_origin(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._:[]".contains(c);
    rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_plain))
}

/// Reports whether a text is the name of a header that may identify a person.
pub fn is_header(text: &str) -> bool {
    const TAKEN: [&str; 8] =
        ["host", "origin", "cookie", "authorization", "content-type", "content-length", "connection", "if-match"];
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && !TAKEN.contains(&text.to_ascii_lowercase().as_str())
}

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_level_filters_nothing() {
        for good in ["info", "WARN", "off", "info,feedbackd::app=debug", "feedbackd::app", "warn,feedbackd=trace"] {
            assert!(is_filter(good), "{good}");
        }
        for bad in ["", "verbose", "info,verbose", "all", "a=b=c"] {
            assert!(!is_filter(bad), "{bad}");
        }
    }

    #[test]
    fn addresses_of_redis_are_urls() {
        for good in
            ["redis://h", "rediss://me:p@h:1/0", "redis://a:1,redis://b:2", "redis://a:1, valkeys://b", "unix:///s"]
        {
            assert!(are_redis_urls(good), "{good}");
        }
        for bad in ["", "h:6379", "http://h", "redis://", "redis://a b", "redis://a:1,http://b", "redis://a:1,redis://"]
        {
            assert!(!are_redis_urls(bad), "{bad}");
        }
    }

    #[test]
    fn hosts_are_names_and_addresses_alone() {
        for good in ["feedback.example.org", "feedbackd", "192.0.2.7", "2001:db8::1"] {
            assert!(is_host(good), "{good}");
        }
        for bad in ["", "http://x", "x:80", "x/y", "[::1]", "a b", "*"] {
            assert!(!is_host(bad), "{bad}");
        }
    }

    #[test]
    fn branch_names_are_those_git_takes() {
        for good in ["main", "team/feedback", "v1.2", "a_b-c"] {
            assert!(is_branch(good), "{good}");
        }
        for bad in ["", "-x", "a..b", "a/", "/a", "a//b", "a.lock", "x.lock/y", ".a", "a b", "a~1", "HEAD^", "a."] {
            assert!(!is_branch(bad), "{bad}");
        }
    }
}
