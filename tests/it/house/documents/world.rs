//! The environment of the documents' commands: stores in the state that a reader would have, with their surroundings.
//!
//! Some names differ in each run (directories, ports, the year in a rule's id): [`Set::staged`] fills in the real ones.
//! Which commands are run is not decided here.

use super::markdown::{Document, root};
use super::reviews;
use crate::harness::daemon::{Daemon, Said, Site, git};
use crate::harness::forge::ForgeServer;
use crate::harness::redis::RedisServer;
use crate::harness::streams;
use feedbackd::domain::records::layout;
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

/// A port without a listener, never contacted.
const NO_REDIS: &str = "redis://127.0.0.1:1";

/// People's statements: who, how, what. The ids count up from `dec-1`.
const SAID: [(&str, &str, Option<&str>); 10] = [
    ("ann", "REJECTED", Some("Missing error handling in API handler")),
    ("bob", "APPROVED_WITH_CHANGES", Some("API handler lacks error handling")),
    ("cem", "APPROVED_WITH_CHANGES", Some("Please add error handling to the API handler")),
    ("bob", "APPROVED", None),
    ("bob", "REJECTED", Some("Add a test for the empty list")),
    ("ann", "REJECTED", Some("There is no test for the empty list")),
    ("cem", "REJECTED", Some("The release notes name the wrong version")),
    ("ann", "REJECTED", Some("Document the public function with a docstring")),
    ("dee", "APPROVED", Some("Error handling is not needed in the API handler")),
    ("eli", "REJECTED", Some("Tests for the empty list are missing")),
];

/// A token for the forge.
const TOKEN: &str = "ghp_0123456789secret";

/// Redis as seen by a Python program.
const REDIS_PY: &str = "\
import subprocess

class Redis:
    def xadd(self, key, fields):
        words = [word for field in fields.items() for word in field]
        subprocess.run(['redis-cli', 'XADD', key, '*', *words], check=True)
";

/// Stores created once, for copying.
#[derive(Default)]
pub struct Stage {
    proposed: OnceCell<Site>,
    in_force: OnceCell<Site>,
    tutorial: OnceCell<Set>,
}

impl Stage {
    /// Creates a separate set with this name.
    ///
    /// - `bare`: only files; there is no store.
    /// - `empty`: a new store.
    /// - `proposed`: decisions, clusters, two proposals, a contradiction; ana and ben are approvers.
    /// - `in-force`: the same, and RULE-2026-0001 is approved and was in a prompt.
    /// - `clone`: the same, within a person's clone.
    /// - `served`: the same, with Redis and the daemon.
    /// - `forge`: only files, and a forge with the repository octo/shop.
    pub fn set(&self, name: &str) -> Set {
        let redis = (name == "served").then(RedisServer::start);
        let site = Site::without_store(redis.as_ref().map_or(NO_REDIS, |redis| redis.url().leak()));
        match name {
            "bare" | "forge" => {}
            "empty" => assert_eq!(site.run(&["init"]).code, Some(0)),
            "proposed" => copy(self.proposed(), &site),
            "in-force" | "clone" | "served" => copy(self.in_force(), &site),
            other => panic!("there is no world “{other}”"),
        }
        let mut set = Set { daemon: None, redis, forge: None, names: names(&site), work: "work", site };
        set.furnish();
        if name == "forge" {
            set.connect();
        }
        if name == "clone" {
            git(&set.site.path("work"), &["clone", "-q", &set.site.store().display().to_string(), "feedback"]);
            set.work = "work/feedback";
            let ours = shown("feedback-store-template/catalogue/README.md", ["yaml", "concerns"]);
            fs::write(set.site.path("work/feedback/catalogue/ours.yaml"), ours).expect("written");
        }
        if name == "served" {
            let token = set.site.path("api_token");
            fs::write(&token, "0123456789abcdef0123456789abcdef\n").expect("written");
            set.site.set("HTTP__API_TOKEN_FILE", &token.display().to_string());
            let daemon = set.site.start();
            daemon.wait_ready();
            streams::drain(set.redis.as_ref().expect("it was started"), &set.site);
            set.names.push(("127.0.0.1:9464".to_owned(), format!("127.0.0.1:{}", daemon.port())));
            set.daemon = Some(daemon);
        }
        set
    }

    /// Returns the set in which all blocks of the tutorial run, one after the other.
    pub fn tutorial(&self) -> &Set {
        self.tutorial.get_or_init(|| {
            let mut set = self.set("forge");
            let file = set.site.path("config.toml");
            fs::write(set.site.path("github.token"), TOKEN).expect("written");
            fs::write(&file, "").expect("written");
            set.site.set_file(&file);
            set
        })
    }

