//! Counts records, each once, in any order.
//!
//! Memory grows with agents, reviewers and quarters, with the themes of the last days and with pending items; not with
//! the number of decisions.

use super::channel_tally::ChannelTally;
use super::rate::{Durations, Quarter};
use super::*;
use crate::clusters::evaluation::Classification;
use crate::intake::feedback::is_comment;
use crate::intake::submission::ReviewAction;
use crate::records::record::{
    AlertKind, AlertRecord, AmbiguousRecord, AmbiguousStatus, EdgeCaseRecord, EdgeCaseStatus, ProposalRecord,
    ProposalStatus, ReviewOutcome, ReviewRecord,
};
use crate::records::record::{IterationRecord, RefinementRecord};
use crate::text::prose::line;
use crate::text::verdict::Verdict;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, HashSet};

/// The displayed length of a title.
const TITLE: usize = 80;

pub(super) const SECONDS_AN_HOUR: i64 = 3_600;

/// The countable data of one feedback.
#[derive(Clone, Copy, Debug)]
pub struct FeedbackFacts<'a> {
    /// The feedback's id.
    pub id: &'a str,
    /// Whether the decision, with all its comments, is a correction; for a comment, whether the comment is.
    pub corrects: bool,
    pub agent: &'a str,
    /// The reviewer.
    pub reviewer: &'a str,
    pub verdict: Verdict,
    /// Whether there is any text.
    pub has_words: bool,
    /// The class.
    pub classification: Classification,
    pub cluster: Option<&'a str>,
    /// When it was given.
    pub at: Timestamp,
    /// The review time in seconds.
    pub review_seconds: Option<u64>,
}

/// The counts so far.
#[derive(Clone, Debug)]
pub struct ReportTally {
    pub(super) scope: Scope,
    pub(super) limits: Limits,
    pub(super) cells: BTreeMap<String, BTreeMap<Quarter, Cell>>,
    pub(super) classes: [u64; 5],
    pub(super) durations: Durations,
    pub(super) habits: BTreeMap<String, HabitCounts>,
    pub(super) recent: BTreeMap<String, Recent>,
    pub(super) week: Week,
    pub(super) proposals: HashSet<String>,
    pub(super) decided: BTreeMap<Quarter, (u64, u64)>,
    pub(super) expired: u64,
    pub(super) to_rule: Vec<i64>,
    pub(super) waiting: Waiting,
    pub(super) tiebreaks: Waiting,
    pub(super) open: u64,
    pub(super) promoted: u64,
    pub(super) alerts: Vec<GapAlert>,
    pub(super) reviews: Reviews,
    pub(super) channels: ChannelTally,
}

/// An agent's counts in one quarter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub(super) decisions: u64,
    pub(super) corrections: u64,
    pub(super) edge_cases: u64,
}

/// A reviewer's counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HabitCounts {
    pub(super) reviews: u64,
    pub(super) long: u64,
    pub(super) approvals: u64,
    pub(super) stamps: u64,
}

/// An agent's counts of the last days.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent {
    pub(super) decisions: u64,
    pub(super) corrections: u64,
    pub(super) clusters: HashSet<String>,
    pub(super) alone: u64,
}

impl ReportTally {
    /// Creates an empty tally.
    pub fn new(scope: Scope, limits: Limits) -> ReportTally {
        let week = Week { from: scope.week_from.unwrap_or_default(), ..Week::default() };
        ReportTally {
            scope,
            limits,
            cells: BTreeMap::new(),
            classes: [0; 5],
            durations: Durations::default(),
            habits: BTreeMap::new(),
            recent: BTreeMap::new(),
            week,
            proposals: HashSet::new(),
            decided: BTreeMap::new(),
            expired: 0,
            to_rule: vec![],
            waiting: Waiting::default(),
            tiebreaks: Waiting::default(),
            open: 0,
            promoted: 0,
            alerts: vec![],
            reviews: Reviews::default(),
            channels: ChannelTally::default(),
        }
    }

