//! The two interfaces: what is sent, where to, and where the text stands in what comes back.

use crate::domain::rules::drafting::advice::Prompt;
use serde_json::{Value, json};

/// Whose interface a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `/v1/chat/completions`
    OpenAi,
    /// `/v1/messages`
    Anthropic,
}

impl Dialect {
    /// Where questions go, from a server's base URL without `/v1`.
    pub(super) fn path(self) -> &'static str {
        match self {
            Dialect::OpenAi => "/v1/chat/completions",
            Dialect::Anthropic => "/v1/messages",
        }
    }

    /// The name of the header with the key, and what stands before the key in it.
    pub fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Dialect::OpenAi => ("authorization", "Bearer "),
            Dialect::Anthropic => ("x-api-key", ""),
        }
    }

    /// What else stands in the headers of every question: names and values.
    pub fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Dialect::OpenAi => &[],
            Dialect::Anthropic => &[("anthropic-version", "2023-06-01")],
        }
    }

    /// A question. `plain` leaves out what some servers do not know.
    pub(super) fn body(self, model: &str, prompt: &Prompt, plain: bool) -> Value {
        let user = json!({ "role": "user", "content": prompt.user });
        match self {
            Dialect::Anthropic => {
                json!({ "model": model, "max_tokens": prompt.max_tokens, "system": prompt.system, "messages": [user] })
            }
            Dialect::OpenAi => {
                let system = json!({ "role": "system", "content": prompt.system });
                let mut body = json!({ "model": model, "messages": [system, user], "stream": false });
                if !plain {
                    body["max_tokens"] = json!(prompt.max_tokens);
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
