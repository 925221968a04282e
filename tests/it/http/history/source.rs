//! `demands --from` and `init --from`: a repository's reviews with no configuration, no Redis and no daemon.

use super::learned::shop;
use super::shop::{REPOSITORY, TOKEN};
use crate::harness::forge::ForgeServer;
use serde_json::Value;
use std::path::Path;

/// Runs a command in an empty directory of a machine that has only a token.
fn run(at: &Path, token: Option<&str>, args: &[&str]) -> (i32, String, String) {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_feedbackd"));
    command.env_clear().current_dir(at).args(args);
    if let Some(token) = token {
        command.env("GH_ENTERPRISE_TOKEN", token);
    }
    let said = command.output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let (out, err) = (text(said.stdout), text(said.stderr));
    assert!(!out.contains(TOKEN) && !err.contains(TOKEN), "{out}{err}");
    (said.status.code().expect("it ends"), out, err)
}

fn files(at: &Path) -> Vec<String> {
    let mut files: Vec<String> =
        at.read_dir().expect("a folder").flatten().map(|one| one.file_name().to_string_lossy().into_owned()).collect();
    files.sort();
    files
}

#[test]
fn what_reviewers_ask_for_is_one_command_away_and_a_store_the_next() {
    let shop = shop();
    let server = ForgeServer::start(move |port, asked| shop.answer(port, asked));
    let here = tempfile::tempdir().expect("a folder");
    let at = here.path();
    let source = format!("github:{}/{REPOSITORY}", server.url());

    let (code, out, err) = run(at, Some(TOKEN), &["demands", "--from", &source, "--since", "2024-12-01"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("4 comments by 4 people on 4 pull requests"), "{out}");
    assert!(out.contains("Nothing was written."), "{out}");
    let next = format!("feedbackd init --from {source} --since 2024-12-01");
    assert!(out.contains(&next), "{out}");
    assert!(files(at).is_empty());
    let wide = |line: &&str| line.chars().count() > 80 && !line.contains("--from");
    assert_eq!(out.lines().find(wide), None);

    let page = ["demands", "--from", &source, "--since", "2024-12-01", "--page", "out.html", "--json"];
    let (code, out, _) = run(at, Some(TOKEN), &page);
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, files(at)), (0, vec!["out.html".to_owned()]));
    assert_eq!(answer["demands"]["patterns"].as_array().map(Vec::len), Some(1), "{answer:#}");
    assert_eq!(answer["next"], next);

    // The next step, as it was printed.
    let words: Vec<&str> = next.split(' ').skip(1).collect();
    let (code, out, err) = run(at, Some(TOKEN), &words);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.starts_with("Created the store feedback-store.git.") && out.contains("1 pattern found"), "{out}");
    let (code, found, _) = run(at, None, &["demands", "--json", "--no-questions"]);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!((code, &found["patterns"][0]["demand"]), (0, &answer["demands"]["patterns"][0]["demand"]));
    let (_, proposals, _) = run(at, None, &["proposals", "list"]);
    assert!(proposals.contains("RULE-"), "{proposals}");
    // Again, it changes nothing.
    let (code, out, _) = run(at, Some(TOKEN), &words);
    assert!(code == 0 && out.starts_with("Read into the store"), "{out}");
    let (_, again, _) = run(at, None, &["demands", "--json", "--no-questions"]);
    assert_eq!(serde_json::from_str::<Value>(&again).expect("JSON")["read"], found["read"]);
}

#[test]
fn what_is_missing_is_said_with_what_to_do() {
    let server = ForgeServer::start(|_, asked| {
        let known = asked.header("authorization").is_some();
        crate::harness::forge::Answered::status(if known { 404 } else { 401 })
    });
    let here = tempfile::tempdir().expect("a folder");
    let source = format!("github:{}/{REPOSITORY}", server.url());
    let say = |token: Option<&str>, args: &[&str]| {
        let (code, out, err) = run(here.path(), token, args);
        format!("{code} {out}{err}").replace(&server.url(), "http://forge")
    };
    insta::assert_snapshot!(say(None, &["demands", "--from", &source]), @r"
    1 note: no token was found; for private repositories set GH_ENTERPRISE_TOKEN
    error: the forge rejects the token (HTTP status 401)
    hint: set GH_ENTERPRISE_TOKEN to a valid token
    ");
    insta::assert_snapshot!(say(Some(TOKEN), &["demands", "--from", &source]), @r"
    1 error: the forge has no such repository, or does not show it to this token (HTTP status 404)
    hint: check the repository's name, and what the token in GH_ENTERPRISE_TOKEN may read
    ");
    insta::assert_snapshot!(say(None, &["demands", "--from", "octo/shop"]), @r"
    2 error: invalid value 'octo/shop' for '--from <SOURCE>': it must be github:OWNER/NAME, gitlab:GROUP/NAME, gitea:URL, forgejo:URL, gerrit:URL, clone:PATH, or the repository's address

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(say(None, &["demands", "--from", "clone:nowhere"]), @r"
    2 error: there is no Git repository at nowhere
    hint: name a bare repository, or the folder that contains .git
    ");
    insta::assert_snapshot!(say(None, &["demands", "--no-model"]), @r"
    2 error: --model, --no-model and --model-answers belong to --from
    hint: the daemon asks the model that is configured in [model]
    ");
    insta::assert_snapshot!(say(None, &["demands", "--page", "x.html"]), @r"
    2 error: the following required arguments were not provided:
      --from <SOURCE>

    Usage: feedbackd demands --from <SOURCE> --page <FILE>

    For more information, try '--help'.
    ");
    assert!(files(here.path()).is_empty());
}
