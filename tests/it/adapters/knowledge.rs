//! What every implementation of [`Knowledge`] must do, and what a Chroma server is told.

use crate::adapters::embedders::Server;
use crate::harness::run::{Run, decision};
use feedbackd::adapters::knowledge::{Approximate, Chroma, ChromaOptions, ExactScan};
use feedbackd::adapters::rest::{RestOptions, RestServer};
use feedbackd::config::{KnowledgeConfig, KnowledgeKind};
use feedbackd::domain::grouping::evaluation::Classification;
use feedbackd::domain::language::similarity::Embedding;
use feedbackd::ports::{Knowledge, Rest, RestError};
use feedbackd::wiring;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wiremock::matchers::any;
use wiremock::{Mock, Request, Respond, ResponseTemplate};

const AXES: usize = 40;
const WORDS: usize = 32;

/// A vector that points to one word, and to another one by so much.
fn vector(word: usize, other: usize, share: f32) -> Embedding {
    let mut values = [0.0; WORDS];
    values[word] = 1.0;
    values[other] += share;
    Embedding::from_f32(&values).unwrap()
}

fn keys(found: &[(u32, f64)]) -> Vec<u32> {
    found.iter().map(|(key, _)| *key).collect()
}

/// Runs the suite on something that is empty.
fn conforms(knowledge: &mut dyn Knowledge) {
    knowledge.clear();
    scopes_limits_and_order(knowledge);
    knowledge.clear();
    what_came_since(knowledge);
    knowledge.clear();
    repeated_texts(knowledge);
    knowledge.clear();
    profiles(knowledge);
    knowledge.clear();
    recall(knowledge);
    knowledge.clear();
    assert_eq!(knowledge.settle(), Ok(()));
    assert!(knowledge.nearest("a", &vector(0, 0, 0.0), -1.0, 10).is_empty());
}

fn scopes_limits_and_order(k: &mut dyn Knowledge) {
    let scope = "tenant\u{1f}agent \"x\"\u{1f}+";
    k.add(scope, 1, &vector(0, 1, 0.0));
    k.add(scope, 2, &vector(0, 1, 1.0));
    k.add(scope, 3, &vector(1, 1, 0.0));
    k.add("b", 4, &vector(0, 0, 0.0));
    assert_eq!(k.settle(), Ok(()));
    let query = vector(0, 0, 0.0);
    assert_eq!(keys(&k.nearest(scope, &query, 0.5, 10)), [1, 2]);
    assert_eq!(keys(&k.nearest(scope, &query, -1.0, 10)), [1, 2, 3]);
    assert_eq!(keys(&k.nearest(scope, &query, -1.0, 1)), [1]);
    assert_eq!(keys(&k.nearest("b", &query, 0.5, 10)), [4]);
    assert!(k.nearest("none", &query, -1.0, 10).is_empty());
    // What was just added is found at once.
    k.add(scope, 5, &vector(0, 1, 0.5));
    assert_eq!(keys(&k.nearest(scope, &query, 0.5, 10)), [1, 5, 2]);
    let exact = query.cosine(&vector(0, 1, 0.5));
    assert_eq!(k.nearest(scope, &query, 0.5, 10)[1].1, exact);
    assert_eq!(k.settle(), Ok(()));
}

fn what_came_since(k: &mut dyn Knowledge) {
    for (key, share) in [(1, 0.1), (2, 3.0), (5, 0.1), (7, 0.3), (9, 30.0)] {
        k.add("a", key, &vector(0, 1, share));
    }
    let since = |since, limit| keys(&k.nearest_since("a", since, &vector(0, 0, 0.0), 0.2, limit));
    assert_eq!(since(0, 9), [1, 5, 7, 2]);
    assert_eq!(since(2, 9), [5, 7, 2]);
    assert_eq!(since(3, 1), [5]);
    assert!(since(8, 9).is_empty());
    assert!(k.nearest_since("none", 0, &vector(0, 0, 0.0), -1.0, 9).is_empty());
}

fn repeated_texts(k: &mut dyn Knowledge) {
    for key in 0..100 {
        k.add("a", key, &vector(0, 0, 0.0));
    }
    k.add("a", 100, &vector(0, 1, 0.2));
    let found = keys(&k.nearest("a", &vector(0, 0, 0.0), 0.9, 1000));
    // The first of those that are alike, and never so many that others are pushed out.
    assert_eq!(found[..3], [0, 1, 2]);
    assert_eq!(found.last(), Some(&100));
    assert_eq!(keys(&k.nearest("a", &vector(0, 0, 0.0), 0.9, 2)), [0, 1]);
}

fn profiles(k: &mut dyn Knowledge) {
    let with = |word, axis| vector(word, word, 0.0).with_profile(&[(axis, 1.0)], 0.9);
    k.add("a", 1, &with(0, 3));
    k.add("a", 2, &with(1, 7));
    k.add("a", 3, &with(2, 39));
    assert_eq!(keys(&k.nearest("a", &with(5, 7), 0.5, 10)), [2]);
    assert_eq!(keys(&k.nearest("a", &with(5, 39), 0.5, 10)), [3]);
}

