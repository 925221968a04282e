//! The conformance suite of [`Knowledge`], and what is sent to a Chroma server.

use crate::adapters::embedders::Server;
use crate::harness::run::{Run, decision};
use feedbackd::adapters::knowledge::{Approximate, Chroma, ChromaOptions, ExactScan};
use feedbackd::adapters::rest::{RestOptions, RestServer};
use feedbackd::config::{Config, KnowledgeConfig, KnowledgeKind};
use feedbackd::domain::clusters::MemberKey;
use feedbackd::domain::clusters::evaluation::Classification;
use feedbackd::ports::{Knowledge, KnowledgeError, NearVector, Rest, RestError};
use feedbackd::text::language::similarity::DemandVector;
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

/// Returns a vector along one word, and along another by a share.
fn vector(word: u16, other: u16, share: f32) -> DemandVector {
    let length = if word == other { 1.0 + share } else { share.hypot(1.0) };
    let axis = |word| DemandVector::WORDS + word;
    DemandVector::new(&[(axis(word), 1.0 / length), (axis(other), share / length)])
}

fn of(scope: &str, key: u32, vector: DemandVector) -> NearVector {
    NearVector { scope: scope.to_owned(), key: MemberKey(key), vector }
}

fn add(knowledge: &mut dyn Knowledge, scope: &str, key: u32, vector: &DemandVector) {
    knowledge.add(&[of(scope, key, vector.clone())]).unwrap();
}

fn nearest(knowledge: &dyn Knowledge, scope: &str, query: &DemandVector, min: f64, limit: usize) -> Vec<u32> {
    knowledge.nearest(scope, query, min, limit).unwrap().into_iter().map(|(key, _)| key.0).collect()
}

/// Runs the suite on an empty implementation.
fn conforms(knowledge: &mut dyn Knowledge) {
    knowledge.clear();
    scopes_limits_and_order(knowledge);
    knowledge.clear();
    repeated_texts(knowledge);
    knowledge.clear();
    profiles(knowledge);
    knowledge.clear();
    recall(knowledge);
    knowledge.clear();
    assert_eq!(nearest(knowledge, "a", &vector(0, 0, 0.0), -1.0, 10), [0; 0]);
}

fn scopes_limits_and_order(k: &mut dyn Knowledge) {
    let scope = "tenant\u{1f}agent \"x\"\u{1f}+";
    add(k, scope, 1, &vector(0, 1, 0.0));
    add(k, scope, 2, &vector(0, 1, 1.0));
    add(k, scope, 3, &vector(1, 1, 0.0));
    add(k, "b", 4, &vector(0, 0, 0.0));
    let query = vector(0, 0, 0.0);
    assert_eq!(nearest(k, scope, &query, 0.5, 10), [1, 2]);
    assert_eq!(nearest(k, scope, &query, 0.5, 1), [1]);
    assert_eq!(nearest(k, "b", &query, 0.5, 10), [4]);
    assert_eq!(nearest(k, "none", &query, 0.5, 10), [0; 0]);
    // New vectors are found at once.
    add(k, scope, 5, &vector(0, 1, 0.5));
    assert_eq!(nearest(k, scope, &query, 0.5, 10), [1, 5, 2]);
    let exact = query.cosine(&vector(0, 1, 0.5));
    assert_eq!(k.nearest(scope, &query, 0.5, 10).unwrap()[1].1, exact);
}

fn repeated_texts(k: &mut dyn Knowledge) {
    for key in 0..100 {
        add(k, "a", key, &vector(0, 0, 0.0));
    }
    add(k, "a", 100, &vector(0, 1, 0.2));
    let found = nearest(k, "a", &vector(0, 0, 0.0), 0.9, 1000);
    // The first of several equal ones, and never so many that others are crowded out.
    assert_eq!(found[..3], [0, 1, 2]);
    assert_eq!(found.last(), Some(&100));
    assert_eq!(nearest(k, "a", &vector(0, 0, 0.0), 0.9, 2), [0, 1]);
    assert_eq!(k.repeats("a", &vector(0, 0, 0.0)), found.len() - 1);
    assert_eq!((k.repeats("a", &vector(0, 1, 0.2)), k.repeats("b", &vector(0, 0, 0.0))), (1, 0));
}

