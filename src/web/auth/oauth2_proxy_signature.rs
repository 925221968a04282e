//! `GAP-Signature`: oauth2-proxy's signature on forwarded requests (`signature_key`), so that its header counts because
//! of the key and not because of the source address.
//!
//! The signature covers the method, eleven headers, the path with `%` decoded, the query and the body. So `/a%3Fx=1`
//! has the signature of `/a?x=1`: a path with an ambiguous encoding, which would lead elsewhere, is rejected. No time
//! is covered: an eavesdropper on the proxy can replay the same request, but no other.

use crate::problem::Problem;
use crate::server::limits::Limits;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use percent_encoding::percent_decode_str;
use sha2::{Sha256, Sha384, Sha512};
use std::fmt;
use tokio::time::timeout;

const SIGNATURE: &str = "gap-signature";
/// The signed headers, in order.
const HEADERS: [&str; 11] = [
    "content-length",
    "content-md5",
    "content-type",
    "date",
    "authorization",
    "x-forwarded-user",
    "x-forwarded-email",
    "x-forwarded-preferred-user",
    "x-forwarded-access-token",
    "cookie",
    "gap-auth",
];

/// A proxy's signing key.
#[derive(Clone)]
pub struct GapKey {
    digest: Digest,
    secret: Vec<u8>,
}

/// The digests, by the proxy's names. SHA-1 and older ones are omitted: the proxy can switch by changing one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digest {
    Sha256,
    Sha384,
    Sha512,
}

impl fmt::Debug for GapKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GapKey({:?})", self.digest)
    }
}

impl GapKey {
    /// Parses a key in the format of oauth2-proxy's `signature_key`: `sha256:secret`, or `sha384` or `sha512` before
    /// the colon. `None` if it is invalid.
    pub fn parse(text: &str) -> Option<GapKey> {
        let (digest, secret) = text.split_once(':')?;
        let digest = match digest {
            "sha256" => Digest::Sha256,
            "sha384" => Digest::Sha384,
            "sha512" => Digest::Sha512,
            _ => return None,
        };
        Some(GapKey { digest, secret: secret.as_bytes().to_vec() })
    }

    /// Returns the request if it carries the proxy's signature.
    ///
    /// # Errors
    /// 401 if it does not, 413 or 408 if its body is too large or too slow.
    pub async fn verify(&self, request: Request, limits: &Limits) -> Result<Request, Problem> {
        let (parts, body) = request.into_parts();
        let read = timeout(limits.body_time, to_bytes(body, limits.body_bytes)).await;
        let body = match read {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large; send less")),
            Err(_) => {
                return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "the body arrived too slowly; send it again"));
            }
        };
        self.check(&parts, &body).map_err(|why| {
            let detail = format!(
                "the request names a person, but {why}; let the proxy sign its requests with the key in \
                 http.proxy.signature_key_file, and remove what clients send"
            );
            Problem::new(StatusCode::UNAUTHORIZED, detail)
        })?;
        Ok(Request::from_parts(parts, Body::from(body)))
    }

    fn check(&self, parts: &Parts, body: &Bytes) -> Result<(), &'static str> {
        let mut all = parts.headers.get_all(SIGNATURE).iter();
        let Some(signature) = all.next() else { return Err("has no GAP-Signature") };
        if all.next().is_some() {
            return Err("has more than one GAP-Signature");
        }
        let wrong = "has a GAP-Signature that is not the proxy's";
        let (digest, signature) = signature.to_str().ok().and_then(|text| text.split_once(' ')).ok_or(wrong)?;
        if digest != self.name() {
            return Err("is signed with a different digest from that of the key");
        }
        if !is_plain(parts.uri.path()) {
            return Err("has an ambiguous path, with a letter, a digit, `/`, `?` or the like encoded with `%`");
        }
        let signature = STANDARD.decode(signature).map_err(|_| wrong)?;
        let text = signed_text(parts);
        match self.digest {
            Digest::Sha256 => matches::<Hmac<Sha256>>(&self.secret, &text, body, &signature),
            Digest::Sha384 => matches::<Hmac<Sha384>>(&self.secret, &text, body, &signature),
            Digest::Sha512 => matches::<Hmac<Sha512>>(&self.secret, &text, body, &signature),
        }
        .then_some(())
        .ok_or(wrong)
    }

    fn name(&self) -> &'static str {
        match self.digest {
            Digest::Sha256 => "sha256",
            Digest::Sha384 => "sha384",
            Digest::Sha512 => "sha512",
        }
    }
}

/// Compares in constant time.
fn matches<M: Mac + hmac::digest::KeyInit>(secret: &[u8], text: &[u8], body: &[u8], signature: &[u8]) -> bool {
    <M as Mac>::new_from_slice(secret)
        .is_ok_and(|mac| mac.chain_update(text).chain_update(body).verify_slice(signature).is_ok())
}

/// Returns the text signed before the body: one line per header, empty if absent.
fn signed_text(parts: &Parts) -> Vec<u8> {
    let mut text = parts.method.as_str().as_bytes().to_vec();
    text.push(b'\n');
    for name in HEADERS {
        let values: Vec<&[u8]> = values(&parts.headers, name);
        text.extend(values.join(&b','));
        text.push(b'\n');
    }
    text.extend(percent_decode_str(parts.uri.path()));
    if let Some(query) = parts.uri.query().filter(|query| !query.is_empty()) {
        text.push(b'?');
        text.extend(query.as_bytes());
    }
    text.push(b'\n');
    text
}

