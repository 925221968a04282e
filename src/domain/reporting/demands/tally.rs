//! The count: each comment once, with the current clusters.

use super::answer::{Count, Period, Read, Share, Where};
use super::period::{Month, month, periods};
use crate::clusters::evaluation::Classification;
use crate::intake::feedback::{is_comment, whole_id};
use crate::intake::place::{PlaceKind, language};
use crate::intake::submission::Mark;
use crate::intake::voice::is_program;
use crate::interval::{CorrectionTally, rate};
use crate::records::record::ClusterRecord;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// Confidence level of a share's interval.
const SURE: f64 = 0.95;
/// How many of a person's comments are kept as evidence, latest first.
const KEPT: usize = 3;
/// How many kinds and files are named.
const NAMED: usize = 3;
/// The collective name of all programs.
const PROGRAMS: &str = "programs";

/// The counted parts of a feedback.
#[derive(Clone, Copy, Debug)]
pub struct FeedbackFacts<'a> {
    pub id: &'a str,
    pub agent: &'a str,
    pub reviewer: &'a str,
    pub at: Timestamp,
    pub classification: Classification,
    /// The cluster.
    pub group: Option<&'a str>,
    /// Whether it makes a demand.
    pub demand: bool,
    /// Whether it has any text.
    pub has_words: bool,
    /// Number of separate comments in the decision.
    pub comments: u32,
    /// Its mark by people or a model, if it teaches nothing.
    pub mark: Option<Mark>,
    /// Whether people withdrew it.
    pub withdrawn: bool,
    pub task: Option<&'a str>,
    /// The forge's repository.
    pub repository: Option<&'a str>,
    /// The file it is about, if it is a single one.
    pub file: Option<&'a str>,
}

/// Counts comments.
pub struct DemandTally<'g> {
    entries: Vec<Counting<'g>>,
    of_group: HashMap<&'g str, usize>,
    read: Read,
    people: HashSet<String>,
    pull_requests: HashSet<String>,
    tasks: HashSet<String>,
    by_agent: HashMap<String, u64>,
    months: Option<(Month, Month)>,
    contradict: HashSet<String>,
}

/// The resulting counts.
pub struct DemandCounts<'g> {
    pub read: Read,
    /// What several people ask for, most comments first.
    pub patterns: Vec<Entry<'g>>,
    /// What one person asks for repeatedly, in the same order.
    pub by_one: Vec<Entry<'g>>,
    /// The ids of contradicting feedback.
    pub contradict: HashSet<String>,
}

/// A recurring demand with its figures.
pub struct Entry<'g> {
    /// The clusters that ask for it, largest first.
    pub groups: Vec<&'g ClusterRecord>,
    pub remarks: u64,
    pub people: u64,
    pub pull_requests: u64,
    pub tasks: u64,
    pub first: Timestamp,
    pub last: Timestamp,
    pub share: Option<Share>,
    pub periods: Vec<Period>,
    pub places: Where,
    /// Feedback ids of the comments that show it, by as many people as possible.
    pub evidence: Vec<String>,
}

struct Counting<'g> {
    groups: Vec<&'g ClusterRecord>,
    is_pattern: bool,
    remarks: u64,
    /// The decisions whose overall text asks for it.
    decisions: HashSet<String>,
    by_person: BTreeMap<String, (u64, VecDeque<String>)>,
    pull_requests: HashSet<String>,
    tasks: HashSet<String>,
    first: Timestamp,
    last: Timestamp,
    months: BTreeMap<Month, u64>,
    about_files: u64,
    kinds: BTreeMap<&'static str, u64>,
    languages: BTreeMap<&'static str, u64>,
    files: BTreeMap<String, u64>,
}

