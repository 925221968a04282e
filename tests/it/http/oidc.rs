//! OpenID Connect login: a provider over HTTP that signs with an openssl key, a daemon, and a browser that follows the
//! links.

use super::api::client::{Answer, Api};
use crate::harness::daemon::Site;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use hmac::Mac as _;
use jiff::{SignedDuration, Timestamp};
use reqwest::Url;
use serde_json::{Value, json};
use sha2::Digest as _;
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

const SECRET: &str = "the-secret-of-the-client";

/// Returns the provider.
struct Provider {
    server: MockServer,
    runtime: tokio::runtime::Runtime,
    keys: tempfile::TempDir,
}

impl Provider {
    fn start() -> Provider {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let server = runtime.block_on(MockServer::start());
        let provider = Provider { server, runtime, keys: tempfile::tempdir().expect("a directory") };
        for name in ["first", "second", "strange"] {
            let key = provider.key(name);
            run(Command::new("openssl").args(["genrsa", "-out"]).arg(key));
        }
        provider.shows(&["first"]);
        let at = |place: &str| format!("{}{place}", provider.issuer());
        provider.says(&at("/token"));
        provider
    }

    /// Sets its metadata, with the address of its tokens.
    fn says(&self, tokens: &str) {
        let at = |place: &str| format!("{}{place}", self.issuer());
        self.answers(
            "/.well-known/openid-configuration",
            200,
            &json!({
                "issuer": self.issuer(),
                "authorization_endpoint": at("/authorize"),
                "token_endpoint": tokens,
                "jwks_uri": at("/keys"),
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            }),
        );
    }

    fn issuer(&self) -> String {
        self.server.uri()
    }

    fn key(&self, name: &str) -> PathBuf {
        self.keys.path().join(name)
    }

