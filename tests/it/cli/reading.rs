//! The reading commands as people and scripts see them: text, JSON, errors and exit codes.

use crate::app::reindex::{commit, made, text};
use crate::harness::words;
use feedbackd::adapters::index::SqliteFiles;
use feedbackd::adapters::memory::MemoryStore;
use feedbackd::app::queries::reader::{CompareAccess, ReadAccess, ReindexAccess};
use feedbackd::app::reports::effectiveness::MeasurePolicy;
use feedbackd::cli::{CliError, Exit, Opener, Output, invoke};
use feedbackd::config::Config;
use feedbackd::domain::clusters::evaluation::{ActionType, Classification, ProposedAction};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{DecisionRecord, Stored};
use feedbackd::domain::testing::sample::{self, decision, decision_path};
use feedbackd::text::ids::cluster_id;
use jiff::Timestamp;
use serde_json::Value;
use std::path::Path;

/// A store with a pattern of two comments, a one-off and a hostile comment, and an index next to it.
struct World {
    store: MemoryStore,
    files: SqliteFiles,
    directory: tempfile::TempDir,
}

struct Said {
    exit: Exit,
    out: String,
    err: String,
}

impl World {
    fn new() -> World {
        let directory = tempfile::tempdir().unwrap();
        let files = SqliteFiles { path: directory.path().join("index.db"), made: made() };
        let mut store = MemoryStore::new();
        let cluster = cluster_id("dec-1");
        let in_cluster = |n, reviewer: &str, other, comment: &str| {
            let mut r = decision(n);
            r.reviewer_id = reviewer.into();
            r.reviewer_comment = Some(comment.into());
            r.feedback.edge_case = (n == 1).then(|| "EDGE-2026-0001".into());
            let e = &mut r.evaluation;
            e.classification = Classification::GeneralizableHigh;
            e.confidence = 0.91;
            e.rationale = format!("ana and ben asked for the same: dec-{other} is similar (0.86).");
            e.similar = vec![sample::similar(other, 0.86)];
            e.cluster = Some(cluster.clone());
            e.proposed_action = Some(ProposedAction {
                action_type: ActionType::CreateRule,
                target_agent: Some("prd-agent".into()),
                proposal_id: "RULE-2026-0001".into(),
            });
            r
        };
        let mut hostile = decision(3);
        hostile.reviewer_comment = Some("Fine\u{1b}[2J but \u{202e}reversed\u{200b}, see https://example.org".into());
        let decisions = [
            in_cluster(1, "ana", 2, "Acceptance criteria are missing from the stories"),
            in_cluster(2, "ben", 1, "Stories are missing their acceptance criteria"),
            hostile,
        ];
        let mut records: Vec<(String, Stored)> =
            decisions.map(|r: DecisionRecord| (decision_path(&r), Stored::from(r))).into();
        let mut group = sample::cluster("dec-1");
        group.proposal = Some("RULE-2026-0001".into());
        let mut promoted = sample::edge_case(1);
        promoted.promoted_to = Some(cluster);
        promoted.status = feedbackd::domain::records::record::EdgeCaseStatus::Promoted;
        records.extend([
            (layout::cluster(&group.cluster_id), Stored::from(group)),
            (layout::proposal("RULE-2026-0001"), Stored::from(sample::proposal(1))),
            (layout::edge_case(2026, 1), Stored::from(promoted)),
            (layout::edge_case(2026, 3), Stored::from(sample::edge_case(3))),
        ]);
        let written: Vec<_> = records.iter().map(|(path, r)| (path.clone(), text(r))).collect();
        commit(&mut store, &written);
        let world = World { store, files, directory };
        world.reindexing(None).unwrap().rebuild().unwrap();
        world
    }

    /// Runs it as on a terminal of 80 columns.
    fn run(&self, line: &str) -> Said {
        self.run_at(line, Some(80))
    }

