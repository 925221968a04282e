//! The endpoints over a real socket: their answers, errors as problem documents, and that slow or stubborn clients
//! block nothing.

use feedbackd::app::admin::health::Readiness;
use feedbackd::metrics;
use feedbackd::web::serve;
use feedbackd::web::{Endpoints, Identity, Limits, router};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

const DEADLINE: Duration = Duration::from_secs(20);

#[test]
fn health_says_that_the_process_lives_even_when_nothing_is_ready() {
    let server = Server::start();
    let answer = server.get("/health");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["status"], "alive");
    assert_eq!(server.get("/ready").status, 503);
}

#[test]
fn ready_names_the_check_that_fails() {
    let server = Server::start();
    let at: Timestamp = "2026-11-21T10:00:00Z".parse().expect("a time");
    server.readiness.redis_ok(at);
    server.readiness.store_ok(at);
    assert_eq!(server.get("/ready").status, 200);

    server.readiness.redis_failed("connection refused", at);
    let answer = server.get("/ready");
    assert_eq!(answer.status, 503);
    assert_eq!(
        answer.json(),
        json!({"ready": false, "checks": {
            "redis": {"ok": false, "since": "2026-11-21T10:00:00Z", "message": "connection refused"},
            "store": {"ok": true, "since": "2026-11-21T10:00:00Z"},
            "pipeline": {"ok": true},
        }})
    );

    server.readiness.redis_ok(at);
    let long_ago = Instant::now().checked_sub(Duration::from_secs(31)).expect("the machine is up for longer");
    server.readiness.work_begins(7, long_ago);
    let answer = server.get("/ready");
    assert_eq!((answer.status, &answer.json()["checks"]["pipeline"]["ok"]), (503, &json!(false)));
}

#[test]
fn metrics_are_text() {
    let server = Server::start();
    let answer = server.get("/metrics");
    assert_eq!(answer.status, 200);
    assert!(answer.head.contains("text/plain; version=0.0.4"), "{}", answer.head);
    assert!(answer.body.contains("# TYPE feedbackd_redis_up gauge"), "{}", answer.body);
}

