//! Signing on the page with a real `ssh-keygen`: what is shown is what is signed, a good signature counts, but forged,
//! stale, late and other people's do not.

use super::api::client::{Answer, Api};
use crate::harness::streams::{REVIEWS, decide, decision, drain};
use feedbackd::domain::records::layout;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A daemon that counts only signed decisions, with a proposal, and two people with keys.
struct World {
    api: Api,
    rule: String,
    keys: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let keys = tempfile::tempdir().expect("a directory");
        for who in ["ann", "bob", "stranger"] {
            let key = keys.path().join(who);
            run(Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(key));
        }
        let line = |who: &str| {
            let public = std::fs::read_to_string(keys.path().join(who).with_extension("pub")).expect("a key");
            format!("  - {{id: {who}, roles: [approver], ssh_public_keys: [\"{}\"]}}\n", public.trim())
        };
        let roster = format!("reviewers:\n{}{}  - {{id: dora, roles: [approver]}}\n", line("ann"), line("bob"));
        let api = Api::with(&[("REVIEW__REQUIRE_SIGNATURES", "true"), ("REVIEW__MIN_APPROVALS", "2")]);
        api.site.push(layout::ROSTER, |_| roster);
        let said = [
            ("d1", "eva", "Missing error handling in API handler"),
            ("d2", "fred", "API handler lacks error handling"),
            ("d3", "gus", "Please add error handling to the API handler"),
        ];
        for (id, who, text) in said {
            decide(&api.redis, &decision(id, who, "REJECTED", Some(text)));
        }
        drain(&api.redis, &api.site);
        let (path, _) = api.site.files("feedback/rules/proposed/").remove(0);
        let rule = path.rsplit('/').next().and_then(|name| name.strip_suffix(".yaml")).expect("a name").to_owned();
        World { api, rule, keys }
    }

    fn key(&self, who: &str) -> PathBuf {
        self.keys.path().join(who)
    }

    /// Logs a person in, and returns the cookie.
    fn log_in(&self, who: &str) -> String {
        let said = self.api.site.run(&["--json", "token", "create", "--as", who]);
        let made: Value = serde_json::from_str(&said.out).expect("JSON");
        let token = made["token"].as_str().expect("a token");
        let begun = self.api.raw("POST /login", "", &format!("token={token}"));
        let cookie = begun.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        format!("Cookie: {}\r\n", cookie.split(';').next().expect("a pair"))
    }

    fn post(&self, who: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.api.raw(&format!("POST {path}"), who, &body)
    }

    /// Decides on the page, which answers with the text to sign.
    fn begin(&self, who: &str, fields: &[(&str, &str)]) -> Form {
        let page = self.post(who, "/decide", fields);
        assert_eq!(page.status, 200, "{}", page.text());
        Form::of(page.text())
    }

    fn approve(&self, who: &str) -> Form {
        let (hash, rule) = (self.hash(), self.rule.clone());
        self.begin(who, &[("decision", "approve"), ("id", &rule), ("content_hash", &hash)])
    }

    fn hash(&self) -> String {
        self.field("content_hash")
    }

    /// Returns a field of the proposal's file.
    fn field(&self, name: &str) -> String {
        let files = self.api.site.files("feedback/rules/");
        let (_, text) = files.iter().find(|(path, _)| path.contains(&self.rule)).expect("a file");
        let value = text.lines().find_map(|line| line.strip_prefix(&format!("{name}: "))).expect("a field");
        value.trim_matches(['"', '\'']).to_owned()
    }

    fn download(&self, who: &str, form: &Form) -> Answer {
        self.post(who, "/sign/text", &form.fields(""))
    }

    fn hand_in(&self, who: &str, form: &Form, signature: &str) -> Answer {
        self.post(who, "/sign", &form.fields(signature))
    }

    /// Returns the `ssh-keygen` signature of the text, as by the page's command.
    fn sign(&self, key: &str, namespace: &str, text: &str) -> String {
        sign(&self.key(key), namespace, text)
    }
}

/// The form of the page.
#[derive(Clone)]
struct Form {
    decided: String,
    review_id: String,
    timestamp: String,
}

impl Form {
    fn of(page: &str) -> Form {
        let value = |name: &str| {
            let at = page.find(&format!("name=\"{name}\" value=\"")).expect("a field");
            let value = page[at..].split('"').nth(3).expect("a value");
            value.replace("&amp;", "&")
        };
        Form { decided: value("decided"), review_id: value("review_id"), timestamp: value("timestamp") }
    }

    fn fields<'a>(&'a self, signature: &'a str) -> [(&'a str, &'a str); 4] {
        [
            ("decided", &self.decided),
            ("review_id", &self.review_id),
            ("timestamp", &self.timestamp),
            ("signature", signature),
        ]
    }
}

fn sign(key: &Path, namespace: &str, text: &str) -> String {
    let file = key.with_extension("txt");
    let made = key.with_extension("txt.sig");
    let _ = std::fs::remove_file(&made);
    std::fs::write(&file, text).expect("written");
    run(Command::new("ssh-keygen").args(["-q", "-Y", "sign", "-n", namespace, "-f"]).arg(key).arg(&file));
    std::fs::read_to_string(made).expect("a signature")
}

fn run(command: &mut Command) {
    assert!(command.stderr(Stdio::null()).status().expect("ssh-keygen, which `make setup` installs").success());
}

const OURS: &str = "feedbackd-review";

