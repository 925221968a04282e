//! A daemon with the API, and a client that checks every answer against the OpenAPI document.

use crate::harness::daemon::{Daemon, Site};
use crate::harness::redis::RedisServer;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The token for it.
pub const TOKEN: &str = "0123456789abcdef-the-token";

/// A daemon with the API.
pub struct Api {
    pub redis: RedisServer,
    pub daemon: Daemon,
    pub site: Site,
}

impl Api {
    pub fn start() -> Api {
        Api::with(&[])
    }

    pub fn with(settings: &[(&str, &str)]) -> Api {
        let redis = RedisServer::start();
        let mut site = Site::new(&redis.url());
        let file = site.path("token");
        std::fs::write(&file, format!("{TOKEN}\n")).expect("written");
        site.set("HTTP__API_TOKEN_FILE", &file.display().to_string());
        settings.iter().for_each(|(key, value)| site.set(key, value));
        let daemon = site.start();
        daemon.wait_ready();
        Api { redis, daemon, site }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.raw(&format!("GET /api/v1{path}"), &format!("Authorization: Bearer {TOKEN}\r\n"), "")
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.raw(&format!("POST /api/v1{path}"), &format!("Authorization: Bearer {TOKEN}\r\n"), body)
    }

    pub fn raw(&self, line: &str, headers: &str, body: &str) -> Answer {
        let mut answer = raw(&self.daemon, line, headers, body);
        if line != "GET /api/v1/openapi.json" && answer.status == 200 && line.contains("/api/v1") {
            answer.document = self.get("/openapi.json").ok();
        }
        answer
    }
}

/// Sends a raw request.
pub fn raw(daemon: &Daemon, line: &str, headers: &str, body: &str) -> Answer {
    send(daemon, line, headers, body.len(), body)
}

/// Starts a request with an incomplete body.
pub fn unfinished(daemon: &Daemon, line: &str, body: &str) -> Answer {
    send(daemon, line, &format!("Authorization: Bearer {TOKEN}\r\n"), body.len() + 1, body)
}

fn send(daemon: &Daemon, line: &str, headers: &str, announced: usize, body: &str) -> Answer {
    let port = daemon.port();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
    let head = format!(
        "{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}Content-Length: {announced}\r\nConnection: close\r\n\r\n"
    );
    // A request rejected by its head may not be read completely.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").expect("an HTTP answer");
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
    Answer { status, head: head.to_owned(), body: body.to_owned(), document: Value::Null }
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
    /// The OpenAPI document.
    document: Value,
}

impl Answer {
    pub fn text(&self) -> &str {
        &self.body
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        assert!(self.head.contains("content-type: application/json"), "{}", self.head);
        self.json()
    }

    /// Returns the answer, checked against the document for this call.
    pub fn fits(&self, verb: &str, path: &str) -> Value {
        let answer = self.ok();
        let operation = &self.document["paths"][format!("/api/v1{path}")][verb];
        let mut schema = operation["responses"]["200"]["content"]["application/json"]["schema"].clone();
        assert!(schema["$ref"].is_string(), "{path}: {schema}");
        schema["components"] = self.document["components"].clone();
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let errors: Vec<_> = validator.iter_errors(&answer).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{path}: {errors:?}\n{answer:#}");
        answer
    }

    /// Returns the problem document, checked for this status.
    pub fn problem(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        assert!(self.head.contains("content-type: application/problem+json"), "{}", self.head);
        let problem = self.json();
        assert_eq!((&problem["status"], &problem["type"]), (&json!(status), &json!("about:blank")));
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
        assert!(problem["instance"].as_str().is_some_and(|path| path.starts_with("/api/v1/")), "{problem}");
        problem
    }
}
