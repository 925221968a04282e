//! A list of addresses in one text, as `redis.url` may hold. It does not judge the addresses.

/// Splits a list of URLs at its commas. A comma that no scheme follows belongs to the URL: a password may contain one.
///
/// ```
/// use feedbackd_config::addresses;
/// assert_eq!(addresses("redis://a:1, redis://:x,y@b:2"), ["redis://a:1", "redis://:x,y@b:2"]);
/// ```
pub fn addresses(list: &str) -> Vec<&str> {
    let (mut found, mut from) = (Vec::new(), 0);
    for (at, _) in list.match_indices(',') {
        if begins_with_scheme(list[at + 1..].trim_start()) {
            found.push(list[from..at].trim());
            from = at + 1;
        }
    }
    found.push(list[from..].trim());
    found
}

fn begins_with_scheme(text: &str) -> bool {
    let is_scheme = |scheme: &str| !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_lowercase() || b == b'+');
    text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_comma_before_a_scheme_separates() {
        for (list, parts) in [
            ("", vec![""]),
            ("redis://a", vec!["redis://a"]),
            ("redis://a,rediss://b:1 , redis+unix:///c", vec!["redis://a", "rediss://b:1", "redis+unix:///c"]),
            ("redis://:p,w@a,redis://b", vec!["redis://:p,w@a", "redis://b"]),
            ("redis://a,b", vec!["redis://a,b"]),
            ("redis://a,", vec!["redis://a,"]),
        ] {
            assert_eq!(addresses(list), parts, "{list}");
        }
    }
}
