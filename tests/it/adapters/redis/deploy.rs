//! Deploying rules to a real server: the agents' keys are set as given, whatever happened to them in between.

use crate::harness::redis::RedisServer;
use feedbackd::adapters::redis::{RedisOptions, RedisPublisher};
use feedbackd::ports::{AgentKeys, BusError, Publisher};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn options(server: &RedisServer) -> RedisOptions {
    RedisOptions { url: server.url(), ..RedisOptions::default() }
}

fn publisher(server: &RedisServer) -> RedisPublisher {
    RedisPublisher::new(options(server), "store-1").expect("valid options")
}

fn keys(agent: &str, active: Option<&str>, prompt: Option<&str>) -> AgentKeys {
    AgentKeys { agent: agent.into(), active: active.map(str::to_owned), prompt: prompt.map(str::to_owned) }
}

fn active(server: &RedisServer, agent: &str) -> Option<String> {
    server.cli(&["GET", &format!("asdlc:rules:active:{agent}")])
}

fn prompt(server: &RedisServer, agent: &str) -> Option<String> {
    server.cli(&["GET", &format!("asdlc:rules:prompt:{agent}")])
}

#[tokio::test]
async fn keys_become_what_is_given_and_nothing_is_written_twice() {
    let server = RedisServer::start();
    let mut publisher = publisher(&server);
    assert_eq!(publisher.deploy(&[]).await.expect("nothing to do"), 0);
    let rules =
        [keys("coder", Some("[1]"), Some("## Rules\n")), keys("tester", Some("[]"), None), keys("idle", None, None)];
    assert_eq!(publisher.deploy(&rules).await.expect("deployed"), 3);
    assert_eq!(active(&server, "coder").as_deref(), Some("[1]"));
    assert_eq!(prompt(&server, "coder").as_deref(), Some("## Rules\n"));
    assert_eq!(active(&server, "tester").as_deref(), Some("[]"));
    let all: BTreeSet<String> = server.cli(&["KEYS", "*"]);
    let named = ["asdlc:rules:active:coder", "asdlc:rules:prompt:coder", "asdlc:rules:active:tester"];
    assert_eq!(all, named.map(str::to_owned).into());

    // No differences: nothing is written.
    let changes = || {
        let info: String = server.cli(&["INFO", "persistence"]);
        let line = info.lines().find_map(|line| line.strip_prefix("rdb_changes_since_last_save:"));
        line.expect("a count").to_owned()
    };
    let before = changes();
    assert_eq!(publisher.deploy(&rules).await.expect("nothing differs"), 0);
    assert_eq!(changes(), before);

    // One agent's last rule is removed, another's text changes; an agent that is not named keeps its keys.
    let next = [keys("coder", None, None), keys("tester", Some("[2]"), None)];
    assert_eq!(publisher.deploy(&next).await.expect("deployed"), 3);
    assert_eq!((active(&server, "coder"), prompt(&server, "coder")), (None, None));
    assert_eq!(publisher.deploy(&[keys("coder", Some("[3]"), None)]).await.expect("deployed"), 1);
    assert_eq!(active(&server, "tester").as_deref(), Some("[2]"));
}

#[tokio::test]
async fn keys_are_mended_whatever_became_of_them() {
    let server = RedisServer::start();
    let mut publisher = publisher(&server);
    let rules = [keys("coder", Some("[1]"), Some("text")), keys("idle", None, None)];
    assert_eq!(publisher.deploy(&rules).await.expect("deployed"), 2);
    let harm: [(&[&str], u64); 9] = [
        (&["FLUSHALL"], 2),
        (&["SET", "asdlc:rules:active:coder", "[0]"], 1),
        (&["DEL", "asdlc:rules:prompt:coder"], 1),
        (&["APPEND", "asdlc:rules:prompt:coder", "\n"], 1),
        (&["SET", "asdlc:rules:prompt:idle", ""], 1),
        (&["SADD", "asdlc:rules:active:idle", "a set"], 1),
        (&["RENAME", "asdlc:rules:active:coder", "elsewhere"], 1),
        (&["SDIFFSTORE", "asdlc:rules:active:coder", "others"], 1),
        (&["ZUNIONSTORE", "asdlc:rules:prompt:coder", "1", "others"], 1),
    ];
    for (words, changed) in harm {
        let _: redis::Value = server.cli(&["SADD", "others", "a"]);
        let _: redis::Value = server.cli(words);
        assert_eq!(publisher.deploy(&rules).await.expect("deployed"), changed, "{words:?}");
        assert_eq!(active(&server, "coder").as_deref(), Some("[1]"), "{words:?}");
        assert_eq!(prompt(&server, "coder").as_deref(), Some("text"), "{words:?}");
        assert_eq!((active(&server, "idle"), prompt(&server, "idle")), (None, None), "{words:?}");
        assert_eq!(publisher.deploy(&rules).await.expect("nothing differs"), 0, "{words:?}");
    }
}

#[tokio::test]
async fn any_text_is_an_agents_name_and_each_has_keys_of_its_own() {
    let server = RedisServer::start();
    let mut publisher = publisher(&server);
    let names = ["", " ", "a", "a:b", "a\nb", "*", "{x}", "é\u{0}", "prompt:a", "tenant:acme:a"];
    let rules: Vec<_> = names.iter().map(|name| keys(name, Some(name), Some("p"))).collect();
    assert_eq!(publisher.deploy(&rules).await.expect("deployed"), 2 * names.len() as u64);
    for name in names {
        assert_eq!(active(&server, name).as_deref(), Some(name));
    }
    // Of two entries for one agent, the last counts, each time.
    let twice = [keys("a", Some("first"), Some("p")), keys("a", Some("last"), Some("p"))];
    for changed in [1, 0, 0] {
        assert_eq!(publisher.deploy(&twice).await.expect("deployed"), changed);
        assert_eq!(active(&server, "a").as_deref(), Some("last"));
    }
}