    /// Counts one feedback.
    pub fn feedback(&mut self, f: FeedbackFacts<'_>) {
        if !self.is_ours(f.agent) || f.at > self.scope.at {
            return;
        }
        let correction = f.corrects;
        if is_comment(f.id) {
            return self.comment(&f);
        }
        // Recency does not depend on the report's start.
        if f.at >= self.days_ago(GAP_DAYS) {
            let recent = self.recent.entry(f.agent.to_owned()).or_default();
            recent.decisions += 1;
            recent.corrections += u64::from(correction);
            match f.cluster {
                Some(cluster) if correction && !recent.clusters.contains(cluster) => {
                    recent.clusters.insert(cluster.to_owned());
                }
                None if correction && f.has_words => recent.alone += 1,
                _ => {}
            }
        }
        if self.in_week(f.at) {
            self.week.decisions += 1;
            self.week.corrections += u64::from(correction);
        }
        if !self.counts(f.at) {
            return;
        }
        if !self.cells.contains_key(f.agent) {
            self.cells.insert(f.agent.to_owned(), BTreeMap::new());
        }
        if let Some(quarters) = self.cells.get_mut(f.agent) {
            let cell = quarters.entry(Quarter::of(f.at)).or_default();
            cell.decisions += 1;
            cell.corrections += u64::from(correction);
            cell.edge_cases += u64::from(correction && f.classification == Classification::EdgeCase);
        }
        if let Some(place) = Classification::ALL.iter().position(|c| *c == f.classification) {
            self.classes[place] += 1;
        }
        if let Some(seconds) = f.review_seconds {
            self.durations.add(seconds);
            if !self.habits.contains_key(f.reviewer) {
                self.habits.insert(f.reviewer.to_owned(), HabitCounts::default());
            }
            if let Some(habit) = self.habits.get_mut(f.reviewer) {
                let approved = f.verdict == Verdict::Approved;
                let stamp = approved && !f.has_words && seconds < self.limits.rubber_stamp_seconds;
                habit.reviews += 1;
                habit.long += u64::from(seconds > self.limits.long_review_seconds);
                habit.approvals += u64::from(approved);
                habit.stamps += u64::from(stamp);
            }
        }
    }

    /// Counts a comment; its decision, and whether that is a correction, is counted already.
    fn comment(&mut self, f: &FeedbackFacts<'_>) {
        if f.at >= self.days_ago(GAP_DAYS) && f.corrects {
            let recent = self.recent.entry(f.agent.to_owned()).or_default();
            match f.cluster {
                Some(cluster) if !recent.clusters.contains(cluster) => {
                    recent.clusters.insert(cluster.to_owned());
                }
                Some(_) => {}
                None => recent.alone += u64::from(f.has_words),
            }
        }
        if !self.counts(f.at) {
            return;
        }
        if let Some(place) = Classification::ALL.iter().position(|c| *c == f.classification) {
            self.classes[place] += 1;
        }
    }

