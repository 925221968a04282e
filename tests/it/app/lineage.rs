//! The answer to *why*, from Git alone.

use crate::app::reindex::{made, text};
use crate::harness::words;
use feedbackd::adapters::index::SqliteFiles;
use feedbackd::adapters::memory::MemoryStore;
use feedbackd::app::queries::reader::{CompareAccess, ReadAccess, ReindexAccess};
use feedbackd::cli::{CliError, Exit, Opener, Output, invoke};
use feedbackd::domain::clusters::evaluation::{ActionType, Classification, ProposedAction};
use feedbackd::domain::intake::submission::{Resolution, ReviewAction};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::*;
use feedbackd::domain::rules::draft::proposal::content_hash;
use feedbackd::domain::testing::sample::{self, decision, decision_path, moment};
use feedbackd::ports::{ChangeSet, FileWrite, StoreReader, StoreWriter};
use feedbackd::text::ids::cluster_id;
use feedbackd::text::verdict::Verdict;
use serde_json::Value;
use std::path::Path;

const FIRST: &str = "State acceptance criteria for every story.";
const SECOND: &str = "State measurable acceptance criteria for every story.";

/// A rule with its whole life: twelve comments, a tiebreak, a changed text, two approvals, one rejected, two prompts.
struct World {
    store: MemoryStore,
    files: SqliteFiles,
    _directory: tempfile::TempDir,
}

