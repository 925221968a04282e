//! Finding the server that holds the keys, and logging in there.

use crate::harness::redis::RedisServer;
use crate::harness::sentinel::{NAME, Sentinel};
use crate::harness::wait_until;
use feedbackd::adapters::redis::{Password, RedisOptions, RedisSource, Sentinels, Topology, probe};
use feedbackd::ports::{BusError, EventSource};
use std::time::Duration;

fn options(url: String) -> RedisOptions {
    RedisOptions { url, block: Duration::from_millis(20), ..RedisOptions::default() }
}

fn asking(sentinel: &Sentinel, master: &str) -> RedisOptions {
    let sentinels = Sentinels { master: master.into(), ..Sentinels::default() };
    RedisOptions { topology: Topology::Sentinel(sentinels), ..options(sentinel.url()) }
}

#[tokio::test]
async fn a_wrong_name_of_the_primary_tells_the_right_ones() {
    let server = RedisServer::start();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let sentinel = Sentinel::start(&directory.path().join("sentinel"), server.port(), 1);
    probe(&asking(&sentinel, NAME)).await.expect("the primary answers");
    let error = probe(&asking(&sentinel, "feedbak")).await.expect_err("no such name");
    let shown = error.to_string().replace(&sentinel.url(), "URL");
    insta::assert_snapshot!(shown, @"redis: URL: the Sentinels watch no primary named `feedbak`: they watch `feedback`; set redis.sentinel_master to one of these names");

    let no_sentinel = RedisOptions { url: server.url(), ..asking(&sentinel, NAME) };
    let error = probe(&no_sentinel).await.expect_err("no Sentinel");
    assert!(error.to_string().contains("redis.url must name Sentinels"), "{error}");
}

#[tokio::test]
async fn a_primary_that_is_down_passes() {
    let mut server = RedisServer::start();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let sentinel = Sentinel::start(&directory.path().join("sentinel"), server.port(), 1);
    server.kill9();
    wait_until("the Sentinel knows", || sentinel.sees_it_down());
    let error = probe(&asking(&sentinel, NAME)).await.expect_err("it is down");
    assert!(
        matches!(&error, BusError::Unavailable(text) if text.contains("no primary of `feedback` is up")),
        "{error}"
    );
}

#[tokio::test]
async fn each_address_is_tried() {
    let server = RedisServer::start();
    let unused = "redis://127.0.0.1:1";
    let list = format!("{unused},{},{unused}", server.url().trim_end_matches("/0"));
    probe(&options(list)).await.expect("one of them answers");
    let error = probe(&options(format!("{unused},{unused}"))).await.expect_err("none answers");
    assert!(matches!(error, BusError::Unavailable(_)), "{error}");
}

/// A sidecar writes a new token before the old one expires.
#[tokio::test]
async fn the_password_is_read_anew_for_each_connection() {
    let server = RedisServer::start();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("password");
    let mut source = RedisSource::new(RedisOptions { password: Password::File(file.clone()), ..options(server.url()) })
        .expect("valid options");
    let error = source.next(1).await.expect_err("there is no file yet");
    assert!(matches!(&error, BusError::Unavailable(text) if text.contains("the password cannot be read")), "{error}");
    let mut admin = server.connect();
    for password in ["first", "second"] {
        let _: () = redis::cmd("CONFIG").arg("SET").arg("requirepass").arg(password).query(&mut admin).expect("set");
        std::fs::write(&file, format!("{password}\n")).expect("a file");
        let _: i64 = redis::cmd("CLIENT")
            .arg("KILL")
            .arg("TYPE")
            .arg("normal")
            .arg("SKIPME")
            .arg("yes")
            .query(&mut admin)
            .expect("killed");
        let mut read = source.next(1).await;
        if read.is_err() {
            // The first read notices that the old connection is gone.
            read = source.next(1).await;
        }
        read.expect("it logs in with the new password");
    }
}
