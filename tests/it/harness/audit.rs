//! The audit after faults: what the gates sent, compared with the store, its history, the streams and the pending
//! lists.
//!
//! It works from outside, with git and Redis commands. Of the program it uses only the record types.

use super::daemon::{Site, git};
use super::redis::RedisServer;
use super::streams::{self, ALERTS, DEAD_LETTERS, DECISIONS, DISPATCHER, EVALUATED, Entry, PROPOSALS, RULES};
use feedbackd::domain::records::layout;
use feedbackd::domain::records::record::RuleState;
use feedbackd::domain::records::record::{
    AmbiguousRecord, ClusterRecord, DeadLetterRecord, DecisionRecord, EdgeCaseRecord, ProposalRecord, ReviewRecord,
};
use feedbackd::text::yaml;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};

/// What the gates sent.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// Ids of decisions, however often they were sent.
    pub decisions: BTreeSet<String>,
    /// Ids of reviews, however often they were sent.
    pub reviews: BTreeSet<String>,
    /// The number of undecodable entries; each has the field or text [`BROKEN`].
    pub broken: usize,
}

/// The mark of an undecodable entry.
pub const BROKEN: &str = "broken-on-purpose";

/// The final counts, for a test to report.
#[derive(Debug)]
pub struct Audited {
    pub decisions: usize,
    pub commits: usize,
    pub revisions: usize,
    pub clusters: usize,
    pub proposals: usize,
    pub reviews: usize,
    pub edge_cases: usize,
    pub ambiguous: usize,
    pub dead_letters: usize,
}

/// Checks everything. The daemon must have drained the streams and ended.
pub fn audit(redis: &RedisServer, site: &Site, ledger: &Ledger) -> Audited {
    for stream in streams::READ {
        assert_eq!(streams::pending(redis, stream), 0, "{stream} has pending entries");
    }
    let decisions: Vec<(String, DecisionRecord)> = records(site, layout::DECISIONS);
    check_decisions(ledger, &decisions);
    let edge_cases: Vec<(String, EdgeCaseRecord)> = records(site, layout::EDGE_CASES);
    check_edge_cases(&decisions, &edge_cases);
    let clusters: Vec<(String, ClusterRecord)> = records(site, layout::CLUSTERS);
    let proposals: Vec<(String, ProposalRecord)> = records(site, layout::RULES);
    check_clusters(&decisions, &clusters, &proposals);
    check_reviews(site, ledger);
    check_rules(redis, &proposals);
    let ambiguous: Vec<(String, AmbiguousRecord)> = records(site, layout::AMBIGUOUS);
    let dead_letters: Vec<(String, DeadLetterRecord)> = records(site, layout::DEAD_LETTERS);
    check_dead_letters(redis, ledger, &dead_letters);
    let history = History::read(site);
    history.check_numbers();
    let revisions = history.check_revisions();
    check_published(redis, &history);
    fsck(site);
    let said = site.run(&["reindex", "--check"]);
    assert_eq!(said.code, Some(0), "the index differs from the store: {said:?}");
    Audited {
        decisions: decisions.len(),
        commits: history.commits,
        revisions,
        clusters: clusters.len(),
        proposals: proposals.len(),
        reviews: ledger.reviews.len(),
        edge_cases: edge_cases.len(),
        ambiguous: ambiguous.len(),
        dead_letters: dead_letters.len(),
    }
}

/// Checks that Git finds no fault in the store.
pub fn fsck(site: &Site) {
    git(&site.store(), &["fsck", "--full", "--strict"]);
}

/// Returns all records of a kind at the head of the branch.
pub fn records<T: DeserializeOwned>(site: &Site, prefix: &str) -> Vec<(String, T)> {
    let yaml = |(path, text): (String, String)| path.ends_with(".yaml").then_some((path, text));
    site.files(prefix).into_iter().filter_map(yaml).map(|(path, text)| (path.clone(), read(&path, &text))).collect()
}

