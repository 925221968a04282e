//! Imports, listed and withdrawn: on the command line, over the API and on the page.

use super::api::client::Api;
use crate::harness::streams::{DEAD_LETTERS, drain, entries};
use serde_json::{Value, json};

#[test]
fn an_import_is_listed_and_taken_back() {
    let api = Api::start();
    api.site.push_roster(&["ann", "bob"]);
    let imported = |name: &str, text: &str| {
        let file = api.site.path(name);
        std::fs::write(&file, text).expect("written");
        let said = api.site.run(&["rules", "import", &file.display().to_string(), "--as", "ann"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        drain(&api.redis, &api.site);
    };
    imported("AGENTS.md", "# <b>Style</b>\n\n- Use tabs for `indentation`.\n- `make build`\n- [Contents](#contents)\n");
    imported("<i>.md", "- Name the units of <u>each</u> number.\n");

    let listed = api.get("/imports").fits("get", "/imports");
    let names: Vec<&str> =
        listed["imports"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!((names.len(), &listed["imports"][0]["withdrawn"]), (2, &Value::Null), "{listed}");
    let said = api.site.run(&["rules", "import", "--list"]);
    assert!(
        said.out.contains("AGENTS.md") && said.out.contains("Use tabs") && !said.out.contains("make build"),
        "{said:?}"
    );

    // The page, for unauthorised and authorised people.
    let seen = api.raw("GET /imports", "", "");
    assert!(seen.status == 200 && !seen.text().contains("<form method=\"post\" action=\"/decide\""), "{}", seen.text());
    assert!(!seen.text().contains("<i>") && !seen.text().contains("<u>"), "{}", seen.text());
    let said = api.site.run(&["--json", "token", "create", "--as", "bob"]);
    let made: Value = serde_json::from_str(&said.out).expect("JSON");
    let token = made["token"].as_str().expect("a token");
    let begun = api.raw("POST /login", "", &format!("token={token}"));
    let cookie = begun.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().expect("a pair"));
    let page = api.raw("GET /imports", &cookie, "");
    assert!(page.text().contains("name=\"id\" value=\"AGENTS.md\""), "{}", page.text());
    let nothing = api.raw("POST /decide", &cookie, "id=AGENTS.md&decision=withdraw_import&back=%2Fimports");
    assert_eq!(nothing.status, 422, "{}", nothing.text());
    let done = api.raw("POST /decide", &cookie, "id=AGENTS.md&decision=withdraw_import&back=%2Fimports&reason=old");
    assert_eq!(done.status, 303, "{}", done.text());
    let page = api.raw("GET /imports", &cookie, "");
    assert!(page.text().contains("withdrawn by bob") && page.text().contains(": old"), "{}", page.text());
    assert!(!page.text().contains("name=\"id\" value=\"AGENTS.md\""), "it is already withdrawn");

    // The API, with invalid requests.
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let withdraw = |name: &str, who: &str| api.raw(&format!("POST /api/v1/imports/{name}/withdraw"), who, "{}");
    api.post("/imports/AGENTS.md/withdraw", "{}").problem(403);
    withdraw("AGENTS.md", &bearer).problem(409);
    withdraw("none.md", &bearer).problem(404);
    let done = withdraw("%3Ci%3E.md", &bearer).fits("post", "/imports/{import}/withdraw");
    assert_eq!(done["accepted"], json!(true));
    let said = api.site.run(&["rules", "import", "--undo", "none.md", "--as", "ann"]);
    assert!(said.code == Some(3) && said.err.contains("there is no import `none.md`"), "{said:?}");

    // Imported again, and withdrawn on the command line.
    imported("AGENTS.md", "# Style\n\n- Use tabs for `indentation`.\n");
    let said = api.site.run(&["rules", "import", "--undo", "AGENTS.md", "--as", "ann", "--reason", "moved"]);
    assert!(said.code == Some(0) && said.out.contains("withdrawn"), "{said:?}");
    let said = api.site.run(&["rules", "import", "--list"]);
    assert!(said.out.contains("withdrawn by ann") && said.out.contains("moved"), "{said:?}");
    assert_eq!(entries(&api.redis, DEAD_LETTERS).len(), 0);
}