    /// Counts a proposal or rule; must precede the reviews about it.
    pub fn proposal(&mut self, r: &ProposalRecord) {
        if !(self.scope.agent.is_none() || r.affected_agents.iter().any(|a| self.is_ours(a))) {
            return;
        }
        if self.scope.agent.is_some() {
            self.proposals.insert(r.proposal_id.clone());
        }
        if r.created_at > self.scope.at {
            return;
        }
        self.week.proposed += u64::from(self.in_week(r.created_at));
        let decided = r.decided_at.or(r.activated_at).or(r.ended_at).unwrap_or(r.created_at);
        let ended_by_nobody = r.status == ProposalStatus::Expired;
        if r.status == ProposalStatus::Pending || decided > self.scope.at {
            let item = self.item(&r.proposal_id, r.affected_agents.join(", "), &r.title, r.created_at);
            self.waiting.put(item);
        } else {
            let approved = r.status != ProposalStatus::Rejected && !ended_by_nobody;
            if self.in_week(decided) {
                let week = &mut self.week;
                let counted = match r.status {
                    ProposalStatus::Expired => &mut week.expired,
                    ProposalStatus::Rejected => &mut week.rejected,
                    _ => &mut week.approved,
                };
                *counted += 1;
            }
            if self.counts(decided) && ended_by_nobody {
                self.expired += 1;
            } else if self.counts(decided) {
                let (yes, all) = self.decided.entry(Quarter::of(decided)).or_default();
                *yes += u64::from(approved);
                *all += 1;
            }
        }
        if let Some(ended) = r.ended_at.filter(|_| r.activated_at.is_some()) {
            self.week.ended += u64::from(self.in_week(ended));
        }
        if let Some(active) = r.activated_at.filter(|at| *at <= self.scope.at) {
            self.week.activated += u64::from(self.in_week(active));
            if let Some(pattern) = r.pattern_since.filter(|_| self.counts(active)) {
                // Clocks differ: a rule is never in force before its pattern.
                self.to_rule.push((active.as_second() - pattern.as_second()).max(0));
            }
        }
    }

    /// Counts a review.
    pub fn review(&mut self, r: &ReviewRecord) {
        let about = match &r.action {
            ReviewAction::Approve { proposal_id }
            | ReviewAction::Reject { proposal_id }
            | ReviewAction::Modify { proposal_id, .. } => Some(proposal_id),
            ReviewAction::Retire { rule_id } | ReviewAction::RollBack { rule_id } => Some(rule_id),
            _ => None,
        };
        let ours = self.scope.agent.is_none() || about.is_some_and(|id| self.proposals.contains(id));
        if !ours || !self.counts(r.recorded_at) {
            return;
        }
        match (r.outcome, &r.refusal) {
            (ReviewOutcome::Accepted, _) => self.reviews.accepted += 1,
            (ReviewOutcome::Refused, refusal) => {
                self.reviews.refused += 1;
                let Some(code) = refusal.as_ref().map(|r| r.code) else { return };
                match self.reviews.refusals.iter_mut().find(|c| c.code == code) {
                    Some(counted) => counted.count += 1,
                    None => self.reviews.refusals.push(RefusalCount { code, count: 1 }),
                }
            }
        }
    }

    /// Counts a one-off.
    pub fn edge_case(&mut self, r: &EdgeCaseRecord) {
        if self.is_ours(&r.agent) && self.counts(r.timestamp) {
            match r.status {
                EdgeCaseStatus::Open => self.open += 1,
                EdgeCaseStatus::Promoted => self.promoted += 1,
            }
        }
    }

    /// Counts a contradiction. One decided after the report's point in time counts as pending.
    pub fn tiebreak(&mut self, r: &AmbiguousRecord) {
        let decided = r.status == AmbiguousStatus::Resolved && r.resolved_at.is_none_or(|at| at <= self.scope.at);
        if self.is_ours(&r.agent) && !decided && r.opened_at <= self.scope.at {
            let item = self.item(&r.feedback_id, r.agent.clone(), &r.question, r.opened_at);
            self.tiebreaks.put(item);
        }
    }

    /// Counts an alert; only capability gaps matter.
    pub fn alert(&mut self, r: &AlertRecord) {
        if r.kind == AlertKind::CapabilityGap && self.is_ours(&r.agent) && self.counts(r.raised_at) {
            self.alerts.push(GapAlert {
                alert_id: r.alert_id.clone(),
                agent: r.agent.clone(),
                raised_at: r.raised_at,
                message: line(&r.message, 200),
            });
        }
    }

    pub(super) fn is_ours(&self, agent: &str) -> bool {
        self.scope.agent.as_deref().is_none_or(|a| a == agent)
    }