fn profiles(k: &mut dyn Knowledge) {
    let with = |word, axis| DemandVector::new(&[(DemandVector::WORDS + word, 0.6), (axis, 0.8)]);
    add(k, "a", 1, &with(0, 3));
    add(k, "a", 2, &with(1, 7));
    add(k, "a", 3, &with(2, 39));
    assert_eq!(nearest(k, "a", &with(5, 7), 0.5, 10), [2]);
    assert_eq!(nearest(k, "a", &with(5, 39), 0.5, 10), [3]);
}

/// Nearly everything that an exhaustive comparison finds is found, and nothing else.
fn recall(k: &mut dyn Knowledge) {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut number = || random.next_u32() as f32 / u32::MAX as f32 - 0.5;
    let mut one = || {
        let mut below = |many: f32| ((number() + 0.5) * many) as u16;
        let axes = [below(39.0), below(39.0)];
        let words: Vec<u16> = (0..6).map(|_| DemandVector::WORDS + below(WORDS as f32)).collect();
        let words = words.into_iter().map(|word| (word, 0.3));
        DemandVector::new(&[(axes[0], 0.6), (axes[1], 0.3)].into_iter().chain(words).collect::<Vec<_>>())
    };
    let mut exact = ExactScan::default();
    let vectors: Vec<NearVector> = (0..1500).map(|key| of("a", key, one())).collect();
    exact.add(&vectors).unwrap();
    k.add(&vectors).unwrap();
    let (mut found, mut all) = (0, 0);
    for _ in 0..40 {
        let query = one();
        let expected = exact.nearest("a", &query, 0.3, 10).unwrap();
        let near = k.nearest("a", &query, 0.3, 10).unwrap();
        assert!(near.iter().all(|(_, cosine)| *cosine >= 0.3) && near.is_sorted_by(|a, b| a.1 >= b.1));
        all += expected.len();
        found += expected.iter().filter(|hit| near.contains(hit)).count();
    }
    eprintln!("recall: {found} of {all}");
    assert!(all > 200 && found * 100 >= all * 95, "{found} of {all}");
}

#[test]
fn the_exact_scan_conforms() {
    conforms(&mut ExactScan::default());
}

/// A run with this knowledge store, in which two comments were found to ask for the same.
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
    let mut run = learned_by(KnowledgeConfig { kind: KnowledgeKind::Usearch, ..Config::default().knowledge });
    // What was learned before a restart is still found.
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

#[test]
#[ignore = "needs a Chroma server, such as `chroma run` starts; FEEDBACKD_CHROMA_URL names it"]
fn a_chroma_server_conforms() {
    let url = std::env::var("FEEDBACKD_CHROMA_URL").expect("FEEDBACKD_CHROMA_URL names a server");
    let connect = || {
        let options = RestOptions {
            url: url.clone(),
            key: None,
            headers: &[],
            timeout: Duration::from_secs(60),
            max_answer: 64 << 10,
            use_environment_proxy: false,
            fields: &[],
        };
        Box::new(RestServer::start(options).unwrap())
    };
    let name = format!("feedbackd-test-{}", std::process::id());
    conforms(&mut chroma(connect(), &name, "one"));
    let mut other = chroma(connect(), &name, "another");
    let why = other.add(&[]).unwrap_err().0;
    assert!(why.contains("is not of this store"), "{why}");
    let path = format!("/api/v2/tenants/default_tenant/databases/default_database/collections/{name}");
    connect().send("DELETE", &path, None).unwrap();
}

/// A Chroma that records requests, and can be unavailable.
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
    let vectors: Vec<NearVector> = (0..150).map(|key| of("a", key, vector(0, 1, key as f32))).collect();
    knowledge.add(&vectors).unwrap();
    assert_eq!(nearest(&knowledge, "a", &vector(0, 1, 0.0), 0.5, 3), [0]);
    let requests = told.requests.lock().unwrap();
    assert_eq!(*requests, ["GET /mine", "POST ", "POST /77/upsert 100", "POST /77/upsert 50", "POST /77/query"]);
}

