//! Notifications: webhooks, chat and mail, from a decision to its delivery; with receivers that fail, are slow, want
//! nothing more, or are at a forbidden address.

use super::rules::{only_rule, verdict};
use super::{World, three_alike};
use crate::harness::daemon::{Said, Site};
use crate::harness::redis::RedisServer;
use crate::harness::streams::{drain, review};
use crate::harness::wait_until;
use reqwest::header::HeaderMap;
use serde_json::Value;
use standardwebhooks::Webhook;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
const OLD: &str = "whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

/// An HTTP receiver that exists as long as the test.
struct Receiver {
    server: MockServer,
    runtime: tokio::runtime::Runtime,
}

impl Receiver {
    fn new() -> Receiver {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let server = runtime.block_on(MockServer::start());
        Receiver { server, runtime }
    }

    /// Answers requests to a path this way from now on.
    fn answers(&self, at: &str, answer: ResponseTemplate) {
        self.runtime.block_on(Mock::given(path(at)).respond_with(answer).with_priority(1).mount(&self.server));
    }

    fn forget(&self) {
        self.runtime.block_on(self.server.reset());
    }

    fn got(&self, at: &str) -> Vec<Request> {
        let all = self.runtime.block_on(self.server.received_requests()).unwrap_or_default();
        all.into_iter().filter(|request| request.url.path() == at).collect()
    }

    fn url(&self, at: &str) -> String {
        format!("{}{at}", self.server.uri())
    }
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).expect("JSON")
}

fn header<'r>(request: &'r Request, name: &str) -> &'r str {
    request.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Reports whether a receiver with this secret accepts it.
fn is_signed(request: &Request, secret: &str) -> bool {
    let mut headers = HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let name = reqwest::header::HeaderName::from_static(name);
        headers.insert(name.clone(), header(request, name.as_str()).parse().expect("a value"));
    }
    Webhook::new(secret).expect("a secret").verify(&request.body, &headers).is_ok()
}

/// Creates a site with this in its configuration file, and the secrets it names.
fn site(redis: &RedisServer, notify: &str) -> Site {
    let mut site = Site::new(&redis.url());
    std::fs::write(site.path("new.key"), format!("{SECRET}\n")).expect("written");
    std::fs::write(site.path("old.key"), OLD).expect("written");
    let file = site.path("config.toml");
    std::fs::write(&file, notify).expect("written");
    site.set_file(&file);
    site.set("HTTP__PUBLIC_URL", "https://feedback.example.org");
    site
}

fn world(notify: &str) -> World {
    let redis = RedisServer::start();
    let site = site(&redis, notify);
    let daemon = site.start();
    daemon.wait_ready();
    let world = World { redis, site, daemon };
    world.site.push_roster(&["ann", "bob", "cleo", "dora"]);
    world.drain();
    // The past is not reported: it starts once the queue knows its position.
    wait_until("the queue has begun", || world.daemon.log().contains("notifications start here"));
    world
}