#[test]
fn errors_are_problem_documents() {
    let server = Server::start();
    for (method, path, status) in
        [("GET", "/nothing?token=secret", 404), ("POST", "/health", 405), ("DELETE", "/ready", 405)]
    {
        let answer = server.send(&format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
        assert_eq!(answer.status, status, "{method} {path}");
        answer.problem();
        assert!(!answer.body.contains("secret"), "{}", answer.body);
        assert_eq!(status == 405, answer.head.contains("allow: GET,HEAD"), "{}", answer.head);
    }
}

#[test]
fn a_head_that_cannot_be_read_is_a_problem() {
    let server = Server::start();
    let filled =
        |size: usize| format!("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Fill: {}\r\n\r\n", "a".repeat(size));
    for (request, status) in [
        (filled(20_000), 431),
        (filled(200_000), 431),
        (format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(20_000)), 431),
        ("GET /health HTTP/9.9\r\n\r\n".to_owned(), 400),
        ("\u{16}\u{3}\u{1} what a TLS client says\r\n\r\n".to_owned(), 400),
        ("GET /health HTTP/1.1\r\nHost localhost\r\n\r\n".to_owned(), 400),
    ] {
        let answer = server.send(&request);
        assert_eq!(answer.status, status, "{}", &request[..40.min(request.len())]);
        answer.problem();
    }
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn a_foreign_name_or_origin_is_refused() {
    let server = Server::within(Limits { hosts: vec!["feedback.example.org".to_owned()], ..Limits::default() });
    let ask = |version: &str, headers: &str| {
        server.send(&format!("GET /ready HTTP/{version}\r\n{headers}Connection: close\r\n\r\n"))
    };
    let here = server.address;
    for good in [
        format!("Host: {here}\r\n"),
        format!("Host: localhost:{}\r\n", here.port()),
        "Host: feedback.example.org\r\n".to_owned(),
        format!("Host: {here}\r\nOrigin: http://{here}\r\n"),
    ] {
        assert_eq!(ask("1.1", &good).status, 503, "{good}");
    }
    assert_eq!(ask("1.0", "").status, 503, "no browser speaks HTTP/1.0");
    for foreign in
        ["", "Host: evil.example\r\n", "Host: localhost.evil.example\r\n", "Host: localhost\r\nHost: evil.example\r\n"]
    {
        let answer = ask("1.1", foreign);
        assert_eq!(answer.status, 421, "{foreign}");
        assert!(answer.problem()["detail"].as_str().expect("text").contains("http.hosts"), "{}", answer.body);
    }
    for origin in ["http://evil.example", "null"] {
        let answer = ask("1.1", &format!("Host: {here}\r\nOrigin: {origin}\r\n"));
        assert_eq!(answer.status, 403, "{origin}");
        answer.problem();
    }
}

#[test]
fn a_head_that_does_not_come_is_given_up() {
    let server = Server::within(Limits { head_time: Duration::from_secs(1), ..Limits::default() });
    let begun = Instant::now();
    let answer = server.send("GET /health HTTP/1.1\r\nHost: local");
    assert_eq!(answer.status, 408);
    assert_eq!(answer.problem()["detail"], "the request head was not complete after 1 seconds; send it again");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn a_client_that_asks_too_often_is_told_so_and_probes_are_answered() {
    let server = Server::within(Limits { requests_per_second: 2, ..Limits::default() });
    let answers: Vec<Answer> = (0..20).map(|_| server.get("/api/v1/turns")).collect();
    let refused = answers.iter().find(|answer| answer.status == 429).expect("one too many");
    assert!(refused.head.contains("retry-after: 1"), "{}", refused.head);
    refused.problem();
    assert_eq!(server.get("/ready").status, 503, "that is what /ready says, not that it is asked too often");
}

/// Hundreds of silent and slow clients from one address: any real request is answered immediately.
#[test]
fn a_thousand_connections_keep_nobody_out() {
    let server = Server::start();
    let mut held = Vec::new();
    let mut slowest = Duration::ZERO;
    for n in 0..1_000 {
        let mut client = server.connect();
        match n % 3 {
            0 => client.write_all(b"GET /ready HT").expect("sent"),
            // Requests whose answers are never read.
            1 => client.write_all(&b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(50)).expect("sent"),
            _ => {}
        }
        held.push(client);
        if n % 50 == 49 {
            let asked = Instant::now();
            assert_eq!(server.get("/health").status, 200, "with {n} connected");
            assert_eq!(server.get("/ready").status, 503, "with {n} connected");
            slowest = slowest.max(asked.elapsed());
        }
    }
    println!("1,000 connections; the slowest two probes took {slowest:.1?}");
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    let page = server.get("/metrics").body;
    let connected = page.lines().find_map(|line| line.strip_prefix("feedbackd_http_connections "));
    let connected: f64 = connected.expect("the metric").parse().expect("a number");
    assert!(connected <= 72.0, "{connected}");
}

#[test]
fn whoever_has_to_leave_is_told_why() {
    let server = Server::within(Limits { connections: 8, connections_per_client: 2, ..Limits::default() });
    let mut first = server.connect();
    let _others: Vec<_> = (0..12)
        .map(|_| {
            std::thread::park_timeout(Duration::from_millis(120));
            server.connect()
        })
        .collect();
    let mut said = String::new();
    let _ = first.read_to_string(&mut said);
    assert!(said.starts_with("HTTP/1.1 503 ") && said.contains("http.max_connections"), "{said}");
}

#[test]
fn it_ends_soon_though_a_client_hangs() {
    let mut server = Server::start();
    let mut idle = server.connect();
    idle.write_all(b"GET /health HTTP/1.1\r\n").expect("sent");
    let before = Instant::now();
    server.stop();
    assert!(before.elapsed() < Duration::from_secs(8), "{:?}", before.elapsed());
    assert!(TcpStream::connect(server.address).is_err(), "nothing listens any more");
}

struct Server {
    address: SocketAddr,
    readiness: Arc<Readiness>,
    shutdown: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start() -> Server {
        Server::within(Limits::default())
    }

    fn within(limits: Limits) -> Server {
        let readiness = Arc::new(Readiness::new(Duration::from_secs(30)));
        let metrics = metrics::install().expect("the only recorder");
        let routes = router(Endpoints {
            readiness: readiness.clone(),
            metrics,
            services: None,
            identity: Arc::new(Identity::default().with_anonymous_reading()),
            limits: limits.clone(),
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("for tokio");
        let address = listener.local_addr().expect("bound");
        let shutdown = CancellationToken::new();
        let token = shutdown.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                serve(tokio::net::TcpListener::from_std(listener).expect("registered"), routes, limits, token).await;
            });
        });
        Server { address, readiness, shutdown, thread: Some(thread) }
    }

    fn stop(&mut self) {
        self.shutdown.cancel();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it did not panic");
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("set");
        stream
    }

    fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    fn send(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("sent");
        let mut text = Vec::new();
        // A rejected request may end in a reset after the answer was read.
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8(text).expect("UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").expect("an HTTP answer");
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// Returns the problem document, which agrees with the status.
    fn problem(&self) -> Value {
        assert!(self.head.contains("content-type: application/problem+json"), "{}", self.head);
        let problem = self.json();
        assert_eq!((&problem["status"], &problem["type"]), (&json!(self.status), &json!("about:blank")));
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
        problem
    }
}