    /// Sets its keys from now on.
    fn shows(&self, keys: &[&str]) {
        let keys = keys.iter().map(|name| {
            let said = run(Command::new("openssl").args(["rsa", "-noout", "-modulus", "-in"]).arg(self.key(name)));
            let hex = String::from_utf8(said).expect("text").trim().replace("Modulus=", "");
            let modulus: Vec<u8> =
                (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")).collect();
            json!({"kty": "RSA", "use": "sig", "alg": "RS256", "kid": name, "e": "AQAB", "n": BASE64.encode(modulus)})
        });
        self.answers("/keys", 200, &json!({ "keys": keys.collect::<Vec<_>>() }));
    }

    fn answers(&self, at: &str, status: u16, answer: &Value) {
        let answer = ResponseTemplate::new(status).set_body_json(answer);
        // The latest takes precedence.
        let priority = u8::try_from(200 - self.mounted()).expect("few answers");
        self.runtime.block_on(Mock::given(path(at)).respond_with(answer).with_priority(priority).mount(&self.server));
    }

    fn mounted(&self) -> usize {
        let file = self.keys.path().join("mounted");
        let mounted = std::fs::read_to_string(&file).ok().and_then(|text| text.parse().ok()).unwrap_or(0) + 1;
        std::fs::write(file, mounted.to_string()).expect("written");
        mounted
    }

    /// Issues this ID token.
    fn gives(&self, id_token: &str) {
        let answer = json!({"access_token": "an-access-token", "token_type": "Bearer", "id_token": id_token});
        self.answers("/token", 200, &answer);
    }

    /// Returns the requests to a path.
    fn asked(&self, at: &str) -> Vec<wiremock::Request> {
        let all = self.runtime.block_on(self.server.received_requests()).unwrap_or_default();
        all.into_iter().filter(|request| request.url.path() == at).collect()
    }

    fn signed(&self, key: &str, claims: &Value) -> String {
        let text = unsigned(&json!({"alg": "RS256", "kid": key}), claims);
        let mut sign = Command::new("openssl");
        sign.args(["dgst", "-sha256", "-sign"]).arg(self.key(key));
        format!("{text}.{}", BASE64.encode(piped(&mut sign, text.as_bytes())))
    }
}

fn unsigned(header: &Value, claims: &Value) -> String {
    format!("{}.{}", BASE64.encode(header.to_string()), BASE64.encode(claims.to_string()))
}

fn run(command: &mut Command) -> Vec<u8> {
    piped(command, b"")
}

fn piped(command: &mut Command, text: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("openssl is installed");
    child.stdin.take().expect("a pipe").write_all(text).expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Starts a daemon whose users log in through it.
fn daemon(provider: &Provider, more: &[(&str, &str)]) -> Api {
    let secret = provider.keys.path().join("secret");
    std::fs::write(&secret, format!("{SECRET}\n")).expect("written");
    let (issuer, secret) = (provider.issuer(), secret.display().to_string());
    let mut settings = vec![
        ("HTTP__OIDC__ISSUER", issuer.as_str()),
        ("HTTP__OIDC__CLIENT_ID", "feedbackd"),
        ("HTTP__OIDC__CLIENT_SECRET_FILE", secret.as_str()),
        ("HTTP__OIDC__PEOPLE", "Ana@example.org=ana, eve@example.org=eve"),
        ("HTTP__PUBLIC_URL", "http://localhost:9464"),
    ];
    settings.extend(more);
    let api = Api::with(&settings);
    api.site.push_roster(&["ana", "ben"]);
    api
}

/// A started login.
struct Begun {
    cookie: String,
    asked: HashMap<String, String>,
}

fn begin(api: &Api, next: &str) -> Begun {
    let answer = api.raw(&format!("GET /login/oidc?next={next}"), "", "");
    assert_eq!(answer.status, 303, "{}", answer.text());
    let to = Url::parse(header(&answer, "location").expect("an address")).expect("an address");
    assert_eq!(to.path(), "/authorize");
    let cookie = cookies(&answer).into_iter().find(|cookie| cookie.contains("feedbackd-login=")).expect("a cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    let cookie = cookie.split(';').next().expect("a pair").to_owned();
    Begun { cookie, asked: to.query_pairs().into_owned().collect() }
}

fn back(api: &Api, state: &str, cookie: &str) -> Answer {
    // As sent by browsers redirected from another site.
    let headers = format!("Cookie: {cookie}\r\nSec-Fetch-Site: cross-site\r\nReferer: https://sso.example.org/\r\n");
    api.raw(&format!("GET /login/oidc/callback?code=a-code&state={state}"), &headers, "")
}

fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

fn cookies(answer: &Answer) -> Vec<String> {
    answer.head.lines().filter_map(|line| line.strip_prefix("set-cookie: ")).map(str::to_owned).collect()
}

/// Returns the session that an answer starts.
fn session(answer: &Answer) -> Option<String> {
    let found = cookies(answer).into_iter().find(|cookie| cookie.contains("feedbackd="))?;
    assert_eq!(found.starts_with("__Host-"), found.ends_with("; Secure"), "{found}");
    assert!(found.contains("SameSite=Strict") && found.contains("HttpOnly"), "{found}");
    found.split(';').next().map(str::to_owned)
}

/// Returns the claims of a valid token for this login.
fn claims(provider: &Provider, begun: &Begun) -> Value {
    let now = Timestamp::now();
    json!({
        "iss": provider.issuer(), "aud": "feedbackd", "sub": "u-1", "nonce": begun.asked["nonce"],
        "iat": now.as_second(), "exp": (now + SignedDuration::from_mins(5)).as_second(),
        "email": "ana@Example.org", "email_verified": true,
    })
}

#[test]
fn whom_the_provider_knows_is_logged_in_as_the_person_of_the_roster() {
    let provider = Provider::start();
    let api = daemon(&provider, &[]);
    assert!(provider.asked("/.well-known/openid-configuration").is_empty(), "nobody asked for it yet");
    let form = api.raw("GET /login?next=/report", "", "");
    assert!(
        form.text().contains(r#"<a href="/login/oidc?next=%2Freport">log in with 127.0.0.1</a>"#),
        "{}",
        form.text()
    );

    let begun = begin(&api, "%2Freport");
    let asked = &begun.asked;
    assert_eq!((asked["client_id"].as_str(), asked["response_type"].as_str()), ("feedbackd", "code"));
    assert_eq!(asked["redirect_uri"], "http://localhost:9464/login/oidc/callback");
    assert_eq!(asked["code_challenge_method"], "S256");
    assert!(asked["scope"].split(' ').any(|scope| scope == "openid") && asked["scope"].contains("email"));
    provider.gives(&provider.signed("first", &claims(&provider, &begun)));
    let page = back(&api, &asked["state"], &begun.cookie);
    assert_eq!(page.status, 200, "{}", page.text());
    assert!(page.text().contains("You are ana") && page.text().contains(r#"<a href="/report">"#), "{}", page.text());
    assert!(header(&page, "content-security-policy").is_some_and(|policy| policy.contains("default-src 'none'")));
    let session = session(&page).expect("a session");
    let inbox = api.raw("GET /", &format!("Cookie: {session}\r\nX-Forwarded-For: 192.0.2.9\r\n"), "");
    assert!(inbox.text().contains("Logged in as <strong>ana</strong>"), "{}", inbox.text());

    // It proved its identity to the provider, and that it started the login.
    let sent = provider.asked("/token").pop().expect("a request");
    let fields: HashMap<String, String> = form_urlencoded::parse(&sent.body).into_owned().collect();
    assert_eq!((fields["code"].as_str(), fields["grant_type"].as_str()), ("a-code", "authorization_code"));
    assert_eq!(BASE64.encode(sha2::Sha256::digest(&fields["code_verifier"])), begun.asked["code_challenge"]);
    let basic = sent.headers.get("authorization").and_then(|value| value.to_str().ok()).expect("a header");
    assert!(basic.starts_with("Basic "), "{basic}");
    assert!(!api.daemon.log().contains(SECRET) && !api.daemon.log().contains("an-access-token"));

    // The session is a normal one, and can be ended.
    let out = api.raw("POST /logout", &format!("Cookie: {session}\r\n"), "");
    assert_eq!(out.status, 303);
    assert!(!api.raw("GET /", &format!("Cookie: {session}\r\n"), "").text().contains("Logged in as"));
}

#[test]
fn nobody_is_logged_in_by_what_proves_nothing() {
    let provider = Provider::start();
    let api = daemon(&provider, &[]);
    let hmac = |claims: &Value| {
        let text = unsigned(&json!({"alg": "HS256"}), claims);
        let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
        mac.update(text.as_bytes());
        format!("{text}.{}", BASE64.encode(mac.finalize().into_bytes()))
    };
    let with = |claims: &Value, name: &str, value: Value| {
        let mut claims = claims.clone();
        claims[name] = value;
        provider.signed("first", &claims)
    };
    let past = (Timestamp::now() - SignedDuration::from_mins(30)).as_second();
    type Made<'a> = Box<dyn Fn(&Value) -> String + 'a>;
    let wrong: Vec<(&str, u16, Made<'_>)> = vec![
        ("another nonce", 502, Box::new(|claims| with(claims, "nonce", json!("another")))),
        ("no nonce", 502, Box::new(|claims| with(claims, "nonce", Value::Null))),
        ("for another client", 502, Box::new(|claims| with(claims, "aud", json!("another")))),
        ("for another client too", 502, Box::new(|claims| with(claims, "aud", json!(["feedbackd", "another"])))),
        ("of another issuer", 502, Box::new(|claims| with(claims, "iss", json!("https://evil.example")))),
        ("too old", 502, Box::new(|claims| with(claims, "exp", json!(past)))),
        ("not signed", 502, Box::new(|claims| format!("{}.", unsigned(&json!({"alg": "none"}), claims)))),
        ("signed by us", 502, Box::new(hmac)),
        ("signed by a stranger", 502, Box::new(|claims| provider.signed("strange", claims))),
        ("no token", 502, Box::new(|_| "x.y.z".to_owned())),
        ("not verified", 403, Box::new(|claims| with(claims, "email_verified", json!(false)))),
        ("no address", 403, Box::new(|claims| with(claims, "email", Value::Null))),
        ("a stranger", 403, Box::new(|claims| with(claims, "email", json!("mallory@example.org")))),
        ("not on the roster", 403, Box::new(|claims| with(claims, "email", json!("eve@example.org")))),
    ];
    for (what, status, made) in &wrong {
        let begun = begin(&api, "/");
        provider.gives(&made(&claims(&provider, &begun)));
        let answer = back(&api, &begun.asked["state"], &begun.cookie);
        assert_eq!(answer.status, *status, "{what}: {}", answer.text());
        assert_eq!(session(&answer), None, "{what}");
        assert!(answer.text().contains(r#"role="alert""#), "{what}: {}", answer.text());
    }
    // The stranger's key was looked up once, not for every token.
    assert!(provider.asked("/keys").len() <= 2, "{}", provider.asked("/keys").len());

    let good = || {
        let begun = begin(&api, "/");
        provider.gives(&provider.signed("first", &claims(&provider, &begun)));
        begun
    };
    let begun = good();
    assert_eq!(back(&api, "another", &begun.cookie).status, 400, "another state");
    let other = begin(&api, "/");
    assert_eq!(back(&api, &begun.asked["state"], &other.cookie).status, 400, "another browser");
    assert_eq!(back(&api, &begun.asked["state"], &begun.cookie).status, 400, "it was tried before");
    let begun = good();
    assert_eq!(back(&api, &begun.asked["state"], "a=b").status, 400, "no cookie");
    let begun = good();
    assert!(session(&back(&api, &begun.asked["state"], &begun.cookie)).is_some());
    assert_eq!(session(&back(&api, &begun.asked["state"], &begun.cookie)), None, "once");
    // The stranger's token caused a lookup within this minute, so a new key is not known yet.
    let begun = begin(&api, "/");
    provider.shows(&["second"]);
    provider.gives(&provider.signed("second", &claims(&provider, &begun)));
    assert_eq!(back(&api, &begun.asked["state"], &begun.cookie).status, 502);
    // Rejections by the provider: of the code, and of the person.
    let begun = begin(&api, "/");
    provider.answers("/token", 400, &json!({"error": "invalid_grant"}));
    assert_eq!(back(&api, &begun.asked["state"], &begun.cookie).status, 502);
    let begun = begin(&api, "/");
    let denied = format!("GET /login/oidc/callback?error=access_denied&state={}", begun.asked["state"]);
    assert_eq!(api.raw(&denied, &format!("Cookie: {}\r\n", begun.cookie), "").status, 403);
    provider.shows(&["first"]);
    // No redirect to other sites.
    let begun = begin(&api, "https%3A%2F%2Fevil.example");
    provider.gives(&provider.signed("first", &claims(&provider, &begun)));
    let page = back(&api, &begun.asked["state"], &begun.cookie);
    assert!(page.status == 200 && !page.text().contains("evil"), "{}", page.text());
}

#[test]
fn new_keys_of_the_provider_are_found_and_over_tls_so_are_the_cookies() {
    let provider = Provider::start();
    let over_tls = [
        ("HTTP__OIDC__CLAIM", "sub"),
        ("HTTP__OIDC__PEOPLE", "u-1=ben"),
        ("HTTP__PUBLIC_URL", "https://feedback.example.org"),
    ];
    let api = daemon(&provider, &over_tls);
    // The proxy sends a different Host than the browser, and a link has no origin.
    for key in ["first", "second"] {
        let begun = begin(&api, "/");
        assert!(begun.cookie.starts_with("__Host-feedbackd-login="), "{}", begun.cookie);
        provider.shows(&[key]);
        provider.gives(&provider.signed(key, &claims(&provider, &begun)));
        let page = back(&api, &begun.asked["state"], &begun.cookie);
        assert!(page.text().contains("You are ben"), "{key}: {}", page.text());
        let session = session(&page).expect("a session");
        assert!(session.starts_with("__Host-feedbackd="), "{session}");
        assert!(
            api.raw("GET /", &format!("Cookie: {session}\r\n"), "")
                .text()
                .contains("Logged in as <strong>ben</strong>")
        );
    }
}

#[test]
fn only_the_hosts_of_the_provider_are_asked_and_it_may_be_away() {
    let provider = Provider::start();
    let api = daemon(&provider, &[("HTTP__OIDC__CLAIM", "sub"), ("HTTP__OIDC__PEOPLE", "u-1=ben")]);
    provider.says("https://tokens.example.org/token");
    let begun = begin(&api, "/");
    let answer = back(&api, &begun.asked["state"], &begun.cookie);
    assert_eq!(answer.status, 502, "{}", answer.text());
    assert!(api.daemon.log().contains("tokens.example.org is not among the provider's hosts"), "{}", api.daemon.log());

    // The provider is unreachable: logging in with a token still works.
    let away = daemon(&provider, &[("HTTP__OIDC__ISSUER", "http://127.0.0.1:9")]);
    let answer = away.raw("GET /login/oidc", "", "");
    assert_eq!(answer.status, 502);
    assert!(answer.text().contains(r#"name="token""#), "{}", answer.text());
}

#[test]
fn what_would_let_in_the_wrong_people_is_refused_before_anything_starts() {
    let mut site = Site::new("redis://127.0.0.1:1/0");
    let good = [
        ("ISSUER", "https://sso.example.org/realms/main"),
        ("CLIENT_ID", "feedbackd"),
        ("PEOPLE", "ana@example.org=ana, ben@example.org=ben"),
    ];
    for (key, value) in good {
        site.set(&format!("HTTP__OIDC__{key}"), value);
    }
    site.set("HTTP__PUBLIC_URL", "https://feedback.example.org");
    let said = site.run(&["config", "check"]);
    assert!(!said.err.contains("http.oidc"), "{said:?}");

    let missing = site.path("missing").display().to_string();
    for (key, bad, good, named) in [
        ("HTTP__OIDC__ISSUER", "http://sso.example.org", good[0].1, "http.oidc.issuer"),
        ("HTTP__OIDC__ISSUER", "sso.example.org", good[0].1, "http.oidc.issuer"),
        ("HTTP__OIDC__CLIENT_ID", "", good[1].1, "http.oidc.client_id"),
        ("HTTP__PUBLIC_URL", "", "https://feedback.example.org", "http.public_url"),
        ("HTTP__PUBLIC_URL", "http://feedback.example.org", "https://feedback.example.org", "http.public_url"),
        ("HTTP__OIDC__CLAIM", "name", "email", "http.oidc.claim"),
        ("HTTP__OIDC__PEOPLE", "ana@example.org", good[2].1, "http.oidc.people"),
        ("HTTP__OIDC__PEOPLE", "ana@example.org=ana, Ana@example.org=ben", good[2].1, "each claim appears once"),
        ("HTTP__OIDC__HOSTS", "https://www.googleapis.com", "", "http.oidc.hosts"),
        ("HTTP__OIDC__CLIENT_SECRET_FILE", &missing, "", "http.oidc.client_secret_file"),
    ] {
        site.set(key, bad);
        for command in [&["serve"][..], &["config", "check"]] {
            let said = site.run(command);
            assert_ne!(said.code, Some(0), "{key}={bad}: {said:?}");
            assert!(said.err.contains(named), "{key}={bad}: {said:?}");
        }
        site.set(key, good);
    }
}
