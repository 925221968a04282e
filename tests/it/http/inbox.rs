//! The inbox as a page: its filter, decisions about several items at once, snoozed items, and what was done today.

use super::api::client::Api;
use super::visitor::{Page, Visitor, new_token};
use crate::harness::streams::{decide, decision, drain};
use serde_json::{Value, json};

/// Four patterns of two agents in two repositories, and two people who wrote none of them.
pub struct World {
    pub api: Api,
    pub eva: Visitor,
    pub ben: Visitor,
}

const ASKED: [(&str, &str, &str); 4] = [
    ("coder", "octo/shop", "API handler lacks error handling"),
    ("coder", "octo/shop", "Do not log passwords or tokens"),
    ("coder", "octo/tools", "Public functions need a docstring"),
    ("tester", "octo/tools", "Use parameterized queries instead of building SQL by concatenation"),
];

impl World {
    pub fn new() -> World {
        let api = Api::start();
        api.site.push_roster(&["eva", "ben"]);
        for (n, (agent, repository, text)) in ASKED.iter().enumerate() {
            for who in ["kim", "lea", "max"] {
                let mut said = decision(&format!("d{n}-{who}"), who, "REJECTED", Some(text));
                said["agent"] = json!(agent);
                said["task_id"] = json!(format!("{repository}#{n}{who}"));
                said["forge"] = json!({ "repository": repository });
                decide(&api.redis, &said);
            }
        }
        drain(&api.redis, &api.site);
        let [eva, ben] = ["eva", "ben"].map(|who| Visitor::new(&api, who));
        World { api, eva, ben }
    }

    fn inbox(&self, query: &str) -> Page {
        self.eva.page(&self.api, &format!("/{query}"))
    }

    /// Returns the listed proposals.
    pub fn listed(&self, query: &str) -> Vec<String> {
        let mut found = self.inbox(query).links("/proposals/RULE-");
        found.dedup();
        found.iter_mut().for_each(|link| *link = link["/proposals/".len()..].to_owned());
        found
    }

    /// Submits what eva's last decision still holds, by another one that is then undone.
    pub fn settle(&self) {
        let before = self.reviews();
        let (path, _) = self.api.site.files("feedback/clusters/").remove(0);
        let cluster = path.rsplit('/').next().and_then(|name| name.strip_suffix(".yaml")).expect("a name").to_owned();
        let page = self.eva.page(&self.api, &format!("/groups/{cluster}"));
        let held = self.eva.press(&self.api, &page, "snooze", &[]);
        self.eva.press(&self.api, &held, "undo", &[]);
        assert!(self.reviews() > before, "{}", held.body);
    }

    fn reviews(&self) -> usize {
        self.api.site.files("feedback/reviews/").len()
    }
}

fn tab(page: &Page, name: &str) -> u64 {
    let at =
        page.body.find(&format!(">{name} <span class=\"count\">")).unwrap_or_else(|| panic!("{name}: {}", page.body));
    let rest = &page.body[at..];
    let number = rest.split("\"count\">").nth(1).and_then(|rest| rest.split('<').next()).expect("a count");
    number.parse().expect("a number")
}

/// Returns the day that is so many days away from now, as the daemon's clock has it.
fn day(days: i64) -> String {
    let at = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24 * days);
    at.strftime("%Y-%m-%d").to_string()
}

