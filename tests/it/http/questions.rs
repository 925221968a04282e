//! Questions about clusters over HTTP: a running daemon finds them in its working set, the API lists them with their
//! answers, and a browser without a script answers them.

use super::api::client::Api;
use super::visitor::{Page, Visitor, new_token};
use crate::harness::streams::{decide, decision, drain};
use crate::harness::wait_until;
use feedbackd::domain::intake::submission::ReviewAction;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::ReviewRecord;
use feedbackd::text::yaml;
use serde_json::{Value, json};

/// A daemon with comments that may or may not ask for the same, and the person who decides: eva, who wrote none.
struct World {
    api: Api,
    /// Her token, for the API.
    eva: String,
    /// Her session, for pages.
    eva_reads: Visitor,
}

const UNSURE: [(&str, &str); 12] = [
    ("ann", "Missing error handling in API handler"),
    ("bob", "API handler lacks error handling"),
    ("ann", "Add a retry when the call to the API fails"),
    ("cem", "Please add a retry for failed API calls"),
    ("cem", "The call in the API handler may fail"),
    ("dan", "The names in this module say little"),
    ("fay", "Rename the variables so that one understands them"),
    ("gil", "Better names for these functions, please"),
    ("hal", "Split this function, it does too much"),
    ("ivy", "This function is too long to follow"),
    ("jon", "The cache is never emptied"),
    ("kai", "Entries of the cache should expire"),
];

impl World {
    fn new(more: &[(&str, &str, &str)]) -> World {
        // Only similar comments are joined automatically: the rest must be asked about.
        let api = Api::with(&[("EVALUATOR__GROUP_THRESHOLD", "0.95")]);
        api.site.push_roster(&["eva", "ben"]);
        let unsure = UNSURE.iter().map(|(who, text)| (*who, "REJECTED", *text));
        for (n, (who, verdict, text)) in more.iter().copied().chain(unsure).enumerate() {
            decide(&api.redis, &decision(&format!("d{n}"), who, verdict, Some(text)));
        }
        drain(&api.redis, &api.site);
        let token = new_token(&api, "eva");
        let eva_reads = Visitor::with(&api, &token);
        let eva = format!("Authorization: Bearer {token}\r\n");
        World { api, eva, eva_reads }
    }

    /// Returns the questions that the API lists once they match the store's current state.
    fn questions(&self) -> Vec<Value> {
        let mut found = Value::Null;
        wait_until("the questions are there", || {
            found = self.api.raw("GET /api/v1/inbox", &self.eva, "").fits("get", "/inbox");
            found["looking"] == false
        });
        assert_eq!(found["questions"], true);
        found["items"].as_array().expect("items").iter().filter(|item| item["kind"] == "question").cloned().collect()
    }

    fn page(&self, path: &str) -> Page {
        self.eva_reads.page(&self.api, path)
    }

    fn press(&self, page: &Page, decision: &str, filled: &[(&str, &str)]) -> Page {
        self.eva_reads.press(&self.api, page, decision, filled)
    }

    fn reviews(&self) -> Vec<ReviewAction> {
        let files = self.api.site.files(layout::REVIEWS);
        let read = |text: &str| yaml::parse::<ReviewRecord>(text).expect("a review").action;
        files.iter().map(|(_, text)| read(text)).collect()
    }
}

#[test]
fn the_inbox_lists_questions_with_the_calls_that_answer_them() {
    let world = World::new(&[]);
    let questions = world.questions();
    assert!(!questions.is_empty() && questions.len() <= 3, "{questions:#?}");
    for asked in &questions {
        assert!(asked["question"].is_object(), "{asked}");
        assert!(asked["answers"].as_array().expect("answers").len() == 2, "{asked}");
    }
    // The same for everyone, and by agent.
    assert_eq!(world.questions(), questions);
    let other = world.api.raw("GET /api/v1/inbox?agent=nobody", &world.eva, "").ok();
    assert_eq!(other["items"], json!([]));
    // Each proposed answer is valid.
    let answer = &questions[0]["answers"][1];
    let path = format!("POST /api/v1{}", answer["post"].as_str().expect("a path"));
    assert_eq!(world.api.raw(&path, &world.eva, &answer["body"].to_string()).ok()["accepted"], true);
    let left = world.questions();
    assert!(left.iter().all(|asked| asked["id"] != questions[0]["id"]), "{left:#?}");
}