impl<'g> DemandTally<'g> {
    /// Counts with these clusters. Those that share a proposal ask for the same.
    pub fn new(groups: &'g [ClusterRecord]) -> DemandTally<'g> {
        let (mut entries, mut of_group, mut of_rule) = (Vec::new(), HashMap::new(), HashMap::new());
        for group in groups.iter().filter(|group| group.merged_into.is_none() && group.members > 0) {
            let is_pattern = match group.classification {
                Classification::GeneralizableHigh => true,
                Classification::GeneralizableLow => false,
                _ => continue,
            };
            let known = group.proposal.as_deref().and_then(|rule| of_rule.get(rule).copied());
            let at = known.unwrap_or(entries.len());
            match known {
                Some(_) => {}
                None => entries.push(Counting::new(is_pattern)),
            }
            if let Some(rule) = &group.proposal {
                of_rule.insert(rule.as_str(), at);
            }
            entries[at].groups.push(group);
            entries[at].is_pattern |= is_pattern;
            of_group.insert(group.cluster_id.as_str(), at);
        }
        DemandTally {
            entries,
            of_group,
            read: Read::default(),
            people: HashSet::new(),
            pull_requests: HashSet::new(),
            tasks: HashSet::new(),
            by_agent: HashMap::new(),
            months: None,
            contradict: HashSet::new(),
        }
    }

    /// Counts one; they come in chronological order.
    pub fn hear(&mut self, said: &FeedbackFacts<'_>) {
        let read = &mut self.read;
        let is_comment = is_comment(said.id);
        if is_comment {
            read.comments += 1;
        } else {
            read.reviews += 1;
        }
        read.first = read.first.or(Some(said.at));
        read.last = Some(said.at);
        let month = month(said.at);
        self.months = Some(self.months.map_or((month, month), |(first, last)| (first.min(month), last.max(month))));
        if !is_program(said.reviewer) {
            insert(&mut self.people, said.reviewer);
        }
        if let Some(task) = said.task {
            insert(if said.repository.is_some() { &mut self.pull_requests } else { &mut self.tasks }, task);
        }
        if !is_comment {
            *self.by_agent.entry(said.agent.to_owned()).or_default() += 1;
            if said.comments > 0 && !said.has_words {
                // Its content is in its comments.
                return;
            }
        }
        let is_tied =
            matches!(said.classification, Classification::GeneralizableHigh | Classification::GeneralizableLow);
        let entry = said.group.filter(|_| is_tied).and_then(|group| self.of_group.get(group).copied());
        let figure = match (said.withdrawn, said.mark, said.classification, entry) {
            (true, ..) => &mut read.withdrawn,
            (_, Some(Mark::Nothing), ..) => &mut read.nothing,
            (_, Some(Mark::Particular), ..) => &mut read.particular,
            (_, _, Classification::Ambiguous, _) => {
                insert(&mut self.contradict, said.id);
                &mut read.contradict
            }
            (.., Some(entry)) => {
                let entry = &mut self.entries[entry];
                entry.hear(said, month);
                if entry.is_pattern { &mut read.shared } else { &mut read.by_one }
            }
            (_, _, Classification::Positive, _) => &mut read.nothing,
            _ if !said.has_words => &mut read.wordless,
            _ if !said.demand => &mut read.nothing,
            _ => &mut read.once,
        };
        *figure += 1;
    }

    /// Returns all figures.
    pub fn finish(mut self) -> DemandCounts<'g> {
        self.read.people = self.people.len() as u64;
        self.read.pull_requests = self.pull_requests.len() as u64;
        self.read.tasks = self.tasks.len() as u64;
        let (by_agent, months) = (&self.by_agent, self.months.unwrap_or_default());
        let heard = self.entries.into_iter().filter(|entry| entry.remarks > 0);
        let (mut patterns, mut by_one) = (Vec::new(), Vec::new());
        for counting in heard {
            let list = if counting.is_pattern { &mut patterns } else { &mut by_one };
            list.push(counting.finish(by_agent, months));
        }
        for list in [&mut patterns, &mut by_one] {
            list.sort_by(|a: &Entry<'_>, b| {
                let size = (b.remarks, b.people, b.last).cmp(&(a.remarks, a.people, a.last));
                size.then_with(|| a.id().cmp(b.id()))
            });
        }
        DemandCounts { read: self.read, patterns, by_one, contradict: self.contradict }
    }
}

impl Entry<'_> {
    fn id(&self) -> &str {
        self.groups.first().map_or("", |group| group.cluster_id.as_str())
    }
}