fn read<T: DeserializeOwned>(path: &str, text: &str) -> T {
    yaml::parse(text).unwrap_or_else(|error| panic!("{path}: {error}\n{text}"))
}

/// Checks that exactly the ledger's decisions each have one record.
fn check_decisions(ledger: &Ledger, decisions: &[(String, DecisionRecord)]) {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, record) in decisions {
        found.entry(&record.decision_id).or_default().push(path);
    }
    let lost: Vec<_> = ledger.decisions.iter().filter(|id| !found.contains_key(id.as_str())).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    let duplicated: Vec<_> = found.iter().filter(|(_, paths)| paths.len() > 1).collect();
    assert!(duplicated.is_empty(), "duplicated: {duplicated:?}");
    let invented: Vec<_> = found.keys().filter(|id| !ledger.decisions.contains(**id)).collect();
    assert!(invented.is_empty(), "nobody sent: {invented:?}");
}

/// Checks that a one-off and its decision name each other, and that no two decisions share one.
fn check_edge_cases(decisions: &[(String, DecisionRecord)], edge_cases: &[(String, EdgeCaseRecord)]) {
    let named: BTreeSet<(&str, &str)> = decisions
        .iter()
        .filter_map(|(_, d)| Some((d.feedback.edge_case.as_deref()?, d.feedback.feedback_id.as_str())))
        .collect();
    let there: BTreeSet<(&str, &str)> =
        edge_cases.iter().map(|(_, e)| (e.edge_case_id.as_str(), e.feedback_id.as_str())).collect();
    let alone: Vec<_> = named.symmetric_difference(&there).collect();
    assert!(alone.is_empty(), "edge cases and decisions that do not name each other: {alone:?}");
    let ids: BTreeSet<&str> = there.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids.len(), edge_cases.len(), "an edge case's number was given twice");
    for (path, record) in edge_cases {
        assert!(path.ends_with(&format!("/{}.yaml", record.edge_case_id)), "{path} is {}", record.edge_case_id);
    }
}

/// Checks that a cluster counts its members, and has at most one proposal.
fn check_clusters(
    decisions: &[(String, DecisionRecord)],
    clusters: &[(String, ClusterRecord)],
    proposals: &[(String, ProposalRecord)],
) {
    let mut members: BTreeMap<&str, u64> = BTreeMap::new();
    for cluster in decisions.iter().filter_map(|(_, d)| d.evaluation.cluster.as_deref()) {
        *members.entry(cluster).or_default() += 1;
    }
    let counted: BTreeMap<&str, u64> = clusters.iter().map(|(_, c)| (c.cluster_id.as_str(), c.members)).collect();
    assert_eq!(counted, members, "members as the clusters count them, and as the decisions name their clusters");
    let mut of_cluster: BTreeMap<&str, &str> = BTreeMap::new();
    for (path, proposal) in proposals {
        for cluster in std::iter::once(&proposal.cluster_id).chain(&proposal.merged_clusters) {
            let other = of_cluster.insert(cluster, &proposal.proposal_id);
            assert_eq!(other, None, "{cluster} has two proposals; one is {path}");
        }
    }
    let named: BTreeMap<&str, &str> =
        clusters.iter().filter_map(|(_, c)| Some((c.cluster_id.as_str(), c.proposal.as_deref()?))).collect();
    assert_eq!(named, of_cluster, "proposals as the clusters name them, and the clusters that proposals name");
}

/// Checks that exactly the ledger's reviews each have one record.
fn check_reviews(site: &Site, ledger: &Ledger) {
    let recorded: Vec<(String, ReviewRecord)> = records(site, layout::REVIEWS);
    assert_same("records of reviews", &ledger.reviews, recorded.into_iter().map(|(_, r)| r.review_id).collect());
}

