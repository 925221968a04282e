//! Whether a delivery comes from the forge: by its signature over the raw body, or by the presented secret.
//!
//! All comparisons take constant time, whatever is wrong.

use crate::domain::intake::forge::Kind;
use crate::header::only;
use axum::http::HeaderMap;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use standardwebhooks::Webhook;

/// The secrets of one forge: one, or two during rotation.
pub struct WebhookSecrets {
    secrets: Vec<String>,
}

impl WebhookSecrets {
    /// Creates a lock with these secrets. Without any, nothing opens it.
    pub fn new(secrets: Vec<String>) -> WebhookSecrets {
        WebhookSecrets { secrets }
    }

    /// Reports whether a delivery is signed with one of the secrets. `shown` is the secret in the address, used only by
    /// Gerrit, which cannot sign.
    pub(super) fn opens(&self, kind: Kind, headers: &HeaderMap, shown: Option<&str>, body: &[u8]) -> bool {
        self.secrets.iter().any(|secret| match kind {
            Kind::Github => {
                let signature = only(headers, "x-hub-signature-256").and_then(|text| text.strip_prefix("sha256="));
                is_signed(secret, body, signature)
            }
            Kind::Forgejo => {
                let own = only(headers, "x-forgejo-signature").or_else(|| only(headers, "x-gitea-signature"));
                is_signed(secret, body, own)
            }
            Kind::Gitea => is_signed(secret, body, only(headers, "x-gitea-signature")),
            Kind::Gitlab if headers.contains_key("webhook-signature") => {
                Webhook::new(secret).is_ok_and(|key| key.verify(body, headers).is_ok())
            }
            Kind::Gitlab => is_same(secret, only(headers, "x-gitlab-token")),
            Kind::Gerrit => is_same(secret, shown),
        })
    }
}

fn keyed(secret: &str, text: &[u8]) -> Hmac<Sha256> {
    Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes a key of any length").chain_update(text)
}

fn is_signed(secret: &str, body: &[u8], hex: Option<&str>) -> bool {
    hex.and_then(bytes).is_some_and(|signature| keyed(secret, body).verify_slice(&signature).is_ok())
}

/// Compares keyed hashes, so that timing does not reveal where they differ.
fn is_same(secret: &str, shown: Option<&str>) -> bool {
    let of = |text: &str| keyed(secret, text.as_bytes()).finalize().into_bytes();
    shown.is_some_and(|shown| keyed(secret, shown.as_bytes()).verify_slice(&of(secret)).is_ok())
}

/// Decodes 64 hexadecimal digits.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let is_hex = hex.len() == 64 && hex.bytes().all(|c| c.is_ascii_hexdigit());
    is_hex.then(|| (0..64).step_by(2).filter_map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    /// The example in GitHub's documentation.
    const SECRET: &str = "It's a Secret to Everybody";
    const BODY: &[u8] = b"Hello, World!";
    const HEX: &str = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    fn opens(kind: Kind, headers: &[(&'static str, &str)], shown: Option<&str>) -> bool {
        let lock = WebhookSecrets::new(vec!["another secret".to_owned(), SECRET.to_owned()]);
        let header = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).expect("a value"))
        };
        lock.opens(kind, &headers.iter().map(header).collect(), shown, BODY)
    }

    #[test]
    fn only_a_signature_of_the_body_opens() {
        let prefixed = format!("sha256={HEX}");
        assert!(opens(Kind::Github, &[("x-hub-signature-256", &prefixed)], None));
        assert!(opens(Kind::Gitea, &[("x-gitea-signature", HEX)], None));
        assert!(opens(Kind::Forgejo, &[("x-forgejo-signature", HEX)], None));
        let other = HEX.replace('7', "8");
        for wrong in ["", HEX, "sha256=", "sha256=é", &format!("sha256={other}"), &prefixed[..40]] {
            let Ok(_) = HeaderValue::from_str(wrong) else { continue };
            assert!(!opens(Kind::Github, &[("x-hub-signature-256", wrong)], None), "{wrong}");
        }
        assert!(!opens(Kind::Github, &[], None));
        assert!(!opens(Kind::Gitea, &[("x-gitea-signature", &other)], None));
        assert!(!opens(Kind::Github, &[("x-hub-signature", &prefixed)], Some(SECRET)));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test plays the forge, which has a clock")]
    fn what_gitlab_signs_opens_as_long_as_it_is_new() {
        const KEY: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
        let signs =
            |key: &str, at: i64, body: &[u8]| Webhook::new(key).expect("a key").sign("id", at, body).expect("signed");
        let opens = |at: i64, signature: &str, more: &[(&'static str, &str)]| {
            let at = at.to_string();
            let mut headers =
                vec![("webhook-id", "id"), ("webhook-timestamp", at.as_str()), ("webhook-signature", signature)];
            headers.extend(more);
            let header = |(name, value): &(&'static str, &str)| {
                (HeaderName::from_static(name), HeaderValue::from_str(value).expect("a value"))
            };
            let lock = WebhookSecrets::new(vec![SECRET.to_owned(), KEY.to_owned()]);
            lock.opens(Kind::Gitlab, &headers.iter().map(header).collect(), None, BODY)
        };
        let now = jiff::Timestamp::now().as_second();
        assert!(opens(now, &signs(KEY, now, BODY), &[]));
        assert!(!opens(now, &signs(KEY, now, b"Hello, Mars!"), &[]));
        assert!(!opens(now, &signs("whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=", now, BODY), &[]));
        assert!(!opens(now - 3_600, &signs(KEY, now - 3_600, BODY), &[]), "captured an hour ago");
        assert!(!opens(now, "v1,", &[("x-gitlab-token", SECRET)]), "a wrong signature is not made good by a token");
    }

    #[test]
    fn a_secret_that_is_shown_opens_where_the_forge_cannot_sign() {
        assert!(opens(Kind::Gitlab, &[("x-gitlab-token", SECRET)], None));
        assert!(!opens(Kind::Gitlab, &[("x-gitlab-token", "It's a Secret")], None));
        assert!(!opens(Kind::Gitlab, &[], Some(SECRET)));
        assert!(opens(Kind::Gerrit, &[], Some(SECRET)));
        assert!(!opens(Kind::Gerrit, &[("x-gitlab-token", SECRET)], None));
        assert!(!WebhookSecrets::new(Vec::new()).opens(Kind::Gerrit, &HeaderMap::new(), Some(""), BODY));
    }
}