#[test]
fn an_answer_is_held_and_can_be_taken_back() {
    let world = World::new(&[]);
    let questions = world.questions();
    let list = questions
        .iter()
        .find(|asked| asked["question"]["remarks"].is_array())
        .unwrap_or_else(|| panic!("no list: {questions:#?}"));
    let address = format!("/questions/{}", list["id"].as_str().expect("an id"));
    assert!(world.page("/").links("/questions/").contains(&address));
    let page = world.page(&address);
    assert_eq!(page.status, 200);
    let ids: Vec<&str> =
        list["question"]["remarks"].as_array().unwrap().iter().map(|r| r["feedback_id"].as_str().unwrap()).collect();
    assert!(ids.len() >= 3, "{list}");
    for said in list["question"]["remarks"].as_array().unwrap() {
        assert!(page.body.contains(said["text"].as_str().unwrap()), "{said}");
    }

    let first = format!("is.{}", ids[0]);
    let held = world.press(&page, "sorted", &[(first.as_str(), "others")]);
    assert_ne!(held.path, address, "the next thing comes");
    assert!(held.body.contains("You said that "), "{}", held.body);
    assert_eq!(world.reviews(), [], "it is held");
    let back = world.press(&held, "undo", &[]);
    assert_eq!((back.path.as_str(), back.status), (address.as_str(), 200));

    // An empty answer is not sent.
    let alone: Vec<(String, &str)> = ids[1..].iter().map(|id| (format!("is.{id}"), "others")).collect();
    let alone: Vec<(&str, &str)> = alone.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(world.press(&back, "sorted", &alone).status, 422);
    assert_eq!(world.press(&back, "sorted", &[(first.as_str(), "")]).status, 422);

    let last = format!("is.{}", ids[ids.len() - 1]);
    let held = world.press(&back, "sorted", &[(last.as_str(), "nothing")]);
    // The next decision submits it, and so does the end of the daemon.
    let next = world.questions().into_iter().find(|asked| asked["id"] != list["id"]).expect("another question");
    let next = world.page(&format!("/questions/{}", next["id"].as_str().unwrap()));
    let button = if next.body.contains("value=\"different\"") { "different" } else { "all_differ" };
    let second = world.press(&next, button, &[]);
    assert!(second.body.contains("Recorded"), "{}", second.body);
    let reviews = world.reviews();
    let same: Vec<String> = ids[..ids.len() - 1].iter().map(|id| (*id).to_owned()).collect();
    let nothing = vec![ids[ids.len() - 1].to_owned()];
    assert!(
        matches!(&reviews[..], [ReviewAction::Sort { same: s, others: o, nothing: n, .. }]
        if o.is_empty() && (s, n) == (&same, &nothing)),
        "{reviews:?}, {}",
        held.path
    );
    let gone = world.page(&address);
    assert_eq!(gone.status, 404, "{}", gone.body);
    assert!(gone.body.contains("is no longer asked"), "{}", gone.body);
}

