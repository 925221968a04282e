//! The two interfaces: what is sent, where to, and where the text is in the response.

use super::server_profile::{Format, Limit, ServerProfile};
use crate::domain::rules::draft::advice::{Prompt, Usage};
use serde_json::{Value, json};

/// The interface a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `/v1/chat/completions`
    OpenAi,
    /// `/v1/messages`
    Anthropic,
}

/// A parsed response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// A text, possibly truncated.
    Text(String),
    /// The token limit left no room for text.
    Nothing,
    /// The model or its provider refuses to answer, for this reason.
    Refused(String),
    /// The response reports a server failure, with this code.
    Failed(String),
    /// Not an answer.
    Unreadable,
}

impl Dialect {
    /// Returns the end of the endpoint's path.
    pub fn endpoint(self) -> &'static str {
        match self {
            Dialect::OpenAi => "chat/completions",
            Dialect::Anthropic => "messages",
        }
    }

    /// Returns the name of the header with the key, and the prefix of its value.
    pub fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Dialect::OpenAi => ("authorization", "Bearer "),
            Dialect::Anthropic => ("x-api-key", ""),
        }
    }

    /// Returns the other headers of every question: names and values.
    pub fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Dialect::OpenAi => &[],
            Dialect::Anthropic => &[("anthropic-version", "2023-06-01")],
        }
    }

    /// Builds a question, as far as the server is known to understand it.
    pub(super) fn body(self, model: &str, prompt: &Prompt, effort: &str, known: &ServerProfile) -> Value {
        let user = json!({ "role": "user", "content": prompt.user });
        let most = prompt.max_tokens.saturating_mul(known.factor.max(1));
        if self == Dialect::Anthropic {
            return json!({ "model": model, "max_tokens": most, "system": prompt.system, "messages": [user] });
        }
        let system = json!({ "role": "system", "content": prompt.system });
        let mut body = json!({ "model": model, "messages": [system, user], "stream": false });
        match known.limit {
            Limit::MaxTokens => body["max_tokens"] = json!(most),
            Limit::MaxCompletionTokens => body["max_completion_tokens"] = json!(most),
            Limit::None => {}
        }
        match known.format {
            Format::JsonSchema if !prompt.schema.is_null() => {
                // Not strict: strict servers want every field to be required.
                let schema = json!({ "name": "answer", "schema": prompt.schema, "strict": false });
                body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
            }
            Format::JsonSchema | Format::JsonObject => body["response_format"] = json!({ "type": "json_object" }),
            Format::Plain => {}
        }
        if known.effort && !effort.is_empty() {
            body["reasoning_effort"] = json!(effort);
        }
        body
    }

    /// Parses a response.
    pub(super) fn came(self, answer: &Value) -> Came {
        if let Some(error) = answer.get("error").filter(|error| error.is_object() || error.is_string()) {
            // Some servers report failures with status 200.
            let code = code(error);
            let is_filter = ["filter", "moderation", "policy", "safety"].iter().any(|word| code.contains(word));
            return if is_filter { Came::Refused(code) } else { Came::Failed(code) };
        }
        match self {
            Dialect::OpenAi => openai(answer),
            Dialect::Anthropic => anthropic(answer),
        }
    }
}

fn openai(answer: &Value) -> Came {
    if let Some(pieces) = answer.get("stream").and_then(Value::as_array) {
        let deltas = pieces.iter().filter_map(|piece| piece.pointer("/choices/0/delta/content")?.as_str());
        let text: String = deltas.collect();
        return if text.is_empty() { Came::Unreadable } else { Came::Text(text) };
    }
    let Some(choice) = answer.pointer("/choices/0") else { return Came::Unreadable };
    let message = &choice["message"];
    let finish = choice["finish_reason"].as_str().unwrap_or_default();
    if finish == "content_filter" || message["refusal"].as_str().is_some_and(|why| !why.is_empty()) {
        return Came::Refused(if finish == "content_filter" { "content_filter" } else { "refusal" }.to_owned());
    }
    let called = message.pointer("/tool_calls/0/function/arguments").and_then(Value::as_str);
    match text_of(&message["content"]).or_else(|| called.map(str::to_owned)) {
        Some(text) => Came::Text(text),
        None if finish == "length" => Came::Nothing,
        // It reasoned, but did not reach an answer.
        None if ["reasoning", "reasoning_content"].iter().any(|key| message[*key].as_str().is_some()) => Came::Nothing,
        None if !message.is_object() => Came::Unreadable,
        None => Came::Refused("an empty answer".to_owned()),
    }
}

