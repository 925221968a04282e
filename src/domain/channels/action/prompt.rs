//! The message that passes an answer to a model (specification, "Actions: What the agent is told").

use super::answer::ActionFeedback;
use crate::text::prose::one_line;
use serde_json::{Value, json};

impl ActionFeedback {
    /// Returns the message that passes it to a model (specification, "Actions: What the agent is told"): that text,
    /// with the inference context as Python's `json.dumps(…, indent=2)` writes it, non-ASCII characters escaped, and
    /// history, lowered confidence and suggestions if there are any. Line breaks in the quoted user input become
    /// spaces, so that it cannot pose as a part of the message.
    pub fn prompt_text(&self) -> String {
        let said = one_line(&self.user_input);
        let context = serde_json::to_string_pretty(&self.inference_context()).unwrap_or_default();
        format!(
            "[INFERENCE VALIDATION]\nUser Input: \"{said}\"\n\nLocal System Analysis:\n{}\n\nTask: Validate the local \
             inferences and decide the best action.\nIf local inference failed, analyze the feedback and try \
             alternative approach.\n",
            ascii(&context)
        )
    }

    /// Returns the inference context (specification, "Actions: The context of an inference").
    pub fn inference_context(&self) -> Value {
        let mut context = json!({
            "user_input": self.user_input,
            "local_inferences": self.local_inferences,
            "context": self.context,
        });
        let Value::Object(map) = &mut context else { return context };
        if self.feedback_history.len() > 1 {
            map.insert("feedback_history".into(), json!(self.feedback_history));
        }
        if let Some(reason) = &self.reason {
            map.insert("confidence".into(), json!(self.confidence));
            map.insert("reason".into(), json!(reason));
        }
        if !self.suggestions.is_empty() {
            let short = self.suggestions.iter().map(|suggestion| {
                json!({ "action": suggestion.action, "confidence": suggestion.confidence, "how": suggestion.how,
                        "why": suggestion.why })
            });
            map.insert("suggestions".into(), short.collect());
        }
        if let Some(escalation) = &self.escalation {
            map.insert("escalation".into(), json!(escalation.question));
        }
        context
    }
}

/// Escapes every non-ASCII character of a JSON text as `\uXXXX`.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut units = [0; 2];
    for c in json.chars() {
        // U+007F is ASCII, and `json.dumps` leaves it as it is.
        if c.is_ascii() {
            out.push(c);
        } else {
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}
