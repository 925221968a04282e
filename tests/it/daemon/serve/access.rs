//! Redis with access control: the shipped users have exactly the rights they need, and with TLS both sides show
//! certificates.

use super::rules::{only_rule, verdict};
use super::three_alike;
use crate::harness::daemon::Site;
use crate::harness::redis::RedisServer;
use crate::harness::streams::{
    DEAD_LETTERS, DECISIONS, DISPATCHER, EVALUATED, GROUP, PROPOSALS, READ, REVIEWS, RULES, add, decide, decision,
    drain, entries, review,
};
use crate::harness::wait_until;
use feedbackd::domain::records::layout;
use std::path::Path;
use std::process::Command;

const USERS: &str = include_str!("../../../../deploy/redis/users.acl");
/// A placeholder for a password's hash.
const HASH: &str = "#0000000000000000000000000000000000000000000000000000000000000000";

/// Starts a server with the shipped users, whose passwords are their names. The default user stays, for the test's
/// checks.
fn guarded(directory: &Path) -> RedisServer {
    let lines = USERS.lines().map(|line| match line.split(' ').nth(1) {
        Some("default") => "user default on nopass ~* &* +@all".to_owned(),
        Some(name) => line.replace(HASH, &format!(">{name}")),
        None => panic!("{line}"),
    });
    let file = directory.join("users.acl");
    std::fs::write(&file, lines.collect::<Vec<_>>().join("\n") + "\n").expect("written");
    RedisServer::start_with(&["--aclfile", file.to_str().expect("UTF-8")])
}

#[test]
fn the_shipped_users_may_do_what_they_need_and_nothing_else() {
    let directory = tempfile::tempdir().expect("a directory");
    let redis = guarded(directory.path());
    let may = |user: &str, command: &str| -> bool {
        let mut words = vec!["ACL", "DRYRUN", user];
        words.extend(command.split(' '));
        let said: String = redis.cli(&words);
        said == "OK"
    };
    for stream in READ {
        let add = format!("XADD {stream} * data x");
        assert_eq!(may("producer", &add), stream != REVIEWS, "{stream}");
        assert_eq!(may("approver", &add), stream == REVIEWS, "{stream}");
        assert_eq!(may("dispatcher", &add), stream == DISPATCHER, "{stream}");
        for user in ["agent", "feedbackd"] {
            assert!(!may(user, &add), "{user} {stream}");
        }
        for user in ["producer", "approver", "dispatcher", "agent"] {
            for command in
                ["XRANGE {} - +", "XDEL {} 1-1", "XTRIM {} MAXLEN 0", "DEL {}", "XGROUP DESTROY {} feedbackd"]
            {
                assert!(!may(user, &command.replace("{}", stream)), "{user} {command} {stream}");
            }
        }
    }
    for user in ["producer", "approver", "dispatcher", "agent", "feedbackd"] {
        for command in ["FLUSHALL", "CONFIG GET dir", "KEYS a", "ACL LIST", "SHUTDOWN", "DEBUG SLEEP 0", "MONITOR"] {
            assert!(!may(user, command), "{user} {command}");
        }
        // The daemon scans for keys of its own from earlier runs.
        assert_eq!(may(user, "SCAN 0"), user == "feedbackd", "{user}");
        assert_eq!(may(user, "SET asdlc:rules:active:a x"), user == "feedbackd", "{user}");
        assert_eq!(may(user, "GET asdlc:rules:prompt:a"), ["agent", "feedbackd"].contains(&user), "{user}");
        assert_eq!(may(user, &format!("XADD {RULES} * data x")), user == "feedbackd", "{user}");
    }
    assert!(
        may("dispatcher", "HSET asdlc:gate_request:r-1 a b") && !may("producer", "HSET asdlc:gate_request:r-1 a b")
    );
    for line in USERS.lines() {
        assert!(line == "user default off" || line.contains(HASH), "whoever knows the file could log in: {line}");
    }
}

