//! Embedders over HTTP: requests, failures, and caching.

use crate::harness::run::{Run, decision};
use feedbackd::adapters::embedder::{CachedEmbedder, ServerEmbedder, ServerOptions};
use feedbackd::adapters::rest::{RestOptions, RestServer};
use feedbackd::config::{Config, EmbedderConfig, EmbedderKind, Secret};
use feedbackd::ports::{EmbedError, Embedder};
use feedbackd::text::language::similarity::Embedding;
use feedbackd::wiring;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockBuilder, MockServer, Request, ResponseTemplate};

const KEY: &str = "sk-very-secret-4711";

/// A server with its runtime.
pub struct Server {
    runtime: tokio::runtime::Runtime,
    server: MockServer,
}

impl Server {
    pub fn new(mocks: impl IntoIterator<Item = Mock>) -> Server {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let server = runtime.block_on(MockServer::start());
        mocks.into_iter().for_each(|mock| runtime.block_on(mock.mount(&server)));
        Server { runtime, server }
    }

    pub fn url(&self) -> String {
        self.server.uri()
    }

    /// Changes its responses, and forgets earlier requests.
    fn become_another(&self, mock: Mock) {
        self.runtime.block_on(self.server.reset());
        self.runtime.block_on(mock.mount(&self.server));
    }

    fn inputs(&self) -> Vec<Vec<String>> {
        let requests = self.runtime.block_on(self.server.received_requests()).unwrap();
        let input = |r: Request| serde_json::from_value(r.body_json::<Value>().unwrap()["input"].take()).unwrap();
        requests.into_iter().map(input).collect()
    }

    fn bodies(&self) -> Vec<Value> {
        let requests = self.runtime.block_on(self.server.received_requests()).unwrap();
        requests.into_iter().map(|request| request.body_json().unwrap()).collect()
    }

    fn connect(&self, dir: &Path) -> Result<ServerEmbedder, EmbedError> {
        connect(&self.server.uri(), dir, Duration::from_secs(20))
    }
}

fn connect(url: &str, dir: &Path, timeout: Duration) -> Result<ServerEmbedder, EmbedError> {
    let key = Some(("authorization", "Bearer ", Secret::new(KEY)));
    let rest = RestServer::start(RestOptions {
        url: url.into(),
        key,
        headers: &[],
        timeout,
        max_answer: 1 << 10,
        use_environment_proxy: false,
        fields: &[],
    });
    let options =
        ServerOptions { model: "some-model".into(), dimensions: None, batch: 2, path: "/v1/embeddings".into() };
    ServerEmbedder::connect(Box::new(rest.unwrap()), options, dir)
}

fn asked() -> MockBuilder {
    Mock::given(method("POST")).and(path("/v1/embeddings")).and(header("authorization", format!("Bearer {KEY}")))
}

/// Returns vectors that distinguish texts by length, the last one first.
fn vectors(request: &Request) -> ResponseTemplate {
    let body: Value = request.body_json().unwrap();
    assert_eq!(body["model"], "some-model");
    let texts: Vec<String> = serde_json::from_value(body["input"].clone()).unwrap();
    let one = |(index, text): (usize, &String)| json!({ "index": index, "embedding": [text.len(), 100, 1] });
    let mut data: Vec<Value> = texts.iter().enumerate().map(one).collect();
    data.reverse();
    ResponseTemplate::new(200).set_body_json(json!({ "data": data }))
}

fn of(length: f32) -> Option<Embedding> {
    Embedding::from_f32(&[length, 100.0, 1.0])
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn texts_are_sent_in_batches_and_vectors_come_back_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::new([asked().respond_with(vectors)]);
    let embedder = server.connect(dir.path()).unwrap();
    let found = embedder.embed(&texts(&["a", " ", "bbb", "cc"])).unwrap();
    assert_eq!(found, [of(1.0), None, of(3.0), of(2.0)]);
    assert_eq!(server.inputs()[1..], [texts(&["a", "bbb"]), texts(&["cc"])]);
}

