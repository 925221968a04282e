//! Every command in the documents is run, in a world that its block names, or is in [`EXEMPT`] with the reason.
//!
//! A block starts with its language, followed by how to process it:
//!
//! | block | processing |
//! |---|---|
//! | `sh WORLD` | run as a whole by `sh -eu`; it must succeed |
//! | `sh tutorial`, `toml tutorial` | run, or written as the configuration, in the one world of the tutorial |
//! | `sh WORLD each` | each line is run separately, in its own world |
//! | `sh exempt` | each line is in [`EXEMPT`] |
//! | `output` | the previous block prints this |
//! | `python WORLD` | run by `python3` |
//! | `json notice` | sent on the review stream, and understood |
//! | `toml`, `env` | a configuration that `feedbackd config check` accepts |
//! | `toml otel` | one that only a program with the feature `otel` accepts |
//! | `yaml roster`, `yaml concerns` | the roster of the worlds, and the concerns in a clone |
//! | `text`, `mermaid`, `yaml` | nothing |
//!
//! Indented blocks contain only `make` targets; `names.rs` checks them, and commands within a sentence.

use super::markdown::{Block, Document};
use super::world::{Set, Stage};
use crate::harness::daemon::Said;
use std::path::Path;

/// Commands that are not run here: their beginning, and the reason.
const EXEMPT: [(&str, &str); 17] = [
    ("make install", "it builds the release; what it installs is looked at by `make_install_finds_its_files`"),
    ("systemd-sysusers", "it needs root, and changes the machine"),
    ("chmod g+s /var/lib/feedbackd", "it needs root; what it repairs is what `init --shared` makes, which has a test"),
    ("find /var/lib/feedbackd/store.git", "as above"),
    ("git -C /var/lib/feedbackd/store.git config core.sharedRepository", "as above"),
    ("systemctl enable --now feedbackd", "it needs systemd and root"),
    ("docker compose -f deploy/compose.yaml up", "it needs a container engine"),
    ("kubectl ", "it needs a cluster"),
    ("helm install ", "it needs a cluster; `make chart` renders the chart"),
    ("helm test ", "it needs a cluster; `make chart` runs the containers of this test"),
    ("sudo -u feedbackd feedbackd doctor", "it needs root; `doctor` has tests of its own"),
    (
        "cargo build --release --features ",
        "it builds for minutes; `make features` does, and the test below looks at the names",
    ),
    ("cargo install cargo-insta", "it needs the network"),
    ("cargo insta test --review", "it asks a person"),
    ("UPDATE_SCHEMAS=1 cargo test schemas", "it runs these tests, and writes into the repository"),
    ("cargo test ", "it runs these tests"),
    ("cargo run --locked --release --example train -- rephrase", "its pairs are not in the repository"),
];

/// Programs that `make setup` does not install: if one is missing, the block is skipped with a message.
const MAY_BE_MISSING: [&str; 4] = ["curl", "openssl", "python3", "ssh-keygen"];

macro_rules! documents {
    ($($name:ident: $path:literal,)*) => {
        $(#[test]
        fn $name() {
            check($path);
        })*

        #[test]
        fn every_document_with_commands_is_checked() {
            let checked = [$($path),*];
            for document in Document::all().iter().filter(|document| document.blocks.iter().any(|b| b.info != ["indented"])) {
                assert!(checked.contains(&document.path.as_str()), "{} is not checked", document.path);
            }
        }
    };
}

documents! {
    readme: "README.md",
    assets: "assets/README.md",
    architecture: "ARCHITECTURE.md",
    contributing: "CONTRIBUTING.md",
    operating: "docs/operating.md",
    feeding: "docs/feeding.md",
    channels: "docs/channels.md",
    http_api: "docs/http-api.md",
    forges: "docs/forges.md",
    page: "docs/page.md",
    notifying: "docs/notifying.md",
    reviewing: "docs/reviewing.md",
    agents: "docs/agents.md",
    catalogue: "docs/catalogue.md",
    tutorial: "docs/tutorial.md",
    administration: "docs/administration.md",
    embedders_and_models: "docs/embedders-and-models.md",
    design: "docs/design.md",
    specification: "docs/specification.md",
    the_store: "feedback-store-template/README.md",
    the_shipped_catalogue: "config/catalogue/README.md",
    the_chart: "deploy/helm/feedbackd/README.md",
    the_stores_catalogue: "feedback-store-template/catalogue/README.md",
}

