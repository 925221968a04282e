//! Rules on their way into prompts and other tools' files, and imports from such files, on the command line.

use crate::app::reindex::{commit, made, text};
use crate::harness::words;
use feedbackd::adapters::index::SqliteFiles;
use feedbackd::adapters::memory::MemoryStore;
use feedbackd::app::queries::reader::{CompareAccess, ReadAccess, ReindexAccess};
use feedbackd::app::reports::effectiveness::MeasurePolicy;
use feedbackd::cli::{CliError, Exit, Opener, Output, SubmissionOutcome, invoke};
use feedbackd::config::Config;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{LifeEvent, ProposalRecord, ProposalStatus, Stored};
use feedbackd::domain::rules::draft::proposal::content_hash;
use feedbackd::domain::rules::in_force::prompt::build_prompt;
use feedbackd::domain::testing::sample::{self, moment};
use feedbackd::text::ids::Gate;
use jiff::Timestamp;
use serde_json::Value;
use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// A store with two rules in force for the coding agent, one retired and one proposed; submissions are captured here.
struct World {
    store: MemoryStore,
    files: SqliteFiles,
    directory: tempfile::TempDir,
    submitted: RefCell<Vec<Value>>,
    /// Nothing can be submitted.
    cut_off: bool,
}

fn rule(n: u32, status: ProposalStatus, content: &str) -> ProposalRecord {
    ProposalRecord {
        status,
        title: content.trim_end_matches('.').into(),
        rule_content: content.into(),
        content_hash: content_hash(content),
        affected_agents: vec!["coding-agent".into()],
        activated_at: status.in_force().then(|| moment(n)),
        ..sample::proposal(n)
    }
}

impl World {
    fn new() -> World {
        let mut first = rule(1, ProposalStatus::Active, "Handle errors of every call.");
        first.history = vec![LifeEvent {
            at: moment(1),
            event: "activated".into(),
            version: 1,
            by: Some("ben".into()),
            note: None,
        }];
        let mut second = rule(2, ProposalStatus::Flagged, "Validate input.");
        second.classification_confidence = 0.95;
        second.scope.gates = vec![Gate::new(4).unwrap()];
        second.scope.paths = vec!["src/api/**".into()];
        let gone = rule(3, ProposalStatus::Retired, "Never comment.");
        let waiting = rule(4, ProposalStatus::Pending, "Write docs.");
        World::of(&[first, second, gone, waiting])
    }

    fn of(rules: &[ProposalRecord]) -> World {
        let directory = tempfile::tempdir().unwrap();
        let files = SqliteFiles { path: directory.path().join("index.db"), made: made() };
        let mut store = MemoryStore::new();
        let mut written: Vec<_> =
            rules.iter().map(|r| (layout::rule(&r.proposal_id, r.status), text(&Stored::from(r.clone())))).collect();
        written.push((layout::ROSTER.into(), "reviewers: [{id: ana, roles: [reviewer]}]\n".into()));
        commit(&mut store, &written);
        let world = World { store, files, directory, submitted: RefCell::default(), cut_off: false };
        world.reindexing(None).unwrap().rebuild().unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Runs it as in a pipe.
    fn run(&self, line: &str) -> (Exit, String, String) {
        self.run_at(line, None)
    }

    fn run_at(&self, line: &str, width: Option<usize>) -> (Exit, String, String) {
        let (mut out, mut err) = (vec![], vec![]);
        let line = line.replace("DIR", self.directory.path().to_str().unwrap());
        let args = ["feedbackd"].into_iter().chain(line.split(' ')).map(Into::into);
        let exit = invoke(args, self, &mut Output::new(&mut out, &mut err, width));
        let shown = |bytes| String::from_utf8(bytes).unwrap().replace(self.directory.path().to_str().unwrap(), "DIR");
        (exit, shown(out), shown(err))
    }

    fn says(&self, line: &str) -> String {
        let (exit, out, err) = self.run(line);
        assert_eq!((exit, err.as_str()), (Exit::Ok, ""), "{line}");
        out
    }
}

impl Opener for World {
    fn measuring(&self, _: Option<&Path>) -> Result<(MeasurePolicy, Timestamp), CliError> {
        Ok((MeasurePolicy::default(), feedbackd::domain::testing::sample::moment(0)))
    }

    fn config(&self, _: Option<&Path>) -> Result<Config, CliError> {
        Ok(Config::default())
    }

    fn reading(&self, _: Option<&Path>) -> Result<ReadAccess, CliError> {
        Ok(ReadAccess::open(Box::new(self.store.clone()), &self.files)?)
    }