#[test]
fn another_model_behind_the_same_name_is_another_embedder() {
    let dir = tempfile::tempdir().unwrap();
    let answers = |vector: Value| {
        asked().respond_with(
            ResponseTemplate::new(200).set_body_json(json!({ "data": [{ "index": 0, "embedding": vector }] })),
        )
    };
    let id = |vector: Value| Server::new([answers(vector)]).connect(dir.path()).unwrap().id().to_owned();
    let first = id(json!([1.0, 2.0, 3.0]));
    assert_eq!(first, id(json!([1.0, 2.0, 3.001])));
    assert_ne!(first, id(json!([3.0, 2.0, 1.0])));
    assert!(first.starts_with("server some-model 3 "), "{first}");
}

#[test]
fn a_server_that_is_busy_is_asked_again() {
    let dir = tempfile::tempdir().unwrap();
    for status in [429, 503] {
        let busy = || asked().respond_with(ResponseTemplate::new(status).insert_header("retry-after", "0"));
        let server = Server::new([busy().up_to_n_times(1), asked().respond_with(vectors)]);
        assert!(server.connect(dir.path()).is_ok());
        assert_eq!(server.inputs().len(), 2);
        let server = Server::new([busy()]);
        let why = server.connect(&dir.path().join("other")).err().unwrap().0;
        assert_eq!(why, format!("the embeddings server: it returned HTTP status {status}"));
        assert_eq!(server.inputs().len(), 4);
    }
}

#[test]
fn vectors_without_an_index_are_those_of_the_texts_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let no_index = json!({ "data": [{ "index": null, "embedding": [1.0, 2.0] }] });
    // It does not know `encoding_format`, which is no longer sent.
    let refuses = asked().respond_with(ResponseTemplate::new(400)).up_to_n_times(1);
    let answers = asked().respond_with(ResponseTemplate::new(200).set_body_json(no_index));
    let server = Server::new([refuses, answers]);
    assert!(server.connect(dir.path()).is_ok());
    let formats: Vec<bool> = server.bodies().iter().map(|body| body.get("encoding_format").is_some()).collect();
    assert_eq!(formats, [true, false]);
}

#[test]
fn what_is_not_as_it_should_be_is_an_error_without_the_key() {
    let dir = tempfile::tempdir().unwrap();
    let ok = |body: Value| ResponseTemplate::new(200).set_body_json(body);
    let one = |index: usize, vector: Value| json!({ "index": index, "embedding": vector });
    let cases = [
        (ResponseTemplate::new(401), "HTTP status 401; check embedder.api_key_file"),
        (ResponseTemplate::new(200).set_body_string("<html>"), "a web page, not JSON"),
        (ResponseTemplate::new(200).set_body_string("vectors"), "its response cannot be read"),
        (ok(json!({ "error": KEY })), "no list of vectors"),
        (ok(json!({ "data": [] })), "0 vectors for 1 texts"),
        (ok(json!({ "data": [one(7, json!([1]))] })), "belong to no text"),
        (ok(json!({ "data": [one(0, json!([]))] })), "0 dimensions"),
        (ok(json!({ "data": [one(0, json!([0, 0]))] })), "without a direction"),
        (ok(json!({})).set_delay(Duration::from_secs(60)), "timed out"),
    ];
    for (answer, expected) in cases {
        let server = Server::new([asked().respond_with(answer)]);
        let why = connect(&server.url(), dir.path(), Duration::from_secs(2)).err().unwrap().0;
        assert!(why.contains(expected) && !why.contains(KEY), "{why}");
    }
    let nowhere = connect("http://127.0.0.1:1", dir.path(), Duration::from_secs(2)).err().unwrap().0;
    assert!(nowhere.contains("cannot be reached"), "{nowhere}");
}

#[test]
fn vectors_of_another_length_than_at_start_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let first = asked().respond_with(vectors).up_to_n_times(1);
    let other = json!({ "data": [{ "index": 0, "embedding": [1.0, 2.0] }] });
    let server = Server::new([first, asked().respond_with(ResponseTemplate::new(200).set_body_json(other))]);
    let embedder = server.connect(dir.path()).unwrap();
    let why = embedder.embed(&texts(&["a"])).unwrap_err().0;
    assert!(why.contains("a vector of 2 dimensions instead of 3"), "{why}");
}