#[test]
fn programs_are_told_signed_and_in_the_shape_they_know() {
    let receiver = Receiver::new();
    for at in ["/standard", "/event", "/slack", "/teams", "/ntfy"] {
        receiver.answers(at, ResponseTemplate::new(204));
    }
    let hook = |name: &str, style: &str, at: &str, more: &str| {
        format!(
            "[[notify.webhooks]]\nname = \"{name}\"\nurl = \"{}\"\nstyle = \"{style}\"\nallow_private = true\n{more}\n",
            receiver.url(at)
        )
    };
    let signed = "secret_files = [\"new.key\", \"old.key\"]";
    let config = [
        hook("ops", "standard", "/standard", signed),
        hook("events", "cloudevents", "/event", "secret_files = [\"new.key\"]\nkinds = [\"refused\"]"),
        hook("slack", "slack", "/slack", "kinds = [\"waiting\"]"),
        hook("teams", "teams", "/teams", "kinds = [\"waiting\"]\nagents = [\"nobodys-agent\"]"),
        hook("ntfy", "ntfy", "/ntfy", "topic = \"feedback\"\nkinds = [\"decided\"]"),
    ];
    let world = world(&config.concat());
    world.decide(&three_alike());
    let (_, rule) = only_rule(&world.site);
    review(&world.redis, &verdict("r1", &rule, "ann", "APPROVE"));
    review(&world.redis, &verdict("r2", &rule, "ann", "APPROVE"));
    review(&world.redis, &verdict("r3", &rule, "cleo", "APPROVE"));
    world.drain();
    let types = |at: &str| {
        let mut types: Vec<String> = receiver
            .got(at)
            .iter()
            .map(|request| body(request)["type"].as_str().unwrap_or_default().to_owned())
            .collect();
        types.sort();
        types
    };
    let all = ["proposal.waiting", "review.accepted", "review.accepted", "review.refused", "rule.activated"];
    wait_until("all of it arrived", || types("/standard").len() == all.len());
    assert_eq!(types("/standard"), all);
    for request in receiver.got("/standard") {
        assert!(is_signed(&request, SECRET) && is_signed(&request, OLD), "{request:?}");
        assert!(!is_signed(&request, "whsec_BBBB9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="));
        assert!(request.body.len() < 2_000);
    }
    let proposal =
        receiver.got("/standard").iter().map(body).find(|body| body["type"] == "proposal.waiting").expect("told");
    let id = rule.proposal_id.as_str();
    assert_eq!(proposal["data"]["subject"], id);
    assert_eq!(proposal["data"]["url"], format!("https://feedback.example.org/proposals/{id}"));
    assert_eq!(proposal["data"]["progress"]["needed"], 2);
    wait_until("the others arrived", || {
        [("/event", 1), ("/slack", 1), ("/ntfy", 3)].iter().all(|(at, n)| receiver.got(at).len() == *n)
    });
    let event = body(&receiver.got("/event")[0]);
    assert_eq!(
        (&event["specversion"], &event["type"]),
        (&Value::from("1.0"), &Value::from("feedbackd.review.refused"))
    );
    assert_eq!(header(&receiver.got("/event")[0], "content-type"), "application/cloudevents+json");
    assert!(event["data"]["text"].as_str().is_some_and(|text| text.contains("ann")), "{event}");
    let slack = body(&receiver.got("/slack")[0]);
    assert!(slack["text"].as_str().is_some_and(|text| text.contains("0 of 2 approvals")), "{slack}");
    assert_eq!(body(&receiver.got("/ntfy")[0])["topic"], "feedback");
    assert_eq!(receiver.got("/teams").len(), 0, "none of its agents");
    wait_until("it is counted", || world.daemon.metric("feedbackd_notices_delivered_total{style=\"standard\"}") == 5.0);
    let listed = world.site.run(&["notify", "list"]);
    assert!(listed.out.contains("ops") && listed.out.contains("accepted one"), "{listed:?}");
    assert!(!world.daemon.log().contains("127.0.0.1/standard") && !listed.out.contains("whsec_"));
}

#[test]
fn what_is_due_survives_a_kill_and_arrives_under_the_same_id() {
    let receiver = Receiver::new();
    receiver.answers("/x", ResponseTemplate::new(500));
    let url = receiver.url("/x");
    let mut world = world(&format!(
        "[[notify.webhooks]]\nname = \"ops\"\nurl = \"{url}\"\nsecret_files = [\"new.key\"]\nkinds = [\"waiting\"]\n\
         allow_private = true\n"
    ));
    // Killed after the commit, before anything is queued or sent: the next one notifies.
    world.decide(&three_alike());
    world.daemon.kill9();
    world.daemon = world.site.start();
    wait_until("it was tried", || !receiver.got("/x").is_empty());
    // Killed after a failed attempt: the next one retries.
    let first = header(&receiver.got("/x")[0], "webhook-id").to_owned();
    let failed = "feedbackd_notices_failed_total{style=\"standard\"}";
    wait_until("its failure is known", || world.daemon.metric(failed) >= 1.0);
    world.daemon.kill9();
    receiver.forget();
    receiver.answers("/x", ResponseTemplate::new(200));
    world.daemon = world.site.start();
    wait_until("it arrived", || !receiver.got("/x").is_empty());
    let arrived = receiver.got("/x");
    assert_eq!(header(&arrived[0], "webhook-id"), first);
    assert!(is_signed(&arrived[0], SECRET), "signed anew");
    let delivered = "feedbackd_notices_delivered_total{style=\"standard\"}";
    wait_until("it is counted, and nothing is left to send", || {
        world.daemon.metric(delivered) >= 1.0 && world.daemon.metric("feedbackd_notices_waiting") == 0.0
    });
    assert_eq!((receiver.got("/x").len(), world.daemon.metric(delivered)), (1, 1.0), "once");
}