/// Of what a comparison with all finds, nearly all is found; and nothing else.
fn recall(k: &mut dyn Knowledge) {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut number = || random.next_u32() as f32 / u32::MAX as f32 - 0.5;
    let mut one = || {
        let words: Vec<f32> = (0..WORDS).map(|_| number()).collect();
        let axes = [((number() + 0.5) * 39.0) as u16, ((number() + 0.5) * 39.0) as u16];
        Embedding::from_f32(&words).unwrap().with_profile(&[(axes[0], 0.7), (axes[1], 0.3)], 0.6)
    };
    let mut exact = ExactScan::default();
    for key in 0..1500 {
        let vector = one();
        exact.add("a", key, &vector);
        k.add("a", key, &vector);
    }
    let (mut found, mut all) = (0, 0);
    for _ in 0..40 {
        let query = one();
        let expected = exact.nearest("a", &query, 0.3, 10);
        let near = k.nearest("a", &query, 0.3, 10);
        assert!(near.iter().all(|(_, cosine)| *cosine >= 0.3) && near.is_sorted_by(|a, b| a.1 >= b.1));
        all += expected.len();
        found += expected.iter().filter(|hit| near.contains(hit)).count();
    }
    assert_eq!(k.settle(), Ok(()));
    eprintln!("recall: {found} of {all}");
    assert!(all > 200 && found * 100 >= all * 95, "{found} of {all}");
}

#[test]
fn the_exact_scan_conforms() {
    conforms(&mut ExactScan::default());
}

/// A run with this knowledge store, in which two remarks were found to ask for the same.
fn learned_by(knowledge: KnowledgeConfig) -> Run {
    let mut run = Run::new();
    run.config.knowledge = knowledge;
    run.restart();
    run.send(&[
        decision("d1", "ann", "REJECTED", Some("Missing error handling in API handler")),
        decision("d2", "bob", "REJECTED", Some("API handler lacks error handling")),
    ]);
    assert_eq!(run.class("d2"), Classification::GeneralizableHigh);
    run
}

#[cfg(feature = "usearch")]
#[test]
fn the_index_in_memory_conforms() {
    use feedbackd::adapters::knowledge::Usearch;
    conforms(&mut Approximate::new(Usearch::new(AXES)));
}

#[cfg(feature = "usearch")]
#[test]
fn the_configured_index_in_memory_finds_what_the_exact_scan_finds() {
    let mut run = learned_by(KnowledgeConfig { kind: KnowledgeKind::Usearch, ..KnowledgeConfig::default() });
    // What was learned before a restart is found after it.
    run.restart();
    let text = "Please add error handling to the API handler";
    run.send(&[decision("d3", "cem", "REJECTED", Some(text))]);
    assert_eq!(run.class("d3"), Classification::GeneralizableHigh);
    assert_eq!(run.decision("d3").evaluation.cluster, run.decision("d1").evaluation.cluster);
}

fn chroma(rest: Box<dyn Rest>, collection: &str, owner: &str) -> Approximate<Chroma> {
    let options = ChromaOptions {
        tenant: "default_tenant".into(),
        database: "default_database".into(),
        collection: collection.into(),
        owner: owner.into(),
        axes: AXES,
        batch: 100,
    };
    Approximate::new(Chroma::new(rest, options))
}

/// Runs where FEEDBACKD_CHROMA_URL names a Chroma server, such as `chroma run` starts.
#[test]
fn a_chroma_server_conforms() {
    let Ok(url) = std::env::var("FEEDBACKD_CHROMA_URL") else {
        eprintln!("skipped: FEEDBACKD_CHROMA_URL names no server");
        return;
    };
    let connect = || {
        let options = RestOptions {
            url: url.clone(),
            key: None,
            headers: &[],
            timeout: Duration::from_secs(60),
            max_answer: 64 << 10,
            use_environment_proxy: false,
        };
        Box::new(RestServer::start(options).unwrap())
    };
    let name = format!("feedbackd-test-{}", std::process::id());
    conforms(&mut chroma(connect(), &name, "one"));
    let mut other = chroma(connect(), &name, "another");
    let why = other.settle().unwrap_err().0;
    assert!(why.contains("is not of this store"), "{why}");
    let path = format!("/api/v2/tenants/default_tenant/databases/default_database/collections/{name}");
    connect().send("DELETE", &path, None).unwrap();
}

/// A Chroma that notes what it is told, and can be away.
#[derive(Clone, Default)]
struct Told {
    requests: Arc<Mutex<Vec<String>>>,
    away: Arc<Mutex<bool>>,
}

impl Rest for Told {
    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, RestError> {
        let path = path.rsplit_once("collections").unwrap().1;
        let count = body.and_then(|body| Some(format!(" {}", body["ids"].as_array()?.len()))).unwrap_or_default();
        self.requests.lock().unwrap().push(format!("{method} {path}{count}"));
        if *self.away.lock().unwrap() {
            return Err(RestError::Failed("it cannot be reached: refused".into()));
        }
        match (method, path) {
            ("GET", _) => Err(RestError::Status(404)),
            ("POST", "") => Ok(json!({ "id": "77" })),
            (_, "/77/query") => Ok(json!({ "ids": [["x-0"]] })),
            _ => Ok(Value::Null),
        }
    }
}

