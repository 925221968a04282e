//! The effect of rules, from a store: the answer is the same with any index.

use crate::app::reindex::{commit, made, text};
use crate::harness::words;
use feedbackd::adapters::index::SqliteFiles;
use feedbackd::adapters::memory::MemoryStore;
use feedbackd::app::queries::reader::{CompareAccess, ReadAccess, ReindexAccess};
use feedbackd::app::reports::effectiveness::{MeasurePolicy, RuleEffect, answer, measure};
use feedbackd::cli::{CliError, Exit, Opener, Output, invoke};
use feedbackd::domain::clusters::evaluation::{ActionType, Classification};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::*;
use feedbackd::domain::rules::in_force::effect::EffectVerdict;
use feedbackd::domain::testing::sample::{self, decision_path};
use feedbackd::text::ids::{Gate, cluster_id};
use feedbackd::text::verdict::Verdict as Decided;
use jiff::{SignedDuration, Timestamp};
use std::path::Path;

const HOUR: u32 = 3_600;
const DAY: u32 = 24 * HOUR;
const ACTIVATED: u32 = 60 * DAY;

/// Returns an approval, or a correction in the rule's cluster.
fn decision(at: u32, corrects: bool) -> DecisionRecord {
    let mut r = sample::decision(at);
    r.decision = if corrects { Decided::Rejected } else { Decided::Approved };
    r.evaluation.classification = if corrects { Classification::GeneralizableHigh } else { Classification::Positive };
    r.evaluation.cluster = corrects.then(|| cluster_id("dec-1"));
    r
}

fn rule(n: u32, status: ProposalStatus) -> ProposalRecord {
    ProposalRecord { status, activated_at: Some(sample::moment(ACTIVATED)), ..sample::proposal(n) }
}

/// 100 decisions before, half of them corrected; 20 while it stabilizes; 120 after, every sixth corrected.
fn decisions() -> Vec<DecisionRecord> {
    let before = (0..100).map(|n| decision(n * 12 * HOUR, n % 2 == 0));
    let stabilizing = (0..20).map(|n| decision(ACTIVATED + n * HOUR, true));
    let after = (0..120).map(|n| decision(ACTIVATED + 7 * DAY + n * HOUR, n % 6 == 0));
    before.chain(stabilizing).chain(after).collect()
}

struct World {
    store: MemoryStore,
    files: SqliteFiles,
    _directory: tempfile::TempDir,
}

impl World {
    fn new(decisions: Vec<DecisionRecord>, rules: Vec<ProposalRecord>, injections: Vec<InjectionRecord>) -> World {
        let directory = tempfile::tempdir().unwrap();
        let files = SqliteFiles { path: directory.path().join("index.db"), made: made() };
        let mut store = MemoryStore::new();
        let decisions = decisions.into_iter().map(|r| (decision_path(&r), Stored::from(r)));
        let rules =
            rules.into_iter().map(|r| (format!("feedback/rules/active/{}.yaml", r.proposal_id), Stored::from(r)));
        let injections =
            injections.into_iter().map(|r| (layout::injection(r.timestamp, &r.injection_id), Stored::from(r)));
        let records: Vec<_> = decisions.chain(rules).chain(injections).map(|(p, r)| (p, text(&r))).collect();
        commit(&mut store, &records);
        World { store, files, _directory: directory }
    }

    fn measured(&self) -> Vec<RuleEffect> {
        let reading = self.reading(None).unwrap();
        answer(&reading.queries(), None, None, &MeasurePolicy::default(), now()).unwrap()
    }

