//! The endpoints over a real socket: what they answer, that errors are problem documents, and that slow or stubborn
//! clients hold nothing up.

use feedbackd::app::health::Readiness;
use feedbackd::http::{Endpoints, router, serve};
use feedbackd::metrics;
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
        let answer = server.send(&format!("{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
        assert_eq!(answer.status, status, "{method} {path}");
        assert!(answer.head.contains("application/problem+json"), "{}", answer.head);
        let problem = answer.json();
        assert_eq!(problem["status"], status);
        assert_eq!(problem["type"], "about:blank");
        assert!(!answer.body.contains("secret"), "{}", answer.body);
        assert_eq!(status == 405, answer.head.contains("allow: GET,HEAD"), "{}", answer.head);
    }
}

#[test]
fn a_head_that_is_too_large_is_refused() {
    let server = Server::start();
    let answer = server.send(&format!("GET /health HTTP/1.1\r\nHost: x\r\nX-Fill: {}\r\n\r\n", "a".repeat(20_000)));
    assert_eq!(answer.status, 431);
}

#[test]
fn silent_clients_do_not_keep_others_out() {
    let server = Server::start();
    let _silent: Vec<_> = (0..40).map(|_| server.connect()).collect();
    assert_eq!(server.get("/health").status, 200);
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
        let readiness = Arc::new(Readiness::new(Duration::from_secs(30)));
        let metrics = metrics::install().expect("the only recorder");
        let routes = router(Endpoints { readiness: readiness.clone(), metrics, api: None });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("for tokio");
        let address = listener.local_addr().expect("bound");
        let shutdown = CancellationToken::new();
        let token = shutdown.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                serve(tokio::net::TcpListener::from_std(listener).expect("registered"), routes, token).await;
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
        // A refused request may end in a reset after the answer was read.
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
}