/// Checks that every rule is in only the directory of its status, and that the agents' keys have exactly those in
/// force.
fn check_rules(redis: &RedisServer, rules: &[(String, ProposalRecord)]) {
    let mut at: BTreeMap<&str, &str> = BTreeMap::new();
    let mut in_force = BTreeSet::new();
    for (path, rule) in rules {
        let other = at.insert(&rule.proposal_id, path);
        assert_eq!(other, None, "{path} lies elsewhere too");
        assert_eq!(*path, layout::rule(&rule.proposal_id, rule.status));
        if rule.status.in_force() {
            let text = |agent: &String| (agent.clone(), rule.proposal_id.clone(), rule.rule_content.clone());
            in_force.extend(rule.affected_agents.iter().map(text));
        }
    }
    let keys = |name: &str| -> Vec<(String, String)> {
        let prefix = format!("asdlc:rules:{name}:");
        let keys: Vec<String> = redis.cli(&["KEYS", &format!("{prefix}*")]);
        keys.iter().map(|key| (key.trim_start_matches(&prefix).to_owned(), redis.cli(&["GET", key]))).collect()
    };
    let mut deployed = Vec::new();
    for (agent, list) in keys("active") {
        let list: Vec<serde_json::Value> = serde_json::from_str(&list).expect("a list");
        let text = |rule: &serde_json::Value, name: &str| rule[name].as_str().expect("text").to_owned();
        deployed.extend(list.iter().map(|r| (agent.clone(), text(r, "id"), text(r, "rule_content"))));
    }
    assert_same("rules in the agents' keys", &in_force, deployed);
    let prompts: BTreeMap<String, String> = keys("prompt").into_iter().collect();
    let agents: BTreeSet<String> = in_force.iter().map(|(agent, ..)| agent.clone()).collect();
    assert_same("sections of prompts", &agents, prompts.keys().cloned().collect());
    for (agent, id, _) in &in_force {
        assert!(prompts[agent].contains(id.as_str()), "{agent} is not told of {id}: {}", prompts[agent]);
    }
}

/// Checks that exactly the broken entries each have one record and one dead letter.
fn check_dead_letters(redis: &RedisServer, ledger: &Ledger, recorded: &[(String, DeadLetterRecord)]) {
    let mut sent = BTreeSet::new();
    for stream in [DECISIONS, DISPATCHER] {
        let is_broken = |entry: &Entry| entry.fields.iter().any(|(name, text)| (name.clone() + text).contains(BROKEN));
        let broken = streams::entries(redis, stream).into_iter().filter(is_broken);
        sent.extend(broken.map(|entry| (stream.to_owned(), entry.id)));
    }
    assert!(sent.len() >= ledger.broken, "{} broken entries of {}", sent.len(), ledger.broken);
    let source = |r: &DeadLetterRecord| (r.source.stream.clone(), r.source.entry_id.clone());
    let recorded: Vec<_> = recorded.iter().map(|(_, record)| source(record)).collect();
    assert_same("records of dead letters", &sent, recorded);
    let text = |data: &serde_json::Value, name: &str| data[name].as_str().expect("text").to_owned();
    let letters = streams::entries(redis, DEAD_LETTERS);
    let letters = letters.iter().map(Entry::data).map(|data| (text(&data, "stream"), text(&data, "entry_id")));
    assert_same("dead letters", &sent, letters.collect());
}

/// Checks that the streams have every message of the history, once.
fn check_published(redis: &RedisServer, history: &History) {
    let mut keys = Vec::new();
    for stream in [EVALUATED, PROPOSALS, RULES, ALERTS] {
        for entry in streams::entries(redis, stream) {
            keys.push(entry.key().to_owned());
        }
    }
    assert_same("published messages", &history.messages(), keys);
}

/// Checks that the list has each element of the set once, and nothing else.
fn assert_same<T: Ord + std::fmt::Debug>(what: &str, expected: &BTreeSet<T>, found: Vec<T>) {
    let mut sorted: Vec<&T> = found.iter().collect();
    sorted.sort();
    let twice: Vec<String> =
        sorted.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| format!("{:?}", pair[0])).collect();
    let found: BTreeSet<&T> = found.iter().collect();
    let expected: BTreeSet<&T> = expected.iter().collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    let extra: Vec<_> = found.difference(&expected).collect();
    assert!(missing.is_empty() && extra.is_empty(), "{what}: missing {missing:?}, nobody expects {extra:?}");
    assert!(twice.is_empty(), "{what}: there more than once: {twice:?}");
}