#[test]
fn a_receiver_that_is_slow_fails_or_wants_nothing_holds_up_nobody() {
    let receiver = Receiver::new();
    receiver.answers("/slow", ResponseTemplate::new(200).set_delay(Duration::from_secs(20)));
    receiver.answers("/gone", ResponseTemplate::new(410));
    receiver.answers("/busy", ResponseTemplate::new(429).insert_header("retry-after", "3600"));
    receiver.answers("/moved", ResponseTemplate::new(302).insert_header("location", receiver.url("/inside").as_str()));
    receiver.answers("/inside", ResponseTemplate::new(200));
    receiver.answers("/good", ResponseTemplate::new(200));
    let hooks: String = ["slow", "gone", "busy", "moved", "good"]
        .iter()
        .map(|name| {
            format!(
                "[[notify.webhooks]]\nname = \"{name}\"\nurl = \"{}\"\nsecret_files = [\"new.key\"]\nallow_private = true\n",
                receiver.url(&format!("/{name}"))
            )
        })
        .collect();
    let world = world(&hooks);
    let started = Instant::now();
    world.decide(&three_alike());
    wait_until("the good one was told", || !receiver.got("/good").is_empty());
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    wait_until("the others were tried", || {
        ["/gone", "/busy", "/moved"].iter().all(|at| !receiver.got(at).is_empty())
            && world.daemon.metric("feedbackd_notices_endpoints_disabled") == 1.0
    });
    let (_, rule) = only_rule(&world.site);
    review(&world.redis, &verdict("r1", &rule, "ann", "REJECT"));
    world.drain();
    wait_until("the good one was told of it", || receiver.got("/good").len() >= 2);
    // Two each for those that are slow, busy or moved, none for the one that wants none.
    wait_until("the others' are kept", || world.daemon.metric("feedbackd_notices_waiting") >= 6.0);
    assert_eq!(receiver.got("/gone").len(), 1, "it gets nothing any more");
    assert_eq!(receiver.got("/busy").len(), 1, "it gets nothing for an hour");
    assert_eq!(receiver.got("/inside").len(), 0, "a redirect is not followed");
    let Said { out, .. } = world.site.run(&["doctor"]);
    for part in
        ["gone (standard): it has accepted no notifications since", "moved (standard): failed", "HTTP status 302"]
    {
        assert!(out.contains(part), "{part}\n{out}");
    }
    // A person fixes it and retries: the notification is sent again.
    receiver.forget();
    receiver.answers("/gone", ResponseTemplate::new(200));
    let test = world.site.run(&["notify", "test", "gone"]);
    assert_eq!(test.code, Some(0), "{test:?}");
    assert!(test.out.contains("HTTP status 200"), "{test:?}");
    wait_until("it is not disabled", || world.daemon.metric("feedbackd_notices_endpoints_disabled") == 0.0);
    review(&world.redis, &verdict("r2", &rule, "ann", "APPROVE"));
    world.drain();
    wait_until("it is told of what happens next", || receiver.got("/gone").len() >= 2);
    let told: Vec<Value> = receiver.got("/gone").iter().map(|request| body(request)["type"].clone()).collect();
    assert_eq!(told.len(), 2, "what happened meanwhile is not told later: {told:?}");
    let last = body(&receiver.got("/gone")[1]);
    assert!(last["data"]["text"].as_str().is_some_and(|text| text.starts_with("approval 1 of 2")), "{last:#}");
    let unknown = world.site.run(&["notify", "test", "nobody"]);
    assert_eq!(unknown.code, Some(3), "{unknown:?}");
}

#[test]
fn nobody_leads_it_into_private_networks() {
    let redis = RedisServer::start();
    let receiver = Receiver::new();
    receiver.answers("/x", ResponseTemplate::new(200));
    let port = receiver.server.address().port();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "169.254.169.254",
        "2130706433",
        "0.0.0.0",
    ] {
        let site = site(
            &redis,
            &format!(
                "[[notify.webhooks]]\nname = \"x\"\nurl = \"https://{host}:{port}/x\"\nsecret_files = [\"new.key\"]\n"
            ),
        );
        let said = site.run(&["notify", "test", "x"]);
        assert_eq!(said.code, Some(1), "{host}: {said:?}");
        assert!(said.err.contains("private network"), "{host}: {said:?}");
    }
    assert_eq!(receiver.got("/x").len(), 0);
}

