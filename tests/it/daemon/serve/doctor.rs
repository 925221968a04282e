//! `doctor`, `status` and `config check` for a running daemon, and for what prevents it from working.

use super::World;
use crate::harness::daemon::{Said, Site};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{DECISIONS, GROUP, add};
use crate::harness::wait_until;
use std::fs;
use std::process::Command;

/// Creates a world whose commands know the daemon's address.
fn world() -> World {
    let mut world = World::new();
    let address = format!("127.0.0.1:{}", world.daemon.port());
    world.site.set("HTTP__LISTEN", &address);
    world
}

fn doctor(site: &Site) -> Said {
    site.run(&["doctor"])
}

#[test]
fn the_daemon_is_asked_and_says_what_it_sees() {
    let world = world();
    wait_until("it has looked", || world.daemon.ready().1["sees"]["bus"].is_object());
    let said = doctor(&world.site);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("ok       daemon             runs and is ready since "), "{said:?}");
    assert!(said.out.contains("sees Redis at redis://"), "{said:?}");
    assert!(said.out.contains("where the daemon answers"), "{said:?}");
    let status = world.site.run(&["status"]);
    assert!(status.out.contains("runs and is ready since "), "{status:?}");
    let World { site, daemon, redis: _redis } = world;
    daemon.stop();
    let status = site.run(&["status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&status.out).expect("JSON");
    assert_eq!(status["daemon"]["runs"], false);
    assert!(doctor(&site).out.contains("warning  daemon             none answers at 127.0.0.1:"));
}

#[test]
fn what_cannot_be_written_is_no_all_clear() {
    let world = world();
    let before = doctor(&world.site);
    assert!(before.out.contains("accepts writes"), "{before:?}");
    world.redis.cli::<()>(&["CONFIG", "SET", "maxmemory", "100kb"]);
    let full = doctor(&world.site);
    assert_eq!(full.code, Some(1));
    assert!(full.out.contains("rejects writes") && full.out.contains("Redis is full"), "{full:?}");
    world.redis.cli::<()>(&["CONFIG", "SET", "maxmemory", "0"]);
    // If the tests run as root, everything is writable: files of another owner are reported as well.
    let packs = world.site.store().join("objects/pack");
    if std::os::unix::fs::chown(&packs, Some(65534), None).is_err() {
        let mut rights = fs::metadata(&packs).expect("packs").permissions();
        rights.set_readonly(true);
        fs::set_permissions(&packs, rights).expect("our own directory");
    }
    let said = doctor(&world.site);
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("PROBLEM  store permissions  ") && said.out.contains("objects/pack"), "{said:?}");
}

#[test]
fn strangers_in_the_group_and_keys_of_another_type_are_named() {
    let world = world();
    add(&world.redis, DECISIONS, &[("data", "{}")]);
    let _: redis::Value =
        world.redis.cli(&["XREADGROUP", "GROUP", GROUP, "stranger", "COUNT", "1", "STREAMS", DECISIONS, "0"]);
    let said = doctor(&world.site);
    assert!(said.out.contains("the group feedbackd has other members: stranger"), "{said:?}");
    assert_eq!(said.code, Some(0), "{said:?}");
    let _: redis::Value = world.redis.cli(&["DEL", "asdlc:events:alerts"]);
    world.redis.cli::<()>(&["SET", "asdlc:events:alerts", "x"]);
    let said = doctor(&world.site);
    assert!(said.out.contains("PROBLEM  redis              asdlc:events:alerts is a string"), "{said:?}");
    assert_eq!(said.code, Some(1), "{said:?}");
}

#[test]
fn tls_on_a_plain_port_gets_a_hint_of_its_own() {
    let redis = RedisServer::start();
    let mut site = Site::new(&redis.url());
    site.set("REDIS__URL", &redis.url().replace("redis://", "rediss://"));
    let said = doctor(&site);
    assert!(said.out.contains("speak TLS"), "{said:?}");
}

