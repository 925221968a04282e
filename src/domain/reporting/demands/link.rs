//! External addresses, and whether a page may link to them.

/// Maximum length of an address, in bytes.
const LONGEST: usize = 2_000;

/// Returns a web address that is safe to link: `http` or `https`, without invisible characters, and without a name or
/// password before the host, which looks like another host. `None` for everything else.
pub fn web_link(address: &str) -> Option<&str> {
    let lower = address.get(..8)?.to_ascii_lowercase();
    let rest = if lower == "https://" {
        address.get(8..)?
    } else {
        address.get(7..).filter(|_| lower.starts_with("http://"))?
    };
    let host = rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty())?;
    let plain = address.len() <= LONGEST && address.chars().all(|c| c.is_ascii_graphic() && !"\"'<>\\`{}".contains(c));
    (plain && !host.contains('@')).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_the_web_is_linked() {
        for good in ["https://github.com/octo/shop/pull/7#discussion_r1", "HTTP://git.example.org:3000/a/b?x=1&y=2"] {
            assert_eq!(web_link(good), Some(good));
        }
        for bad in [
            "javascript:alert(1)",
            "JavaScript://example.org/%0aalert(1)",
            " https://example.org",
            "https://",
            "https:///x",
            "https://github.com@evil.example/",
            "https://example.org/\u{202e}x",
            "https://example.org/a b",
            "https://example.org/\"onmouseover=alert(1)",
            "data:text/html,x",
            "//example.org",
            "/proposals",
            "",
        ] {
            assert_eq!(web_link(bad), None, "{bad}");
        }
        assert_eq!(web_link(&format!("https://example.org/{}", "a".repeat(LONGEST))), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text: String) {
            let _ = web_link(&text);
            let _ = web_link(&format!("https://{text}"));
        }
    }
}