#[test]
fn wrong_endpoints_are_named_and_secrets_are_not() {
    let redis = RedisServer::start();
    let wrong = |notify: &str| {
        let said = site(&redis, notify).run(&["config", "check"]);
        assert_eq!(said.code, Some(4), "{said:?}");
        assert!(!said.err.contains("T0P"), "{said:?}");
        said.err
    };
    let text =
        wrong("[[notify.webhooks]]\nname = \"ops\"\nurl = \"https://hooks.example.org/T0P\"\nkind = [\"waiting\"]\n");
    assert!(text.contains("entry 1: unknown field `kind`"), "{text}");
    let text = wrong("[[notify.webhooks]]\nname = \"ops\"\nurl = \"https://hooks.example.org/T0P\"\n");
    assert!(text.contains("ops: `secret_files` names one or two files"), "{text}");
    let text = wrong(
        "[[notify.webhooks]]\nname = \"ops\"\nurl = \"https://hooks.example.org/T0P\"\nstyle = \"slack\"\nkinds = [\"all\"]\n",
    );
    assert!(text.contains("`all` is not a kind"), "{text}");
    let text = wrong("[[notify.mail]]\nperson = \"ann\"\naddress = \"ann@example.org\"\nkinds = [\"waiting\"]\n");
    assert!(text.contains("notify.smtp_host"), "{text}");
    let site = site(
        &redis,
        "[[notify.webhooks]]\nname = \"ops\"\nurl = \"https://hooks.example.org/T0P\"\nstyle = \"slack\"\n",
    );
    let shown = site.run(&["config", "show"]);
    assert!(shown.code == Some(0) && !shown.out.contains("T0P"), "{shown:?}");
}

/// Starts a mail server that accepts everything, and returns what it received.
fn mail_server() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let taken = Arc::new(Mutex::new(Vec::new()));
    let mails = Arc::clone(&taken);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut to = stream.try_clone().expect("a stream");
            let mut say = move |text: &str| to.write_all(format!("{text}\r\n").as_bytes()).is_ok();
            say("220 mail.example.org");
            let mut lines = BufReader::new(stream).lines();
            while let Some(Ok(line)) = lines.next() {
                match line.split(' ').next().unwrap_or_default().to_ascii_uppercase().as_str() {
                    "DATA" => {
                        say("354 go on");
                        let mail: Vec<String> =
                            lines.by_ref().map_while(Result::ok).take_while(|line| line != ".").collect();
                        mails.lock().expect("no panic").push(mail.join("\n"));
                        say("250 taken");
                    }
                    "QUIT" => break,
                    _ => {
                        say("250 well");
                    }
                }
            }
        }
    });
    (port, taken)
}

#[test]
fn people_get_mail_about_what_needs_them() {
    let (port, mails) = mail_server();
    let world = world(&format!(
        "[notify]\nsmtp_host = \"127.0.0.1\"\nsmtp_port = {port}\nsmtp_tls = \"plain\"\nmail_from = \"feedbackd@example.org\"\n\
         mail_unsubscribe = \"stop@example.org\"\n\
         [[notify.mail]]\nperson = \"ann\"\naddress = \"ann@example.org\"\nkinds = [\"waiting\", \"refused\"]\nevery = \"instant\"\n\
         [[notify.mail]]\nperson = \"cleo\"\naddress = \"cleo@example.org\"\nkinds = [\"waiting\"]\nevery = \"daily\"\n"
    ));
    world.decide(&three_alike());
    let (_, rule) = only_rule(&world.site);
    let got = || mails.lock().expect("no panic").clone();
    wait_until("the first mail", || got().len() == 1);
    for (id, who) in [("r1", "ann"), ("r2", "ann"), ("r3", "mallory")] {
        review(&world.redis, &verdict(id, &rule, who, "APPROVE"));
        drain(&world.redis, &world.site);
    }
    wait_until("the second mail", || got().len() == 2);
    review(&world.redis, &verdict("r4", &rule, "ann", "APPROVE"));
    drain(&world.redis, &world.site);
    wait_until("the mail about what came after others' refusals", || got().len() >= 3);
    let mails = got();
    let to_ann = mails.iter().filter(|mail| mail.contains("To: ann@example.org")).count();
    assert_eq!(
        (mails.len(), to_ann),
        (3, 3),
        "a digest waits for its hour, and nobody is told of others' refusals: {mails:?}"
    );
    let id = rule.proposal_id.as_str();
    for part in [
        "To: ann@example.org",
        "0 of 2 approvals",
        &format!("https://feedback.example.org/proposals/{id}"),
        "List-Unsubscribe: <mailto:stop@example.org>",
        "Auto-Submitted: auto-generated",
        "You receive this because",
    ] {
        assert!(mails[0].contains(part), "{part}\n{}", mails[0]);
    }
    let of = |mail: &str, name: &str| {
        let line = mail.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name}\n{mail}")).trim().to_owned()
    };
    assert_eq!(of(&mails[0], "References:"), of(&mails[1], "References:"), "both are about one proposal");
    assert_ne!(of(&mails[0], "Message-ID:"), of(&mails[1], "Message-ID:"));
    assert!(mails[1].contains("was refused"), "{}", mails[1]);
    assert_eq!(world.daemon.metric("feedbackd_notices_waiting"), 1.0, "cleo's digest");
}