#[test]
fn it_is_filtered_by_agent_repository_and_words() {
    let world = World::new();
    let all = world.inbox("");
    assert_eq!((tab(&all, "All"), tab(&all, "To decide")), (4, 4), "{}", all.body);
    for (query, expected) in [
        ("?agent=tester", 1),
        ("?repository=octo%2Fshop", 2),
        ("?repository=octo%2Ftools&agent=coder", 1),
        ("?q=Password+TOKENS", 1),
        ("?q=nothing+like+this", 0),
        ("?agent=nobody", 0),
    ] {
        let page = world.inbox(query);
        assert_eq!(
            (world.listed(query).len(), tab(&page, "All")),
            (expected, expected as u64),
            "{query}: {}",
            page.body
        );
        assert!(expected > 0 || page.body.contains("Nothing passes the filter"), "{query}");
    }
    // A tab keeps the filter, and the filter keeps the tab.
    let page = world.inbox("?show=decide&agent=tester&q=sql");
    let kept = page.links("/?show=snoozed").remove(0).replace("&#38;", "&").replace("&amp;", "&");
    assert_eq!(kept, "/?show=snoozed&agent=tester&q=sql");
    assert!(page.body.contains("<input type=\"hidden\" name=\"show\" value=\"decide\">"), "{}", page.body);
    let hostile = world.inbox("?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&repository=%3Cb%3E");
    assert!(!hostile.body.contains("<script>alert") && !hostile.body.contains("<b>"), "{}", hostile.body);
}

#[test]
fn several_are_approved_or_rejected_at_once_and_it_can_be_undone() {
    let world = World::new();
    let rules = world.listed("");
    let page = world.inbox("?show=decide");
    let nothing = world.eva.press(&world.api, &page, "approve_selected", &[]);
    assert!(nothing.status == 422 && nothing.body.contains("Select at least one"), "{}", nothing.body);
    let some = [("item", rules[0].as_str()), ("item", rules[1].as_str())];
    let held = world.eva.press(&world.api, &page, "approve_selected", &some);
    assert_eq!(held.path, "/?show=decide", "back to the same list");
    assert!(held.body.contains(&format!("You approved {}, {}", rules[0], rules[1])), "{}", held.body);
    assert_eq!(world.listed(""), rules[2..], "what is decided goes at once");
    assert_eq!(world.reviews(), 0, "it is held");
    let back = world.eva.press(&world.api, &held, "undo", &[]);
    assert_eq!((back.path.as_str(), world.listed("")), ("/?show=decide", rules.clone()));

    let held = world.eva.press(&world.api, &back, "approve_selected", &some);
    // The next decision submits it. A rejection needs a reason.
    let one = [("item", rules[2].as_str())];
    let missing = world.eva.press(&world.api, &held, "reject_selected", &one);
    assert!(missing.status == 422 && missing.body.contains("Reason"), "{}", missing.body);
    let reason = [("item", rules[2].as_str()), ("reason", "not for us")];
    let page = world.eva.press(&world.api, &held, "reject_selected", &reason);
    assert!(page.body.contains("approval 1 of 2"), "{}", page.body);
    assert_eq!(world.reviews(), 2);

    // Another person sees whose turn it is; a text that changed meanwhile is not approved.
    let theirs = world.ben.page(&world.api, "/");
    assert!(theirs.body.contains("1 of 2 approvals"), "{}", theirs.body);
    let field = format!("hash.{}", rules[3]);
    let changed = [("item", rules[3].as_str()), (field.as_str(), "v2:0000")];
    let stale = world.ben.press(&world.api, &theirs, "approve_selected", &changed);
    assert!(stale.status == 409 && stale.body.contains("Nothing was decided"), "{}", stale.body);
    assert!(stale.body.contains(&rules[3]), "{}", stale.body);
}