#[test]
fn two_people_sign_on_the_page_and_the_rule_is_approved() {
    let world = World::new();
    for who in ["ann", "bob"] {
        let cookie = world.log_in(who);
        let form = world.approve(&cookie);
        assert!(world.api.site.files("feedback/reviews/").iter().all(|(_, text)| !text.contains(who)));
        let text = world.download(&cookie, &form);
        assert!(text.head.contains("content-disposition: attachment; filename=\"review-page-"), "{}", text.head);
        assert!(text.text().starts_with("feedbackd review 2\nstore_id: "), "{}", text.text());
        assert!(text.text().contains(&format!("reviewer_id: {who}\n")) && text.text().ends_with('\n'));
        // A browser sends a field's lines with CR LF.
        let signature = world.sign(who, OURS, text.text()).replace('\n', "\r\n");
        let done = world.hand_in(&cookie, &form, &signature);
        assert_eq!(done.status, 303, "{}", done.text());
        assert!(world.api.raw("GET /", &cookie, "").text().contains(", signed: "));
        // Resent, it is the same decision.
        assert_eq!(world.hand_in(&cookie, &form, &signature).status, 303);
    }
    assert_eq!(world.field("status"), "ACTIVE");
    let review = world.api.site.files("feedback/reviews/").into_iter().find(|(_, text)| text.contains("bob"));
    assert!(review.expect("a record").1.contains("signed: true"));
}

#[test]
fn what_was_not_signed_by_this_person_for_this_does_not_count() {
    let world = World::new();
    let ann = world.log_in("ann");
    let form = world.approve(&ann);
    let text = world.download(&ann, &form).text().to_owned();
    let refused = |form: &Form, signature: &str, why: &str| {
        let answer = world.hand_in(&ann, form, signature);
        assert_eq!(answer.status, 422, "{why}: {}", answer.text());
        assert!(answer.text().contains("Nothing was decided") && answer.text().contains(why), "{}", answer.text());
    };
    refused(&form, "", "The review is not signed.");
    refused(&form, "rubbish", "not an armored SSH signature");
    refused(&form, &world.sign("stranger", OURS, &text), "not made with a key that the roster lists for this reviewer");
    refused(&form, &world.sign("bob", OURS, &text), "not made with a key that the roster lists for this reviewer");
    refused(&form, &world.sign("ann", "git", &text), "made for another purpose");
    refused(&form, &world.sign("ann", OURS, text.trim_end()), "for a different text");
    refused(&form, &world.sign("ann", OURS, &text.replace("APPROVE", "REJECT")), "for a different text");
    let good = world.sign("ann", OURS, &text);
    let other = Form { decided: form.decided.replace("approve", "reject&reason=no"), ..form.clone() };
    refused(&other, &good, "for a different text");
    let later = Form { timestamp: "2999-01-01T00:00:00Z".into(), ..form.clone() };
    refused(&later, &good, "its signing time is in the future");
    // Too old: the page immediately shows a new text.
    let old = Form { timestamp: "2026-01-01T00:00:00Z".into(), ..form.clone() };
    let answer = world.hand_in(&ann, &old, &good);
    assert!(answer.status == 422 && answer.text().contains("too old to sign"), "{}", answer.text());
    let anew = Form::of(answer.text());
    assert!(anew.review_id != form.review_id && anew.timestamp > old.timestamp);
    // People cannot submit each other's signatures.
    let bob = world.log_in("bob");
    assert_eq!(world.hand_in(&bob, &form, &good).status, 422);
    let nobody = world.hand_in("", &form, &good);
    assert_eq!(nobody.status, 401, "{}", nobody.text());
    // A person without a key is told in advance.
    let dora = world.log_in("dora");
    let page = world.post(&dora, "/decide", &[("decision", "stop"), ("id", "all"), ("reason", "It deletes files.")]);
    assert!(page.text().contains("The roster has no valid key of yours"), "{}", page.text());
    assert_eq!(world.api.redis.cli::<i64>(&["XLEN", REVIEWS]), 0);
    assert_eq!(world.field("status"), "PENDING");
}

#[test]
fn a_text_that_changed_meanwhile_is_shown_with_its_difference() {
    let world = World::new();
    let (ann, bob) = (world.log_in("ann"), world.log_in("bob"));
    let late = world.approve(&ann);
    let signature = world.sign("ann", OURS, world.download(&ann, &late).text());
    // Two lines, with a character that forms and shells tend to change.
    let fields = [
        ("decision", "modify"),
        ("id", world.rule.as_str()),
        ("content_hash", &world.hash()),
        ("text", "Handle errors in API handlers & name the\r\nendpoint in the \"log\"."),
    ];
    let other = world.begin(&bob, &fields);
    let text = world.download(&bob, &other).text().to_owned();
    assert!(text.contains("decision: MODIFY\n") && text.contains("modified_content: Handle errors"), "{text}");
    let done = world.hand_in(&bob, &other, &world.sign("bob", OURS, &text));
    assert_eq!(done.status, 303, "{}", done.text());
    let stale = world.hand_in(&ann, &late, &signature);
    assert_eq!(stale.status, 409);
    assert!(stale.text().contains("with these changes") && stale.text().contains("<ins>"), "{}", stale.text());
    // Other decisions are signed the same way.
    let reason = "It says what the formatter does.";
    let fields = [("decision", "reject"), ("id", world.rule.as_str()), ("reason", reason)];
    let form = world.begin(&ann, &fields);
    let text = world.download(&ann, &form).text().to_owned();
    assert_eq!(world.hand_in(&ann, &form, &world.sign("ann", OURS, &text)).status, 303);
    assert_eq!(world.field("status"), "REJECTED");
}