    fn run_at(&self, line: &str, width: Option<usize>) -> Said {
        let (mut out, mut err) = (vec![], vec![]);
        let args = ["feedbackd"].into_iter().chain(line.split(' ').filter(|a| !a.is_empty()));
        let args = args.map(|a| a.replace('_', " ").into());
        let exit = invoke(args, self, &mut Output::new(&mut out, &mut err, width));
        Said { exit, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
    }

    fn says(&self, line: &str) -> String {
        let said = self.run(line);
        assert_eq!((said.exit, said.err.as_str()), (Exit::Ok, ""), "{line}: {}", said.out);
        for row in said.out.lines() {
            // A hash is not shortened.
            assert!(row.chars().count() <= 80 || row.contains("v2:"), "{line}: {row}");
        }
        said.out
    }

    fn json(&self, line: &str) -> Value {
        let said = self.run(&format!("{line} --json"));
        assert_eq!((said.exit, said.err.as_str()), (Exit::Ok, ""), "{line}");
        serde_json::from_str(&said.out).unwrap()
    }
}

impl Opener for World {
    fn config(&self, _: Option<&Path>) -> Result<Config, CliError> {
        Ok(Config::default())
    }

    fn reading(&self, _: Option<&Path>) -> Result<ReadAccess, CliError> {
        Ok(ReadAccess::open(Box::new(self.store.clone()), &self.files)?)
    }

    fn comparing(&self, _: Option<&Path>) -> Result<CompareAccess, CliError> {
        Ok(CompareAccess::open(Box::new(self.store.clone()), &self.files, words::understanding())?)
    }

    fn measuring(&self, _: Option<&Path>) -> Result<(MeasurePolicy, Timestamp), CliError> {
        Ok((MeasurePolicy::default(), sample::moment(0)))
    }

    fn reindexing(&self, _: Option<&Path>) -> Result<ReindexAccess, CliError> {
        let store = Box::new(self.store.clone());
        Ok(ReindexAccess { store, files: Box::new(self.files.clone()), understanding: words::understanding() })
    }
}

/// A world without a catalogue to load.
struct Lists(World);

impl Opener for Lists {
    fn config(&self, file: Option<&Path>) -> Result<Config, CliError> {
        self.0.config(file)
    }

    fn reading(&self, file: Option<&Path>) -> Result<ReadAccess, CliError> {
        self.0.reading(file)
    }

    fn comparing(&self, _: Option<&Path>) -> Result<CompareAccess, CliError> {
        Err(CliError::new(Exit::Failure, "the catalogue is loaded", ""))
    }