impl<'g> Counting<'g> {
    fn new(is_pattern: bool) -> Counting<'g> {
        Counting {
            groups: Vec::new(),
            is_pattern,
            remarks: 0,
            decisions: HashSet::new(),
            by_person: BTreeMap::new(),
            pull_requests: HashSet::new(),
            tasks: HashSet::new(),
            first: Timestamp::MAX,
            last: Timestamp::MIN,
            months: BTreeMap::new(),
            about_files: 0,
            kinds: BTreeMap::new(),
            languages: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }

    fn hear(&mut self, said: &FeedbackFacts<'_>, month: Month) {
        self.remarks += 1;
        insert(&mut self.decisions, whole_id(said.id));
        // All programs together count as one voice.
        let who = if is_program(said.reviewer) { PROGRAMS } else { said.reviewer };
        let (count, latest) = self.by_person.entry(who.to_owned()).or_default();
        *count += 1;
        latest.push_front(said.id.to_owned());
        latest.truncate(KEPT);
        if let Some(task) = said.task {
            insert(if said.repository.is_some() { &mut self.pull_requests } else { &mut self.tasks }, task);
        }
        self.first = self.first.min(said.at);
        self.last = self.last.max(said.at);
        *self.months.entry(month).or_default() += 1;
        if let Some(file) = said.file {
            self.about_files += 1;
            *self.files.entry(file.to_owned()).or_default() += 1;
            if let Some(kind) = PlaceKind::of(file) {
                *self.kinds.entry(kind.into()).or_default() += 1;
            }
            if let Some(language) = language(file) {
                *self.languages.entry(language).or_default() += 1;
            }
        }
    }

    fn finish(self, by_agent: &HashMap<String, u64>, (first, last): (Month, Month)) -> Entry<'g> {
        let decisions = self.groups.first().and_then(|group| by_agent.get(&group.agent).copied()).unwrap_or_default();
        let share = rate(CorrectionTally { corrections: self.decisions.len() as u64, decisions }, SURE);
        let share = share.map(|rate| Share {
            part: rate.tally.corrections,
            of: rate.tally.decisions,
            low: rate.interval.low,
            high: rate.interval.high,
        });
        let mut kinds = most(self.kinds);
        kinds.extend(most(self.languages));
        let files = most(self.files.into_iter().filter(|(_, count)| *count > 1));
        Entry {
            remarks: self.remarks,
            people: self.by_person.len() as u64,
            pull_requests: self.pull_requests.len() as u64,
            tasks: self.tasks.len() as u64,
            first: self.first,
            last: self.last,
            share,
            periods: periods(&self.months, first, last),
            places: Where { remarks: self.about_files, kinds, files },
            evidence: evidence(self.by_person),
            groups: self.groups,
        }
    }
}

/// Returns each person's latest comment, most active person first; then the one before that, and so on.
fn evidence(by_person: BTreeMap<String, (u64, VecDeque<String>)>) -> Vec<String> {
    let mut people: Vec<(u64, VecDeque<String>)> = by_person.into_values().collect();
    people.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let nth = |n: usize| people.iter().filter_map(move |(_, latest)| latest.get(n).cloned());
    (0..KEPT).flat_map(nth).take(KEPT).collect()
}

/// Returns the highest counts.
fn most<N: AsRef<str> + Ord>(counts: impl IntoIterator<Item = (N, u64)>) -> Vec<Count> {
    let mut counts: Vec<(N, u64)> = counts.into_iter().collect();
    counts.sort_by(|(a, some), (b, others)| others.cmp(some).then_with(|| a.cmp(b)));
    let named = counts.into_iter().take(NAMED);
    named.map(|(name, count)| Count { name: name.as_ref().to_owned(), count }).collect()
}