    fn proposed(&self) -> &Site {
        self.proposed.get_or_init(|| {
            let site = Site::new(NO_REDIS);
            fs::write(site.path("history.jsonl"), history()).expect("written");
            let said = site.run(&["replay", &site.path("history.jsonl").display().to_string()]);
            assert_eq!(said.code, Some(0), "{said:?}");
            site.push(layout::ROSTER, |_| roster());
            site
        })
    }

    fn in_force(&self) -> &Site {
        self.in_force.get_or_init(|| {
            let site = Site::without_store(NO_REDIS);
            copy(self.proposed(), &site);
            let rule = names(&site)[0].1.clone() + "0001";
            for who in ["ana", "ben"] {
                let said = site.run(&["proposals", "approve", &rule, "--as", who]);
                assert_eq!(said.code, Some(0), "{said:?}");
            }
            let said = site.run(&["prompt", "--agent", "coding-agent", "--session", "s-41"]);
            assert!(said.out.contains(&rule), "{said:?}");
            site
        })
    }
}

/// Returns the roster of the documents: the one that reviewers are told to write.
fn roster() -> String {
    shown("docs/reviewing.md", ["yaml", "roster"])
}

/// Returns the block of a document with this info string.
fn shown(document: &str, info: [&str; 2]) -> String {
    let block = Document::read(document).blocks.into_iter().find(|block| block.info == info);
    block.unwrap_or_else(|| panic!("{document} shows no {info:?}")).text
}

fn history() -> String {
    let line = |(n, (who, verdict, remark)): (usize, &(&str, &str, Option<&str>))| {
        let event = json!({
            "decision_id": format!("dec-{}", n + 1), "gate_id": "HITL-4", "decision": verdict, "reviewer_id": who,
            "timestamp": format!("2026-01-12T10:{n:02}:00Z"), "agent": "coding-agent", "task_id": "T-42",
            "session_id": "s-41", "tags": ["code"], "reviewer_comment": remark,
        });
        format!("{event}\n")
    };
    SAID.iter().enumerate().map(line).collect()
}

/// Returns the names in the documents, and the real ones here. The first is the prefix of rules' ids.
fn names(site: &Site) -> Vec<(String, String)> {
    let directory = site.path("").display().to_string();
    let directory = directory.trim_end_matches('/');
    let mut names = vec![
        ("/var/lib/feedbackd".to_owned(), directory.to_owned()),
        ("/etc/feedbackd".to_owned(), directory.to_owned()),
    ];
    if site.store().exists() {
        let listed = |prefix: &str| site.files(prefix).into_iter().map(|(path, _)| path);
        let rule = listed(layout::RULES).find_map(|path| Some(path.rsplit_once("/RULE-")?.1.get(..4)?.to_owned()));
        names.insert(0, ("RULE-2026-".to_owned(), format!("RULE-{}-", rule.as_deref().unwrap_or("2026"))));
        for (name, decision) in [("CLUSTER-aeb8fb970b50", "dec-1"), ("CLUSTER-1f0c9a2b7d3e", "dec-5")] {
            let of = |(path, text): (String, String)| {
                path.ends_with(&format!("/{decision}.yaml"))
                    .then(|| text.split("cluster: ").nth(1)?.lines().next().map(str::to_owned))
            };
            if let Some(cluster) = site.files(layout::DECISIONS).into_iter().find_map(of).flatten() {
                names.push((name.to_owned(), cluster.trim_matches('"').to_owned()));
            }
        }
    }
    names
}

fn copy(from: &Site, to: &Site) {
    for (from, to) in [(from.store(), to.store()), (from.state(), to.state())] {
        let done = Command::new("cp").arg("-r").args([from, to]).status().expect("cp is installed");
        assert!(done.success(), "the store can be copied");
    }
}

/// A store with its environment, for one command or a few.
pub struct Set {
    daemon: Option<Daemon>,
    redis: Option<RedisServer>,
    forge: Option<ForgeServer>,
    names: Vec<(String, String)>,
    work: &'static str,
    site: Site,
}

