//! Identification of callers: tokens, sessions, a proxy's header, and pages of other origins; against a running daemon.

use super::api::client::{Answer, Api, TOKEN};
use crate::harness::daemon::Site;
use base64::Engine as _;
use hmac::Mac as _;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

const STOP: &str = "POST /api/v1/rules/stop";

fn started(settings: &[(&str, &str)]) -> Api {
    let api = Api::with(settings);
    api.site.push_roster(&["ana", "ben"]);
    api
}

/// Returns what a command of `token` created.
fn token(site: &Site, arguments: &[&str]) -> Value {
    let said = site.run(&[&["--json", "token"], arguments].concat());
    assert_eq!(said.code, Some(0), "{said:?}");
    serde_json::from_str(&said.out).expect("JSON")
}

fn made(site: &Site, who: &str, scope: &str) -> String {
    let made = token(site, &["create", "--as", who, "--scope", scope, "--name", "laptop"]);
    made["token"].as_str().expect("a token").to_owned()
}

fn stop(api: &Api, token: &str, reviewer: Option<&str>) -> Answer {
    let mut body = json!({"reason": "An agent deletes files."});
    if let Some(reviewer) = reviewer {
        body["reviewer_id"] = json!(reviewer);
    }
    api.raw(STOP, &bearer(token), &body.to_string())
}

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[test]
fn a_token_decides_for_its_person_and_for_nobody_else() {
    let api = started(&[]);
    let ana = made(&api.site, "ana", "decide");
    assert!(ana.starts_with("fbd_"), "{ana}");
    for body in ["ben", "eve", "ANA"] {
        let refused = stop(&api, &ana, Some(body)).problem(403);
        assert!(refused["detail"].as_str().unwrap().contains("you are `ana` here"), "{refused}");
    }
    assert_eq!(api.get("/rules/stopped").ok()["all"], Value::Null, "nothing happened");
    assert_eq!(stop(&api, &ana, None).ok()["accepted"], true);
    let by = |api: &Api| api.get("/rules/stopped").ok()["all"]["by"].clone();
    assert_eq!(by(&api), "ana");

    let reader = made(&api.site, "ben", "read");
    assert_eq!(api.raw("GET /api/v1/turns", &bearer(&reader), "").status, 200);
    let resume = |token: &str| api.raw("POST /api/v1/rules/resume", &bearer(token), r#"{"reason": "It is mended."}"#);
    assert!(resume(&reader).problem(403)["detail"].as_str().unwrap().contains("scope `decide`"));
    assert_eq!(by(&api), "ana");
    assert_eq!(resume(&made(&api.site, "ben", "admin")).ok()["accepted"], true);
    assert!(!api.daemon.log().contains(&ana), "a token is never logged");
}

#[test]
fn tokens_are_kept_as_hashes_and_end_at_once_when_they_are_revoked() {
    let api = started(&[]);
    let ana = made(&api.site, "ana", "read");
    let ask = |token: &str| api.raw("GET /api/v1/turns", &bearer(token), "");
    assert_eq!(ask(&ana).status, 200);
    let file = api.site.state().join("tokens.json");
    assert_eq!(std::fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    let kept = std::fs::read_to_string(&file).expect("text");
    assert!(!kept.contains(ana.rsplit('_').next().unwrap()), "{kept}");

    let listed = token(&api.site, &["list"]);
    let id = listed[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(
        (&listed[0]["reviewer"], &listed[0]["name"], &listed[0]["state"]),
        (&json!("ana"), &json!("laptop"), &json!("valid"))
    );
    assert!(ana.contains(&id));

    // Of a token that never existed, nothing more is revealed.
    let other = format!("{}0", &ana[..ana.len() - 1]);
    let other = if other == ana { format!("{}1", &ana[..ana.len() - 1]) } else { other };
    for unknown in [other.as_str(), "fbd_00000000_x", "fbd_", "nonsense"] {
        let answer = ask(unknown);
        assert_eq!(answer.problem(401)["detail"], "unknown token", "{unknown}");
        assert!(answer.head.contains("invalid_token"), "{}", answer.head);
    }
    assert_eq!(token(&api.site, &["revoke", &id])["state"], "revoked");
    assert!(ask(&ana).problem(401)["detail"].as_str().unwrap().contains(&format!("the token {id} was revoked at")));
    assert_ne!(api.site.run(&["token", "revoke", "00000000"]).code, Some(0));

    // An expiry in the past.
    let short = made(&api.site, "ana", "read");
    let text = std::fs::read_to_string(&file).expect("text");
    let mut book: Value = serde_json::from_str(&text).expect("JSON");
    let last = book["tokens"].as_array_mut().expect("tokens").last_mut().expect("one");
    last["expires_at"] = json!("2026-01-01T00:00:00Z");
    std::fs::write(&file, book.to_string()).expect("written");
    assert!(ask(&short).problem(401)["detail"].as_str().unwrap().contains("expired at 2026-01-01T00:00:00Z"));
}

#[test]
fn a_token_holds_only_while_its_person_stands_on_the_roster() {
    let api = started(&[]);
    let refused = api.site.run(&["token", "create", "--as", "eve"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.err.contains("is not on the roster"), "{refused:?}");
    for lasting in ["0s", "5y", "soon"] {
        assert_ne!(api.site.run(&["token", "create", "--as", "ana", "--expires", lasting]).code, Some(0), "{lasting}");
    }
    let ana = made(&api.site, "ana", "decide");
    let file = api.site.state().join("tokens.json");
    let text = std::fs::read_to_string(&file).expect("text");
    std::fs::write(&file, text.replace("\"ana\"", "\"eve\"")).expect("written");
    let answer = api.raw("GET /api/v1/turns", &bearer(&ana), "").problem(403);
    assert!(answer["detail"].as_str().unwrap().contains("`eve` is not on the roster"), "{answer}");
}

#[test]
fn a_link_logs_in_once_and_looking_at_it_does_not() {
    let api = started(&[]);
    let link = token(&api.site, &["link", "--as", "ana"]);
    let (token, url) = (link["token"].as_str().unwrap().to_owned(), link["url"].as_str().unwrap());
    assert!(url.ends_with(&format!("/login?link={token}")), "{url}");
    for _ in 0..2 {
        let form = api.raw(&format!("GET /login?link={token}"), "", "");
        assert_eq!(form.status, 200);
        assert!(form.head.contains("content-security-policy: default-src 'none'"), "{}", form.head);
        assert!(!form.head.contains("set-cookie"), "{}", form.head);
    }
    // It is not a token for programs.
    api.raw("GET /api/v1/turns", &bearer(&token), "").problem(401);
    let log_in = |next: &str| api.raw("POST /login", "", &format!("token={token}&next={next}"));
    let begun = log_in("%2Fproposals");
    assert_eq!((begun.status, header(&begun, "location")), (303, Some("/proposals")));
    let cookie = header(&begun, "set-cookie").expect("a cookie");
    assert!(cookie.starts_with("feedbackd=") && cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    let again = log_in("%2F");
    assert_eq!((again.status, header(&again, "set-cookie")), (401, None), "once");
}

#[test]
fn a_link_is_not_used_up_while_its_person_is_not_on_the_roster() {
    let api = started(&[]);
    let link = token(&api.site, &["link", "--as", "ana"]);
    let token = link["token"].as_str().unwrap();
    let file = api.site.state().join("tokens.json");
    let rename = |from: &str, to: &str| {
        let text = std::fs::read_to_string(&file).expect("text");
        assert!(text.contains(from), "{text}");
        std::fs::write(&file, text.replace(from, to)).expect("written");
    };
    let log_in = || api.raw("POST /login", "", &format!("token={token}"));
    rename("\"ana\"", "\"eve\"");
    let refused = log_in();
    assert_eq!((refused.status, header(&refused, "set-cookie")), (403, None));
    rename("\"eve\"", "\"ana\"");
    assert_eq!(log_in().status, 303, "it was not used up");
    assert_eq!(log_in().status, 401, "once");
}

#[test]
fn a_session_ends_with_its_token_and_by_logging_out() {
    let api = started(&[]);
    // From elsewhere: an unknown caller has to log in first.
    let from = "X-Forwarded-For: 192.0.2.9\r\n";
    let look = |cookie: &str| api.raw("GET /nothing", &format!("{from}Cookie: {cookie}\r\n"), "");
    let nobody = look("feedbackd=nonsense");
    assert_eq!((nobody.status, header(&nobody, "location")), (303, Some("/login?next=%2Fnothing")));
    assert_eq!(api.raw("GET /nothing", "", "").status, 404, "on this machine everybody may look");
    assert_eq!(api.raw("POST /nothing", from, "").status, 401);

    let ana = made(&api.site, "ana", "decide");
    let session = |token: &str| {
        let begun = api.raw("POST /login", "", &format!("token={token}&next=%2F%2Fevil.example"));
        assert_eq!((begun.status, header(&begun, "location")), (303, Some("/")), "{}", begun.head);
        header(&begun, "set-cookie").expect("a cookie").split(';').next().expect("a pair").to_owned()
    };
    let (one, other) = (session(&ana), session(&ana));
    assert_ne!(one, other);
    assert_eq!((look(&one).status, look(&other).status), (404, 404), "they may look");
    // The API accepts no cookie, and the page no token.
    api.raw("GET /api/v1/turns", &format!("Cookie: {one}\r\n"), "").problem(401);
    assert_eq!(api.raw("GET /nothing", &format!("{from}{}", bearer(&ana)), "").status, 303);

    let out = api.raw("POST /logout", &format!("Cookie: {one}\r\n"), "");
    assert!(header(&out, "set-cookie").is_some_and(|cookie| cookie.starts_with("feedbackd=; ")), "{}", out.head);
    assert_eq!((look(&one).status, look(&other).status), (303, 404));
    let id = ana.split('_').nth(1).unwrap();
    token(&api.site, &["revoke", id]);
    assert_eq!(look(&other).status, 303);
    assert_eq!(api.raw("POST /login", "", &format!("token={ana}")).status, 401);
}

#[test]
fn a_page_of_another_origin_posts_nothing() {
    let api = started(&[("HTTP__ORIGINS", "http://localhost:5173")]);
    let ana = made(&api.site, "ana", "decide");
    let host = format!("127.0.0.1:{}", api.daemon.port());
    let log_in = |more: &str| api.raw("POST /login", more, &format!("token={ana}")).status;
    for foreign in [
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        &format!("Origin: http://{host}.evil.example\r\nSec-Fetch-Site: cross-site\r\n"),
    ] {
        assert_eq!(log_in(foreign), 403, "{foreign}");
        let more = format!("{}{foreign}", bearer(&ana));
        api.raw(STOP, &more, r#"{"reason": "x"}"#).problem(403);
    }
    assert_eq!(api.get("/rules/stopped").ok()["all"], Value::Null);
    for own in [
        String::new(),
        format!("Origin: http://{host}\r\n"),
        "Sec-Fetch-Site: same-origin\r\n".to_owned(),
        "Origin: http://localhost:5173\r\nSec-Fetch-Site: cross-site\r\n".to_owned(),
    ] {
        assert_eq!(log_in(&own), 303, "{own}");
    }
    assert_eq!(api.raw("POST /login", "Host: evil.example\r\n", &format!("token={ana}")).status, 421);
}

#[test]
fn a_proxy_names_people_and_nobody_else_does() {
    let api = started(&[("HTTP__PROXY__HEADER", "X-Forwarded-User")]);
    let as_ = |more: &str, body: &str| api.raw(STOP, more, body);
    let why = r#"{"reason": "An agent deletes files."}"#;
    as_("X-Forwarded-User: eve\r\n", why).problem(403);
    as_("X-Forwarded-User: ana\r\nX-Forwarded-User: ben\r\n", why).problem(400);
    as_("X-Forwarded-User: ana,ben\r\n", why).problem(400);
    as_("X_Forwarded_User: ana\r\n", why).problem(401);
    as_("X-Forwarded-User: ana\r\n", r#"{"reason": "x", "reviewer_id": "ben"}"#).problem(403);
    assert_eq!(as_("X-Forwarded-User: ana\r\n", why).ok()["accepted"], true);
    assert_eq!(api.get("/rules/stopped").ok()["all"]["by"], "ana");
    // With a proxy in front, no caller counts as local.
    assert_eq!(api.raw("GET /nothing", "", "").status, 303);
    assert_eq!(api.raw("GET /nothing", "X-Forwarded-User: ana\r\n", "").status, 404);
    assert_eq!(api.raw("GET /health", "", "").status, 200);
}

#[test]
fn pages_are_read_unknown_from_this_machine_alone_and_only_until_a_key_says_that_others_come() {
    let alone = started(&[]);
    assert_eq!(alone.raw("GET /nothing", "", "").status, 404, "the page looks for it");
    for passed_on in [
        "X-Forwarded-For: 192.0.2.7",
        "Via: 1.1 edge",
        "X-Real-IP: 192.0.2.7",
        "CF-Connecting-IP: 192.0.2.7",
        "X-Of-Tomorrow: 1",
    ] {
        assert_eq!(alone.raw("GET /nothing", &format!("{passed_on}\r\n"), "").status, 303, "{passed_on}");
    }
    // A proxy that adds no headers looks like this machine: its public name suffices.
    for (key, value) in [
        ("HTTP__PUBLIC_URL", "https://feedback.example.org"),
        ("HTTP__HOSTS", "feedback.example.org"),
        ("HTTP__ANONYMOUS_READING", "off"),
    ] {
        let api = started(&[(key, value)]);
        for page in ["/", "/nothing", "/search?q=a", "/dead-letters", "/roster", "/api/feedback/rules/pending"] {
            let status = api.raw(&format!("GET {page}"), "", "").status;
            assert!(
                [303, 401, 404].contains(&status) && (status != 404 || page.starts_with("/api")),
                "{key} {page} {status}"
            );
        }
    }
    let on = started(&[("HTTP__HOSTS", "feedback.example.org"), ("HTTP__ANONYMOUS_READING", "on")]);
    assert_eq!(on.raw("GET /nothing", "", "").status, 404);
    assert_eq!(on.raw("GET /nothing", "Via: 1.1 edge\r\n", "").status, 303);
}

#[test]
fn a_spoofed_header_says_nothing() {
    let settings = [("HTTP__PROXY__HEADER", "X-Forwarded-User"), ("HTTP__PROXY__ADDRESSES", "192.0.2.7")];
    let api = started(&settings);
    let spoofed = "X-Forwarded-User: ana\r\n";
    api.raw(STOP, spoofed, r#"{"reason": "x"}"#).problem(401);
    assert_eq!(api.raw("GET /nothing", spoofed, "").status, 303);
    // The program's token counts as before, whatever other headers are sent.
    let program = format!("{spoofed}{}", bearer(TOKEN));
    api.raw(STOP, &program, r#"{"reason": "x"}"#).problem(422);
}

/// Starts a daemon behind oauth2-proxy, which signs with this key.
fn behind_signing_proxy(key: &str) -> Api {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("key");
    std::fs::write(&file, format!("{key}\n")).expect("written");
    // It is read only when the daemon starts.
    started(&[
        ("HTTP__PROXY__HEADER", "X-Forwarded-User"),
        ("HTTP__PROXY__SIGNATURE_KEY_FILE", &file.display().to_string()),
    ])
}

/// Returns the headers of a request as oauth2-proxy sends it, with its signature.
fn passed_on(secret: &str, line: &str, user: &str, body: &str) -> String {
    let (method, url) = line.split_once(' ').expect("two words");
    // Content-Length is the first of the eleven headers, X-Forwarded-User the sixth.
    let signed = format!("{method}\n{}\n\n\n\n\n{user}\n\n\n\n\n\n{url}\n{body}", body.len());
    let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).expect("any length");
    mac.update(signed.as_bytes());
    let signature = base64::engine::general_purpose::STANDARD.encode(mac.finalize().into_bytes());
    format!("X-Forwarded-User: {user}\r\nGAP-Signature: sha256 {signature}\r\n")
}

#[test]
fn a_signing_proxy_names_people_by_its_signature_alone() {
    const SECRET: &str = "a-key-that-two-share";
    let api = behind_signing_proxy(&format!("sha256:{SECRET}"));
    let body = r#"{"reason": "An agent deletes files."}"#;
    let good = passed_on(SECRET, STOP, "ana", body);
    let refused = |headers: &str, body: &str, why: &str| {
        let problem = api.raw(STOP, headers, body).problem(401);
        assert!(problem["detail"].as_str().unwrap().contains(why), "{problem}");
    };
    refused("X-Forwarded-User: ana\r\n", body, "no GAP-Signature");
    refused("X_Forwarded_User: ana\r\n", body, "no GAP-Signature");
    let forged = passed_on("a-key-that-nobody-has", STOP, "ana", body);
    refused(&forged, body, "not the proxy's");
    refused(&good.replace(": ana", ": ben"), body, "not the proxy's");
    refused(&good, r#"{"reason": "An agent deletes FILES."}"#, "not the proxy's");
    refused(&passed_on(SECRET, "POST /api/v1/rules/resume", "ana", body), body, "not the proxy's");
    refused(&good.replace("sha256 ", "sha1 "), body, "a different digest");
    assert_eq!(api.get("/rules/stopped").ok()["all"], Value::Null, "nothing happened");
    assert_eq!(api.raw(STOP, &good, body).ok()["accepted"], true);
    assert_eq!(api.get("/rules/stopped").ok()["all"]["by"], "ana");
    // An anonymous request needs no signature: probes, and programs with their token.
    assert_eq!(api.raw("GET /health", "", "").status, 200);
    assert_eq!(api.raw("GET /nothing?a=b", &passed_on(SECRET, "GET /nothing?a=b", "ana", ""), "").status, 404);
}

#[test]
fn a_key_that_proves_nothing_is_refused() {
    let mut site = Site::new("redis://127.0.0.1:1/0");
    let file = site.path("key");
    site.set("HTTP__PROXY__HEADER", "X-Forwarded-User");
    site.set("HTTP__PROXY__SIGNATURE_KEY_FILE", &file.display().to_string());
    for bad in ["sha1:a-key-that-two-share", "sha256:short", "a-key-that-two-share"] {
        std::fs::write(&file, bad).expect("written");
        for command in [&["serve"][..], &["config", "check"]] {
            let said = site.run(command);
            assert_ne!(said.code, Some(0), "{bad}: {said:?}");
            assert!(said.err.contains("http.proxy.signature_key_file") && said.err.contains("sha1 is not"), "{said:?}");
            assert!(!said.err.contains("two-share"), "{said:?}");
        }
    }
    // A header that oauth2-proxy does not sign could be forged.
    std::fs::write(&file, "sha256:a-key-that-two-share").expect("written");
    site.set("HTTP__PROXY__HEADER", "X-Forwarded-Preferred-Username");
    let said = site.run(&["config", "check"]);
    assert!(said.code != Some(0) && said.err.contains("must be one that oauth2-proxy signs"), "{said:?}");
}