/// Five proposals, a contradiction and three questions: a click is a link, a button, or a focused field.
#[test]
fn a_daily_review_takes_at_most_twenty_clicks() {
    let said = [
        "API handler lacks error handling",
        "Do not log passwords or tokens",
        "Use parameterized queries instead of building SQL by concatenation",
        "Public functions need a docstring",
        "Validate the input of this endpoint",
    ];
    let mut more: Vec<(&str, &str, &str)> =
        said.iter().flat_map(|text| ["kim", "lea", "max"].map(|who| (who, "REJECTED", *text))).collect();
    more.push(("hal", "APPROVED", "Error handling is not needed in the API handler"));
    let world = World::new(&more);
    world.questions();
    let (mut proposals, mut contradictions, mut questions, mut clicks) = (0, 0, 0, 0);
    let mut page = world.page("/");
    while (proposals, contradictions, questions) != (5, 1, 3) {
        assert!(clicks <= 20, "{proposals} proposals, {contradictions} contradictions, {questions} questions so far");
        clicks += 1;
        page = match page.path.split('/').nth(1).unwrap_or_default() {
            // More than are counted: not part of this review.
            "proposals" if proposals == 5 => {
                clicks -= 1;
                world.page(&page.links("/next?after=")[0])
            }
            "proposals" => {
                proposals += 1;
                world.press(&page, "approve", &[])
            }
            "contradictions" if contradictions == 1 => {
                clicks -= 1;
                world.page(&page.links("/next?after=")[0])
            }
            "contradictions" => {
                (contradictions, clicks) = (contradictions + 1, clicks + 1);
                world.press(&page, "edge_case", &[("reason", "Both hold, each in its place.")])
            }
            "questions" if questions == 3 => {
                clicks -= 1;
                world.page(&page.links("/next?after=")[0])
            }
            "questions" => {
                questions += 1;
                match page.body.contains("value=\"same\" data-key") {
                    true => world.press(&page, "same", &[]),
                    false => {
                        // One of the comments is something else.
                        let (_, fields) = page.form("sorted");
                        let last = fields.iter().rfind(|(name, _)| name.starts_with("is.")).expect("remarks");
                        clicks += 1;
                        world.press(&page, "sorted", &[(last.0.as_str(), "others")])
                    }
                }
            }
            "" => {
                let items = page.links("/").into_iter();
                let wanted = |link: &String| {
                    ["/proposals/", "/contradictions/", "/questions/"].iter().any(|place| link.starts_with(place))
                };
                world.page(&items.clone().find(wanted).unwrap_or_else(|| panic!("{proposals} proposals, {contradictions} contradictions, {questions} questions, {clicks} clicks: {}", page.body)))
            }
            _ => world.page(&page.links("/next?after=").first().cloned().unwrap_or_else(|| "/".to_owned())),
        };
        assert_eq!(page.status, 200, "{}: {}", page.path, page.body);
    }
    println!("{clicks} clicks for 5 proposals, a contradiction and 3 questions");
    assert!(clicks <= 20, "{clicks}");
}

#[test]
fn a_text_is_changed_and_approved_in_one_go() {
    let said = [
        ("ann", "REJECTED", "Missing error handling in API handler"),
        ("bob", "REJECTED", "API handler lacks error handling"),
        ("cem", "REJECTED", "Please add error handling to the API handler"),
    ];
    let world = World::new(&said);
    let (path, _) = world.api.site.files(layout::PROPOSED).into_iter().next().expect("a proposal");
    let rule = path.rsplit('/').next().and_then(|name| name.strip_suffix(".yaml")).expect("a name").to_owned();
    let page = world.page(&format!("/proposals/{rule}"));
    let text = "Handle the failure of every call to the API, and log it.";
    let next = world.press(&page, "modify_and_approve", &[("text", text)]);
    assert!(next.body.contains("You changed and approved"), "{}", next.body);
    assert_eq!(world.reviews(), [], "it is held");
    // Another decision submits both.
    let inbox = world.page("/");
    assert!(!inbox.body.contains("href=\"/?show=decide\" aria-current"), "{}", inbox.body);
    let question = world.questions().into_iter().next().expect("a question");
    let question = world.page(&format!("/questions/{}", question["id"].as_str().unwrap()));
    let button = if question.body.contains("value=\"different\"") { "different" } else { "all_differ" };
    world.press(&question, button, &[]);
    let kinds: Vec<&str> = world
        .reviews()
        .iter()
        .map(|action| match action {
            ReviewAction::Modify { .. } => "modify",
            ReviewAction::Approve { .. } => "approve",
            _ => "other",
        })
        .collect();
    assert_eq!(
        (kinds.iter().filter(|k| **k == "modify").count(), kinds.iter().filter(|k| **k == "approve").count()),
        (1, 1)
    );
    let shown = world.page(&format!("/proposals/{rule}"));
    assert!(shown.body.contains(text) && shown.body.contains("version 2"), "{}", shown.body);
    let record = world.api.site.git(&["show", &format!("main:{path}")]);
    assert!(record.contains("reviewer_id: eva") && record.contains("version: 2"), "{record}");
}