    fn run(&self, line: &str) -> (Exit, String, String) {
        let (mut out, mut err) = (vec![], vec![]);
        let args = ["feedbackd"].into_iter().chain(line.split(' ')).map(Into::into);
        let exit = invoke(args, self, &mut Output::new(&mut out, &mut err, Some(80)));
        (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }
}

fn now() -> Timestamp {
    sample::moment(ACTIVATED + 90 * DAY)
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

    fn measuring(&self, _: Option<&Path>) -> Result<(MeasurePolicy, Timestamp), CliError> {
        Ok((MeasurePolicy::default(), now()))
    }

    fn reindexing(&self, _: Option<&Path>) -> Result<ReindexAccess, CliError> {
        let store = Box::new(self.store.clone());
        Ok(ReindexAccess { store, files: Box::new(self.files.clone()), understanding: words::understanding() })
    }
}

#[test]
fn with_the_index_deleted_it_says_the_same() {
    let world = World::new(decisions(), vec![rule(1, ProposalStatus::Active)], vec![]);
    let without = world.measured();
    let (_, text, notice) = world.run("rules effect RULE-2026-0001");
    assert!(notice.contains("the index was not used"), "{notice}");
    world.reindexing(None).unwrap().rebuild().unwrap();
    assert_eq!(world.measured(), without);
    assert_eq!(world.run("rules effect RULE-2026-0001"), (Exit::Ok, text.clone(), String::new()));
    insta::assert_snapshot!(text, @r"
    RULE-2026-0001: State acceptance criteria for every story

      verdict       helps
      why           Corrected 50 of 100 (50 %) before, 20 of 120 (17 %) after. That
                    is rarer than chance explains, based on 120 decisions.
      in force      since 2026-03-13 10:00 UTC, version 1, ACTIVE
      agents        prd-agent
      before        50 of 100 decisions: 50 %, probably 40 to 60 %
      after         20 of 120 decisions: 17 %, probably 11 to 24 %
      change        -33 points, probably -44 to -21
      set aside     20 decisions while it was stabilizing
      in prompts    effect +0.245 corrections saved per decision
      still asked   dec-6199200, dec-6177600, dec-6156000, dec-6134400, dec-6112800
    ");
    insta::assert_snapshot!(world.run("rules effect").1, @r"
    rule            verdict  before           after            n    agents
    RULE-2026-0001  helps    50 % (40 to 60)  17 % (11 to 24)  120  prd-agent
    ");
    let (_, json, _) = world.run("rules effect --json --agent prd-agent");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["verdict"], "helps");
    assert_eq!(json[0]["before"]["corrections"], 50);
    assert_eq!((&json[0]["exposures"], &json[0]["set_aside"]), (&120.into(), &20.into()));
    assert_eq!(world.run("rules effect --agent design-agent").1, "No rules in force.\n");
    let (exit, _, error) = world.run("rules effect RULE-2026-0002");
    assert_eq!(exit, Exit::NotFound);
    assert!(error.contains("there is no rule in force `RULE-2026-0002`"), "{error}");
}

#[test]
fn only_what_is_in_force_and_in_prompts_is_measured() {
    let check = ProposalRecord { action_type: ActionType::AddCheck, ..rule(3, ProposalStatus::Active) };
    let rules =
        [rule(1, ProposalStatus::Active), rule(2, ProposalStatus::Pending), check, rule(4, ProposalStatus::Flagged)];
    let world = World::new(decisions(), rules.to_vec(), vec![]);
    let reading = world.reading(None).unwrap();
    let found = measure(reading.queries().index, &rules, &MeasurePolicy::default(), now()).unwrap();
    assert_eq!(found.iter().map(|e| e.rule_id.as_str()).collect::<Vec<_>>(), ["RULE-2026-0001", "RULE-2026-0004"]);
}

#[test]
fn only_its_own_correction_within_its_scope_counts() {
    let mut decisions = decisions();
    for (n, d) in decisions.iter_mut().enumerate() {
        if d.evaluation.cluster.is_some() {
            d.evaluation.cluster = Some(if n % 4 == 0 { "CLUSTER-other".into() } else { "CLUSTER-merged".into() });
        }
    }
    decisions[0].gate = Gate::new(2).unwrap();
    let mut merged = rule(1, ProposalStatus::Active);
    merged.merged_clusters = vec!["CLUSTER-merged".into()];
    merged.scope.gates = vec![Gate::new(1).unwrap()];
    let found = World::new(decisions, vec![merged], vec![]).measured().remove(0);
    let before = found.assessment.before.unwrap().tally;
    assert_eq!((before.corrections, before.decisions), (25, 99));
}

#[test]
fn what_still_breaks_a_rule_is_named() {
    let mut decisions = decisions();
    decisions.extend((0..30).map(|n| decision(ACTIVATED + 20 * DAY + n * HOUR, true)));
    let found = World::new(decisions, vec![rule(1, ProposalStatus::Active)], vec![]).measured().remove(0);
    let last = format!("dec-{}", ACTIVATED + 20 * DAY + 29 * HOUR);
    assert_eq!((found.still_broken.len(), found.still_broken.first()), (50, Some(&last)));
}

/// Every other session omits the rule, and is corrected every time.
#[test]
fn prompts_without_it_are_compared_and_do_not_count_as_exposures() {
    let (mut decisions, mut injections) = (vec![], vec![]);
    decisions.extend((0..100).map(|n| decision(n * 12 * HOUR, n % 2 == 0)));
    for n in 0..80 {
        let without = n % 2 == 0;
        let mut d = decision(ACTIVATED + 8 * DAY + n * HOUR, without);
        d.session_id = Some(format!("session-{n}"));
        decisions.push(d);
        let mut injection = sample::injection(n);
        if without {
            injection.held_out = vec![injection.rules.remove(0).rule_id];
        }
        injections.push(injection);
    }
    let found = World::new(decisions, vec![rule(1, ProposalStatus::Active)], injections).measured().remove(0);
    let holdout = found.holdout.unwrap();
    let tally = |r: Option<feedbackd::domain::interval::Rate>| r.map(|r| (r.tally.corrections, r.tally.decisions));
    assert_eq!((tally(holdout.with), tally(holdout.without)), (Some((0, 40)), Some((40, 40))));
    assert!(holdout.change.unwrap().interval.high < -0.8);
    assert_eq!((found.assessment.exposures, found.assessment.verdict), (40, EffectVerdict::Helps));
    assert!(found.still_broken.is_empty());
}

#[test]
fn what_is_read_is_bounded() {
    let world = World::new(decisions(), vec![rule(1, ProposalStatus::Active)], vec![]);
    let reading = world.reading(None).unwrap();
    let policy = MeasurePolicy {
        most_before: 10,
        most_after: 30,
        before: SignedDuration::from_hours(24 * 30),
        ..MeasurePolicy::default()
    };
    let found = answer(&reading.queries(), None, None, &policy, now()).unwrap().remove(0).assessment;
    assert_eq!((found.before.unwrap().tally.decisions, found.set_aside, found.exposures), (10, 20, 10));
}
