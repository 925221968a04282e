//! Decisions over the API: what a decision has to name, the answer if it is stale, repeated, or made by two people at
//! once, and that every list and page fits the document.

use super::client::{Answer, Api};
use crate::harness::daemon::Site;
use crate::harness::streams::{self, drain};
use feedbackd::domain::records::layout;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

/// A daemon with a proposal, and tokens of four people.
struct World {
    api: Api,
    proposal: String,
}

fn world() -> World {
    world_of(|site| site.push_roster(&["ann", "bob", "cleo", "dora"]))
}

/// Creates the same with a roster stored this way.
fn world_of(roster: impl FnOnce(&Site)) -> World {
    let api = Api::start();
    roster(&api.site);
    let said = [
        ("d1", "ann", "REJECTED", "Missing error handling in API handler"),
        ("d2", "bob", "REJECTED", "API handler lacks error handling"),
        ("d3", "cem", "APPROVED_WITH_CHANGES", "Please add error handling to the API handler"),
    ];
    for (id, who, verdict, text) in said {
        streams::decide(&api.redis, &streams::decision(id, who, verdict, Some(text)));
    }
    drain(&api.redis, &api.site);
    let listed = api.get("/proposals?state=proposed").fits("get", "/proposals");
    let proposal = listed["proposals"][0]["proposal_id"].as_str().expect("a proposal").to_owned();
    World { api, proposal }
}