    /// Reports whether a time is within the report's period.
    pub(super) fn counts(&self, at: Timestamp) -> bool {
        at <= self.scope.at && self.scope.since.is_none_or(|since| at >= since)
    }

    fn in_week(&self, at: Timestamp) -> bool {
        self.scope.week_from.is_some_and(|from| from <= at && at <= self.scope.at)
    }

    fn days_ago(&self, days: i64) -> Timestamp {
        self.scope.at.saturating_sub(SignedDuration::from_hours(24 * days)).unwrap_or(Timestamp::MIN)
    }

    fn item(&self, id: &str, agents: String, about: &str, since: Timestamp) -> WaitingItem {
        let hours = (self.scope.at.as_second() - since.as_second()).max(0) / SECONDS_AN_HOUR;
        WaitingItem { id: id.to_owned(), agents, about: line(about, TITLE), since, hours }
    }
}

impl Waiting {
    /// Keeps the oldest items.
    fn put(&mut self, item: WaitingItem) {
        self.count += 1;
        let place = self.oldest.partition_point(|x| (x.since, &x.id) < (item.since, &item.id));
        if place < LISTED {
            self.oldest.insert(place, item);
            self.oldest.truncate(LISTED);
        }
    }
}

impl ReportTally {
    /// Counts a review of an iteration.
    pub fn iteration(&mut self, r: &IterationRecord) {
        if self.is_ours(r.agent.as_deref().unwrap_or_default()) && self.counts(r.document.timestamp) {
            self.channels.iterations.add(&r.tracking);
        }
    }

    /// Counts a refined prompt.
    pub fn refinement(&mut self, r: &RefinementRecord) {
        if self.is_ours(r.agent.as_deref().unwrap_or_default()) && self.counts(r.timestamp) {
            r.feedback_log.iter().for_each(|entry| self.channels.refinements.record(entry));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample;
    use crate::testing::sample::moment;
    use proptest::prelude::*;

    fn report(order: &[u32]) -> Report {
        let scope = Scope { agent: None, since: None, at: moment(10_000), week_from: Some(moment(0)) };
        let mut tally = ReportTally::new(scope, Limits::default());
        for n in order {
            let agent = ["a", "b", "c"][*n as usize % 3];
            tally.feedback(FeedbackFacts {
                agent,
                reviewer: ["x", "y"][*n as usize % 2],
                verdict: if n.is_multiple_of(5) { Verdict::Approved } else { Verdict::Rejected },
                id: "d",
                corrects: !n.is_multiple_of(5),
                has_words: n % 7 > 0,
                classification: Classification::ALL[*n as usize % 5],
                cluster: Some("CLUSTER-a").filter(|_| n.is_multiple_of(4)),
                at: moment(n * 100),
                review_seconds: Some(u64::from(n * 50)),
            });
            tally.proposal(&sample::proposal(*n));
            tally.tiebreak(&sample::ambiguous(*n));
            tally.alert(&sample::alert(*n));
            tally.review(&sample::review(*n));
        }
        tally.finish()
    }

    proptest! {
        #[test]
        fn the_order_does_not_matter(order in Just((0..60).collect::<Vec<u32>>()).prop_shuffle()) {
            let sorted: Vec<u32> = (0..60).collect();
            prop_assert_eq!(report(&order), report(&sorted));
        }
    }

    #[test]
    fn lists_keep_the_oldest_and_count_all() {
        let r = report(&(0..60).rev().collect::<Vec<u32>>());
        assert_eq!((r.waiting.count, r.waiting.oldest.len()), (60, LISTED));
        assert_eq!(r.waiting.oldest[0].id, "RULE-2026-0000");
        assert_eq!((r.gaps.raised, r.gaps.alerts[0].alert_id.as_str()), (60, "gap-59"));
        assert_eq!(r.week.map(|w| (w.decisions, w.proposed)), Some((60, 60)));
    }
}