impl Set {
    /// Returns the text with the real names.
    pub fn staged(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (told, real)| text.replace(told, real))
    }

    /// Runs a script as a reader would.
    pub fn run(&self, program: &[&str], script: &str) -> Said {
        let script = self.staged(script);
        if script.contains("/.ssh/") {
            self.key();
        }
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).arg(&script);
        self.site.surround(&mut command);
        let bin = self.site.path("bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(bin.clone()).chain(std::env::split_paths(&path));
        let output = command
            .current_dir(self.site.path(self.work))
            .env("PATH", std::env::join_paths(paths).expect("a path"))
            .env("HOME", self.site.path("home"))
            .env("PYTHONPATH", bin.join("python"))
            .env("EDITOR", bin.join("editor"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GH_ENTERPRISE_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|e| panic!("{}: {e}", program[0]));
        Said {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Returns a command's output with the forge's name in place of its address.
    pub fn told(&self, printed: &str) -> String {
        match &self.forge {
            Some(forge) => printed.replace(&format!("github:{}/octo/shop", forge.url()), "github:octo/shop"),
            None => printed.to_owned(),
        }
    }

    /// Starts the forge, at whose address `github:octo/shop` is from now on.
    fn connect(&mut self) {
        let forge = reviews::start();
        let address = forge.url();
        let renamed = |told: &str, real: String| (told.to_owned(), real);
        self.names.push(renamed("github:octo/shop", format!("github:{address}/octo/shop")));
        self.names.push(renamed("kind = \"github\"", format!("kind = \"github\"\napi_url = \"{address}/api/v3\"")));
        self.forge = Some(forge);
    }

    /// If the daemon runs, checks that it understood everything sent, and rejected no review.
    pub fn settle(&self) {
        let Some(redis) = &self.redis else { return };
        streams::drain(redis, &self.site);
        let letters: Vec<Value> =
            streams::entries(redis, streams::DEAD_LETTERS).iter().map(streams::Entry::data).collect();
        assert!(letters.is_empty(), "not understood: {letters:#?}");
        for (path, review) in self.site.files(layout::REVIEWS) {
            assert!(!review.to_lowercase().contains("outcome: refused"), "{path}:\n{review}");
        }
    }

    /// Creates the programs and files that the documents assume.
    fn furnish(&self) {
        let at = |name: &str| self.site.path(name);
        for folder in ["work", "home", "bin/python"] {
            fs::create_dir_all(at(folder)).expect("a directory");
        }
        let file = |name: &str, text: &str| fs::write(at(name), text).expect("written");
        symlink(env!("CARGO_BIN_EXE_feedbackd"), at("bin/feedbackd")).expect("a link");
        file("home/.gitconfig", "[user]\nname = Ann\nemail = ann@example.org\n[init]\ndefaultBranch = main\n");
        file("bin/python/redis.py", REDIS_PY);
        file("bin/roster.yaml", &roster());
        self.program("editor", &format!("cp {} \"$1\"", at("bin/roster.yaml").display()));
        self.program(
            "pytest",
            "echo 'FAILED tests/test_api.py::test_timeout - AssertionError'; echo '1 failed, 3 passed'; exit 1",
        );
        if let Some(redis) = &self.redis {
            let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
                .map(|folder| folder.join("redis-cli"))
                .find(|program| program.exists())
                .expect("redis-cli is installed");
            // When piped, redis-cli does not report an error as a failure.
            self.program("redis-cli", &format!("exec {} -e -p {} \"$@\"", found.display(), redis.port()));
        }
        file("work/history.jsonl", &history());
        file("work/base.txt", "# Coding agent\n\nYou implement one task at a time.\n");
        file("work/prompt.txt", "Write the handler.\n");
        file("work/pytest.log", "FAILED tests/test_api.py::test_timeout - AssertionError\n1 failed, 3 passed\n");
        file("work/TEAM.md", "# Team\n\n- Never log secrets.\n");
        file(
            "work/remarks.jsonl",
            "{\"id\": \"1\", \"text\": \"This is wrong, try again\", \"label\": \"user_rejection\", \"source\": \"own\"}\n",
        );
        fs::copy(root().join("tests/data/hitl_small.jsonl"), at("work/decisions.jsonl")).expect("copied");
        let schema: Value = serde_json::from_str(feedbackd::domain::channels::iteration::SCHEMA).expect("JSON");
        let mut review = schema["examples"][0].clone();
        review["id"] = "0191f3a0-0000-7000-8000-000000000001".into();
        file("work/review.yaml", &review.to_string());
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.site.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
    }

    fn key(&self) {
        let key = self.site.path("home/.ssh/id_ed25519");
        if !key.exists() {
            fs::create_dir_all(key.parent().unwrap_or(Path::new("/"))).expect("a directory");
            let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
            assert!(made.expect("ssh-keygen runs").success());
        }
    }
}