#[tokio::test]
async fn tenants_have_their_own_rules() {
    let server = RedisServer::start();
    let acme = RedisOptions { tenant: Some("acme".into()), ..options(&server) };
    let mut second = RedisPublisher::new(acme, "store-1").expect("valid options");
    publisher(&server).deploy(&[keys("coder", Some("ours"), None)]).await.expect("deployed");
    assert_eq!(second.deploy(&[keys("coder", Some("theirs"), None)]).await.expect("deployed"), 1);
    assert_eq!(active(&server, "coder").as_deref(), Some("ours"));
    let theirs: String = server.cli(&["GET", "tenant:acme:asdlc:rules:active:coder"]);
    assert_eq!(theirs, "theirs");
}

#[tokio::test]
async fn all_agents_change_in_one_step() {
    let server = RedisServer::start();
    let names: Vec<String> = (0..50).map(|n| format!("agent-{n}")).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let watching = {
        let (names, stop, mut reader) = (names.clone(), Arc::clone(&stop), server.connect());
        std::thread::spawn(move || {
            let mut looks = 0;
            loop {
                let last = stop.load(Ordering::Relaxed);
                let mut look = redis::cmd("MGET");
                for name in &names {
                    look.arg(format!("asdlc:rules:active:{name}")).arg(format!("asdlc:rules:prompt:{name}"));
                }
                let seen: Vec<Option<String>> = look.query(&mut reader).expect("MGET");
                assert!(seen.iter().all(|value| *value == seen[0]), "half a step: {seen:?}");
                looks += 1;
                if last {
                    return looks;
                }
            }
        })
    };
    let mut publisher = publisher(&server);
    for round in 0..100 {
        let text = round.to_string();
        let value = (round % 5 > 0).then_some(text.as_str());
        let rules: Vec<_> = names.iter().map(|name| keys(name, value, value)).collect();
        let changed = if round == 0 { 0 } else { 100 };
        assert_eq!(publisher.deploy(&rules).await.expect("deployed"), changed);
    }
    stop.store(true, Ordering::Relaxed);
    let looks: u32 = watching.join().expect("never half a step");
    assert!(looks > 1, "{looks}");
}

#[tokio::test]
async fn rules_leave_prompts_also_where_the_server_is_full() {
    let server = RedisServer::start();
    let mut publisher = publisher(&server);
    publisher.deploy(&[keys("coder", Some("[1]"), Some("bad"))]).await.expect("deployed");
    let _: () = server.cli(&["CONFIG", "SET", "maxmemory", "1"]);
    assert_eq!(publisher.deploy(&[keys("coder", Some("[]"), None)]).await.expect("deployed"), 2);
    assert_eq!((active(&server, "coder").as_deref(), prompt(&server, "coder")), (Some("[]"), None));
}

#[tokio::test]
async fn deploying_survives_its_server() {
    let mut server = RedisServer::durable();
    let mut publisher = publisher(&server);
    let rules = [keys("coder", Some("[1]"), Some("text"))];
    publisher.deploy(&rules).await.expect("deployed");
    server.kill9();
    assert!(matches!(publisher.deploy(&rules).await, Err(BusError::Unavailable(_))));
    server.restart();
    assert_eq!(publisher.deploy(&rules).await.expect("nothing differs"), 0);
    let _: () = server.cli(&["REPLICAOF", "127.0.0.1", "1"]);
    let other = [keys("coder", None, None)];
    assert!(matches!(publisher.deploy(&other).await, Err(BusError::Unavailable(_))));
    let _: () = server.cli(&["REPLICAOF", "NO", "ONE"]);
    assert_eq!(publisher.deploy(&other).await.expect("deployed"), 2);
}

/// Whatever created them: an earlier run, an earlier version, another program.
#[tokio::test]
async fn the_agents_that_have_keys_are_known_and_no_others() {
    let server = RedisServer::start();
    let tenant = RedisOptions { tenant: Some("a*[x]".into()), ..options(&server) };
    let mut ours = RedisPublisher::new(tenant, "store-1").expect("valid options");
    let mut plain = publisher(&server);
    assert_eq!(ours.deployed().await.expect("none"), [""; 0]);
    ours.deploy(&[keys("coder", Some("[1]"), Some("text")), keys("a b:c", Some("[]"), None)]).await.expect("deployed");
    plain.deploy(&[keys("tester", None, Some("text"))]).await.expect("deployed");
    let _: redis::Value = server.cli(&["SET", "tenant:abx:asdlc:rules:active:stranger", "[]"]);
    let many: Vec<String> = (0..2500).flat_map(|n| [format!("other:{n}"), "x".to_owned()]).collect();
    let words: Vec<&str> = std::iter::once("MSET").chain(many.iter().map(String::as_str)).collect();
    let _: redis::Value = server.cli(&words);
    assert_eq!(ours.deployed().await.expect("two"), ["a b:c", "coder"]);
    assert_eq!(plain.deployed().await.expect("one"), ["tester"]);
}
