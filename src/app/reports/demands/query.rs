//! The index's figures with the quoted records.

use crate::domain::clusters::question::Inquiry;
use crate::domain::records::record::{AmbiguousStatus, ProposalRecord};
use crate::domain::reporting::demands::{
    Behind, DemandRule, DemandTally, Demands, Entry, FeedbackFacts, LeftOut, Opposed, Puzzle, Quote, Recurring, Trust,
    quote,
};
use crate::queries::{Queries, QueryError};
use crate::text::prose::{capitalise, count, line};
use jiff::Timestamp;
use std::collections::{BTreeSet, HashMap};

/// Default number of patterns shown.
pub const SHOWN: usize = 10;
/// Maximum pattern count.
pub const MOST: usize = 100;
/// How many single-person demands, and how many contradictions, are shown.
const FEWER: usize = 5;
/// How many repositories and agents are named.
const NAMED: usize = 100;
/// Maximum length of a demand as a heading and of a comment in a sentence, in characters.
const HEADING: usize = 160;
/// How many comments of a question are shown.
const IN_QUESTION: usize = 3;

/// Filter for demands. Empty options do not limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemandFilter {
    /// Only feedback from this repository of a forge.
    pub repository: Option<String>,
    /// Only feedback about this agent's work.
    pub agent: Option<String>,
    /// Start time, inclusive.
    pub since: Option<Timestamp>,
    /// End time, exclusive.
    pub until: Option<Timestamp>,
    /// How many patterns, at most [`MOST`].
    pub limit: usize,
}

impl Default for DemandFilter {
    fn default() -> Self {
        DemandFilter { repository: None, agent: None, since: None, until: None, limit: SHOWN }
    }
}

/// Returns what reviewers keep asking for. Questions come from [`puzzles`]; the caller adds what was left out.
///
/// # Errors
/// If store or index cannot be read.
pub fn demands(queries: &Queries<'_>, filter: &DemandFilter) -> Result<Demands, QueryError> {
    let groups = queries.index.clusters()?;
    let mut tally = DemandTally::new(&groups);
    let (mut repositories, mut agents) = (BTreeSet::new(), BTreeSet::new());
    queries.index.each_feedback(&mut |f| {
        let of = |wanted: &str| f.repository.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
        let wanted = filter.repository.as_deref().is_none_or(of)
            && filter.agent.as_ref().is_none_or(|agent| *agent == f.agent)
            && filter.since.is_none_or(|since| f.timestamp >= since)
            && filter.until.is_none_or(|until| f.timestamp < until);
        if wanted {
            tally.hear(&FeedbackFacts {
                id: &f.id,
                agent: &f.agent,
                reviewer: &f.reviewer,
                at: f.timestamp,
                classification: f.classification,
                group: f.cluster.as_deref(),
                demand: f.demand,
                has_words: !f.text.trim().is_empty(),
                comments: f.comments,
                mark: f.mark,
                withdrawn: f.retracted,
                task: f.task.as_deref(),
                repository: f.repository.as_deref(),
                file: f.file.as_deref(),
            });
        }
        for (name, names) in [(f.repository, &mut repositories), (Some(f.agent), &mut agents)] {
            if let Some(name) = name.filter(|name| names.len() < NAMED && !names.contains(name)) {
                names.insert(name);
            }
        }
    })?;
    let counted = tally.finish();
    let rules: HashMap<String, ProposalRecord> =
        queries.index.proposals()?.into_iter().map(|(_, record)| (record.proposal_id.clone(), record)).collect();
    let shown = |entries: &[Entry<'_>], most: usize| -> Result<(Vec<Recurring>, u64), QueryError> {
        let recurring = entries.iter().take(most).map(|entry| recurring(queries, entry, &rules));
        Ok((recurring.collect::<Result<_, _>>()?, entries.len().saturating_sub(most) as u64))
    };
    let (patterns, more_patterns) = shown(&counted.patterns, filter.limit.min(MOST))?;
    let (by_one, more_by_one) = shown(&counted.by_one, FEWER)?;
    let mut contradictions: Vec<Opposed> = Vec::new();
    let mut more_contradictions = 0;
    for (_, record) in queries.index.ambiguous()? {
        if record.status != AmbiguousStatus::Open || !counted.contradict.contains(&record.feedback_id) {
            continue;
        }
        if contradictions.len() == FEWER {
            more_contradictions += 1;
            continue;
        }
        let others = queries.other_side(&record)?;
        let other = others.first();
        contradictions.push(Opposed {
            text: line(&record.this_side.text, HEADING),
            reviewer_id: record.this_side.reviewer_id.clone(),
            other_text: other.map_or_else(String::new, |side| line(&side.text, HEADING)),
            other_reviewer_id: other.map_or_else(String::new, |side| side.reviewer_id.clone()),
            question: line(&record.question, HEADING),
            feedback_id: record.feedback_id,
            agent: record.agent,
        });
    }
    let trust = queries.purity()?.map(|purity| Trust {
        right: purity.right,
        wrong: purity.wrong,
        low: purity.interval.low,
        high: purity.interval.high,
    });
    let DemandFilter { repository, agent, since, until, .. } = filter.clone();
    Ok(Demands {
        of: Behind { repository, agent, since, until },
        read: counted.read,
        patterns,
        more_patterns,
        by_one,
        more_by_one,
        contradictions,
        more_contradictions,
        questions: None,
        trust,
        left_out: Vec::<LeftOut>::new(),
        repositories: repositories.into_iter().collect(),
        agents: agents.into_iter().collect(),
    })
}