#[test]
fn what_failed_is_filled_anew_before_it_is_asked_again() {
    let told = Told::default();
    let mut knowledge = chroma(Box::new(told.clone()), "mine", "one");
    add(&mut knowledge, "a", 1, &vector(0, 0, 0.0));
    *told.away.lock().unwrap() = true;
    let away = KnowledgeError("Chroma: it cannot be reached: refused".to_owned());
    assert_eq!(knowledge.nearest("a", &vector(0, 0, 0.0), 0.5, 3), Err(away.clone()));
    assert_eq!(knowledge.nearest("a", &vector(0, 0, 0.0), 0.5, 3), Err(away.clone()));
    assert_eq!(knowledge.add(&[of("a", 2, vector(0, 1, 9.0))]).unwrap_err(), away);
    *told.away.lock().unwrap() = false;
    told.requests.lock().unwrap().clear();
    assert_eq!(nearest(&knowledge, "a", &vector(0, 0, 0.0), 0.5, 3), [1]);
    let requests = told.requests.lock().unwrap();
    assert_eq!(*requests, ["GET /mine", "POST ", "POST /77/upsert 2", "POST /77/query"]);
}

/// A Chroma server that returns everything in a scope, and can be unavailable.
#[derive(Clone, Default)]
struct Fake(Arc<Mutex<Collection>>);

#[derive(Default)]
struct Collection {
    /// How often it was created.
    made: u32,
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
                *collection = Collection { made: collection.made, ..Collection::default() };
                json!({})
            }
            ("POST", "") => {
                collection.made += 1;
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
        learned_by(KnowledgeConfig { kind: KnowledgeKind::Chroma, url: server.url(), ..Config::default().knowledge });
    run.restart();
    assert_eq!(fake.0.lock().unwrap().rows.len(), 2);

    fake.0.lock().unwrap().away = true;
    let text = "Please add error handling to the API handler";
    let entries = [run.entry(&decision("d3", "cem", "REJECTED", Some(text)))];
    let pipeline = run.pipeline.as_mut().unwrap();
    let head = pipeline.head().cloned();
    let why = pipeline.process(&entries, run.now).unwrap_err().to_string();
    assert_eq!(why, "the knowledge store failed: Chroma: it returned HTTP status 503");
    assert_eq!(pipeline.store().head().unwrap(), head);
    fake.0.lock().unwrap().away = false;
    run.process(&entries);
    assert_eq!(run.class("d3"), Classification::GeneralizableHigh);

    fake.0.lock().unwrap().metadata = Some(json!({ "feedbackd_store": "another" }));
    run.pipeline = None;
    let why = wiring::pipeline(&run.config).err().unwrap().to_string();
    assert!(why.contains("is another store's, and is not changed"), "{why}");
    assert_eq!(fake.0.lock().unwrap().rows.len(), 3);
}

#[test]
fn a_failed_batch_reloads_nothing_and_the_next_one_succeeds() {
    let fake = Fake::default();
    let server = Server::new([Mock::given(any()).respond_with(fake.clone())]);
    let mut run =
        learned_by(KnowledgeConfig { kind: KnowledgeKind::Chroma, url: server.url(), ..Config::default().knowledge });
    let made = fake.0.lock().unwrap().made;
    let (packs, away) = (run.config.store.path.join("objects/pack"), run.config.store.path.join("objects/away"));
    let remark = |id: &str| decision(id, "cem", "REJECTED", Some("Name the zebra in the footer of every page"));
    let entries = [run.entry(&remark("d3")), run.entry(&remark("d4"))];
    std::fs::rename(&packs, &away).unwrap();
    for _ in 0..3 {
        assert!(run.pipeline.as_mut().unwrap().process(&entries, run.now).is_err());
        assert_eq!(run.pipeline.as_ref().unwrap().evaluator().remarks.groups.members().count(), 2);
    }
    std::fs::rename(&away, &packs).unwrap();
    let processed = run.process(&entries);
    assert_eq!((processed.counts.recorded, processed.counts.duplicates), (2, 0));
    assert_eq!(run.decision("d3").evaluation.cluster, run.decision("d4").evaluation.cluster);
    let edge_cases = run.paths("feedback/edge-cases/");
    assert!(edge_cases.iter().all(|path| !path.contains("0003")), "no number is lost: {edge_cases:?}");
    let collection = fake.0.lock().unwrap();
    assert_eq!(
        (collection.made, collection.rows.len()),
        (made, 3),
        "the memory was not loaded anew; what two say in the same words is one row"
    );
}