#[test]
fn a_snoozed_item_is_gone_for_everyone_until_its_day_and_after_a_restart() {
    let world = World::new();
    let rules = world.listed("");
    let page = world.inbox("");
    for (until, why) in
        [("", "until which day"), ("soon", "not a date"), (&day(0), "not in the future"), (&day(400), "too far away")]
    {
        let refused = world.eva.press(&world.api, &page, "snooze_selected", &[("item", &rules[0]), ("until", until)]);
        assert!(refused.status == 422 && refused.body.contains(why), "{until}: {}", refused.body);
    }
    let until = day(10);
    let some =
        [("item", rules[0].as_str()), ("item", rules[1].as_str()), ("until", until.as_str()), ("reason", "release")];
    let held = world.eva.press(&world.api, &page, "snooze_selected", &some);
    assert!(held.body.contains("You snoozed"), "{}", held.body);
    assert_eq!(world.listed(""), rules[2..]);
    world.settle();
    let theirs = world.ben.page(&world.api, "/");
    assert_eq!((tab(&theirs, "All"), tab(&theirs, "Snoozed")), (2, 2), "{}", theirs.body);
    let listed = world.ben.page(&world.api, "/?show=snoozed");
    assert!(
        listed.body.contains(&format!("until {until}")) && listed.body.contains("snoozed by eva: release"),
        "{}",
        listed.body
    );
    let proposal = world.ben.page(&world.api, &format!("/proposals/{}", rules[0]));
    assert!(proposal.body.contains(&format!("Snoozed by eva until {until}")), "{}", proposal.body);
    assert!(proposal.body.contains(&format!("eva snoozed {} until {until}", rules[0])), "it is in its history");

    let Api { redis, daemon, site } = world.api;
    daemon.stop();
    let daemon = site.start();
    daemon.wait_ready();
    let api = Api { redis, daemon, site };
    let [eva, ben] = ["eva", "ben"].map(|who| Visitor::new(&api, who));
    let world = World { api, eva, ben };
    let listed = world.ben.page(&world.api, "/?show=snoozed");
    assert_eq!((tab(&listed, "All"), tab(&listed, "Snoozed")), (2, 2), "{}", listed.body);
    let answer = world.api.get("/inbox?who=ben").fits("get", "/inbox");
    assert_eq!(answer["items"].as_array().map(Vec::len), Some(2), "{answer:#}");
    assert_eq!(
        (&answer["snoozed"][0]["snooze"]["until"], &answer["snoozed"][0]["snooze"]["by"]),
        (&json!(until), &json!("eva"))
    );

    // Anyone on the roster puts it back, at once.
    let back = world.ben.press(&world.api, &listed, "wake", &[]);
    assert_eq!((tab(&back, "All"), tab(&back, "Snoozed")), (3, 1), "{}", back.body);
    let said = world.api.site.run(&["inbox", "--as", "ben", "--no-questions"]);
    assert!(said.out.contains("1 is snoozed"), "{said:?}");

    // What was decided today is listed, mine and that of others.
    let done = world.ben.page(&world.api, "/?show=done");
    assert_eq!(tab(&done, "Done today"), 1, "{}", done.body);
    assert!(done.body.contains("back into the inbox") && done.body.contains("By others"), "{}", done.body);
    assert_eq!(tab(&world.inbox("?show=done"), "Done today"), 2);
}

#[test]
fn a_program_snoozes_over_the_api_and_bad_requests_say_why() {
    let world = World::new();
    let rule = world.listed("").remove(0);
    let bearer = format!("Authorization: Bearer {}\r\n", new_token(&world.api, "eva"));
    let post =
        |path: &str, body: &Value| world.api.raw(&format!("POST /api/v1/inbox/{path}"), &bearer, &body.to_string());
    let until = day(3);
    post(&format!("{rule}/snooze"), &json!({ "until": until })).fits("post", "/inbox/{item}/snooze");
    assert_eq!(world.listed("").len(), 3);
    post(&format!("{rule}/wake"), &json!({})).fits("post", "/inbox/{item}/wake");
    assert_eq!(world.listed("").len(), 4);
    let detail = |path: &str, body: &Value, status| {
        post(path, body).problem(status)["detail"].as_str().unwrap_or_default().to_owned()
    };
    assert!(detail(&format!("{rule}/snooze"), &json!({ "until": "2026-02-30" }), 422).contains("`until`"));
    assert!(detail(&format!("{rule}/snooze"), &json!({ "until": "2020-01-01" }), 409).contains("not in the future"));
    assert!(detail(&format!("{rule}/snooze"), &json!({}), 422).contains("until"));
    assert!(detail("RULE-2020-0001/snooze", &json!({ "until": until }), 404).contains("no proposal, rule, cluster"));
}