/// From the first decision to the rule in the agent's key, with dead letters and a takeover: nothing is denied.
#[test]
fn the_daemon_works_with_the_rights_of_its_user() {
    let directory = tempfile::tempdir().expect("a directory");
    let redis = guarded(directory.path());
    let mut site = Site::new(&format!("redis://feedbackd:feedbackd@127.0.0.1:{}/0", redis.port()));
    site.set("REDIS__CLAIM_IDLE_MS", "1000");
    site.set("REDIS__CLAIM_EVERY_MS", "100");
    site.push_roster(&["ana", "ben"]);
    let daemon = site.start();
    daemon.wait_ready();
    let said = site.run(&["doctor"]);
    assert!(!said.out.contains("NOPERM") && !said.err.contains("NOPERM"), "{said:?}");
    assert!(!said.out.contains("may not run"), "{said:?}");
    for event in three_alike() {
        decide(&redis, &event);
    }
    add(&redis, DECISIONS, &[("data", "{}")]);
    add(
        &redis,
        DISPATCHER,
        &[
            ("event_type", "gate_approved"),
            ("metadata", r#"{"request_id": "r-1", "decision_id": "d9", "reviewer": "cem"}"#),
        ],
    );
    drain(&redis, &site);
    assert_eq!(entries(&redis, PROPOSALS).len(), 1);
    assert!(!entries(&redis, EVALUATED).is_empty() && !entries(&redis, DEAD_LETTERS).is_empty());
    let (_, rule) = only_rule(&site);
    for who in ["ana", "ben"] {
        review(&redis, &verdict(&format!("r-{who}"), &rule, who, "APPROVE"));
    }
    drain(&redis, &site);
    wait_until("the rule is in the agent's key", || {
        let there: i64 = redis.cli(&["EXISTS", "asdlc:rules:prompt:coding-agent"]);
        there == 1
    });
    assert_eq!(daemon.stop().code(), Some(0));
    // Entries that another member took and never finished are taken over.
    decide(&redis, &decision("p-9", "ann", "APPROVED", None));
    let _: redis::Value = redis.cli(&["XREADGROUP", "GROUP", GROUP, "another", "STREAMS", DECISIONS, ">"]);
    let daemon = site.start();
    drain(&redis, &site);
    assert_eq!(daemon.stop().code(), Some(0));
    assert!(!site.files(layout::DEAD_LETTERS).is_empty());
    let denied: Vec<redis::Value> = redis.cli(&["ACL", "LOG"]);
    let denied: Vec<String> =
        denied.iter().map(|entry| format!("{entry:?}")).filter(|e| !e.contains("setinfo")).collect();
    assert!(denied.is_empty(), "{denied:#?}");
}

#[test]
fn missing_rights_are_named() {
    let redis = RedisServer::start();
    let _: () =
        redis.cli(&["ACL", "SETUSER", "weak", "on", ">weak", "~*", "&*", "+@all", "-xautoclaim", "-client|kill"]);
    let site = Site::new(&format!("redis://weak:weak@127.0.0.1:{}/0", redis.port()));
    let said = site.run(&["doctor"]);
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let needed = "PROBLEM redis the user may not run xautoclaim on asdlc:events:hitl_decisions and 6 more keys";
    assert!(text.contains(needed), "{said:?}");
    assert!(text.contains("warning redis the user may not run client|kill: the daemon works without"), "{said:?}");
    assert!(text.contains(&format!("mode single: the server is 127.0.0.1:{}", redis.port())), "{said:?}");
    let keys: Vec<String> = redis.cli(&["KEYS", "*"]);
    assert!(keys.is_empty(), "it leaves nothing behind: {keys:?}");
}

#[test]
fn with_tls_both_sides_show_certificates() {
    if Command::new("openssl").arg("version").output().is_err() {
        eprintln!("openssl is not installed: not checked");
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name).display().to_string();
    for (authority, names) in [("ca", ["server", "client"]), ("other", ["stranger", "none"])] {
        certify(directory.path(), authority, &names);
    }
    let secret_port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
    let arguments = [
        "--tls-port",
        &secret_port.to_string(),
        "--tls-cert-file",
        &at("server.pem"),
        "--tls-key-file",
        &at("server.key"),
        "--tls-ca-cert-file",
        &at("ca.pem"),
        "--tls-auth-clients",
        "yes",
    ];
    if !knows_tls(&arguments) {
        eprintln!("this redis-server was built without TLS: not checked");
        return;
    }
    let redis = RedisServer::start_with(&arguments);
    let mut site = Site::new(&format!("rediss://127.0.0.1:{secret_port}/0"));
    site.set("REDIS__CA_FILE", &at("ca.pem"));
    site.set("REDIS__CERTIFICATE_FILE", &at("client.pem"));
    site.set("REDIS__KEY_FILE", &at("client.key"));
    let daemon = site.start();
    daemon.wait_ready();
    for event in three_alike() {
        decide(&redis, &event);
    }
    drain(&redis, &site);
    assert_eq!(entries(&redis, PROPOSALS).len(), 1);
    assert_eq!(daemon.stop().code(), Some(0));

    // Without a certificate, or with a stranger's, the server refuses to talk; a stranger's server is not trusted.
    for (key, value) in [
        ("REDIS__CERTIFICATE_FILE", String::new()),
        ("REDIS__CERTIFICATE_FILE", at("stranger.pem")),
        ("REDIS__CA_FILE", at("other.pem")),
    ] {
        let mut other = Site::new(&format!("rediss://127.0.0.1:{secret_port}/0"));
        other.set("REDIS__CA_FILE", &at("ca.pem"));
        other.set("REDIS__CERTIFICATE_FILE", &at("client.pem"));
        other.set("REDIS__KEY_FILE", &at("client.key"));
        if value.ends_with("stranger.pem") {
            other.set("REDIS__KEY_FILE", &at("stranger.key"));
        }
        other.set(key, &value);
        let said = other.run(&["status"]);
        assert!(!said.out.contains("\"ping_ms\""), "{said:?}");
        let daemon = other.start();
        wait_until("it says why", || daemon.ready().1["checks"]["redis"]["ok"] == false);
        assert_eq!(daemon.ready().0, 503, "{key} {value}");
        assert_eq!(daemon.stop().code(), Some(0));
    }
}

/// Creates an authority, and its certificates for this machine.
fn certify(directory: &Path, authority: &str, names: &[&str]) {
    let openssl = |arguments: &[&str]| {
        let output =
            Command::new("openssl").args(arguments).current_dir(directory).output().expect("openssl is installed");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
    let (key, certificate) = (format!("{authority}.key"), format!("{authority}.pem"));
    let subject = format!("/CN={authority}");
    let mut root = vec!["req", "-x509", "-keyout", &key, "-out", &certificate, "-subj", &subject];
    root.extend(curve);
    openssl(&root);
    for name in names {
        let (own, request, signed) = (format!("{name}.key"), format!("{name}.csr"), format!("{name}.pem"));
        let subject = format!("/CN={name}");
        let mut asked = vec!["req", "-keyout", &own, "-out", &request, "-subj", &subject];
        asked.extend(&curve[..5]);
        openssl(&asked);
        std::fs::write(directory.join("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n").expect("written");
        openssl(&[
            "x509",
            "-req",
            "-in",
            &request,
            "-CA",
            &certificate,
            "-CAkey",
            &key,
            "-CAcreateserial",
            "-days",
            "2",
            "-extfile",
            "names",
            "-out",
            &signed,
        ]);
    }
}

/// Reports TLS support. A server without TLS ends immediately when TLS is requested.
fn knows_tls(arguments: &[&str]) -> bool {
    let mut asked = Command::new("redis-server");
    // The address is not assigned, so it ends immediately in either case.
    asked.args(arguments).args(["--port", "0", "--save", "", "--bind", "192.0.2.1"]);
    asked.output().is_ok_and(|o| !String::from_utf8_lossy(&[o.stdout, o.stderr].concat()).contains("Bad directive"))
}
