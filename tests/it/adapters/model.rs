//! A language model over real HTTP: requests, responses, failures, and what is never shown.

use crate::harness::wait_until;
use feedbackd::adapters::model::{Dialect, FIELDS, HttpAdvisor, MAX_ANSWER, ModelOptions};
use feedbackd::adapters::rest::{RestOptions, RestServer};
use feedbackd::config::Secret;
use feedbackd::domain::rules::draft::advice::{
    AdviceAnswer, AdviceFailure, AdviceQuestion, CommentSource, ReadQuestion,
};
use feedbackd::ports::{Advisor, Rest};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const KEY: &str = "sk-very-secret-4711";

/// A server with its runtime.
struct Server {
    runtime: tokio::runtime::Runtime,
    server: MockServer,
}

impl Server {
    fn new() -> Server {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let server = runtime.block_on(MockServer::start());
        Server { runtime, server }
    }

    fn answers(self, mock: Mock) -> Server {
        self.runtime.block_on(mock.mount(&self.server));
        self
    }

    fn requests(&self) -> Vec<wiremock::Request> {
        self.runtime.block_on(self.server.received_requests()).unwrap()
    }

    fn ask(&self, dialect: Dialect, timeout: Duration) -> AdviceAnswer {
        ask(&mut advisor(dialect, self.server.uri(), timeout), question(1))
    }
}

fn rest(dialect: Dialect, url: String, timeout: Duration) -> RestServer {
    let (header, before) = dialect.key_header();
    let options = RestOptions {
        url,
        key: Some((header, before, Secret::new(KEY))),
        headers: dialect.headers(),
        timeout,
        max_answer: MAX_ANSWER,
        use_environment_proxy: false,
        fields: FIELDS,
    };
    RestServer::start(options).unwrap()
}

fn advisor(dialect: Dialect, url: String, timeout: Duration) -> HttpAdvisor {
    HttpAdvisor::start(vec![Box::new(rest(dialect, url, timeout))], options(dialect, None)).unwrap()
}

fn options(dialect: Dialect, known: Option<PathBuf>) -> ModelOptions {
    let path = format!("/v1/{}", dialect.endpoint());
    let (model, effort, server) = ("some-model".to_owned(), "low".to_owned(), "here".to_owned());
    ModelOptions { dialect, model, path, effort, server, known }
}

fn question(n: u32) -> AdviceQuestion {
    let text = format!("Add tests {n}");
    AdviceQuestion::Read(ReadQuestion::new(
        "coding-agent",
        [CommentSource { id: "d1", text: &text, ..CommentSource::default() }],
    ))
}

fn ask(advisor: &mut HttpAdvisor, question: AdviceQuestion) -> AdviceAnswer {
    let hash = question.hash();
    assert!(advisor.ask(question));
    let mut found = None;
    wait_until("the model answers", || {
        found = advisor.answers().pop();
        found.is_some()
    });
    let found = found.unwrap();
    assert_eq!(found.question, hash);
    assert!(!format!("{found:?}").contains(KEY));
    found
}

const LONG: Duration = Duration::from_secs(20);

fn said(text: &str) -> Value {
    json!({ "choices": [{ "message": { "role": "assistant", "content": text } }], "model": "some-model" })
}

fn ok(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(said(text))
}