/// Reports whether a path without `%` can only mean this path: only characters that are not separators and may need
/// escaping are escaped with `%`.
fn is_plain(path: &str) -> bool {
    let mut parts = path.split('%');
    parts.next();
    parts.all(|escaped| {
        let byte = escaped.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        byte.is_some_and(|byte| {
            !byte.is_ascii_alphanumeric() && !byte.is_ascii_control() && !b"-._~/?#%".contains(&byte)
        })
    })
}

fn values<'a>(headers: &'a HeaderMap, name: &str) -> Vec<&'a [u8]> {
    headers.get_all(name).iter().map(|value| value.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA256: &str = "sha256 vmQd6t9MinMPT0X9RWw/JB7V28d2VGW35GK4HsVuUPE=";
    const SHA512: &str =
        "sha512 hF9Z1js0WHoem0NQssJNVNJ/mYmoYiSvuqrIBjDfXoidQmk5Zcs5qvsRa7P3R3/f5kehl49A6dR1XDgGQ7cbYg==";

    fn check(key: &str, request: &str, headers: &[(&str, &str)], body: &str) -> Result<(), &'static str> {
        let (method, uri) = request.split_once(' ').expect("two words");
        let mut builder = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let (parts, ()) = builder.body(()).expect("a request").into_parts();
        let key = GapKey::parse(&format!("{key}:a-key-that-two-share")).expect("a key");
        key.check(&parts, &Bytes::from(body.to_owned()))
    }

    // The signatures were generated with Python's hmac: the method, a line for each header of oauth2-proxy's list, the
    // path with its query, each ended by a line break; then the body.
    #[test]
    fn what_the_proxy_signs_is_known_and_nothing_else() {
        let headers = |signature| {
            vec![("x-forwarded-user", "ana"), ("gap-auth", "ana@example.org"), ("gap-signature", signature)]
        };
        let get = "GET /proposals?state=proposed";
        assert_eq!(check("sha256", get, &headers(SHA256), ""), Ok(()));
        let mut more = headers(SHA256);
        more.push(("accept", "*/*"));
        assert_eq!(check("sha256", get, &more, ""), Ok(()), "not all headers are signed");
        for (request, body) in [("GET /proposals", ""), ("POST /proposals?state=proposed", ""), (get, "x")] {
            assert!(check("sha256", request, &headers(SHA256), body).is_err(), "{request} {body}");
        }
        let other = [("x-forwarded-user", "ben"), ("gap-auth", "ana@example.org"), ("gap-signature", SHA256)];
        assert!(check("sha256", get, &other, "").is_err());
        assert!(check("sha256", get, &headers("sha256 AAAA"), "").is_err());
        assert!(check("sha256", get, &headers("sha256"), "").is_err());
        assert!(check("sha256", get, &[("x-forwarded-user", "ana")], "").is_err());
        let mut twice = headers(SHA256);
        twice.push(("gap-signature", SHA256));
        assert!(check("sha256", get, &twice, "").is_err());
        assert!(check("sha512", get, &headers(SHA256), "").is_err());
    }

    #[test]
    fn a_path_that_reads_like_another_one_has_no_signature() {
        let headers = [("x-forwarded-user", "ana"), ("gap-auth", "ana@example.org"), ("gap-signature", SHA256)];
        assert_eq!(check("sha256", "GET /proposals?state=proposed", &headers, ""), Ok(()));
        for other in ["GET /proposals%3Fstate=proposed", "GET /propos%61ls?state=proposed"] {
            // The router may resolve it differently, though the signature is the same.
            let why = check("sha256", other, &headers, "").expect_err(other);
            assert!(why.contains("has an ambiguous path"), "{other}: {why}");
        }
        for plain in ["/", "/a/b.c", "/caf%C3%A9%20x/y", "/decisions/a%3Ab%40c"] {
            assert!(is_plain(plain), "{plain}");
        }
        for odd in ["/a%2Fb", "/a%3fb", "/a%23b", "/a%25b", "/a%0Ab", "/%2e%2e/b", "/a%", "/a%zz", "/a%4"] {
            assert!(!is_plain(odd), "{odd}");
        }
    }

    #[test]
    fn bodies_repeated_headers_and_escaped_paths_are_signed() {
        let headers = |user| {
            [
                ("content-length", "12"),
                ("content-type", "application/x-www-form-urlencoded"),
                ("x-forwarded-user", user),
                ("cookie", "a=1"),
                ("cookie", "b=2"),
                ("gap-signature", SHA512),
            ]
        };
        let post = "POST /caf%C3%A9%20x/y";
        assert_eq!(check("sha512", post, &headers("ana"), "decision=yes"), Ok(()));
        assert!(check("sha512", post, &headers("ana"), "decision=no!").is_err());
        assert!(check("sha512", post, &headers("ben"), "decision=yes").is_err());
    }

    #[test]
    fn old_digests_are_no_keys() {
        for old in ["sha1:a-key-that-two-share", "md5:a-key-that-two-share", "a-key-that-two-share", ""] {
            assert!(GapKey::parse(old).is_none(), "{old}");
        }
        let signed = [("x-forwarded-user", "ana"), ("gap-signature", "sha1 E6BE9EU3bqTftCEAAAntDllJc6U=")];
        assert!(check("sha256", "GET /", &signed, "").is_err());
    }
}
