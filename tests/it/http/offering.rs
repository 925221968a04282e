//! The daemon opens pull requests for rules automatically, and learns nothing from reviews of them.

use super::hooks::{World, recorded, said_by, signed};
use crate::harness::forge::ForgeServer;
use crate::harness::repository::Repository;
use crate::harness::wait_until;
use serde_json::json;
use std::fs;
use std::sync::{Arc, Mutex};

const BRANCH: &str = "feedbackd/rules/coding-agent";

#[test]
fn the_daemon_opens_a_pull_request_and_reviews_of_it_teach_nothing() {
    let mut shop = Repository::new("github");
    // A rule that is no longer in force.
    let section = "# Shop\n\n<!-- feedbackd:begin -->\n- Never comment. (RULE-2026-0009)\n<!-- feedbackd:end -->\n";
    shop.push("main", "Old rules", |files| {
        files.insert("AGENTS.md".to_owned(), ("100644".to_owned(), section.to_owned()));
    });
    let shop = Arc::new(Mutex::new(shop));
    let answering = Arc::clone(&shop);
    let server = ForgeServer::start(move |_, asked| answering.lock().expect("no thread panicked").answer(asked));
    let token = tempfile::NamedTempFile::new().expect("a file");
    fs::write(token.path(), "secret-token").expect("a token");
    // Everything that the configuration marks as ours.
    let more = format!(
        "own_branches = []\napi_url = \"{}\"\ntoken_file = \"{}\"\n[[forges.targets]]\nforge = \"github\"\n\
         repository = \"team/shop\"\nagent = \"coding-agent\"\n",
        server.url(),
        token.path().display()
    );
    let world = World::with("github", &more);
    let count = |outcome: &str| world.daemon.metric(&format!("feedbackd_forge_offers_total{{outcome=\"{outcome}\"}}"));
    wait_until("it is opened", || count("opened") >= 1.0);
    {
        let shop = shop.lock().expect("no thread panicked");
        assert_eq!(shop.open().expect("it is open").title, "Learned rules for coding-agent: 1 gone");
        assert_eq!(shop.at(BRANCH)["AGENTS.md"].1, "# Shop\n");
    }
    assert!(!world.daemon.log().contains("secret-token"));

    let mut review = said_by(recorded("github_review_approved"), "zoe");
    assert_eq!(world.taken(&signed("github", "pull_request_review", &review)), "review");
    review["pull_request"]["head"]["ref"] = json!(BRANCH);
    review["review"]["id"] = json!(4711);
    assert_eq!(world.taken(&signed("github", "pull_request_review", &review)), "nothing: own_export");
}
