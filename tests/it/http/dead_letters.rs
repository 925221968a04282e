//! Dead letters fixed and resent, over the API and on the page: once, after a check, by authorised people.

use super::api::client::{Answer, Api};
use crate::harness::daemon::Said;
use crate::harness::streams::{DEAD_LETTERS, DECISIONS, add, decision, drain, entries};
use crate::harness::wait_until;
use serde_json::{Value, json};

const GONE: &str = "1-1";

/// A daemon with one dead letter: a decision with an unknown outcome, and a comment that is markup and hides something.
struct World {
    api: Api,
    entry: String,
}

impl World {
    fn new() -> World {
        let api = Api::start();
        api.site.push_roster(&["ann", "bob"]);
        let mut wrong = decision("d1", "ann", "REJECTED", Some("Handle <b>errors</b> \u{202e}properly"));
        wrong["decision"] = json!("PERHAPS");
        let entry = add(&api.redis, DECISIONS, &[("data", &wrong.to_string()), ("note", "kept")]);
        drain(&api.redis, &api.site);
        wait_until("the letter lies there", || entries(&api.redis, DEAD_LETTERS).len() == 1);
        World { api, entry }
    }

    fn token(&self, who: &str, scope: &str) -> String {
        let said: Said = self.api.site.run(&["--json", "token", "create", "--as", who, "--scope", scope]);
        let made: Value = serde_json::from_str(&said.out).expect("JSON");
        made["token"].as_str().expect("a token").to_owned()
    }

    fn bearer(&self, who: &str, scope: &str) -> String {
        format!("Authorization: Bearer {}\r\n", self.token(who, scope))
    }

    fn cookie(&self, who: &str, scope: &str) -> String {
        let begun = self.api.raw("POST /login", "", &format!("token={}", self.token(who, scope)));
        let cookie = begun.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        format!("Cookie: {}\r\n", cookie.split(';').next().expect("a pair"))
    }

    fn get(&self, who: &str, path: &str) -> Answer {
        self.api.raw(&format!("GET /api/v1/dead-letters{path}"), who, "")
    }

    fn send(&self, who: &str, body: &Value) -> Answer {
        self.api.raw(&format!("POST /api/v1/dead-letters/{}/send", self.entry), who, &body.to_string())
    }

    /// Returns the entry's data with this outcome.
    fn mended(&self, admin: &str, outcome: &str) -> Value {
        let original =
            self.get(admin, &format!("/{}/original", self.entry)).fits("get", "/dead-letters/{entry}/original");
        let mut data: Value =
            serde_json::from_str(original["fields"][0]["text"].as_str().expect("a text")).expect("JSON");
        data["decision"] = json!(outcome);
        json!({"fields": {"data": data.to_string()}})
    }

    fn form(&self, who: &str, fields: &[(&str, &str)]) -> Answer {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.api.raw("POST /dead-letters/send", who, &body)
    }
}