#[test]
fn chroma_is_filled_in_batches_before_it_is_asked() {
    let told = Told::default();
    let mut knowledge = chroma(Box::new(told.clone()), "mine", "one");
    knowledge.clear();
    for key in 0..150 {
        knowledge.add("a", key, &vector(0, 1, key as f32));
    }
    assert_eq!(keys(&knowledge.nearest("a", &vector(0, 1, 0.0), 0.5, 3)), [0]);
    assert_eq!(knowledge.settle(), Ok(()));
    let requests = told.requests.lock().unwrap();
    assert_eq!(*requests, ["GET /mine", "POST ", "POST /77/upsert 100", "POST /77/upsert 50", "POST /77/query"]);
}

#[test]
fn a_failure_is_told_once_and_nothing_is_asked_until_then() {
    let told = Told::default();
    let mut knowledge = chroma(Box::new(told.clone()), "mine", "one");
    *told.away.lock().unwrap() = true;
    knowledge.add("a", 1, &vector(0, 0, 0.0));
    for _ in 0..5 {
        assert!(knowledge.nearest("a", &vector(0, 0, 0.0), 0.5, 3).is_empty());
    }
    assert_eq!(told.requests.lock().unwrap().len(), 1);
    let why = knowledge.settle().unwrap_err().0;
    assert_eq!(why, "Chroma: it cannot be reached: refused");
    // Cleared and filled anew, it works again.
    *told.away.lock().unwrap() = false;
    knowledge.clear();
    knowledge.add("a", 1, &vector(0, 0, 0.0));
    assert_eq!(keys(&knowledge.nearest("a", &vector(0, 0, 0.0), 0.5, 3)), [1]);
    assert_eq!(knowledge.settle(), Ok(()));
}

/// A Chroma server that proposes all there is in a scope, and can be away.
#[derive(Clone, Default)]
struct Fake(Arc<Mutex<Collection>>);

#[derive(Default)]
struct Collection {
    metadata: Option<Value>,
    rows: Vec<(Value, Value)>,
    away: bool,
}

impl Respond for Fake {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mut collection = self.0.lock().unwrap();
        if collection.away {
            return ResponseTemplate::new(503).insert_header("retry-after", "0");
        }
        let path =
            request.url.path().strip_prefix("/api/v2/tenants/default_tenant/databases/default_database/collections");
        let body: Value = request.body_json().unwrap_or_default();
        let answer = match (request.method.as_str(), path.unwrap()) {
            ("GET", "/feedbackd") => match &collection.metadata {
                Some(metadata) => json!({ "id": "77", "metadata": metadata }),
                None => return ResponseTemplate::new(404),
            },
            ("DELETE", "/feedbackd") => {
                *collection = Collection::default();
                json!({})
            }
            ("POST", "") => {
                collection.metadata = Some(body["metadata"].clone());
                json!({ "id": "77" })
            }
            ("POST", "/77/upsert") => {
                let scopes = body["metadatas"].as_array().unwrap().iter().map(|m| m["scope"].clone());
                collection.rows.extend(body["ids"].as_array().unwrap().iter().cloned().zip(scopes));
                json!({})
            }
            ("POST", "/77/query") => {
                let within = |row: &&(Value, Value)| row.1 == body["where"]["scope"]["$eq"];
                let ids: Vec<&Value> = collection.rows.iter().filter(within).map(|(id, _)| id).collect();
                json!({ "ids": [ids] })
            }
            other => panic!("{other:?}"),
        };
        ResponseTemplate::new(200).set_body_json(answer)
    }
}

#[test]
fn a_batch_waits_while_the_configured_chroma_is_away() {
    let fake = Fake::default();
    let server = Server::new([Mock::given(any()).respond_with(fake.clone())]);
    let mut run =
        learned_by(KnowledgeConfig { kind: KnowledgeKind::Chroma, url: server.url(), ..KnowledgeConfig::default() });
    run.restart();
    assert_eq!(fake.0.lock().unwrap().rows.len(), 2);

    fake.0.lock().unwrap().away = true;
    let text = "Please add error handling to the API handler";
    let entries = [run.entry(&decision("d3", "cem", "REJECTED", Some(text)))];
    let pipeline = run.pipeline.as_mut().unwrap();
    let head = pipeline.head().cloned();
    let why = pipeline.process(&entries, run.now).unwrap_err().to_string();
    assert_eq!(why, "the knowledge store fails: Chroma: it answers with HTTP status 503");
    assert_eq!(pipeline.store().head().unwrap(), head);
    fake.0.lock().unwrap().away = false;
    run.process(&entries);
    assert_eq!(run.class("d3"), Classification::GeneralizableHigh);

    fake.0.lock().unwrap().metadata = Some(json!({ "feedbackd_store": "another" }));
    run.pipeline = None;
    let why = wiring::pipeline(&run.config).err().unwrap().to_string();
    assert!(why.contains("is not of this store, and is left alone"), "{why}");
    assert_eq!(fake.0.lock().unwrap().rows.len(), 3);
}