#[test]
fn a_server_that_was_there_may_be_away_at_a_start() {
    let dir = tempfile::tempdir().unwrap();
    let id = Server::new([asked().respond_with(vectors)]).connect(dir.path()).unwrap().id().to_owned();
    let away = connect("http://127.0.0.1:1", dir.path(), Duration::from_secs(2)).unwrap();
    assert_eq!(away.id(), id);
    assert!(away.embed(&texts(&["a"])).unwrap_err().0.contains("cannot be reached"));
}

#[test]
fn what_is_too_much_for_the_server_is_sent_in_parts_and_cut() {
    let dir = tempfile::tempdir().unwrap();
    let little = |request: &Request| {
        let body: Value = request.body_json().unwrap();
        let length: usize = body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().len()).sum();
        if length <= 600 { vectors(request) } else { ResponseTemplate::new(400) }
    };
    let server = Server::new([asked().respond_with(little)]);
    let embedder = server.connect(dir.path()).unwrap();
    let found = embedder.embed(&texts(&["a", &"long ".repeat(1000)])).unwrap();
    assert_eq!(found, [of(1.0), of(500.0)]);
    let refusing =
        Server::new([asked().respond_with(vectors).up_to_n_times(1), asked().respond_with(ResponseTemplate::new(400))]);
    let embedder = refusing.connect(dir.path()).unwrap();
    let why = embedder.embed(&texts(&["a", "b"])).unwrap_err().0;
    assert!(why.ends_with("HTTP status 400; check embedder.model and embedder.dimensions"), "{why}");
}

/// Records requests; fails on demand.
#[derive(Clone, Default)]
struct Noting {
    asked: Arc<Mutex<Vec<Vec<String>>>>,
    fails: bool,
}

impl Embedder for Noting {
    fn embed(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        self.asked.lock().unwrap().push(texts.to_vec());
        if self.fails {
            return Err(EmbedError("away".into()));
        }
        Ok(texts.iter().map(|text| of(text.len() as f32).filter(|_| !text.is_empty())).collect())
    }

    fn id(&self) -> &str {
        "noting/1"
    }
}

#[test]
fn recent_texts_are_asked_for_once_and_prepared_ones_together() {
    let dir = tempfile::tempdir().unwrap();
    let noting = Noting::default();
    let kept = CachedEmbedder::new(Box::new(noting.clone()), dir.path());
    kept.prepare(&mut texts(&["a", "bb", "a", ""]).into_iter()).unwrap();
    for (text, expected) in [("a", of(1.0)), ("bb", of(2.0)), ("", None), ("new", of(3.0)), ("new", of(3.0))] {
        assert_eq!(kept.embed(&texts(&[text])).unwrap(), [expected]);
    }
    assert_eq!(*noting.asked.lock().unwrap(), [texts(&["a", "bb", ""]), texts(&["new"])]);
    let failing = CachedEmbedder::new(Box::new(Noting { fails: true, ..Noting::default() }), dir.path());
    assert!(failing.prepare(&mut texts(&["a"]).into_iter()).is_err());
    assert!(failing.embed(&texts(&["a"])).is_err());
}

#[test]
fn lasting_vectors_are_made_once_for_all_starts_and_again_where_the_file_is_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let noting = Noting::default();
    let all = texts(&["a", "", "ccc"]);
    let start = || CachedEmbedder::new(Box::new(noting.clone()), dir.path()).embed_lasting(&all).unwrap();
    let first = start();
    assert_eq!(first, [of(1.0), None, of(3.0)]);
    assert_eq!(start(), first);
    assert_eq!(noting.asked.lock().unwrap().len(), 1);
    let files = || std::fs::read_dir(dir.path()).unwrap().map(|f| f.unwrap().path()).collect::<Vec<_>>();
    let [file] = &files()[..] else { panic!("{:?}", files()) };
    let whole = std::fs::read(file).unwrap();
    for damaged in [&whole[..whole.len() - 1], &whole[..10], &[][..], &[&whole[..], b"x"].concat()] {
        std::fs::write(file, damaged).unwrap();
        let before = noting.asked.lock().unwrap().len();
        assert_eq!(start(), first);
        assert_eq!(noting.asked.lock().unwrap().len(), before + 1);
        assert_eq!(std::fs::read(file).unwrap(), whole);
    }
    // Another catalogue has other texts; known ones are not requested again.
    let more =
        CachedEmbedder::new(Box::new(noting.clone()), dir.path()).embed_lasting(&texts(&["other", "a"])).unwrap();
    assert_eq!(more, [of(5.0), of(1.0)]);
    assert_eq!(noting.asked.lock().unwrap().last().unwrap(), &texts(&["other"]));
    assert_eq!(start(), first);
    assert_eq!(files().len(), 1);
}

