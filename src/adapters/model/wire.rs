//! The two interfaces: what is sent, where to, and where the text stands in what comes back.

use crate::domain::advice::Prompt;
use serde_json::{Value, json};

/// Answers are short; a model that goes on and on is cut off.
const MAX_TOKENS: u32 = 400;

/// Whose interface a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `/v1/chat/completions`
    OpenAi,
    /// `/v1/messages`
    Anthropic,
}

impl Dialect {
    /// Where questions go. The base URL may end with `/v1` or not.
    pub(super) fn endpoint(self, base: &str) -> String {
        let base = base.trim_end_matches('/');
        let base = base.strip_suffix("/v1").unwrap_or(base);
        match self {
            Dialect::OpenAi => format!("{base}/v1/chat/completions"),
            Dialect::Anthropic => format!("{base}/v1/messages"),
        }
    }

    /// The name of the header with the key, and what stands before the key in it.
    pub(super) fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Dialect::OpenAi => ("authorization", "Bearer "),
            Dialect::Anthropic => ("x-api-key", ""),
        }
    }

    /// A question. `plain` leaves out what some servers do not know.
    pub(super) fn body(self, model: &str, prompt: &Prompt, plain: bool) -> Value {
        let user = json!({ "role": "user", "content": prompt.user });
        match self {
            Dialect::Anthropic => {
                json!({ "model": model, "max_tokens": MAX_TOKENS, "system": prompt.system, "messages": [user] })
            }
            Dialect::OpenAi => {
                let system = json!({ "role": "system", "content": prompt.system });
                let mut body = json!({ "model": model, "messages": [system, user], "stream": false });
                if !plain {
                    body["max_tokens"] = json!(MAX_TOKENS);
                    body["response_format"] = json!({ "type": "json_object" });
                }
                body
            }
        }
    }

    /// The model's text in an answer; `None` where there is none.
    pub(super) fn text(self, answer: &Value) -> Option<String> {
        let content = match self {
            Dialect::OpenAi => answer.pointer("/choices/0/message/content")?,
            Dialect::Anthropic => answer.get("content")?,
        };
        match content {
            Value::String(text) => Some(text.clone()),
            Value::Array(parts) => {
                let texts = parts.iter().filter(|p| p["type"] == "text").filter_map(|p| p["text"].as_str());
                Some(texts.collect::<String>()).filter(|text| !text.is_empty())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_may_end_in_several_ways() {
        for base in ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/"] {
            assert_eq!(Dialect::OpenAi.endpoint(base), "http://h:1/v1/chat/completions");
            assert_eq!(Dialect::Anthropic.endpoint(base), "http://h:1/v1/messages");
        }
        assert_eq!(Dialect::OpenAi.endpoint("https://h/proxy/v1"), "https://h/proxy/v1/chat/completions");
    }

    #[test]
    fn text_is_found_in_both_shapes() {
        let text = |dialect: Dialect, answer: Value| dialect.text(&answer);
        let said = json!({ "choices": [{ "message": { "content": "x" } }] });
        assert_eq!(text(Dialect::OpenAi, said).as_deref(), Some("x"));
        let said = json!({ "content": [{ "type": "thinking" }, { "type": "text", "text": "x" }] });
        assert_eq!(text(Dialect::Anthropic, said).as_deref(), Some("x"));
        for nothing in [json!({}), json!([]), json!({ "content": [] }), json!({ "choices": [] }), json!("x")] {
            assert_eq!(text(Dialect::Anthropic, nothing.clone()), None);
            assert_eq!(text(Dialect::OpenAi, nothing), None);
        }
    }
}
