//! Invariants of rules, checked after each step, whatever people and time do in whatever order.

use super::{review, rule};
use crate::harness::run::{Run, decision};
use feedbackd::app::pipeline::ProcessedBatch;
use feedbackd::app::publication::outbox;
use feedbackd::app::queries::Queries;
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::{ProposalRecord, ReviewOutcome, RuleState};
use feedbackd::text::ids::CommitId;
use feedbackd::wiring;
use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const PEOPLE: [&str; 5] = ["ann", "bob", "cleo", "dora", "mallory"];
const REMARKS: [(&str, &str); 9] = [
    ("REJECTED", "Missing error handling in API handler"),
    ("REJECTED", "API handler lacks error handling"),
    ("REJECTED", "Please add error handling to the API handler"),
    ("APPROVED", "No error handling needed in the API handler"),
    ("REJECTED", "Add an index on the customer column"),
    ("REJECTED", "There is no index on the customer column"),
    ("REJECTED", "Add unit tests for the parser"),
    ("REJECTED", "The parser lacks unit tests"),
    ("APPROVED", ""),
];
const TEXTS: [&str; 3] = [
    "Handle every error that the API handler's calls can return.",
    "Describe the retries of every call to a provider.",
    "Cover each branch of the parser by a unit test.",
];
const ACTIVE: usize = 2;

#[derive(Clone, Debug)]
enum Step {
    /// People's comments, and kinds of review, each with a person, an index into the list of possible subjects, and a
    /// second one. All in one batch.
    Batch(Vec<(usize, usize)>, Vec<(usize, usize, usize, usize)>),
    Propose(usize),
    Wait(i64),
    EditRule(usize, usize),
    Restart,
    DropIndex,
}

fn step() -> impl Strategy<Value = Step> {
    let remark = (0..4usize, 0..REMARKS.len());
    let about = (0..10usize, prop::sample::select(vec![0, 1, 2, 2, 2, 3, 3, 3, 4]), 0..4usize, 0..8usize);
    prop_oneof![
        3 => prop::collection::vec(remark.clone(), 1..4).prop_map(|said| Step::Batch(said, Vec::new())),
        8 => prop::collection::vec(about.clone(), 1..4).prop_map(|reviews| Step::Batch(Vec::new(), reviews)),
        3 => (prop::collection::vec(remark, 1..3), prop::collection::vec(about, 1..4))
            .prop_map(|(said, reviews)| Step::Batch(said, reviews)),
        1 => (0..TEXTS.len()).prop_map(Step::Propose),
        2 => prop::sample::select(vec![1, 1, 1, 24, 24, 24 * 8, 24 * 15, 24 * 31]).prop_map(Step::Wait),
        1 => (0..8usize, 0..TEXTS.len()).prop_map(|(rule, text)| Step::EditRule(rule, text)),
        1 => Just(Step::Restart),
        1 => Just(Step::DropIndex),
    ]
}

/// The part of the working set that a person may see.
type Groups = BTreeMap<String, (BTreeSet<(String, bool)>, Option<String>, bool)>;

struct Machine {
    run: Run,
    sequence: usize,
    keys: BTreeSet<String>,
    /// The last published commit.
    cursor: Option<CommitId>,
    versions: BTreeMap<String, u32>,
    /// Feedback in the next batch.
    coming: Vec<String>,
}

impl Machine {
    fn new() -> Machine {
        let mut run = Run::new();
        run.config.rules.max_active_per_agent = ACTIVE;
        run.restart();
        run.approvers(&PEOPLE[..4]);
        let mut machine = Machine {
            run,
            sequence: 0,
            keys: BTreeSet::new(),
            cursor: None,
            versions: BTreeMap::new(),
            coming: Vec::new(),
        };
        machine.cursor = machine.run.pipeline.as_ref().unwrap().head().cloned();
        let processed = machine.run.tick();
        machine.took(&processed);
        machine.apply(Step::Batch((0..8).map(|n| (n % 2, n)).collect(), Vec::new()));
        machine.apply(Step::Wait(1));
        machine
    }

