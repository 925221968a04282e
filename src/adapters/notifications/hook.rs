//! Webhooks, as in Standard Webhooks 1.0.0, and chat.

use super::post::{Headers, Post, failed};
use super::shapes::body;
use crate::config::Secret;
use crate::domain::records::notification::{Notification, Style};
use crate::ports::{Delivery, Messenger};
use jiff::Timestamp;
use standardwebhooks::Webhook;
use std::time::Duration;

/// The target of a webhook, and its options.
#[derive(Clone, Debug)]
pub struct HookOptions {
    /// Its URL, which may be a secret.
    pub url: Secret,
    /// The format it expects.
    pub style: Style,
    /// The signing secrets: one, or two during rotation; none for chat.
    pub secrets: Vec<Secret>,
    /// The access token for ntfy.
    pub token: Option<Secret>,
    /// The ntfy topic.
    pub topic: String,
    /// Whether it may be in a private network.
    pub allow_private: bool,
    /// The response timeout.
    pub timeout: Duration,
    /// The base URL of the pages, if known.
    pub base: Option<String>,
}

/// A webhook or chat endpoint. It connects on first use.
pub struct Hook {
    options: HookOptions,
    keys: Vec<Webhook>,
    post: std::sync::OnceLock<Result<Post, String>>,
}

impl Hook {
    /// Parses the secrets. Does not connect.
    ///
    /// # Errors
    /// A sentence that states what is wrong with a secret.
    pub fn new(options: HookOptions) -> Result<Hook, String> {
        let keys = options.secrets.iter().map(|secret| key(secret.expose())).collect::<Result<Vec<_>, _>>()?;
        Ok(Hook { options, keys, post: std::sync::OnceLock::new() })
    }

    /// Signs a body with each secret.
    fn signature(&self, id: &str, at: i64, body: &str) -> Result<String, String> {
        let signed = self.keys.iter().map(|key| key.sign(id, at, body.as_bytes()));
        let signed = signed.collect::<Result<Vec<_>, _>>().map_err(|error| format!("it cannot be signed: {error}"))?;
        Ok(signed.join(" "))
    }
}

impl Messenger for Hook {
    /// A batch is one notification here.
    fn send(&self, _batch: &str, notices: &[Notification], now: Timestamp) -> Delivery {
        let HookOptions { url, style, token, topic, allow_private, timeout, base, .. } = &self.options;
        let post = match self.post.get_or_init(|| Post::new(url.expose(), *allow_private, *timeout)) {
            Ok(post) => post,
            Err(why) => return failed(why.clone()),
        };
        let mut said = Delivery::Taken("nothing to send".to_owned());
        for notice in notices {
            let body = body(*style, notice, base.as_deref(), topic).to_string();
            let mut headers: Headers = Vec::new();
            if !self.keys.is_empty() {
                let at = now.as_second();
                let signature = match self.signature(&notice.id, at, &body) {
                    Ok(signature) => signature,
                    Err(why) => return failed(why),
                };
                headers.push(("webhook-id", notice.id.clone()));
                headers.push(("webhook-timestamp", at.to_string()));
                headers.push(("webhook-signature", signature));
            }
            if *style == Style::Cloudevents {
                headers.push(("content-type", "application/cloudevents+json".to_owned()));
            }
            headers.extend(token.as_ref().map(|token| ("authorization", format!("Bearer {}", token.expose()))));
            said = post.send(&headers, body);
            if !matches!(said, Delivery::Taken(_)) {
                return said;
            }
        }
        said
    }
}

/// Parses a key of 24 to 64 bytes, as `whsec_` and base64.
fn key(secret: &str) -> Result<Webhook, String> {
    use base64::Engine;
    let wrong = || {
        "its secret is invalid; it must be `whsec_` and 24 to 64 bytes in base64: `echo whsec_$(openssl rand -base64 \
         32)`"
            .to_owned()
    };
    let text = secret.trim().strip_prefix("whsec_").ok_or_else(wrong)?;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).map_err(|_| wrong())?;
    if !(24..=64).contains(&bytes.len()) {
        return Err(wrong());
    }
    Webhook::from_bytes(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_of_the_form_that_receivers_expect() {
        assert!(key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").is_ok());
        for wrong in ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_c2hvcnQ=", "whsec_not base64!"] {
            assert!(key(wrong).is_err(), "{wrong}");
        }
    }
}