#[test]
fn a_letter_is_mended_and_sent_once() {
    let world = World::new();
    let (read, decide, admin) =
        (world.bearer("ann", "read"), world.bearer("ann", "decide"), world.bearer("ann", "admin"));
    let listed = world.get(&read, "?limit=5").fits("get", "/dead-letters");
    assert_eq!(listed["dead_letters"][0]["source"]["entry_id"], json!(world.entry));
    let one = world.get(&read, &format!("/{}", world.entry)).fits("get", "/dead-letters/{entry}");
    assert_eq!(one["sent_again"], Value::Null);
    assert_eq!(world.get(&read, &format!("/{GONE}")).status, 404);

    // Unauthorised people, and what still could not be decoded.
    for who in [&read, &decide] {
        assert_eq!(world.get(who, &format!("/{}/original", world.entry)).status, 403);
        world.send(who, &json!({})).problem(403);
    }
    world.api.post(&format!("/dead-letters/{}/send", world.entry), "{}").problem(403);
    let wrong = world.send(&admin, &world.mended(&admin, "MAYBE")).problem(422);
    assert_eq!(wrong["errors"][0]["field"], "decision", "{wrong}");
    assert!(wrong["detail"].as_str().is_some_and(|detail| detail.contains("MAYBE")), "{wrong}");
    world.send(&admin, &json!({})).problem(422);
    world.send(&admin, &json!({"field": {}})).problem(422);
    assert_eq!(entries(&world.api.redis, DECISIONS).len(), 1, "nothing was sent");

    // Two people at once: one of them is notified.
    let good = world.mended(&admin, "REJECTED");
    let other = world.bearer("bob", "admin");
    let mut statuses = std::thread::scope(|scope| {
        let asked = [&admin, &other].map(|who| scope.spawn(|| world.send(who, &good).status));
        asked.map(|asked| asked.join().expect("an answer"))
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let told = world.send(&admin, &good).problem(409);
    assert!(told["detail"].as_str().is_some_and(|detail| detail.contains(" sent it again at ")), "{told}");
    let one = world.get(&read, &format!("/{}", world.entry)).fits("get", "/dead-letters/{entry}");
    let again = entries(&world.api.redis, DECISIONS);
    assert_eq!(again.len(), 2);
    assert_eq!(one["sent_again"]["entry_id"], json!(again[1].id));
    assert_eq!(again[1].fields["note"], "kept");
    drain(&world.api.redis, &world.api.site);
    assert_eq!(world.api.get("/feedback/d1").status, 200, "it was understood");

    // The command line sees it, too.
    let said = world.api.site.run(&["dead-letters", "send", &world.entry, "--set", "decision=REJECTED", "--yes"]);
    assert!(said.code == Some(1) && said.err.contains("sent it again at"), "{said:?}");
    let shown = world.api.site.run(&["dead-letters", "show", &world.entry]);
    assert!(shown.out.contains("sent again") && shown.out.contains(&again[1].id), "{shown:?}");
}

/// The same key gets the same answer and sends nothing again.
#[test]
fn a_call_that_is_repeated_has_the_same_answer() {
    let world = World::new();
    let admin = world.bearer("ann", "admin");
    let good = world.mended(&admin, "APPROVED");
    let keyed = format!("{admin}Idempotency-Key: once\r\n");
    let first = world.send(&keyed, &good).fits("post", "/dead-letters/{entry}/send");
    assert_eq!((first["by"].as_str(), world.send(&keyed, &good).ok()), (Some("ann"), first.clone()));
    assert_eq!(entries(&world.api.redis, DECISIONS).len(), 2);
}

#[test]
fn the_page_shows_it_harmlessly_and_sends_it() {
    let world = World::new();
    let (reads, mends) = (world.cookie("bob", "decide"), world.cookie("ann", "admin"));
    let list = world.api.raw("GET /dead-letters", &reads, "");
    assert!(list.text().contains(&format!("href=\"/dead-letters/{}?stream=", world.entry)), "{}", list.text());
    let line = format!("GET /dead-letters/{}", world.entry);
    let seen = world.api.raw(&line, &reads, "");
    assert_eq!((seen.status, seen.text().contains("<textarea")), (200, false), "{}", seen.text());
    let page = world.api.raw(&line, &mends, "");
    let html = page.text();
    assert!(html.contains("<textarea") && html.contains("\\u202e"), "{html}");
    assert!(!html.contains('\u{202e}') && !html.contains("<b>errors"), "{html}");

    let original = world.mended(&world.bearer("ann", "admin"), "PERHAPS")["fields"]["data"].clone();
    let text = original.as_str().expect("a text").replace('\u{202e}', "\\u202e");
    let post = |who: &str, text: &str| {
        let stream = ("stream", DECISIONS);
        let data = [("name", "data"), ("text.0", text), ("name", "note"), ("text.1", "kept"), ("as", "mended")];
        world.form(who, &[&[("id", world.entry.as_str()), stream], &data[..]].concat())
    };
    assert_eq!(post(&reads, &text).status, 403);
    assert_eq!(post("", &text).status, 401);
    let wrong = post(&mends, &text.replace("PERHAPS", "<i>never"));
    assert_eq!(wrong.status, 422);
    assert!(wrong.text().contains("role=\"alert\"") && wrong.text().contains("&lt;i&gt;never"), "{}", wrong.text());
    assert!(!wrong.text().contains("<i>never"), "{}", wrong.text());
    let sent = post(&mends, &text.replace("PERHAPS", "REJECTED"));
    assert_eq!(sent.status, 303, "{}", sent.text());
    drain(&world.api.redis, &world.api.site);
    let record = world.api.get("/feedback/d1").ok();
    let said = record["record"]["reviewer_comment"].as_str().expect("a remark");
    assert_eq!(said, "Handle <b>errors</b> properly");
    let again = entries(&world.api.redis, DECISIONS);
    let remark = again[1].data()["reviewer_comment"].clone();
    assert_eq!(remark, "Handle <b>errors</b> \u{202e}properly", "what nobody changed is as it came");
    let after = world.api.raw(&line, &mends, "");
    assert!(after.text().contains("Sent again") && !after.text().contains("<textarea"), "{}", after.text());
    let twice = post(&mends, &text.replace("PERHAPS", "REJECTED"));
    assert!(twice.status == 409 && twice.text().contains("ann already sent it again"), "{}", twice.text());
}