/// Runs all blocks of a document.
fn check(path: &str) {
    let stage = Stage::default();
    let mut printed = String::new();
    for block in &Document::read(path).blocks {
        let place = format!("{path}:{}", block.line);
        let words: Vec<&str> = block.info.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["indented" | "text" | "mermaid" | "yaml"] | ["yaml", "roster" | "concerns"] => {}
            ["sh", "exempt"] => exempt(&place, block),
            ["sh", world, "each"] => {
                for line in commands(block) {
                    run(&place, &stage.set(world), &["sh", "-euc"], line);
                }
            }
            ["sh", "tutorial"] => printed = run(&place, stage.tutorial(), &["sh", "-euc"], &block.text),
            ["toml", "tutorial"] => {
                let write =
                    format!("cat > /etc/feedbackd/config.toml <<'END'\n{}END\nfeedbackd config check", block.text);
                run(&place, stage.tutorial(), &["sh", "-euc"], &write);
            }
            ["sh", world] => {
                let set = stage.set(world);
                printed = set.told(&run(&place, &set, &["sh", "-euc"], &block.text));
            }
            ["python", world] => printed = run(&place, &stage.set(world), &["python3", "-c"], &block.text),
            ["output"] => {
                let expected = stage.set("in-force").staged(block.text.trim());
                assert!(
                    !expected.is_empty() && printed.contains(&expected),
                    "{place}: the block before it prints\n{printed}"
                );
            }
            ["json", "notice"] => {
                let notice: serde_json::Value = serde_json::from_str(&block.text).expect("JSON");
                let add = format!("redis-cli XADD asdlc:events:meta_hitl_decisions '*' data '{notice}'");
                run(&place, &stage.set("served"), &["sh", "-euc"], &add);
            }
            ["toml"] | ["toml", "otel"] => {
                let check = match words.get(1) {
                    Some(_) if !cfg!(feature = "otel") => "! $check 2> refused\ngrep -e '--features otel' refused",
                    _ => "$check",
                };
                let check = format!(
                    "cat > config.toml <<'END'\n{}END\nfor secret in api_token oidc_client_secret remote_token git.key git.token github.key github.token gerrit.token; do echo 0123456789abcdef > /etc/feedbackd/$secret; done\n\
                     echo 'Authorization: Bearer 0123456789abcdef' > /etc/feedbackd/traces_headers\n\
                     check='feedbackd --config config.toml config check'\n{check}",
                    block.text
                );
                run(&place, &stage.set("bare"), &["sh", "-euc"], &check);
            }
            ["env"] => {
                let check = format!("set -a\n{}feedbackd config check", block.text);
                run(&place, &stage.set("bare"), &["sh", "-euc"], &check);
            }
            other => panic!("{place}: nothing is known of a block {other:?}"),
        }
    }
}

/// Returns the lines with commands.
fn commands(block: &Block) -> impl Iterator<Item = &str> {
    block.text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

/// Runs a script in a set; returns its output.
fn run(place: &str, set: &Set, program: &[&str], script: &str) -> String {
    let mut needed = MAY_BE_MISSING.iter().filter(|name| program[0] == **name || script.contains(&format!("{name} ")));
    if let Some(missing) = needed.find(|name| !installed(name)) {
        eprintln!("{place}: SKIPPED, {missing} is not installed");
        return String::new();
    }
    let said: Said = set.run(program, script);
    assert_eq!(said.code, Some(0), "{place}:\n{script}\n{}{}", said.out, said.err);
    set.settle();
    said.out
}

fn installed(program: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(program).exists())
}

fn exempt(place: &str, block: &Block) {
    for line in commands(block) {
        assert!(EXEMPT.iter().any(|(begin, _)| line.starts_with(begin)), "{place}: {line} is not exempt");
    }
}

#[test]
fn every_exemption_is_needed() {
    let documents = Document::all();
    let exempt: Vec<&Block> =
        documents.iter().flat_map(|d| &d.blocks).filter(|block| block.info == ["sh", "exempt"]).collect();
    for (begin, _) in EXEMPT {
        assert!(exempt.iter().any(|block| commands(block).any(|line| line.starts_with(begin))), "{begin}");
    }
}

#[test]
fn make_install_finds_its_files() {
    let recipe = std::process::Command::new("make")
        .args(["-n", "install", "DESTDIR=/nowhere"])
        .env_remove("MAKEFLAGS")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("make is installed");
    assert!(recipe.status.success(), "{recipe:?}");
    let recipe = String::from_utf8_lossy(&recipe.stdout).into_owned();
    let sources: Vec<&str> =
        recipe.split_whitespace().filter(|word| word.starts_with("deploy/") || word.starts_with("config/")).collect();
    assert!(sources.len() >= 4, "{recipe}");
    for source in sources {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(source).exists(), "{source}");
    }
    for word in ["/nowhere/usr/local/bin/feedbackd", "feedbackd.service feedbackd@.service", "feedbackd man"] {
        assert!(recipe.contains(word), "{word}:\n{recipe}");
    }
}

#[test]
fn the_features_that_are_named_exist() {
    let manifest = include_str!("../../../../Cargo.toml");
    for feature in ["minilm", "usearch", "otel"] {
        assert!(manifest.contains(&format!("\n{feature} = [")), "{feature}");
    }
}

/// Checks what `make demo` runs.
#[test]
fn the_demo_shows_the_whole_loop() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let demo = assert_cmd::Command::new(env!("CARGO_BIN_EXE_feedbackd"))
        .args(["demo", "--dir"])
        .arg(directory.path().join("demo"))
        .assert()
        .success();
    let said = String::from_utf8_lossy(&demo.get_output().stdout).into_owned();
    for told in ["decisions; propose RULE-", "set aside 1 dead letter", "3 of 10", "1 of 60"] {
        assert!(said.contains(told), "{told}:\n{said}");
    }
}