    fn comparing(&self, _: Option<&Path>) -> Result<CompareAccess, CliError> {
        Ok(CompareAccess::open(Box::new(self.store.clone()), &self.files, words::understanding())?)
    }

    fn reindexing(&self, _: Option<&Path>) -> Result<ReindexAccess, CliError> {
        let store = Box::new(self.store.clone());
        Ok(ReindexAccess { store, files: Box::new(self.files.clone()), understanding: words::understanding() })
    }

    fn submit(&self, _: Option<&Path>, payload: &Value) -> Result<SubmissionOutcome, CliError> {
        if self.cut_off {
            return Err(CliError::new(Exit::Unavailable, "redis: no answer", "is it running?"));
        }
        self.submitted.borrow_mut().push(payload.clone());
        Ok(SubmissionOutcome {
            id: "x".into(),
            accepted: true,
            effect: "submitted to the daemon".into(),
            refusal: None,
        })
    }
}

#[test]
fn a_prompt_has_the_rules_in_force_behind_its_base() {
    let world = World::new();
    world.file("base.md", "You write code.\n");
    let prompt = world.says("prompt --agent coding-agent --base DIR/base.md --session s-1");
    insta::assert_snapshot!(prompt, @r#"
    You write code.

    ## Learned Rules (from feedback)

    - At HITL-4, for files matching `src/api/**`: Validate input. (RULE-2026-0002)
    - Handle errors of every call. (RULE-2026-0001)
    "#);
    let log = world.submitted.borrow();
    let log = log[0].as_object().unwrap();
    let names: Vec<_> = log.keys().cloned().collect();
    insta::assert_snapshot!(names.join(" "), @"injection_id agent session_id timestamp rules held_out base_hash prompt_hash");
    assert_eq!(log["rules"][0], serde_json::json!({"rule_id": "RULE-2026-0002", "version": 1}));
    assert_eq!(log["prompt_hash"], content_hash(&prompt));
    assert_eq!(log["base_hash"], content_hash("You write code.\n"));
    assert_eq!((&log["session_id"], &log["held_out"]), (&"s-1".into(), &serde_json::json!([])));
}

#[test]
fn a_prompt_is_for_its_gate_and_file() {
    let world = World::new();
    let with = |options: &str| world.says(&format!("prompt --agent coding-agent --no-log {options}"));
    let both = with("--gate HITL-4 --path src/api/v1/users.rs");
    assert!(both.contains("RULE-2026-0001") && both.contains("RULE-2026-0002"), "{both}");
    for options in ["--gate hitl_3_plan", "--path src/web/index.ts"] {
        let one = with(options);
        assert!(one.contains("RULE-2026-0001") && !one.contains("RULE-2026-0002"), "{options}: {one}");
    }
    assert!(world.submitted.borrow().is_empty(), "--no-log");
    assert_eq!(world.run("prompt --agent coding-agent --gate four").0, Exit::Usage);
}

#[test]
fn without_rules_the_base_is_the_prompt_to_the_byte() {
    let world = World::of(&[]);
    let base = "You\twrite\r\ncode \u{1b}[1m\u{200d} without a line end";
    world.file("base.md", base);
    assert_eq!(world.says("prompt --agent coding-agent --base DIR/base.md"), base);
    assert!(world.submitted.borrow().is_empty(), "nothing was handed out");
    let world = World::new();
    world.file("base.md", base);
    let (exit, out, err) = world.run("prompt --agent codign-agent --base DIR/base.md");
    assert_eq!((exit, out.as_str()), (Exit::Ok, base));
    insta::assert_snapshot!(err, @"note: no rule is in force for `codign-agent`; there are rules for coding-agent");
    let (_, shown, _) = world.run_at("prompt --agent coding-agent --base DIR/base.md", Some(80));
    assert!(!shown.contains('\u{1b}') && shown.contains("Validate input."), "a terminal is not moved: {shown}");
}

#[test]
fn a_prompt_stands_where_it_cannot_be_logged() {
    let mut world = World::new();
    world.cut_off = true;
    let (exit, out, err) = world.run("prompt --agent coding-agent");
    assert_eq!(exit, Exit::Ok);
    assert!(out.starts_with("## Learned Rules (from feedback)\n\n- "), "{out}");
    insta::assert_snapshot!(err, @"note: the rules that were served are not logged: redis: no answer");
    let (exit, out, err) = world.run("prompt --agent coding-agent --base DIR/none.md");
    assert_eq!((exit, out.as_str()), (Exit::Failure, ""));
    insta::assert_snapshot!(err, @r"
    error: there is no file DIR/none.md
    hint: check the path
    ");
}

#[test]
fn a_prompt_as_json_says_what_was_logged() {
    let world = World::new();
    world.file("base.md", "You write code.");
    let json: Value =
        serde_json::from_str(&world.says("prompt --agent coding-agent --base DIR/base.md --json")).unwrap();
    assert_eq!(json["injection"], world.submitted.borrow()[0]);
    assert_eq!(json["injection"].get("session_id"), None);
    let section = world.says("prompt --agent coding-agent --no-log");
    assert_eq!(json["prompt"], build_prompt("You write code.", Some(&section)));
}

#[test]
fn rules_are_listed_and_shown() {
    let world = World::new();
    let at = |line: &str| world.run_at(line, Some(80)).1;
    insta::assert_snapshot!(at("rules list --agent coding-agent"), @r#"
    rule            state    since       agents        text
    RULE-2026-0002  flagged  2026-01-12  coding-agent  Validate input.
    RULE-2026-0001  active   2026-01-12  coding-agent  Handle errors of every call.
    "#);
    insta::assert_snapshot!(at("rules list --state retired"), @r#"
    rule            state    since       agents        text
    RULE-2026-0003  retired  2026-01-12  coding-agent  Never comment.
    "#);
    assert_eq!(at("rules list --agent other"), "No rules.\n");
    insta::assert_snapshot!(at("rules show RULE-2026-0001").replace(&content_hash("Handle errors of every call."), "<hash>"), @r"
    RULE-2026-0001: Handle errors of every call

      state         active, version 1
      in prompts    Handle errors of every call. (RULE-2026-0001)
      agents        coding-agent
      kind          create rule, guideline
      confidence    90 %
      why           Asked for 2 times by 2 reviewers.
      requested by  ana, ben
      evidence      2 comments: dec-1, dec-2
      cluster       CLUSTER-16d1a47d71b1
      made          2026-01-12 10:00 UTC
      content hash  <hash>
      file          feedback/rules/active/RULE-2026-0001.yaml

    What happened:
    when              version  what       by   note
    2026-01-12 10:00  1        activated  ben
    ");
    assert_eq!(world.run("rules show RULE-2026-0009").0, Exit::NotFound);
}

#[test]
fn rules_are_exported_and_taken_away_again() {
    let world = World::new();
    let file = world.file("AGENTS.md", "# Mine\r\n\r\nText");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let export = "rules export --format agents-md --to DIR/AGENTS.md";
    let (exit, out, _) = world.run(&format!("{export} --check"));
    assert_eq!((exit, out.as_str()), (Exit::Failure, "DIR/AGENTS.md would change: 2 rules.\n"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "# Mine\r\n\r\nText");
    assert_eq!(world.says(export), "Wrote 2 rules to DIR/AGENTS.md.\n");
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.starts_with("# Mine\r\n\r\nText\r\n\r\n<!-- feedbackd:begin -->\r\n"), "{written:?}");
    assert!(
        written.contains("- For the coding-agent: Handle errors of every call. (RULE-2026-0001)\r\n"),
        "{written:?}"
    );
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(world.says(&format!("{export} --check")), "DIR/AGENTS.md is up to date: 2 rules.\n");
    let none = World::of(&[]);
    none.file("AGENTS.md", &written);
    none.says(export);
    assert_eq!(fs::read_to_string(none.path("AGENTS.md")).unwrap(), "# Mine\r\n\r\nText");
    assert_eq!(
        fs::read_dir(world.directory.path())
            .unwrap()
            .filter(|e| { e.as_ref().unwrap().file_name().to_string_lossy().starts_with(".feedbackd-") })
            .count(),
        0,
        "no temporary file stays"
    );
}

#[test]
fn an_export_goes_to_standard_output() {
    let world = World::new();
    let printed = world.says("rules export --format agents-md --to -");
    world.says("rules export --format agents-md --to DIR/AGENTS.md");
    assert_eq!(printed, fs::read_to_string(world.path("AGENTS.md")).unwrap());
    let (exit, out, err) = world.run("rules export --format agents-md --to - --check");
    assert_eq!((exit, out.as_str()), (Exit::Usage, ""), "{err}");
}

#[test]
fn an_export_makes_a_new_file_and_its_directory() {
    let world = World::new();
    world.says("rules export --format cursor --to DIR/.cursor/rules/feedback.mdc --agent coding-agent");
    let made = fs::read_to_string(world.path(".cursor/rules/feedback.mdc")).unwrap();
    assert!(
        made.starts_with("---\ndescription: ") && made.contains("\nalwaysApply: true\n---\n\n<!-- feedbackd:begin")
    );
    assert!(made.contains("\n- Handle errors of every call. (RULE-2026-0001)\n"), "{made}");
    let none = World::of(&[]);
    none.says("rules export --format claude-md --to DIR/CLAUDE.md");
    assert!(!none.path("CLAUDE.md").exists(), "nothing to say, no file");
}

#[test]
fn an_export_replaces_what_a_link_leads_to_and_refuses_what_is_no_file() {
    let world = World::new();
    world.file("AGENTS.md", "Mine\n");
    symlink("AGENTS.md", world.path("CLAUDE.md")).unwrap();
    world.says("rules export --format claude-md --to DIR/CLAUDE.md");
    assert!(fs::symlink_metadata(world.path("CLAUDE.md")).unwrap().is_symlink());
    assert!(fs::read_to_string(world.path("AGENTS.md")).unwrap().contains("Validate input."));
    symlink("loop.md", world.path("loop.md")).unwrap();
    symlink("nowhere.md", world.path("dangling.md")).unwrap();
    world.file("half.md", "<!-- feedbackd:begin -->\n");
    let mut said = String::new();
    for name in ["DIR", "DIR/loop.md", "DIR/dangling.md", "DIR/half.md", "/dev/null"] {
        let (exit, out, err) = world.run(&format!("rules export --format copilot --to {name}"));
        assert_eq!((exit, out.as_str()), (Exit::Failure, ""), "{name}");
        said += &err;
    }
    insta::assert_snapshot!(said, @r"
    error: DIR is a directory
    hint: name a file
    error: cannot open DIR/loop.md: Too many levels of symbolic links (os error 40)
    hint: check the path and its permissions
    error: DIR/dangling.md is a broken link
    hint: create the file it names, or remove the link
    error: DIR/half.md: `<!-- feedbackd:begin -->` (line 1) has no `<!-- feedbackd:end -->`; add that line after the section, or remove both
    hint: nothing was written
    error: /dev/null is not a regular file
    hint: name a file
    ");
}

#[test]
fn rules_are_imported_from_a_file() {
    let world = World::new();
    world.file("AGENTS.md", "# Style\n\n- Use tabs for indentation.\n\n```\n- no rule here\n```\n");
    world.says("rules export --format agents-md --to DIR/AGENTS.md");
    let dry = world.says("rules import DIR/AGENTS.md --as ana --dry-run");
    assert!(dry.contains("1 rule as the import `AGENTS.md`: not submitted."), "{dry}");
    assert!(world.submitted.borrow().is_empty());
    insta::assert_snapshot!(world.says("rules import DIR/AGENTS.md --as ana --agent coding-agent --agent test-agent"), @r#"
    line  section  rule
    3     Style    Use tabs for indentation.

    1 rule as the import `AGENTS.md`: submitted to the daemon.
    "#);
    let mut import = world.submitted.borrow()[0]["import"].clone();
    assert_eq!(import["file_hash"], content_hash(&fs::read_to_string(world.path("AGENTS.md")).unwrap()));
    let fields = import.as_object_mut().unwrap();
    fields.retain(|key, _| key != "imported_at" && key != "file_hash");
    insta::assert_snapshot!(import, @r#"{"name":"AGENTS.md","agents":["coding-agent","test-agent"],"imported_by":"ana","rules":[{"line":3,"section":"Style","text":"Use tabs for indentation."}]}"#);
    let (exit, _, err) = world.run("rules import DIR/AGENTS.md --as zoe");
    assert!(exit == Exit::Failure && err.contains("zoe is not on the roster"), "{err}");
    world.file("AGENTS.md", "Nothing here.\n");
    world.says("rules import DIR/AGENTS.md --as ana");
    assert_eq!(world.submitted.borrow()[1]["import"]["rules"], serde_json::json!([]), "what is gone there goes here");
}

#[test]
fn an_import_that_cannot_be_submitted_fails() {
    let mut world = World::new();
    world.cut_off = true;
    world.file("AGENTS.md", "- Use tabs for indentation.\n");
    let (exit, out, err) = world.run("rules import DIR/AGENTS.md --as ana");
    assert_eq!((exit, out.as_str()), (Exit::Unavailable, ""));
    assert!(err.contains("no answer"), "{err}");
    fs::write(world.path("bytes.md"), b"\xff\xfe- Use").unwrap();
    let (exit, _, err) = world.run("rules import DIR/bytes.md --as ana");
    assert_eq!(
        (exit, err.as_str()),
        (Exit::Failure, "error: DIR/bytes.md is not UTF-8 text\nhint: save it as UTF-8\n")
    );
}
