//! Redirects, to local addresses only.
//!
//! This is the only place that builds redirects: targets often come from a form or a query, which anyone may have
//! written.

use axum::response::Redirect;

/// Redirects to this address, or to the inbox if it is not local.
#[allow(clippy::disallowed_methods, reason = "the only permitted place")]
pub fn to(address: &str) -> Redirect {
    Redirect::to(local(address))
}

/// Returns this address if it is a local path, otherwise the inbox's. Browsers strip tabs and line breaks first and
/// treat `\` as `/`, so only visible ASCII is accepted, as addresses are written.
pub fn local(address: &str) -> &str {
    let is_ours = address.starts_with('/')
        && !address[1..].starts_with('/')
        && address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_ours { address } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_led_elsewhere() {
        for ours in ["/", "/proposals/RULE-2026-0001?done=1", "/%2F%2Fevil.example", "/a//b"] {
            assert_eq!(local(ours), ours);
        }
        for foreign in [
            "",
            "evil",
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "/a\\b",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\r/evil.example",
            "/ /evil.example",
            "/\u{1}",
            "/\u{7f}",
            "/\u{e9}",
        ] {
            assert_eq!(local(foreign), "/", "{foreign:?}");
        }
    }
}