fn anthropic(answer: &Value) -> Came {
    let stopped = answer["stop_reason"].as_str().unwrap_or_default();
    if stopped == "refusal" {
        return Came::Refused("refusal".to_owned());
    }
    let called = answer["content"].as_array().and_then(|parts| {
        let part = parts.iter().find(|part| part["type"] == "tool_use")?;
        Some(part["input"].to_string())
    });
    match text_of(&answer["content"]).or(called) {
        Some(text) => Came::Text(text),
        None if stopped == "max_tokens" => Came::Nothing,
        None if !answer["content"].is_array() => Came::Unreadable,
        None => Came::Refused("an empty answer".to_owned()),
    }
}

/// Returns a text, or the joined texts of its parts.
fn text_of(content: &Value) -> Option<String> {
    let text = match content {
        // Unfinished reasoning leaves no room for an answer.
        Value::String(text) if text.trim_start().starts_with("<think>") && !text.contains("</think>") => return None,
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let is_text = |part: &&Value| part["type"] == "text" || part["type"] == "output_text";
            parts.iter().filter(is_text).filter_map(|part| part["text"].as_str()).collect()
        }
        _ => return None,
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Returns the code of an error, if it looks like one; the message may repeat what was sent.
fn code(error: &Value) -> String {
    let named = ["code", "type"].iter().map(|key| &error[*key]);
    let code =
        named.filter_map(|value| value.as_str().map(str::to_owned).or_else(|| Some(value.as_u64()?.to_string())));
    let is_code = |code: &String| {
        code.len() <= 40 && code.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
    };
    code.into_iter().find(is_code).unwrap_or_else(|| "without a code".to_owned())
}

/// Returns the tokens used: as reported by the server, or at four characters each.
pub(super) fn usage(answer: &Value, prompt: &Prompt, text: &str) -> Usage {
    let said = |keys: [&str; 2]| keys.iter().find_map(|key| answer.pointer(&format!("/usage/{key}"))?.as_u64());
    let about = |length: usize| length as u64 / 4;
    Usage {
        input: said(["prompt_tokens", "input_tokens"])
            .unwrap_or_else(|| about(prompt.system.len() + prompt.user.len())),
        output: said(["completion_tokens", "output_tokens"]).unwrap_or_else(|| about(text.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_found_in_all_shapes() {
        let text = |text: &str| Came::Text(text.to_owned());
        let of = |message: Value, finish: &str| {
            Dialect::OpenAi.came(&json!({ "choices": [{ "message": message, "finish_reason": finish }] }))
        };
        assert_eq!(of(json!({ "content": "x" }), "stop"), text("x"));
        assert_eq!(of(json!({ "content": "cut o" }), "length"), text("cut o"));
        let parts = json!([{ "type": "text", "text": "a" }, { "type": "output_text", "text": "b" }]);
        assert_eq!(of(json!({ "content": parts }), "stop"), text("ab"));
        let call = json!([{ "function": { "name": "f", "arguments": "{\"a\": 1}" } }]);
        assert_eq!(of(json!({ "content": null, "tool_calls": call }), "tool_calls"), text("{\"a\": 1}"));
        assert_eq!(of(json!({ "content": "" }), "length"), Came::Nothing);
        assert_eq!(of(json!({ "content": "<think>hm, {\"id\": 1" }), "length"), Came::Nothing);
        assert_eq!(of(json!({ "content": null, "reasoning_content": "hm" }), "stop"), Came::Nothing);
        assert_eq!(of(json!({ "content": "x" }), "content_filter"), Came::Refused("content_filter".into()));
        assert_eq!(of(json!({ "content": null, "refusal": "I cannot" }), "stop"), Came::Refused("refusal".into()));
        assert_eq!(of(json!({ "content": "" }), "stop"), Came::Refused("an empty answer".into()));
        let piece = |text: &str| json!({ "choices": [{ "delta": { "content": text } }] });
        assert_eq!(Dialect::OpenAi.came(&json!({ "stream": [piece("a"), piece("b"), {}] })), text("ab"));
        let error = json!({ "error": { "code": 502, "message": "secret" } });
        assert_eq!(Dialect::OpenAi.came(&error), Came::Failed("502".into()));
        let said = json!({ "content": [{ "type": "thinking" }, { "type": "text", "text": "x" }] });
        assert_eq!(Dialect::Anthropic.came(&said), text("x"));
        let said = json!({ "content": [{ "type": "tool_use", "input": { "a": 1 } }] });
        assert_eq!(Dialect::Anthropic.came(&said), text("{\"a\":1}"));
        assert_eq!(Dialect::Anthropic.came(&json!({ "content": [], "stop_reason": "max_tokens" })), Came::Nothing);
        let refused = json!({ "content": [], "stop_reason": "refusal" });
        assert_eq!(Dialect::Anthropic.came(&refused), Came::Refused("refusal".into()));
        for nothing in [json!({}), json!([]), json!({ "choices": [] }), json!("x"), json!(null)] {
            assert_eq!(Dialect::Anthropic.came(&nothing), Came::Unreadable, "{nothing}");
            assert_eq!(Dialect::OpenAi.came(&nothing), Came::Unreadable, "{nothing}");
        }
    }
}