impl Opener for World {
    fn config(&self, _: Option<&Path>) -> Result<feedbackd::config::Config, CliError> {
        Ok(feedbackd::config::Config::default())
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
}

fn remark(n: u32) -> DecisionRecord {
    let mut r = decision(n);
    r.reviewer_id = if n.is_multiple_of(2) { "ben" } else { "ana" }.into();
    r.feedback.edge_case = (n == 1).then(|| "EDGE-2026-0001".into());
    r.feedback.retracted_by = (n == 3).then(|| "rev-3".into());
    let e = &mut r.evaluation;
    e.classification = Classification::GeneralizableHigh;
    e.rationale = "ana and ben asked for the same.".into();
    e.cluster = Some(cluster_id("dec-1"));
    e.revision = 2;
    e.proposed_action = Some(ProposedAction {
        action_type: ActionType::CreateRule,
        target_agent: Some("prd-agent".into()),
        proposal_id: "RULE-2026-0001".into(),
    });
    r
}

fn rule() -> ProposalRecord {
    let mut r = sample::proposal(1);
    r.created_from_feedback_ids = (1..=12).map(|n| format!("dec-{n}")).collect();
    r.evidence_count = 12;
    r.pattern_since = Some(moment(2));
    r.dissent = vec!["dec-20".into()];
    r.card = Some(Card {
        prompt_text: SECOND.into(),
        corrections: 40,
        would_apply: 12,
        approvals: 60,
        would_fire_wrongly: 1,
        ..Card::default()
    });
    r
}

fn review(n: u32, who: &str, action: ReviewAction, edit: impl FnOnce(&mut ReviewRecord)) -> (String, Stored) {
    let mut r = sample::review(n);
    r.reviewer_id = who.into();
    r.action = action;
    r.effect = None;
    r.content_hash = None;
    edit(&mut r);
    (layout::review(r.timestamp, &r.review_id), Stored::from(r))
}

fn approve() -> ReviewAction {
    ReviewAction::Approve { proposal_id: "RULE-2026-0001".into() }
}

impl World {
    fn new() -> World {
        let directory = tempfile::tempdir().unwrap();
        let files = SqliteFiles { path: directory.path().join("index.db"), made: made() };
        let mut world = World { store: MemoryStore::new(), files, _directory: directory };
        let mut records: Vec<(String, Stored)> =
            (1..=12).map(remark).map(|r| (decision_path(&r), Stored::from(r))).collect();
        let mut against = decision(20);
        against.decision = Verdict::ApprovedWithChanges;
        against.reviewer_id = "cem".into();
        against.reviewer_comment = Some("Leave the criteria out".into());
        against.evaluation.classification = Classification::Ambiguous;
        records.push((decision_path(&against), Stored::from(against)));
        let mut cluster = sample::cluster("dec-1");
        (cluster.members, cluster.proposal) = (12, Some("RULE-2026-0001".into()));
        records.push((layout::cluster(&cluster.cluster_id), Stored::from(cluster)));
        let mut edge = sample::edge_case(1);
        (edge.status, edge.promoted_to) = (EdgeCaseStatus::Promoted, Some(cluster_id("dec-1")));
        records.push((layout::edge_case(2026, 1), Stored::from(edge)));
        world.commit("Record 13 decisions", records, &[]);

        let mut proposal = rule();
        (proposal.rule_content, proposal.content_hash) = (FIRST.into(), content_hash(FIRST));
        proposal.card = None;
        let path = layout::proposal(&proposal.proposal_id);
        world.commit("Propose RULE-2026-0001", vec![(path.clone(), Stored::from(proposal))], &[]);

        let mut active = rule();
        // As stored before hashes covered more than the text.
        active.content_hash = content_hash(SECOND);
        active.version = 2;
        active.version_at = Some(moment(31));
        active.status = ProposalStatus::Active;
        (active.decided_at, active.activated_at) = (Some(moment(33)), Some(moment(33)));
        active.earlier_versions = vec![EarlierVersion {
            version: 1,
            rule_content: FIRST.into(),
            content_hash: content_hash(FIRST),
            replaced_at: moment(31),
            replaced_by: "dora".into(),
        }];
        active.approvals = vec![Approval {
            reviewer_id: "eve".into(),
            review_id: "rev-lost".into(),
            content_hash: content_hash(SECOND),
            at: moment(33),
            wrote_evidence: false,
            signed: false,
        }];
        let mut tiebreak = sample::ambiguous(20);
        tiebreak.this_side.reviewer_id = "cem".into();
        tiebreak.this_side.text = "Leave the criteria out".into();
        tiebreak.other_side[0].feedback_id = "dec-1".into();
        tiebreak.status = AmbiguousStatus::Resolved;
        tiebreak.resolved_as = Some(Resolution::EdgeCase);
        tiebreak.rationale = Some("Only for spikes.".into());
        (tiebreak.resolved_by, tiebreak.resolved_at) = (Some("rev-34".into()), Some(moment(34)));
        let mut prompts: Vec<(String, Stored)> = (1..=2)
            .map(sample::injection)
            .map(|i| (layout::injection(i.timestamp, &i.injection_id), Stored::from(i)))
            .collect();
        let modify = ReviewAction::Modify {
            proposal_id: "RULE-2026-0001".into(),
            modified_content: SECOND.into(),
            modified_why: None,
            modified_concern: None,
        };
        let resolve = ReviewAction::Resolve { feedback_id: "dec-20".into(), resolution: Resolution::EdgeCase };
        let retract = ReviewAction::Retract { reviewer: None, feedback_id: Some("dec-3".into()) };
        prompts.extend([
            (layout::rule("RULE-2026-0001", ProposalStatus::Active), Stored::from(active)),
            (layout::resolved("dec-20"), Stored::from(tiebreak)),
            review(30, "ben", approve(), |r| {
                r.content_hash = Some(content_hash(FIRST));
                r.effect = Some("1 of 2 approvals".into());
            }),
            review(31, "dora", modify, |r| r.reason = Some("It must be measurable".into())),
            review(32, "ben", approve(), |r| {
                r.outcome = ReviewOutcome::Refused;
                r.content_hash = Some(content_hash(FIRST));
                r.refusal = Some(Refusal {
                    code: RefusalCode::WrongContentHash,
                    message: "The text is another one than you saw.".into(),
                });
            }),
            review(33, "dora", approve(), |r| {
                r.content_hash = Some(content_hash(SECOND));
                r.signed = true;
            }),
            review(34, "dora", resolve, |r| r.reason = Some("Only for spikes.".into())),
            review(3, "dora", retract, |r| r.reason = Some("A test entry".into())),
        ]);
        world.commit("Activate RULE-2026-0001", prompts, &[path]);
        world.reindexing(None).unwrap().rebuild().unwrap();
        world
    }