    fn id(&mut self) -> String {
        self.sequence += 1;
        format!("x{}", self.sequence)
    }

    fn pick<T: Clone>(list: &[T], at: usize) -> Option<T> {
        (!list.is_empty()).then(|| list[at % list.len()].clone())
    }

    fn rules(&self) -> Vec<String> {
        let name = |p: String| p.rsplit('/').next().unwrap().trim_end_matches(".yaml").to_owned();
        let mut ids: Vec<String> = self.run.paths(layout::RULES).into_iter().map(name).collect();
        ids.sort();
        ids.retain(|id| id.starts_with("RULE-"));
        ids
    }

    fn feedback(&self) -> Vec<String> {
        let name = |p: String| p.rsplit('/').next().unwrap().trim_end_matches(".yaml").to_owned();
        self.coming.iter().cloned().chain(self.run.paths(layout::DECISIONS).into_iter().map(name)).collect()
    }

    fn clusters(&self) -> Vec<String> {
        let memory = &self.run.pipeline.as_ref().unwrap().evaluator().remarks.groups;
        memory.clusters().filter(|(_, c)| !c.members.is_empty()).map(|(_, c)| c.id.clone()).collect()
    }

    fn event(&mut self, (kind, who, a, b): (usize, usize, usize, usize)) -> Option<Value> {
        let id = self.id();
        let (rules, feedback, clusters) = (self.rules(), self.feedback(), self.clusters());
        let rule = Self::pick(&rules, a);
        let about = |decision: &str, more: Value| {
            let mut event = review(&id, PEOPLE[who], decision, more);
            event["timestamp"] = json!(self.run.now.to_string());
            event
        };
        Some(match kind {
            0..=3 => about("APPROVE", json!({ "proposal_id": rule? })),
            4 => about("REJECT", json!({"proposal_id": rule?, "reason": "no"})),
            5 => {
                let text = TEXTS[b % TEXTS.len()];
                about("MODIFY", json!({"proposal_id": rule?, "modified_content": text, "reason": "clearer"}))
            }
            6 => about("RETIRE", json!({"proposal_id": null, "rule_id": rule?, "reason": "it confuses"})),
            7 => {
                let mut event = about("", json!({"feedback_id": Self::pick(&feedback, a)?, "rationale": "so it is"}));
                event.as_object_mut().unwrap().remove("decision");
                event["resolution"] = json!(["GENERALIZABLE", "EDGE_CASE", "IGNORE"][b % 3]);
                event
            }
            8 => match b % 5 {
                0 => about(
                    "MERGE_CLUSTERS",
                    json!({"from": Self::pick(&clusters, a)?, "into": Self::pick(&clusters, b)?, "reason": "same"}),
                ),
                1 => about(
                    "MOVE_FEEDBACK",
                    json!({"feedback_id": Self::pick(&feedback, a)?, "into": Self::pick(&clusters, b)?, "reason": "x"}),
                ),
                2 => about(
                    "SAME",
                    json!({"a": Self::pick(&feedback, a)?, "b": Self::pick(&feedback, b)?, "reason": "x"}),
                ),
                3 => about(
                    "KEEP_APART",
                    json!({"a": Self::pick(&clusters, a)?, "b": Self::pick(&feedback, b)?, "reason": "x"}),
                ),
                _ => {
                    let cluster = Self::pick(&clusters, b)?;
                    let memory = &self.run.pipeline.as_ref().unwrap().evaluator().remarks.groups;
                    let members = &memory.cluster(memory.find_cluster(&cluster).unwrap()).members;
                    let one = memory.member(members[a % members.len()]).id.clone();
                    about("SPLIT_CLUSTER", json!({"cluster_id": cluster, "feedback_ids": [one], "reason": "other"}))
                }
            },
            _ if b % 4 == 0 => about("RETRACT", json!({"reviewer": PEOPLE[a % 4], "reason": "a test"})),
            _ => about("RETRACT", json!({"feedback_id": Self::pick(&feedback, a)?, "reason": "a mistake"})),
        })
    }