/// Adds a name to a set; most are already there.
fn insert(set: &mut HashSet<String>, name: &str) {
    if !set.contains(name) {
        set.insert(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample::{cluster, moment};

    fn heard(id: &str) -> FeedbackFacts<'_> {
        FeedbackFacts {
            id,
            agent: "prd-agent",
            reviewer: "ana",
            at: moment(1),
            classification: Classification::EdgeCase,
            group: None,
            demand: true,
            has_words: true,
            comments: 0,
            mark: None,
            withdrawn: false,
            task: Some("octo/shop#1"),
            repository: Some("octo/shop"),
            file: None,
        }
    }

    #[test]
    fn each_review_counts_in_one_figure() {
        let groups: Vec<ClusterRecord> = vec![cluster("dec-1")];
        let group = Some(groups[0].cluster_id.as_str());
        let mut tally = DemandTally::new(&groups);
        let high = Classification::GeneralizableHigh;
        for said in [
            FeedbackFacts { classification: high, group, file: Some("src/a.rs"), ..heard("dec-1") },
            FeedbackFacts { classification: high, group, reviewer: "ben", file: Some("src/a.rs"), ..heard("dec-2") },
            FeedbackFacts {
                classification: high,
                group,
                reviewer: "eslint",
                task: Some("T-1"),
                repository: None,
                ..heard("dec-3")
            },
            // In the cluster, but similar to none of it.
            FeedbackFacts { group, ..heard("dec-4") },
            FeedbackFacts { classification: Classification::Positive, demand: false, ..heard("dec-5") },
            FeedbackFacts { classification: Classification::Ambiguous, ..heard("dec-6") },
            FeedbackFacts { mark: Some(Mark::Particular), ..heard("dec-7") },
            FeedbackFacts { mark: Some(Mark::Nothing), ..heard("dec-8") },
            FeedbackFacts { withdrawn: true, classification: high, group, ..heard("dec-9") },
            FeedbackFacts { has_words: false, demand: false, ..heard("dec-10") },
            FeedbackFacts { demand: false, ..heard("dec-11") },
        ] {
            tally.hear(&said);
        }
        let found = tally.finish();
        let Read { reviews, shared, by_one, once, contradict, particular, nothing, wordless, withdrawn, .. } =
            found.read;
        assert_eq!(
            [shared, by_one, once, contradict, particular, nothing, wordless, withdrawn],
            [3, 0, 1, 1, 1, 3, 1, 1]
        );
        assert_eq!(reviews, 11, "all of them");
        assert_eq!((found.read.people, found.read.pull_requests, found.read.tasks), (2, 1, 1));
        assert_eq!(found.contradict.iter().collect::<Vec<_>>(), ["dec-6"]);
        let [pattern] = found.patterns.as_slice() else { panic!("one pattern") };
        assert_eq!((pattern.remarks, pattern.people, pattern.pull_requests, pattern.tasks), (3, 3, 1, 1));
        assert_eq!(pattern.evidence, ["dec-1", "dec-2", "dec-3"]);
        let share = pattern.share.as_ref().expect("there are reviews");
        assert_eq!((share.part, share.of), (3, 11));
        assert!(share.low > 0.05 && share.high < 0.6, "{share:?}");
        let places: Vec<String> =
            pattern.places.kinds.iter().map(|kind| format!("{} {}", kind.name, kind.count)).collect();
        assert_eq!((pattern.places.remarks, places.join(", ").as_str()), (2, "source 2, Rust 2"));
        assert_eq!(pattern.places.files, [Count { name: "src/a.rs".into(), count: 2 }]);
    }

    #[test]
    fn groups_with_one_proposal_are_one_demand() {
        let rule = Some("RULE-2026-0001".to_owned());
        let groups: Vec<ClusterRecord> = ["dec-1", "dec-9"]
            .into_iter()
            .map(|founder| ClusterRecord { proposal: rule.clone(), ..cluster(founder) })
            .collect();
        let mut tally = DemandTally::new(&groups);
        for (id, group) in [("dec-1", &groups[0]), ("dec-9", &groups[1])] {
            let group = Some(group.cluster_id.as_str());
            tally.hear(&FeedbackFacts { classification: Classification::GeneralizableHigh, group, ..heard(id) });
        }
        let found = tally.finish();
        assert_eq!((found.patterns.len(), found.patterns[0].remarks, found.patterns[0].people), (1, 2, 1));
        assert_eq!(found.patterns[0].evidence, ["dec-9", "dec-1"], "the latest first");
    }
}