/// Every version of every record that was ever at the head of the branch, the oldest first.
struct History {
    commits: usize,
    versions: Vec<(String, String)>,
}

impl History {
    fn read(site: &Site) -> History {
        let log = site.git(&[
            "log",
            "--reverse",
            "--first-parent",
            "--no-renames",
            "--root",
            "--raw",
            "--no-abbrev",
            "-z",
            "--format=",
            "main",
            "--",
            layout::ROOT,
        ]);
        let (mut ids, mut paths) = (Vec::new(), Vec::new());
        let mut words = log.split('\0').map(str::trim_start).filter(|word| !word.is_empty());
        while let (Some(change), Some(path)) = (words.next(), words.next()) {
            // `:<mode> <mode> <blob before> <blob after> <A|M|D>`
            let after = change.split(' ').nth(3).unwrap_or_else(|| panic!("{change}"));
            if path.ends_with(".yaml") && after.bytes().any(|b| b != b'0') {
                ids.push(after.to_owned());
                paths.push(path.to_owned());
            }
        }
        let commits = site.git(&["rev-list", "--count", "main"]).trim().parse().expect("a number");
        History { commits, versions: paths.into_iter().zip(site.blobs(&ids)).collect() }
    }

    /// Checks that a number, once assigned, stays with its record.
    fn check_numbers(&self) {
        // A rule keeps its number across directories.
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let mut owners: BTreeMap<String, String> = BTreeMap::new();
        for (path, text) in &self.versions {
            let owner = if path.starts_with(layout::EDGE_CASES) {
                read::<EdgeCaseRecord>(path, text).feedback_id
            } else if path.starts_with(layout::RULES) {
                read::<ProposalRecord>(path, text).cluster_id
            } else {
                continue;
            };
            let first = owners.entry(name(path)).or_insert_with(|| owner.clone());
            assert_eq!(*first, owner, "the number of {path} was given twice");
        }
    }

    /// Checks that the revisions of each decision are 1, 2, 3 ... in this order. Returns their total number.
    fn check_revisions(&self) -> usize {
        let mut last: BTreeMap<&str, u32> = BTreeMap::new();
        for (path, record) in self.decisions() {
            let revision = record.evaluation.revision;
            let before = last.insert(path, revision).unwrap_or(0);
            assert!(revision == before + 1 || revision == before, "{path}: revision {revision} after {before}");
        }
        last.values().map(|revision| *revision as usize).sum()
    }

    fn decisions(&self) -> impl Iterator<Item = (&str, DecisionRecord)> {
        let decisions = self.versions.iter().filter(|(path, _)| path.starts_with(layout::DECISIONS));
        decisions.map(|(path, text)| (path.as_str(), read(path, text)))
    }

    /// Returns the idempotency keys that follow from it.
    fn messages(&self) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        for (_, record) in self.decisions() {
            keys.insert(format!("feedback_evaluated:{}:{}", record.feedback.feedback_id, record.evaluation.revision));
        }
        for (path, text) in &self.versions {
            if path.starts_with(layout::RULES) {
                let record: ProposalRecord = read(path, text);
                let event = match RuleState::of(path) {
                    Some(RuleState::Proposed) => "rule_proposal",
                    Some(RuleState::Active) => "rule_activated",
                    Some(RuleState::Rejected) => "rule_rejected",
                    Some(RuleState::Retired) => "rule_retired",
                    None => panic!("{path} is no rule"),
                };
                keys.insert(format!("{event}:{}:{}", record.proposal_id, record.version));
            } else if path.starts_with(layout::AMBIGUOUS) {
                keys.insert(format!("alert:ambiguous:{}", read::<AmbiguousRecord>(path, text).feedback_id));
            }
        }
        keys
    }
}