#[test]
fn a_store_that_may_not_be_read_is_not_missing() {
    let redis = RedisServer::start();
    let site = Site::new(&redis.url());
    let closed = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(site.store(), closed).expect("our own directory");
    // A user without any rights.
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", env!("CARGO_BIN_EXE_feedbackd"), "status"]);
    command.env("HOME", "/").env("FEEDBACKD__STORE__PATH", site.store()).env("FEEDBACKD__STATE__DIR", site.state());
    let output = match command.output() {
        Ok(output) if !String::from_utf8_lossy(&output.stderr).contains("setpriv") => output,
        _ => return eprintln!("setpriv does not work here: not checked"),
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.contains("Permission denied") && !said.contains("store") {
        return eprintln!("that user may not run the program either: not checked");
    }
    assert!(said.contains("may not read the store") && !said.contains("no store at"), "{said}");
}

#[test]
fn what_serve_refuses_config_check_refuses() {
    let check = |set: &[(&str, &str)]| {
        let redis = RedisServer::start();
        let mut site = Site::without_store(&redis.url());
        set.iter().for_each(|(key, value)| site.set(key, value));
        site.run(&["config", "check"])
    };
    let right = check(&[]);
    assert_eq!(right.code, Some(0), "{right:?}");
    assert!(right.out.contains("FEEDBACKD__REDIS__URL"), "{right:?}");
    let directory = tempfile::tempdir().expect("a directory");
    let short = directory.path().join("token");
    fs::write(&short, "short\n").expect("written");
    for (set, about) in [
        (("REDIS__PASSWORD_FILE", "/nowhere/password"), "redis.password_file"),
        (("HTTP__API_TOKEN_FILE", "/nowhere/token"), "http.api_token_file"),
        (("HTTP__API_TOKEN_FILE", short.to_str().expect("a path")), "a token of 5 characters"),
        (("REDIS__URL", "redis://127.0.0.1:6379/word"), "is not a Redis URL"),
        (("LOG__LEVEL", "verbose"), "log.level"),
        (("REMOTE__URL", "https://bot:hunter2@git.example.org/a/b.git"), "without a password or token"),
        (("PRIVACY__KEY_FILE", "/nowhere/key"), "privacy.key_file"),
    ] {
        let said = check(&[set]);
        assert_eq!(said.code, Some(4), "{set:?}: {said:?}");
        assert!(said.err.contains(about), "{set:?}: {said:?}");
    }
    let url = ("REMOTE__URL", "https://git.example.org/a/b.git");
    let said = check(&[url, ("REMOTE__TOKEN_FILE", "/nowhere/token")]);
    assert!(said.err.contains("/nowhere/token") && said.err.contains("remote.token_file"), "{said:?}");
    let said = check(&[("REMOTE__URL", "https://bot:hunter2@git.example.org/a/b.git")]);
    assert!(!said.err.contains("hunter2"), "{said:?}");
    let two = check(&[("REDIS__PASSWORD_FILE", "/nowhere/a"), ("HTTP__API_TOKEN_FILE", "/nowhere/b")]);
    assert!(two.err.contains("/nowhere/a") && two.err.contains("/nowhere/b"), "{two:?}");
}

#[test]
fn errors_are_documents_where_json_is_asked_for() {
    let redis = RedisServer::start();
    let site = Site::new(&redis.url());
    for (arguments, code) in [
        (["feedback", "show", "nothing", "--json"], "not_found"),
        (["feedback", "show", "--nonsense", "--json"], "usage"),
    ] {
        let said = site.run(&arguments);
        let error: serde_json::Value =
            serde_json::from_str(said.err.lines().last().unwrap_or_default()).expect(&said.err);
        assert_eq!(error["code"], code, "{said:?}");
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{said:?}");
    }
}

#[test]
fn an_interrupt_drains_as_a_termination_does() {
    let mut world = World::new();
    world.daemon.signal(libc::SIGINT);
    assert_eq!(world.daemon.wait().code(), Some(0));
    assert!(world.daemon.log().contains("stopped"));
}

#[test]
fn a_node_of_a_cluster_is_said_to_be_one() {
    let redis = RedisServer::start_with(&["--appendonly", "no", "--cluster-enabled", "yes"]);
    redis.cli::<()>(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    wait_until("the cluster is up", || redis.cli::<String>(&["CLUSTER", "INFO"]).contains("cluster_state:ok"));
    let site = Site::new(&redis.url());
    let said = doctor(&site);
    assert_ne!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("this is a Redis Cluster node"), "{said:?}");
    assert!(said.out.contains("point redis.url at a single server"), "{said:?}");
}