impl World {
    fn token(&self, who: &str) -> String {
        let said = self.api.site.run(&["--json", "token", "create", "--as", who]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let made: Value = serde_json::from_str(&said.out).expect("JSON");
        format!("Authorization: Bearer {}\r\n", made["token"].as_str().expect("a token"))
    }

    fn get(&self, who: &str, path: &str) -> Answer {
        self.api.raw(&format!("GET /api/v1{path}"), who, "")
    }

    fn post(&self, who: &str, path: &str, more: &str, body: &str) -> Answer {
        self.api.raw(&format!("POST /api/v1{path}"), &format!("{who}{more}"), body)
    }

    fn decide(&self, who: &str, decision: &str, seen: &str, body: &str) -> Answer {
        self.post(who, &format!("/proposals/{}/{decision}", self.proposal), &format!("If-Match: {seen}\r\n"), body)
    }

    fn tag(&self, who: &str) -> String {
        tag(&self.get(who, &format!("/proposals/{}", self.proposal)))
    }

    fn status(&self, who: &str) -> String {
        let rule = self.get(who, &format!("/rules/{}", self.proposal)).fits("get", "/rules/{rule}");
        rule["status"].as_str().expect("a status").to_owned()
    }
}

fn tag(answer: &Answer) -> String {
    answer.head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag").to_owned()
}

#[test]
fn two_people_decide_the_same_proposal_at_once_and_both_count() {
    let world = world();
    let (cleo, dora) = (world.token("cleo"), world.token("dora"));
    let seen = world.tag(&cleo);
    let both = std::thread::scope(|scope| {
        let asked = [&cleo, &dora].map(|who| scope.spawn(|| world.decide(who, "approve", &seen, "{}")));
        asked.map(|asked| asked.join().expect("an answer"))
    });
    for answer in &both {
        assert_eq!(answer.ok()["accepted"], true);
    }
    let rule = world.get(&cleo, &format!("/proposals/{}", world.proposal)).fits("get", "/proposals/{proposal}");
    assert_eq!(rule["state"], "active", "{rule}");
    let mut who: Vec<&str> =
        rule["approvals"].as_array().unwrap().iter().map(|a| a["reviewer_id"].as_str().unwrap()).collect();
    who.sort_unstable();
    assert_eq!(who, ["cleo", "dora"]);
    // A repeated approval changes nothing, and is no error.
    let again = world.decide(&cleo, "approve", &world.tag(&cleo), "{}").ok();
    assert!(again["effect"].as_str().unwrap().contains("already approved"), "{again}");
    assert_eq!(again["id"], both[0].ok()["id"]);
    let review = world.get(&dora, &format!("/reviews/{}", again["id"].as_str().unwrap()));
    assert_eq!(review.fits("get", "/reviews/{review}")["reviewer_id"], "cleo");

    let why = json!({"reason": "The framework does it now."}).to_string();
    let gone = world.post(&dora, &format!("/rules/{}/retire", world.proposal), "", &why);
    assert_eq!(gone.fits("post", "/rules/{rule}/retire")["accepted"], true);
    assert_eq!(world.status(&dora), "RETIRED");
}

#[test]
fn a_stale_page_decides_nothing() {
    let world = world();
    let (ann, bob) = (world.token("ann"), world.token("bob"));
    let seen = world.tag(&ann);
    let missing = world.post(&ann, &format!("/proposals/{}/approve", world.proposal), "", "{}").problem(428);
    assert!(missing["detail"].as_str().unwrap().contains("If-Match"), "{missing}");
    for vague in ["*", "W/\"v2:0\"", "nonsense"] {
        world.decide(&ann, "approve", vague, "{}").problem(428);
    }
    let text =
        json!({"modified_content": "Every API handler answers errors with a problem document and logs them once."});
    assert_eq!(world.decide(&bob, "modify", &seen, &text.to_string()).ok()["accepted"], true);
    for decision in ["approve", "reject"] {
        let stale = world.decide(&ann, decision, &seen, r#"{"reason": "x"}"#).problem(412);
        let now = stale["content_hash"].as_str().expect("a hash").to_owned();
        assert!(world.tag(&ann).starts_with(&format!("\"{now}/")), "{stale}");
    }
    assert_eq!(world.decide(&ann, "approve", &world.tag(&ann), "").ok()["accepted"], true);
}

#[test]
fn a_call_with_a_key_is_made_once() {
    let world = world();
    let (ann, bob) = (world.token("ann"), world.token("bob"));
    let path = format!("/proposals/{}/approve", world.proposal);
    let with = |who: &str, key: &str, body: &str| {
        world.post(who, &path, &format!("If-Match: {}\r\nIdempotency-Key: {key}\r\n", seen(&world)), body)
    };
    fn seen(world: &World) -> String {
        let rule = world.api.get(&format!("/proposals/{}", world.proposal)).ok();
        format!("\"{}\"", rule["content_hash"].as_str().expect("a hash"))
    }
    let first = with(&ann, "k-1", "{}").ok();
    let reviews = || world.api.site.files("reviews/").len();
    let before = reviews();
    assert_eq!(with(&ann, "k-1", "{}").ok(), first, "the same answer");
    assert_eq!(reviews(), before, "and nothing was done");
    let other = with(&ann, "k-1", r#"{"reason": "other"}"#).problem(422);
    assert!(other["detail"].as_str().unwrap().contains("another call"), "{other}");
    // Keys are separate for each person.
    assert_ne!(with(&bob, "k-1", "{}").ok()["id"], first["id"]);
    let long = "x".repeat(256);
    for bad in [long.as_str(), "", "a\r\nIdempotency-Key: b"] {
        with(&ann, bad, "{}").problem(400);
    }
}

#[test]
fn only_people_decide_and_a_body_that_does_not_fit_is_told_where() {
    let world = world();
    let ann = world.token("ann");
    let program = "Authorization: Bearer 0123456789abcdef-the-token\r\n";
    let refused = world.decide(program, "approve", &world.tag(program), "{}").problem(403);
    assert!(refused["detail"].as_str().unwrap().contains("belongs to no person"), "{refused}");
    let seen = world.tag(&ann);
    world.decide(&ann, "approve", &seen, r#"{"reviewer_id": "bob"}"#).problem(403);
    world.decide(&ann, "approve", &seen, "{").problem(400);
    world.decide(&ann, "reject", &seen, "{}").problem(422);
    let unknown = world.decide(&ann, "approve", &seen, r#"{"reasn": "x"}"#).problem(422);
    assert!(unknown["detail"].as_str().unwrap().contains("reasn"), "{unknown}");
    let unfit = world.post(&ann, "/groups/sort", "", r#"{"same": ["d1", 7]}"#).problem(422);
    assert_eq!(unfit["errors"][0]["pointer"], "/same/1", "{unfit}");
    world.post(&ann, "/contradictions/nothing/resolve", "", r#"{"resolution": "IGNORE", "reason": "x"}"#).problem(404);
    world.post(&ann, "/contradictions/nothing/resolve", "", r#"{"resolution": "MAYBE"}"#).problem(422);
    world.post(&ann, "/rules/RULE-2026-0099/rollback", "", r#"{"reason": "x"}"#).problem(404);
    world.get(&ann, "/proposals/RULE-2026-0099").problem(404);
    world.get(&ann, "/reviews/nothing").problem(404);
    assert_eq!(world.status(&ann), "PENDING");
}

#[test]
fn remarks_are_listed_in_parts_marked_and_withdrawn() {
    let world = world();
    let ann = world.token("ann");
    let first = world.get(&ann, "/feedback?limit=2").fits("get", "/feedback");
    let next = first["next"].as_str().expect("there is more");
    let rest = world.get(&ann, &format!("/feedback?limit=2&cursor={next}")).fits("get", "/feedback");
    assert_eq!((rest["feedback"].as_array().unwrap().len(), &rest["next"]), (1, &Value::Null));
    world.get(&ann, &format!("/feedback?limit=2&reviewer=ann&cursor={next}")).problem(400);
    world.get(&ann, "/feedback?gate=nowhere").problem(400);
    assert_eq!(world.get(&ann, "/feedback?reviewer=bob").ok()["feedback"].as_array().unwrap().len(), 1);
    let found = world.get(&ann, "/feedback/search?q=lacks").fits("get", "/feedback/search");
    let id = found["feedback"][0]["feedback_id"].as_str().expect("an id");
    let alike = world.get(&ann, &format!("/feedback/similar?feedback={id}")).fits("get", "/feedback/similar");
    assert_eq!(alike["similar"].as_array().unwrap().len(), 2);
    world.get(&ann, "/feedback/similar").problem(400);
    let page = world.get(&ann, &format!("/feedback/{id}")).fits("get", "/feedback/{feedback}");
    let group = page["record"]["evaluation"]["cluster"].as_str().expect("a group").to_owned();
    let demands = world.get(&ann, "/demands").fits("get", "/demands");
    assert!(demands["read"]["reviews"].as_u64().is_some_and(|read| read > 0), "{demands}");
    let groups = world.get(&ann, "/groups").fits("get", "/groups");
    assert_eq!(groups["groups"][0]["cluster_id"], group.as_str());
    assert_eq!(
        world.get(&ann, &format!("/groups/{group}")).fits("get", "/groups/{group}")["members"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert_eq!(world.get(&ann, "/contradictions").fits("get", "/contradictions")["contradictions"], json!([]));
    assert_eq!(world.get(&ann, "/inbox").fits("get", "/inbox")["items"][0]["id"], world.proposal.as_str());
    assert_eq!(world.get(&ann, "/roster").fits("get", "/roster")["in_force"]["reviewers"].as_array().unwrap().len(), 4);

    let tag = tag(&world.get(&ann, "/groups"));
    let known = world.get(&format!("{ann}If-None-Match: {tag}\r\n"), "/groups");
    assert_eq!(known.status, 304);

    let path = format!("/groups/{group}/split");
    let split = world.post(&ann, &path, "", &json!({"feedback_ids": [id]}).to_string());
    assert_eq!(split.fits("post", "/groups/{group}/split")["accepted"], true);
    let marked = world.post(&ann, &format!("/feedback/{id}/mark"), "", r#"{"mark": "PARTICULAR"}"#);
    assert_eq!(marked.fits("post", "/feedback/{feedback}/mark")["accepted"], true);
    let gone = world.post(&ann, &format!("/feedback/{id}/retract"), "", r#"{"reason": "I was wrong."}"#);
    assert_eq!(gone.fits("post", "/feedback/{feedback}/retract")["accepted"], true);
    assert_ne!(world.get(&format!("{ann}If-None-Match: {tag}\r\n"), "/groups").status, 304);
}

#[test]
fn a_signature_is_taken_with_what_was_signed() {
    let directory = tempfile::tempdir().expect("a directory");
    let [own, other] = ["own", "other"].map(|name| directory.path().join(name));
    for key in [&own, &other] {
        keygen(Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(key));
    }
    let public = std::fs::read_to_string(own.with_extension("pub")).expect("a key");
    let roster = format!("reviewers:\n  - {{id: ann, roles: [approver], ssh_public_keys: [\"{}\"]}}\n", public.trim());
    let world = world_of(|site| site.push(layout::ROSTER, |_| roster));
    let ann = world.token("ann");
    let path = format!("/proposals/{}/signing?decision=approve", world.proposal);
    let to_sign = world.get(&ann, &path).fits("get", "/proposals/{proposal}/signing");
    let text = to_sign["text"].as_str().expect("a text");
    assert!(text.starts_with("feedbackd review 2\nstore_id: ") && text.contains("reviewer_id: ann\n"), "{text}");
    let seen = format!("\"{}\"", to_sign["content_hash"].as_str().expect("a hash"));
    let send = |key: &Path| {
        let file = key.with_extension("txt");
        std::fs::write(&file, text).expect("written");
        let namespace = to_sign["namespace"].as_str().expect("a namespace");
        keygen(Command::new("ssh-keygen").args(["-q", "-Y", "sign", "-n", namespace, "-f"]).arg(key).arg(&file));
        let signature = std::fs::read_to_string(key.with_extension("txt.sig")).expect("a signature");
        let (id, at) = (&to_sign["review_id"], &to_sign["timestamp"]);
        let body = json!({"review_id": id, "timestamp": at, "signature": signature});
        world.decide(&ann, "approve", &seen, &body.to_string())
    };
    assert_eq!(send(&other).problem(403)["code"], "bad_signature");
    assert_eq!(send(&own).ok()["accepted"], true);
    let review = world.get(&ann, &format!("/reviews/{}", to_sign["review_id"].as_str().expect("an id"))).ok();
    assert_eq!((&review["signed"], &review["signed_text"]), (&json!(true), &json!(text)));
    let alone = json!({"signature": review["signature"]}).to_string();
    world.decide(&ann, "approve", &seen, &alone).problem(422);
    world.get(&ann, &path.replace("approve", "modify")).problem(400);
}

fn keygen(command: &mut Command) {
    let ended = command.stderr(Stdio::null()).status().expect("ssh-keygen runs");
    assert!(ended.success());
}