/// Converts questions to the form shown here.
pub fn puzzles(inquiries: &[Inquiry]) -> Vec<Puzzle> {
    let puzzle = |inquiry: &Inquiry| {
        let remarks = inquiry.remarks();
        let question = match inquiry {
            Inquiry::List(_) => format!("which of {} ask for the same?", count(remarks.len() as u64, "comment")),
            Inquiry::Pair(_) => "do these ask for the same?".to_owned(),
        };
        Puzzle {
            id: inquiry.id(),
            question: capitalise(&question),
            remarks: remarks.iter().take(IN_QUESTION).map(|said| line(&said.text, HEADING)).collect(),
        }
    };
    inquiries.iter().map(puzzle).collect()
}

/// Returns a demand with its supporting comments.
fn recurring(
    queries: &Queries<'_>,
    entry: &Entry<'_>,
    rules: &HashMap<String, ProposalRecord>,
) -> Result<Recurring, QueryError> {
    let main = entry.groups.first();
    let rule = entry.groups.iter().find_map(|group| rules.get(group.proposal.as_deref()?));
    let title = main.map_or("", |group| group.title.as_str());
    let about =
        format!("{title} {}", rule.map_or_else(String::new, |rule| rule.title.clone() + " " + &rule.rule_content));
    let mut evidence: Vec<Quote> = Vec::new();
    for id in &entry.evidence {
        let Some(found) = queries.index.feedback(id)? else { continue };
        let record = queries.decision(&found.path)?;
        evidence.push(quote(&record, &about));
    }
    // A short comment is a better name than one of several comments.
    let shortest = evidence.iter().map(|quote| quote.text.as_str()).min_by_key(|text| text.len()).unwrap_or(title);
    Ok(Recurring {
        demand: line(rule.map_or(shortest, |rule| rule.title.as_str()), HEADING),
        agent: main.map_or_else(String::new, |group| group.agent.clone()),
        groups: entry.groups.iter().map(|group| group.cluster_id.clone()).collect(),
        confidence: main.map_or(0.0, |group| group.confidence),
        remarks: entry.remarks,
        people: entry.people,
        pull_requests: entry.pull_requests,
        tasks: entry.tasks,
        first: entry.first,
        last: entry.last,
        share: entry.share.clone(),
        periods: entry.periods.clone(),
        places: entry.places.clone(),
        rule: rule.map(|rule| DemandRule {
            rule_id: rule.proposal_id.clone(),
            text: rule.rule_content.clone(),
            state: rule.status.told().to_owned(),
            paths: rule.scope.paths.clone(),
        }),
        not_proposed: main.and_then(|group| group.not_proposed.clone()),
        more_evidence: entry.remarks.saturating_sub(evidence.len() as u64),
        evidence,
    })
}
