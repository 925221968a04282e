//! Leading a browser on, to an address of ours and nowhere else.
//!
//! The one place that makes a redirect: where to go on often stands in a form or a query, which anybody may have written.

use axum::response::Redirect;

/// Leads on to this address; to the inbox if it is none of ours.
#[allow(clippy::disallowed_methods, reason = "the one place that may")]
pub fn to(address: &str) -> Redirect {
    Redirect::to(local(address))
}

/// This address if it is a path of ours, else the inbox's. Browsers leave tabs and line breaks out before they read it and
/// take `\` for `/`, so only visible ASCII counts, as addresses are written.
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