    fn reindexing(&self, file: Option<&Path>) -> Result<ReindexAccess, CliError> {
        self.0.reindexing(file)
    }
}

#[test]
fn what_only_lists_loads_no_catalogue() {
    let lists = Lists(World::new());
    let run = |line: &str| {
        let (mut out, mut err) = (vec![], vec![]);
        let args = ["feedbackd"].into_iter().chain(line.split(' ')).map(Into::into);
        let exit = invoke(args, &lists, &mut Output::new(&mut out, &mut err, Some(80)));
        (exit, String::from_utf8(err).unwrap())
    };
    for line in [
        "status",
        "feedback list",
        "feedback show dec-1",
        "feedback search criteria",
        "clusters list",
        "proposals list",
        "rules list",
        "rules effect",
        "edge-cases list",
        "ambiguous list",
        "retract --feedback dec-1",
        "lineage dec-1",
        "report",
        "turns list",
        "actions history",
        "refine --effectiveness",
        "prompt --agent prd-agent --no-log",
    ] {
        assert_eq!(run(line), (Exit::Ok, String::new()), "{line}");
    }
    for line in
        ["feedback similar dec-1", "explain dec-1", "turns search criteria", "selftest", "clusters review --list"]
    {
        let (exit, err) = run(line);
        assert!(exit == Exit::Failure && err.contains("the catalogue is loaded"), "{line}: {err}");
    }
}

#[test]
fn feedback_is_shown_with_all_that_hangs_on_it() {
    insta::assert_snapshot!(World::new().says("feedback show dec-1"), @r#"
    dec-1: REJECTED at HITL-1 by ana

      decided       2026-01-12 10:00 UTC
      agent         prd-agent
      task          T-7
      said          Acceptance criteria are missing from the stories
      class         GENERALIZABLE_HIGH, 91 %
      why           ana and ben asked for the same: dec-2 is similar (0.86).
      similar       dec-2 (0.86)
      cluster       CLUSTER-16d1a47d71b1: Acceptance criteria are missing (2
                    members, 2 reviewers)
      edge case     EDGE-2026-0001, promoted to CLUSTER-16d1a47d71b1
      proposal      RULE-2026-0001 (proposed): State acceptance criteria for every
                    story
      file          feedback/decisions/HITL-1/2026/01/12/10/dec-1.yaml
    "#);
}

#[test]
fn feedback_is_listed() {
    let world = World::new();
    insta::assert_snapshot!(world.says("feedback list"), @r#"
    feedback  decided     gate    reviewer  class      said
    dec-3     2026-01-12  HITL-1  ana       edge case  Fine\u{1b}[2J but
                                                       \u{202e}reversed\u{200b},
                                                       see https://example.org
    dec-2     2026-01-12  HITL-1  ben       high       Stories are missing their
                                                       acceptance criteria
    dec-1     2026-01-12  HITL-1  ana       high       Acceptance criteria are
                                                       missing from the stories
    "#);
    insta::assert_snapshot!(world.says("feedback list --class generalizable-high --reviewer ben"), @r#"
    feedback  decided     gate    reviewer  class  said
    dec-2     2026-01-12  HITL-1  ben       high   Stories are missing their
                                                   acceptance criteria
    "#);
    assert_eq!(world.says("feedback list --since 2027-01-01"), "No feedback.\n");
    let piped = world.run_at("feedback list --limit 1", None).out;
    assert!(piped.lines().nth(1).unwrap().ends_with("https://example.org"), "nothing is cut in a pipe: {piped}");
}

#[test]
fn feedback_is_compared_and_searched() {
    let world = World::new();
    insta::assert_snapshot!(world.says("feedback similar dec-1"), @r"
    similarity  feedback  reviewer  agent      said
    1.00        dec-2     ben       prd-agent  Stories are missing their acceptance
                                               criteria
    ");
    insta::assert_snapshot!(world.says("feedback similar --text acceptance_criteria_missing --threshold 0.5"), @r#"
    similarity  feedback  reviewer  agent      said
    1.00        dec-1     ana       prd-agent  Acceptance criteria are missing from
                                               the stories
    0.97        dec-2     ben       prd-agent  Stories are missing their acceptance
                                               criteria
    "#);
    insta::assert_snapshot!(world.says("feedback similar --text acceptance --threshold 1"), @r#"Nothing reaches a similarity of 1. A lower --threshold shows more."#);
    insta::assert_snapshot!(world.says("feedback search story acceptance"), @r#"
    feedback  decided     gate    reviewer  class  said
    dec-2     2026-01-12  HITL-1  ben       high   Stories are missing their
                                                   acceptance criteria
    dec-1     2026-01-12  HITL-1  ana       high   Acceptance criteria are missing
                                                   from the stories
    "#);
}

#[test]
fn clusters_and_proposals_are_shown() {
    let world = World::new();
    insta::assert_snapshot!(world.says("clusters list"), @r#"
    cluster               members  reviewers  agent
    CLUSTER-16d1a47d71b1  2        2          prd-agent
        Acceptance criteria are missing
    "#);
    insta::assert_snapshot!(world.says(&format!("clusters show {} --limit 1", cluster_id("dec-1"))), @r#"
    CLUSTER-16d1a47d71b1: Acceptance criteria are missing

      agent         prd-agent
      class         GENERALIZABLE_HIGH, 90 %
      members       2, 2 of them similar to another
      reviewers     ana (1), ben (1)
      gates         HITL-1 (2)
      seen          2026-01-12 10:00 to 2026-01-12 10:00 UTC
      proposal      RULE-2026-0001 (proposed): State acceptance criteria for every
                    story
      file          feedback/clusters/CLUSTER-16d1a47d71b1.yaml

    The latest 1 of 2 members:
    feedback  decided     gate    reviewer  class  said
    dec-2     2026-01-12  HITL-1  ben       high   Stories are missing their
                                                   acceptance criteria
    "#);
    insta::assert_snapshot!(world.says("proposals list --state proposed"), @r#"
    proposal        state     confidence  agents     title
    RULE-2026-0001  proposed  90 %        prd-agent  State acceptance criteria for
                                                     every story
    "#);
    insta::assert_snapshot!(world.says("proposals show RULE-2026-0001"), @r"
    RULE-2026-0001: State acceptance criteria for every story

      state         proposed, version 1
      would say     State measurable acceptance criteria for every story.
                    (RULE-2026-0001)
      agents        prd-agent
      kind          create rule, guideline
      confidence    90 %
      why           Asked for 2 times by 2 reviewers.
      requested by  ana, ben
      evidence      2 comments: dec-1, dec-2
      said          ana at HITL-1, 2026-01-12: “Acceptance criteria are missing from
                    the stories” (dec-1)
      said          ben at HITL-1, 2026-01-12: “Stories are missing their acceptance
                    criteria” (dec-2)
      cluster       CLUSTER-16d1a47d71b1
      made          2026-01-12 10:00 UTC
      to decide     feedbackd proposals approve|reject|modify RULE-2026-0001 --as
                    YOU
      content hash  v2:a2ac3cf47c568e7d382599dd5db8920b39a75e63a84ddea253e08f9ed1f52657
      file          feedback/rules/proposed/RULE-2026-0001.yaml
    ");
    assert_eq!(world.says("proposals list --state retired"), "No proposals.\n");
}

#[test]
fn edge_cases_and_status_are_shown() {
    let world = World::new();
    insta::assert_snapshot!(world.says("edge-cases list"), @r#"
    edge case       feedback  state     reviewer  said
    EDGE-2026-0003  dec-3     open      ana       Acceptance criteria are missing
                                                  in story 3
    EDGE-2026-0001  dec-1     promoted  ana       Acceptance criteria are missing
                                                  in story 1
    "#);
    assert_eq!(world.json("edge-cases list --open").as_array().unwrap().len(), 1);
    assert_eq!(world.json("edge-cases search missing criteria")[0]["edge_case_id"], "EDGE-2026-0001");
    let status =
        world.says("status").replace(world.json("status")["head"].as_str().unwrap().get(..10).unwrap(), "<commit>");
    // Whether a daemon answers depends on this machine.
    let (title, rest) = status.split_once("  daemon").expect("whether it runs");
    let status = format!("{title}{}", &rest[rest.find("  classes").expect("classes")..]);
    insta::assert_snapshot!(status, @r"
    3 feedback records

      classes       2 GENERALIZABLE_HIGH, 1 EDGE_CASE
      clusters      1
      proposals     1 awaiting review
      one-offs      1 open
      contradictions0 pending
      dead letters  0
      store         at commit <commit>
      index         up to date
    ");
}

#[test]
fn json_is_one_document_with_stable_names() {
    let world = World::new();
    let list = world.json("feedback list");
    let names: Vec<_> = list[0].as_object().unwrap().keys().cloned().collect();
    insta::assert_snapshot!(names.join(" "), @r#"feedback_id decision_id timestamp tenant_id agent gate reviewer_id decision classification confidence demand direction text cluster edge_case path"#);
    let page = world.json("feedback show dec-1");
    assert_eq!(page["record"]["evaluation"]["confidence"], 0.91);
    assert_eq!(page["cluster"]["members"], 2);
    assert_eq!(page["proposal"]["state"], "proposed");
    assert_eq!(page["edge_case"]["promoted_to"], page["cluster"]["cluster_id"]);
    assert_eq!(page["ambiguous"], Value::Null);
    assert_eq!(world.json("feedback similar dec-2")[0]["feedback_id"], "dec-1");
    assert_eq!(world.json("status")["classes"][0]["count"], 2);
}

#[test]
fn nothing_hidden_reaches_the_terminal() {
    let world = World::new();
    for line in ["feedback show dec-3", "feedback list", "feedback search reversed", "feedback show dec-3 --json"] {
        let said = world.run(line);
        assert!(!said.out.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{line}");
        let shown = said.out.contains("u{1b}") || said.out.contains("\\u001b");
        assert!(shown, "{line}: {}", said.out);
    }
    let unknown = world.run("feedback show \u{1b}[31mred");
    assert!(!unknown.err.contains('\u{1b}'));
    let json = world.json("feedback show dec-3");
    assert!(json["record"]["reviewer_comment"].as_str().unwrap().contains('\u{202e}'), "JSON keeps what was said");
}

#[test]
fn what_is_not_there_is_told_with_a_hint() {
    let world = World::new();
    let said = world.run("feedback show dec-11");
    assert_eq!((said.exit, said.out.as_str()), (Exit::NotFound, ""));
    insta::assert_snapshot!(said.err, @r#"
    error: there is no feedback `dec-11`
    hint: did you mean dec-1? `feedbackd feedback list` shows the ids
    "#);
    insta::assert_snapshot!(world.run("proposals show RULE-2026-0002").err, @r#"
    error: there is no proposal `RULE-2026-0002`
    hint: did you mean RULE-2026-0001? `feedbackd proposals list` shows the ids
    "#);
    assert_eq!(world.run("clusters show CLUSTER-x").exit, Exit::NotFound);
    // What would be rejected and recorded on the stream is not sent.
    for line in [
        "proposals approve RULE-2026-0002 --as ann",
        "proposals reject RULE-2026-0002 --as ann --reason no",
        "rules retire RULE-2026-0002 --as ann --reason no",
        "ambiguous resolve dec-11 edge-case --as ann --reason no",
    ] {
        let said = world.run(line);
        assert_eq!(said.exit, Exit::NotFound, "{line}: {}", said.err);
    }
    let said = world.run("feedback similar --text xyz");
    assert_eq!(said.exit, Exit::Failure);
    insta::assert_snapshot!(said.err, @r"
    error: the text has no word that could be compared
    hint: give a plain sentence with `feedback similar --text`
    ");
}

#[test]
fn a_wrong_command_line_is_told() {
    let world = World::new();
    for line in ["", "feedback", "feedback list --gate 7", "feedback list --class WRONG", "feedback similar", "no"] {
        assert_eq!(world.run(line).exit, Exit::Usage, "{line}");
    }
    for line in ["--help", "--version", "feedback list --help"] {
        let said = world.run(line);
        assert_eq!((said.exit, said.err.as_str()), (Exit::Ok, ""), "{line}");
    }
    assert!(world.run("--help").out.contains("Exit codes:"));
}

#[test]
fn an_index_that_is_behind_or_gone_is_told_in_one_line() {
    let mut world = World::new();
    let record = decision(9);
    commit(&mut world.store, &[(decision_path(&record), text(&Stored::from(record)))]);
    let said = world.run("feedback show dec-9");
    assert_eq!(said.exit, Exit::Ok);
    insta::assert_snapshot!(said.err, @r#"note: the index is 1 change behind the store; it was read with that change"#);
    std::fs::remove_file(&world.files.path).unwrap();
    let said = world.run("feedback show dec-9");
    assert_eq!((said.exit, said.err.lines().count()), (Exit::Ok, 1));
}

#[test]
fn the_index_is_compared_and_made_anew() {
    let world = World::new();
    assert_eq!(world.says("reindex --check"), "The index matches the store.\n");
    let mut index = feedbackd::ports::IndexFiles::open(&world.files).unwrap();
    let claims = index.commit().unwrap().unwrap();
    let gone = feedbackd::ports::IndexUpdate::Removed { path: decision_path(&decision(2)) };
    index.apply(&[gone], &claims).unwrap();
    let held = world.run("reindex");
    assert_eq!(held.exit, Exit::Unavailable);
    assert!(held.err.contains("hint: a running daemon updates the index itself"), "{}", held.err);
    drop(index);
    let said = world.run("reindex --check");
    assert_eq!((said.exit, said.out.as_str()), (Exit::Failure, "- feedback dec-2: in the store, not in the index\n"));
    assert!(world.says("reindex").starts_with("The index was built from 7 files at commit "));
    assert_eq!(world.json("reindex --check")["missing"], serde_json::json!([]));
    std::fs::remove_file(&world.files.path).unwrap();
    assert_eq!(world.run("reindex --check").exit, Exit::Unavailable);
}

#[test]
fn completions_and_manual_pages_are_made() {
    let world = World::new();
    assert!(world.says_raw("completions bash").contains("_feedbackd"));
    assert!(world.says_raw("man").contains(".TH feedbackd 1"));
    let to = world.directory.path().join("man");
    assert_eq!(world.run(&format!("man --out {}", to.display())).exit, Exit::Ok);
    assert!(to.join("feedbackd-feedback-list.1").exists());
}

impl World {
    fn says_raw(&self, line: &str) -> String {
        let said = self.run(line);
        assert_eq!(said.exit, Exit::Ok);
        said.out
    }
}