/// Returns vectors that are similar if the texts share words.
fn words(request: &Request) -> ResponseTemplate {
    let body: Value = request.body_json().unwrap();
    let one = |(index, text): (usize, &Value)| {
        let mut vector = vec![0.0_f32; 64];
        vector[0] = 0.1;
        for word in text.as_str().unwrap().to_lowercase().split(|c: char| !c.is_alphanumeric()) {
            vector[usize::from(blake3::hash(word.as_bytes()).as_bytes()[0] % 64)] += 1.0;
        }
        json!({ "index": index, "embedding": vector })
    };
    let data: Vec<Value> = body["input"].as_array().unwrap().iter().enumerate().map(one).collect();
    ResponseTemplate::new(200).set_body_json(json!({ "data": data }))
}

#[test]
fn an_index_that_is_made_before_the_daemon_ever_ran_keeps_what_it_paid_for() {
    let server = Server::new([Mock::given(method("POST")).respond_with(words)]);
    let mut config = Run::new().config;
    let dir = tempfile::tempdir().unwrap();
    (config.store.path, config.state.dir) = (dir.path().join("store.git"), dir.path().join("state"));
    config.embedder = EmbedderConfig {
        kind: EmbedderKind::Server,
        url: format!("{}/v1/", server.url()),
        model: "some-model".into(),
        batch: 2048,
        ..Config::default().embedder
    };
    wiring::init_store(&config, false).unwrap();
    wiring::making_index(&config).unwrap().rebuild().unwrap();
    assert!(server.inputs().iter().flatten().count() > 10_000, "the catalogue is embedded");
    server.become_another(Mock::given(method("POST")).respond_with(words));
    wiring::pipeline(&config).unwrap();
    assert_eq!(server.inputs().iter().flatten().count(), 1, "the catalogue is embedded once");
}

#[test]
fn a_batch_waits_while_the_configured_server_is_away() {
    let server = Server::new([Mock::given(method("POST")).respond_with(words)]);
    let mut run = Run::new();
    run.config.embedder = EmbedderConfig {
        kind: EmbedderKind::Server,
        url: format!("{}/v1/", server.url()),
        model: "some-model".into(),
        batch: 2048,
        ..Config::default().embedder
    };
    run.restart();
    assert!(run.pipeline.as_ref().unwrap().understanding().id().starts_with("server some-model 64 "));
    run.send(&[decision("d1", "ann", "REJECTED", Some("Missing error handling in API handler"))]);
    assert!(server.inputs().iter().flatten().count() > 10_000, "the catalogue is embedded");
    server.become_another(Mock::given(method("POST")).respond_with(words));
    run.restart();
    assert_eq!(server.inputs().iter().flatten().count(), 1, "the catalogue is embedded once");

    let gone = ResponseTemplate::new(503).insert_header("retry-after", "0");
    server.become_another(Mock::given(method("POST")).respond_with(gone));
    // It can be read and started without the server.
    run.restart();
    let entries = [run.entry(&decision("d2", "bob", "REJECTED", Some("API handler lacks error handling")))];
    let pipeline = run.pipeline.as_mut().unwrap();
    let head = pipeline.head().cloned();
    let why = pipeline.process(&entries, run.now).unwrap_err().to_string();
    assert_eq!(why, "the embedder failed: the embeddings server: it returned HTTP status 503");
    assert_eq!(pipeline.store().head().unwrap(), head);

    server.become_another(Mock::given(method("POST")).respond_with(words));
    let deadline = Instant::now() + Duration::from_secs(20);
    while let Err(error) = pipeline.process(&entries, run.now) {
        assert!(Instant::now() < deadline, "{error}");
        std::thread::yield_now();
    }
    assert_eq!(run.decision("d2").reviewer_id, "bob");
}