    fn commit(&mut self, subject: &str, records: Vec<(String, Stored)>, removes: &[String]) {
        let write = |(path, r): (String, Stored)| FileWrite { path, content: text(&r).into_bytes() };
        let change = ChangeSet {
            writes: records.into_iter().map(write).collect(),
            removes: removes.to_vec(),
            subject: subject.into(),
            ..ChangeSet::default()
        };
        let head = self.store.head().unwrap();
        self.store.commit(head.as_ref(), &change).unwrap();
    }

    fn run(&self, asked: &str, more: &[&str]) -> (Exit, String, String) {
        let (mut out, mut err) = (vec![], vec![]);
        let args = ["feedbackd", "lineage", asked].into_iter().chain(more.iter().copied()).map(Into::into);
        let exit = invoke(args, self, &mut Output::new(&mut out, &mut err, Some(100)));
        (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    /// Returns the answer, without the commits' ids.
    fn says(&self, asked: &str) -> String {
        let (exit, mut out, err) = self.run(asked, &[]);
        assert_eq!(exit, Exit::Ok, "{asked}: {err}");
        let head = self.store.head().unwrap().unwrap();
        for commit in self.store.commits(None, &head).unwrap() {
            out = out.replace(commit.id.short(), "<commit>");
        }
        out
    }

    fn json(&self, asked: &str) -> Value {
        serde_json::from_str(&self.run(asked, &["--json"]).1).unwrap()
    }
}

#[test]
fn a_line_of_a_prompt_leads_back_to_every_remark() {
    let line = format!("- {SECOND} (RULE-2026-0001)");
    insta::assert_snapshot!(World::new().says(&line), @r"
    Why RULE-2026-0001

                    The line names RULE-2026-0001.

    RULE-2026-0001: State acceptance criteria for every story
                    It is in force since 2026-01-12; for prd-agent.
                    feedback/rules/active/RULE-2026-0001.yaml

    Its texts
      2026-01-12    Version 1: “State acceptance criteria for every story.”
      2026-01-12    Version 2, by dora: “State measurable acceptance criteria for every story.”

    Who decided
      2026-01-12    ben approved version 1 of RULE-2026-0001: 1 of 2 approvals
                    feedback/reviews/2026/01/12/rev-30.yaml
      2026-01-12    dora gave RULE-2026-0001 another text, “State measurable acceptance criteria for
                    every story.”, saying “It must be measurable”
                    feedback/reviews/2026/01/12/rev-31.yaml
      2026-01-12    Refused: ben's approval of RULE-2026-0001: The text is another one than you saw.
                    feedback/reviews/2026/01/12/rev-32.yaml
      2026-01-12    dora approved version 2 of RULE-2026-0001, signed
                    feedback/reviews/2026/01/12/rev-33.yaml
      2026-01-12    eve approved version 2 of RULE-2026-0001

    Why it was proposed
      2026-01-12    The comment that made it a pattern was made
      2026-01-12    It was proposed (90 % sure): Asked for 2 times by 2 reviewers.
                    Asked for by ana, ben
                    Its card: it would have applied to 12 of 40 corrections, and misfired on 1 of 60
                    approvals

    The cluster
      2026-01-12    CLUSTER-16d1a47d71b1, “Acceptance criteria are missing”: 12 comments by 2 reviewers,
                    2026-01-12 to 2026-01-12
                    feedback/clusters/CLUSTER-16d1a47d71b1.yaml

    What people said, the first 10 of 12
      2026-01-12    ana rejected at HITL-1: “Acceptance criteria are missing in story 1”
                    feedback/decisions/HITL-1/2026/01/12/10/dec-1.yaml
      2026-01-12    ben rejected at HITL-1: “Acceptance criteria are missing in story 2”
                    feedback/decisions/HITL-1/2026/01/12/10/dec-2.yaml
      2026-01-12    ana rejected at HITL-1: “Acceptance criteria are missing in story 3” (withdrawn by
                    rev-3)
                    feedback/decisions/HITL-1/2026/01/12/10/dec-3.yaml
      2026-01-12    ben rejected at HITL-1: “Acceptance criteria are missing in story 4”
                    feedback/decisions/HITL-1/2026/01/12/10/dec-4.yaml
      2026-01-12    ana rejected at HITL-1: “Acceptance criteria are missing in story 5”
                    feedback/decisions/HITL-1/2026/01/12/10/dec-5.yaml
      2026-01-12    ben rejected at HITL-1: “Acceptance criteria are missing in story 6”
                    feedback/decisions/HITL-1/2026/01/12/10/dec-6.yaml
      2026-01-12    ana rejected at HITL-1: “Acceptance criteria are missing in story 7”
                    feedback/decisions/HITL-1/2026/01/12/10/dec-7.yaml
      2026-01-12    ben rejected at HITL-1: “Acceptance criteria are missing in story 8”
                    feedback/decisions/HITL-1/2026/01/12/10/dec-8.yaml
      2026-01-12    ana rejected at HITL-1: “Acceptance criteria are missing in story 9”
                    feedback/decisions/HITL-1/2026/01/12/10/dec-9.yaml
      2026-01-12    ben rejected at HITL-1: “Acceptance criteria are missing in story 10”
                    feedback/decisions/HITL-1/2026/01/12/10/dec-10.yaml

    What was contradicted
      2026-01-12    cem said “Leave the criteria out” where ana said “Acceptance criteria are missing”:
                    Should stories have acceptance criteria?
                    feedback/ambiguous/resolved/dec-20.yaml
      2026-01-12    dora decided EDGE_CASE, saying “Only for spikes.”
                    feedback/reviews/2026/01/12/rev-34.yaml

    In prompts
                    RULE-2026-0001 entered 2 prompts of prd-agent, on 2026-01-12.

    Commits that changed it
      1970-01-01    <commit> by memory: Propose RULE-2026-0001
      1970-01-01    <commit> by memory: Activate RULE-2026-0001
    ");
}

#[test]
fn a_feedback_leads_forward_to_what_became_of_it() {
    let world = World::new();
    insta::assert_snapshot!(world.says("dec-3"), @r"
    Outcome of dec-3

    dec-3: about the work of prd-agent
      2026-01-12    ana rejected at HITL-1: “Acceptance criteria are missing in story 3” (withdrawn by
                    rev-3)
                    feedback/decisions/HITL-1/2026/01/12/10/dec-3.yaml

    How it was classified
      2026-01-12    GENERALIZABLE_HIGH (75 % sure, evaluated 2 times): ana and ben asked for the same.

    It was withdrawn
      2026-01-12    dora withdrew dec-3, saying “A test entry”
                    feedback/reviews/2026/01/12/rev-3.yaml

    The cluster
      2026-01-12    CLUSTER-16d1a47d71b1, “Acceptance criteria are missing”: 12 comments by 2 reviewers,
                    2026-01-12 to 2026-01-12
                    feedback/clusters/CLUSTER-16d1a47d71b1.yaml

    RULE-2026-0001: State acceptance criteria for every story
                    It is in force since 2026-01-12; for prd-agent.
                    feedback/rules/active/RULE-2026-0001.yaml

    Its texts
      2026-01-12    Version 1: “State acceptance criteria for every story.”
      2026-01-12    Version 2, by dora: “State measurable acceptance criteria for every story.”

    Who decided
      2026-01-12    ben approved version 1 of RULE-2026-0001: 1 of 2 approvals
                    feedback/reviews/2026/01/12/rev-30.yaml
      2026-01-12    dora gave RULE-2026-0001 another text, “State measurable acceptance criteria for
                    every story.”, saying “It must be measurable”
                    feedback/reviews/2026/01/12/rev-31.yaml
      2026-01-12    Refused: ben's approval of RULE-2026-0001: The text is another one than you saw.
                    feedback/reviews/2026/01/12/rev-32.yaml
      2026-01-12    dora approved version 2 of RULE-2026-0001, signed
                    feedback/reviews/2026/01/12/rev-33.yaml
      2026-01-12    eve approved version 2 of RULE-2026-0001

    In prompts
                    RULE-2026-0001 entered 2 prompts of prd-agent, on 2026-01-12.

    Commits that changed it
      1970-01-01    <commit> by memory: Record 13 decisions
    ");
    let chapters = world.json("dec-1")["chapters"].clone();
    let edge_case = chapters.as_array().unwrap().iter().find(|c| c["part"] == "edge_case").unwrap();
    let told = edge_case["lines"][0]["text"].as_str().unwrap();
    assert!(told.ends_with(&format!("it became part of {}", cluster_id("dec-1"))), "{told}");
}

#[test]
fn a_tiebreak_is_told_with_its_decision() {
    insta::assert_snapshot!(World::new().says("dec-20"), @r"
    Outcome of dec-20

    dec-20: about the work of prd-agent
      2026-01-12    cem approved with changes at HITL-1: “Leave the criteria out”
                    feedback/decisions/HITL-1/2026/01/12/10/dec-20.yaml

    How it was classified
      2026-01-12    AMBIGUOUS (75 % sure): Nobody has asked for the like before.

    What it contradicts
      2026-01-12    cem said “Leave the criteria out” where ana said “Acceptance criteria are missing”:
                    Should stories have acceptance criteria?
                    feedback/ambiguous/resolved/dec-20.yaml
      2026-01-12    dora decided EDGE_CASE, saying “Only for spikes.”
                    feedback/reviews/2026/01/12/rev-34.yaml

    Commits that changed it
      1970-01-01    <commit> by memory: Record 13 decisions
    ");
}

#[test]
fn whatever_is_named_is_found() {
    let world = World::new();
    let found = |asked: &str| {
        let json = world.json(asked);
        let of = |key: &str| json[key].as_str().unwrap().to_owned();
        [of("kind"), of("id"), of("found_by")].join(" ")
    };
    assert_eq!(found("RULE-2026-0001"), "rule RULE-2026-0001 id");
    assert_eq!(found(" rule-2026-0001 "), "rule RULE-2026-0001 id");
    assert_eq!(found("* anything at all (RULE-2026-0001)"), "rule RULE-2026-0001 line_end");
    assert_eq!(found(&format!("- {SECOND}")), "rule RULE-2026-0001 same_text");
    assert_eq!(found("state acceptance criteria for every STORY"), "rule RULE-2026-0001 same_text");
    assert_eq!(found("State measurable criteria for every story, always"), "rule RULE-2026-0001 similar_text");
    let cluster = cluster_id("dec-1");
    assert_eq!(found(&cluster), format!("cluster {cluster} id"));
    assert_eq!(found("EDGE-2026-0001"), "edge_case EDGE-2026-0001 id");
    assert_eq!(found("rev-31"), "review rev-31 id");
    assert_eq!(found("dec-7"), "feedback dec-7 id");
}

#[test]
fn a_line_that_is_out_of_date_is_said_to_be() {
    let world = World::new();
    let note = |asked: &str| world.json(asked)["note"].as_str().unwrap().to_owned();
    assert_eq!(note(&format!("{SECOND} (RULE-2026-0001)")), "The line names RULE-2026-0001.");
    let old = format!("- {FIRST} (RULE-2026-0001)");
    assert_eq!(note(&old), "The line names RULE-2026-0001. It is version 1; the current one is version 2.");
    assert_eq!(
        note("Something else (RULE-2026-0001)"),
        "The line names RULE-2026-0001. No version of it has exactly this text."
    );
    assert_eq!(note(FIRST), "The line is a text of RULE-2026-0001. It is version 1; the current one is version 2.");
}

#[test]
fn a_cluster_an_edge_case_and_a_review_are_told() {
    let world = World::new();
    let parts = |asked: &str| {
        let json = world.json(asked);
        let parts = json["chapters"].as_array().unwrap().iter().map(|c| c["part"].as_str().unwrap().to_owned());
        parts.collect::<Vec<_>>().join(" ")
    };
    insta::assert_snapshot!(parts(&cluster_id("dec-1")), @r#"cluster remarks rule versions reviews prompts commits"#);
    insta::assert_snapshot!(parts("EDGE-2026-0001"), @r#"edge_case feedback class cluster rule versions reviews prompts commits"#);
    insta::assert_snapshot!(parts("rev-31"), @r#"review rule versions reviews proposal cluster remarks tiebreaks prompts commits"#);
    insta::assert_snapshot!(parts("rev-34"), @r#"review feedback class tiebreaks commits"#);
}

#[test]
fn without_the_index_it_says_the_same() {
    let world = World::new();
    let asked = ["RULE-2026-0001", "dec-3", "dec-20", "EDGE-2026-0001", "rev-31", FIRST];
    let before: Vec<_> = asked.iter().map(|a| (world.says(a), world.json(a))).collect();
    std::fs::remove_file(&world.files.path).unwrap();
    let (_, _, err) = world.run("RULE-2026-0001", &[]);
    assert!(err.contains("the index was not used"), "{err}");
    let after: Vec<_> = asked.iter().map(|a| (world.says(a), world.json(a))).collect();
    assert_eq!(before, after);
}

#[test]
fn the_rules_file_is_followed_between_directories() {
    let json = World::new().json("RULE-2026-0001");
    let commits = json["chapters"].as_array().unwrap().iter().find(|c| c["part"] == "commits").unwrap();
    let lines = commits["lines"].as_array().unwrap();
    let subject = |l: &Value| l["text"].as_str().unwrap().split(": ").nth(1).unwrap().to_owned();
    let subjects: Vec<_> = lines.iter().map(subject).collect();
    assert_eq!(subjects, ["Propose RULE-2026-0001", "Activate RULE-2026-0001"]);
}

#[test]
fn what_is_unknown_is_told_with_what_is_near() {
    let world = World::new();
    let told = |asked: &str| {
        let (exit, out, err) = world.run(asked, &[]);
        assert_eq!((exit, out.as_str()), (Exit::NotFound, ""), "{asked}");
        err
    };
    insta::assert_snapshot!(told("RULE-2026-0002"), @r#"
    error: there is no rule, feedback, cluster, one-off or review `RULE-2026-0002`
    hint: did you mean RULE-2026-0001? `feedbackd proposals list` and `feedbackd feedback list` show the ids
    "#);
    insta::assert_snapshot!(told("dec-99"), @r#"
    error: there is no rule, feedback, cluster, one-off or review `dec-99`
    hint: did you mean dec-9? `feedbackd proposals list` and `feedbackd feedback list` show the ids
    "#);
    insta::assert_snapshot!(told("Write a measurable summary for every single thing"), @r#"
    error: there is no rule with a text like `Write a measurable summary for every single thing`
    hint: did you mean RULE-2026-0001? `feedbackd proposals list` shows the ids
    "#);
    insta::assert_snapshot!(told("Use tabs (RULE-2026-0077)"), @r#"
    error: there is no rule with a text like `Use tabs (RULE-2026-0077)`
    hint: `feedbackd proposals list` shows the ids
    "#);
    assert_eq!(world.run("", &[]).0, Exit::NotFound);
}