fn failed(answer: &AdviceAnswer) -> String {
    match &answer.text {
        Err(AdviceFailure::Failed(why)) => why.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn openai_is_asked_with_the_key_in_its_header() {
    let right = Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .and(header("authorization", format!("Bearer {KEY}")))
        .respond_with(ok("{\"answer\": \"same\"}"));
    let server = Server::new().answers(right);
    assert_eq!(server.ask(Dialect::OpenAi, LONG).text, Ok("{\"answer\": \"same\"}".to_owned()));
    let body: Value = serde_json::from_slice(&server.requests()[0].body).unwrap();
    assert_eq!((&body["model"], &body["response_format"]["type"]), (&json!("some-model"), &json!("json_schema")));
    assert_eq!(body["messages"][0]["role"], "system");
    assert!(body["messages"][1]["content"].as_str().unwrap().contains("Add tests 1"));
    assert!(!body.to_string().contains(KEY));
}

#[test]
fn anthropic_is_asked_in_its_own_way() {
    let right = Mock::given(method("POST"))
        .and(path("/v1/messages"))
        .and(header("x-api-key", KEY))
        .and(header("anthropic-version", "2023-06-01"))
        .respond_with(
            ResponseTemplate::new(200).set_body_json(json!({ "content": [{ "type": "text", "text": "x" }] })),
        );
    let server = Server::new().answers(right);
    assert_eq!(server.ask(Dialect::Anthropic, LONG).text, Ok("x".to_owned()));
    let body: Value = serde_json::from_slice(&server.requests()[0].body).unwrap();
    assert!(body["max_tokens"].is_u64() && body["system"].is_string(), "{body}");
}

fn bodies(server: &Server) -> Vec<Value> {
    server.requests().iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect()
}

fn refuses(message: &str) -> ResponseTemplate {
    ResponseTemplate::new(400).set_body_json(json!({ "error": { "code": "unsupported_value", "message": message } }))
}

#[test]
fn a_server_that_knows_less_is_asked_for_less_and_that_is_kept() {
    let too_new = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    let server = Server::new()
        .answers(Mock::given(method("POST")).respond_with(refuses(too_new)).up_to_n_times(1))
        .answers(Mock::given(method("POST")).respond_with(refuses("response_format json_schema")).up_to_n_times(1))
        .answers(Mock::given(method("POST")).respond_with(refuses("no reasoning_effort")).up_to_n_times(1))
        .answers(Mock::given(method("POST")).respond_with(ok("x")));
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("model.json");
    let rest = || -> Box<dyn Rest> { Box::new(rest(Dialect::OpenAi, server.server.uri(), LONG)) };
    let mut first = HttpAdvisor::start(vec![rest()], options(Dialect::OpenAi, Some(file.clone()))).unwrap();
    assert_eq!(ask(&mut first, question(1)).text, Ok("x".to_owned()));
    let mut next = HttpAdvisor::start(vec![rest()], options(Dialect::OpenAi, Some(file))).unwrap();
    assert_eq!(ask(&mut next, question(2)).text, Ok("x".to_owned()));
    let all = bodies(&server);
    assert_eq!(all.len(), 5, "it is found out once, and known after a restart");
    for body in &all[3..] {
        assert!(body.get("max_tokens").is_none() && body.get("reasoning_effort").is_none(), "{body}");
        assert!(body["max_completion_tokens"].is_u64(), "{body}");
        assert_eq!(body["response_format"]["type"], "json_object");
    }
}

#[test]
fn a_question_that_is_refused_makes_no_other_one_poorer() {
    let filtered = ResponseTemplate::new(400).set_body_json(json!({ "error": { "code": "content_filter" } }));
    let server = Server::new()
        .answers(Mock::given(method("POST")).respond_with(ok("x")).up_to_n_times(1))
        .answers(Mock::given(method("POST")).respond_with(filtered).up_to_n_times(1))
        .answers(Mock::given(method("POST")).respond_with(ok("y")));
    let mut advisor = advisor(Dialect::OpenAi, server.server.uri(), LONG);
    assert_eq!(ask(&mut advisor, question(1)).text, Ok("x".to_owned()));
    let refused = AdviceFailure::Refused("HTTP status 400, content_filter".to_owned());
    assert_eq!(ask(&mut advisor, question(2)).text, Err(refused));
    assert_eq!(ask(&mut advisor, question(3)).text, Ok("y".to_owned()));
    let all = bodies(&server);
    assert_eq!((all.len(), &all[2]["response_format"]["type"]), (3, &json!("json_schema")));
}

#[test]
fn a_model_that_reasons_gets_more_room() {
    let thought = json!({ "choices": [{
        "message": { "content": "", "reasoning_content": "hm" }, "finish_reason": "length",
    }], "usage": { "prompt_tokens": 10, "completion_tokens": 5 } });
    let cut = ResponseTemplate::new(200).set_body_json(&thought);
    let server = Server::new()
        .answers(Mock::given(method("POST")).respond_with(cut.clone()).up_to_n_times(2))
        .answers(Mock::given(method("POST")).respond_with(ok("x")));
    let mut some = advisor(Dialect::OpenAi, server.server.uri(), LONG);
    let answer = ask(&mut some, question(1));
    assert_eq!(answer.text, Ok("x".to_owned()));
    assert!(answer.usage.input > 20 && answer.usage.output >= 10, "all tries count: {:?}", answer.usage);
    ask(&mut some, question(2));
    let limits: Vec<u64> = bodies(&server).iter().map(|body| body["max_tokens"].as_u64().unwrap()).collect();
    assert_eq!(limits, [limits[0], 4 * limits[0], 16 * limits[0], 16 * limits[0]]);
    // One that never reaches an answer is finally asked without a limit, then given up.
    let server = Server::new().answers(Mock::given(method("POST")).respond_with(cut));
    assert_eq!(server.ask(Dialect::OpenAi, LONG).text, Err(AdviceFailure::CutOff));
    assert!(bodies(&server).last().unwrap().get("max_tokens").is_none());
}

#[test]
fn several_questions_are_asked_at_once() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    // The server answers only once all three have arrived.
    let server = std::thread::spawn(move || {
        let mut open: Vec<std::net::TcpStream> = (0..3).map(|_| listener.accept().unwrap().0).collect();
        for stream in &mut open {
            let _ = stream.read(&mut [0; 1 << 16]);
            let body = said("x").to_string();
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json";
            let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        }
    });
    let rests = (0..3).map(|_| -> Box<dyn Rest> { Box::new(rest(Dialect::OpenAi, url.clone(), LONG)) }).collect();
    let mut advisor = HttpAdvisor::start(rests, options(Dialect::OpenAi, None)).unwrap();
    assert_eq!(advisor.room(), 3);
    assert!((1..=3).all(|n| advisor.ask(question(n))));
    assert!(advisor.room() == 0 && !advisor.ask(question(4)));
    let mut found = Vec::new();
    wait_until("the model answers", || {
        found.extend(advisor.answers());
        found.len() == 3
    });
    assert!(found.iter().all(|answer| answer.text == Ok("x".to_owned())));
    assert_eq!(advisor.room(), 3);
    server.join().unwrap();
}

#[test]
fn a_stream_of_events_that_nobody_asked_for_is_read() {
    let piece = |text: &str| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": text } }] }));
    let body = format!("{}{}data: [DONE]\n\n", piece("{\"a\":"), piece(" 1}"));
    let server = Server::new()
        .answers(Mock::given(method("POST")).respond_with(ResponseTemplate::new(200).set_body_string(body)));
    assert_eq!(server.ask(Dialect::OpenAi, LONG).text, Ok("{\"a\": 1}".to_owned()));
    let page = ResponseTemplate::new(200).set_body_string("<html>Log in</html>");
    let server = Server::new().answers(Mock::given(method("POST")).respond_with(page));
    assert!(failed(&server.ask(Dialect::OpenAi, LONG)).contains("a web page"));
}

#[test]
fn what_passes_is_tried_again() {
    for status in [429, 500, 503] {
        let busy = ResponseTemplate::new(status).insert_header("retry-after", "0");
        let server = Server::new()
            .answers(Mock::given(method("POST")).respond_with(busy.clone()).up_to_n_times(1))
            .answers(Mock::given(method("POST")).respond_with(ok("x")));
        assert_eq!(server.ask(Dialect::OpenAi, LONG).text, Ok("x".to_owned()), "{status}");
        let server = Server::new().answers(Mock::given(method("POST")).respond_with(busy));
        assert!(failed(&server.ask(Dialect::OpenAi, LONG)).contains(&status.to_string()));
        assert_eq!(server.requests().len(), 4);
    }
    // Exceeds the time limit: not waited for.
    let long = ResponseTemplate::new(429).insert_header("retry-after", "3600");
    let server = Server::new().answers(Mock::given(method("POST")).respond_with(long));
    let started = Instant::now();
    assert!(failed(&server.ask(Dialect::OpenAi, LONG)).contains("429, and asks to wait for 3600 s"));
    assert_eq!(server.requests().len(), 1);
    assert!(started.elapsed() < LONG);
}

#[test]
fn what_does_not_pass_is_told_without_its_body() {
    let echo = ResponseTemplate::new(401).set_body_string(format!("no such key: {KEY}"));
    let server = Server::new().answers(Mock::given(method("POST")).respond_with(echo));
    let why = failed(&server.ask(Dialect::OpenAi, LONG));
    assert_eq!(why, "the model's server: it answers with HTTP status 401; check model.api_key_file");
    assert_eq!(server.requests().len(), 1);
    let away = ResponseTemplate::new(302).insert_header("location", "http://127.0.0.1:9/");
    let server = Server::new().answers(Mock::given(method("POST")).respond_with(away));
    assert!(failed(&server.ask(Dialect::OpenAi, LONG)).contains("302"), "a redirect is not followed");
}

#[test]
fn what_cannot_be_read_is_no_answer() {
    let bodies = [
        "not JSON".to_owned(),
        json!({ "choices": [] }).to_string(),
        said(&"x".repeat(MAX_ANSWER << 10)).to_string(),
        json!(["x"]).to_string(),
    ];
    for (place, body) in bodies.into_iter().enumerate() {
        let server = Server::new()
            .answers(Mock::given(method("POST")).respond_with(ResponseTemplate::new(200).set_body_string(body)));
        let why = failed(&server.ask(Dialect::OpenAi, LONG));
        assert_eq!(why.contains("larger than 1024 KB"), place == 2, "{why}");
    }
}

#[test]
fn a_slow_server_is_given_up() {
    let slow = ok("x").set_delay(Duration::from_secs(600));
    let server = Server::new().answers(Mock::given(method("POST")).respond_with(slow));
    assert_eq!(server.ask(Dialect::OpenAi, Duration::from_millis(300)).text, Err(AdviceFailure::Timeout));
}

/// A server that sends its headers and then an occasional byte.
#[test]
fn a_slow_body_is_given_up() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let _ =
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n");
        while stream.write_all(b" ").is_ok() {
            std::thread::park_timeout(Duration::from_millis(20));
        }
    });
    let mut advisor = advisor(Dialect::OpenAi, url, Duration::from_millis(300));
    assert_eq!(ask(&mut advisor, question(1)).text, Err(AdviceFailure::Timeout));
    drop(advisor);
    server.join().unwrap();
}

#[test]
fn nobody_waits_for_a_model() {
    let slow = ok("x").set_delay(Duration::from_secs(600));
    let server = Server::new().answers(Mock::given(method("POST")).respond_with(slow));
    let mut advisor = advisor(Dialect::OpenAi, server.server.uri(), Duration::from_secs(300));
    let started = Instant::now();
    let taken = (1..=20).filter(|n| advisor.ask(question(*n))).count();
    assert!((1..20).contains(&taken), "the queue is short: {taken}");
    assert!(advisor.answers().is_empty());
    drop(advisor);
    assert!(started.elapsed() < Duration::from_secs(60), "stopping does not wait for the answer");
}

#[test]
fn a_server_that_is_away_is_a_failure_without_secrets() {
    let mut advisor = advisor(Dialect::OpenAi, "http://127.0.0.1:9".to_owned(), LONG);
    assert!(failed(&ask(&mut advisor, question(1))).starts_with("the model's server: it cannot be reached: "));
}
