//! A server's endpoint address, from a base URL as people write it.

/// Returns the base of a server, and the path there of an endpoint such as `chat/completions`, with its query.
///
/// A base URL may end in a version (`/v1`, `/api/v3`, `/v1beta/openai`) or in the endpoint itself, and is then used as
/// is. Otherwise `/v1` is appended. A query such as Azure's `api-version` is kept.
pub fn address(url: &str, endpoint: &str) -> (String, String) {
    let (path, query) = match url.split_once('?') {
        Some((path, query)) => (path, format!("?{query}")),
        None => (url, String::new()),
    };
    let base = path.trim_end_matches('/');
    let base = base.strip_suffix(endpoint).and_then(|base| base.strip_suffix('/')).unwrap_or(base);
    let (scheme, rest) = base.split_once("://").unwrap_or(("", base));
    let mut parts = rest.split('/');
    let host = parts.next().unwrap_or_default();
    // Azure deployments have their version in the query.
    let has_version = parts.clone().any(is_version) || parts.clone().any(|part| part == "deployments");
    let is_whole = base.len() < path.trim_end_matches('/').len();
    let version = if has_version || is_whole { "" } else { "/v1" };
    let path: String = parts.map(|part| format!("/{part}")).collect();
    (format!("{scheme}://{host}"), format!("{path}{version}/{endpoint}{query}"))
}

/// Reports whether a path segment is a version: `v1`, `v3`, `v1beta`.
fn is_version(part: &str) -> bool {
    let rest = part.strip_prefix('v').unwrap_or_default();
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() > digits.len() && digits.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Returns the name of the key's header if it is a non-standard one: Azure's.
pub fn own_key_header(url: &str) -> Option<&'static str> {
    let host = url.split("://").nth(1).unwrap_or_default().split(['/', ':', '?']).next().unwrap_or_default();
    let is_azure = [".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"];
    is_azure.iter().any(|end| host.ends_with(end)).then_some("api-key")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_are_understood_as_people_write_them() {
        for (url, expected) in [
            ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"),
            ("http://127.0.0.1:11434/", "http://127.0.0.1:11434/v1/chat/completions"),
            ("https://api.example.org/v1", "https://api.example.org/v1/chat/completions"),
            ("https://api.example.org/v1/", "https://api.example.org/v1/chat/completions"),
            ("https://api.example.org/v1/chat/completions", "https://api.example.org/v1/chat/completions"),
            ("https://h/proxy", "https://h/proxy/v1/chat/completions"),
            ("https://h/v1beta/openai", "https://h/v1beta/openai/chat/completions"),
            ("https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
            ("https://h/api/v3", "https://h/api/v3/chat/completions"),
            ("https://h/api/paas/v4/", "https://h/api/paas/v4/chat/completions"),
            ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"),
            ("https://h/chat/completions", "https://h/chat/completions"),
            ("https://x.openai.azure.com/openai/v1", "https://x.openai.azure.com/openai/v1/chat/completions"),
            (
                "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
                "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
            ),
        ] {
            let (base, path) = address(url, "chat/completions");
            assert_eq!(format!("{base}{path}"), expected, "{url}");
        }
        let (base, path) = address("https://api.anthropic.com", "messages");
        assert_eq!((base.as_str(), path.as_str()), ("https://api.anthropic.com", "/v1/messages"));
        assert_eq!(address("https://h/my-messages", "messages").1, "/my-messages/v1/messages");
        let (_, path) = address("https://h/v1beta/openai", "embeddings");
        assert_eq!(path, "/v1beta/openai/embeddings");
    }

    #[test]
    fn azure_has_a_header_of_its_own() {
        assert_eq!(own_key_header("https://x.openai.azure.com/openai/v1"), Some("api-key"));
        assert_eq!(own_key_header("https://openai.azure.com.evil.example/"), None);
    }
}