    fn process(&mut self, events: &[(Value, bool)]) {
        let mut entries = Vec::new();
        for (event, is_review) in events {
            let mut entry = self.run.entry(event);
            if *is_review {
                entry.stream = "asdlc:events:meta_hitl_decisions".into();
                entry.kind = feedbackd::domain::intake::event::StreamKind::MetaHitl;
            }
            entries.push(entry);
        }
        let processed = self.run.process(&entries);
        self.took(&processed);
        let again = self.run.process(&entries);
        assert_eq!((again.commit, again.messages.len()), (None, 0), "a redelivery changes nothing");
    }

    /// Follows the store from its previous state to the batch's: each step gives the messages it was created with.
    fn took(&mut self, processed: &ProcessedBatch) {
        let Some(head) = self.run.pipeline.as_ref().unwrap().head().cloned() else { return };
        let pipeline = self.run.pipeline.as_ref().unwrap();
        for info in pipeline.store().commits(self.cursor.as_ref(), &head).unwrap() {
            let messages = outbox::messages(pipeline.store(), info.parent.as_ref(), &info.id).unwrap();
            if processed.commit.as_ref() == Some(&info.id) {
                assert_eq!(messages, processed.messages, "{}", info.id.0);
            }
            for message in messages {
                assert!(self.keys.insert(message.idempotency_key.clone()), "twice: {}", message.idempotency_key);
            }
        }
        self.cursor = Some(head);
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::Batch(remarks, reviews) => {
                let mut events = Vec::new();
                for (who, remark) in remarks {
                    let (verdict, text) = REMARKS[remark];
                    let id = self.id();
                    let text = Some(text).filter(|t| !t.is_empty());
                    let mut event = decision(&id, PEOPLE[who], verdict, text);
                    event["timestamp"] = json!(self.run.now.to_string());
                    self.coming.push(id);
                    events.push((event, false));
                }
                events.extend(reviews.into_iter().filter_map(|kind| Some((self.event(kind)?, true))));
                self.process(&events);
                self.coming.clear();
            }
            Step::Propose(text) => {
                let mut proposal = feedbackd::domain::testing::sample::proposal(1);
                proposal.rule_content = TEXTS[text].into();
                proposal.affected_agents = vec!["coding-agent".into(), "prd-agent".into()];
                proposal.cluster_id = String::new();
                // What is pending or in force is not proposed again.
                let stands = |id: &String| {
                    let (_, other) = rule(&self.run, id);
                    let living = other.status.in_force() || other.status.is_open();
                    living && other.rule_content == proposal.rule_content
                };
                if !self.rules().iter().any(stands) {
                    let (_, processed) = self.run.file_proposal(proposal);
                    self.took(&processed);
                }
            }
            Step::Wait(hours) => {
                self.run.now = self.run.now.checked_add(SignedDuration::from_hours(hours)).unwrap();
                let processed = self.run.tick();
                self.took(&processed);
            }
            Step::EditRule(at, text) => {
                let Some(id) = Self::pick(&self.rules(), at) else { return };
                let (path, record) = rule(&self.run, &id);
                if !(record.status.in_force() || record.status.is_open()) {
                    return;
                }
                let text = format!("{} See {}.", TEXTS[text], self.id());
                self.run.commit_file(&path, |file| {
                    let mut edited: ProposalRecord = feedbackd::text::yaml::parse(&file).unwrap();
                    edited.rule_content = text;
                    feedbackd::text::yaml::render(&edited).unwrap()
                });
                let processed = self.run.tick();
                self.took(&processed);
            }
            Step::Restart => self.comes_back(false),
            Step::DropIndex => self.comes_back(true),
        }
    }

    fn answers(&self) -> (Vec<ProposalRecord>, Vec<ProposalRecord>, Groups) {
        let pipeline = self.run.pipeline.as_ref().unwrap();
        let memory = &pipeline.evaluator().remarks.groups;
        let groups = memory.clusters().filter(|(_, c)| !c.members.is_empty()).map(|(_, cluster)| {
            let members = cluster.members.iter().map(|m| memory.member(*m)).map(|m| (m.id.clone(), m.tied)).collect();
            (cluster.id.clone(), (members, cluster.proposal.clone(), cluster.decided_by.is_some()))
        });
        let queries = Queries::new(pipeline.store(), pipeline.index());
        let proposed = queries.proposals(Some(RuleState::Proposed), None).unwrap();
        let proposed = proposed.into_iter().map(|rule| rule.record).collect();
        (pipeline.get_active_rules(None), proposed, groups.collect())
    }

    fn comes_back(&mut self, without_index: bool) {
        // Entries left by the last batch are read again.
        let processed = self.run.tick();
        self.took(&processed);
        let before = self.answers();
        self.run.pipeline = None;
        if without_index {
            std::fs::remove_dir_all(&self.run.config.state.dir).unwrap();
        }
        self.run.restart();
        similar_asserts(&before, &self.answers());
        let processed = self.run.tick();
        assert_eq!(processed.commit, None, "nothing new after coming back: {:?}", processed.counts);
        similar_asserts(&before, &self.answers());
    }

    fn holds(&mut self) {
        let ids = self.rules();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "each in one directory: {ids:?}");
        for id in ids {
            let (path, record) = rule(&self.run, &id);
            assert_eq!(path, layout::rule(&id, record.status));
            assert_eq!(record.earlier_versions.len() + 1, record.version as usize, "{id}: versions are kept");
            let last = self.versions.insert(id.clone(), record.version).unwrap_or_default();
            assert!(last <= record.version, "{id}");
            let times: Vec<_> = record.history.iter().map(|e| e.at).collect();
            assert!(times.is_sorted(), "{id}: {times:?}");
        }
        let pipeline = self.run.pipeline.as_ref().unwrap();
        for agent in ["coding-agent", "prd-agent"] {
            let active = pipeline.get_active_rules(Some(agent));
            assert!(active.iter().filter(|r| r.action_type.enters_prompt()).count() <= ACTIVE);
        }
        for path in self.run.paths(layout::REVIEWS) {
            let record: feedbackd::domain::records::record::ReviewRecord = self.run.read(&path);
            assert!(record.outcome != ReviewOutcome::Accepted || record.reviewer_id != "mallory");
        }
        if !self.sequence.is_multiple_of(3) {
            return;
        }
        let difference = wiring::reindexing(&self.run.config).unwrap().check().unwrap();
        assert!(difference.is_empty(), "{difference}");
    }
}

fn similar_asserts(
    before: &(Vec<ProposalRecord>, Vec<ProposalRecord>, Groups),
    after: &(Vec<ProposalRecord>, Vec<ProposalRecord>, Groups),
) {
    assert_eq!(before.2, after.2);
    assert_eq!(before.1, after.1);
    assert_eq!(before.0, after.0);
}

/// `RULES_CASES` sets how many stories are tried, `RULES_SEED` which ones.
#[test]
fn what_must_hold_holds_whatever_happens() {
    let number =
        |name: &str, otherwise: u32| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise);
    let mut seed = [7; 32];
    seed[..4].copy_from_slice(&number("RULES_SEED", 1).to_le_bytes());
    let config = Config {
        cases: number("RULES_CASES", 3),
        max_shrink_iters: 60,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let steps = prop::collection::vec(step(), 10..30);
    let outcome = runner.run(&steps, |steps| {
        let mut machine = Machine::new();
        for step in steps {
            machine.apply(step);
            machine.holds();
        }
        machine.comes_back(true);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
