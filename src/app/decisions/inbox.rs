//! The inbox: what is pending a person's decision, why, since when, and what an answer is worth.
//!
//! Read-only. Items that this person decided already or may not decide are not listed, only counted as pending for
//! others.

use super::questions::{QuestionContext, SHOWN};
use crate::domain::clusters::question::Inquiry;
use crate::domain::intake::submission::ROSTER;
use crate::domain::records::layout;
use crate::domain::records::record::{AmbiguousRecord, ClusterRecord, ProposalRecord, WAITS_FOR_PEOPLE};
use crate::domain::reporting::headline;
use crate::domain::reporting::inbox::worth;
use crate::domain::reporting::inbox::worth::{ProposalWorth, in_a_month};
use crate::domain::reporting::inbox::{Snooze, snoozes, turn};
use crate::domain::rules::lifecycle::quorum;
use crate::domain::rules::lifecycle::roster::Roster;
use crate::queries::{Queries, QueryError};
use crate::rules::approval_history::ApprovalRequirements;
use crate::text::prose::{capitalise, count, round};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

pub use crate::domain::reporting::inbox::{Changed, Evidence, Item, Kind, Progress, Section};

/// A smaller cluster is never called mixed.
const MIXED_FROM: u64 = 4;

/// Whose inbox.
#[derive(Clone, Copy, Debug, Default)]
pub struct Whose<'a> {
    /// A person's id on the roster; `None` for everything pending.
    pub who: Option<&'a str>,
    /// Only items about this agent; the roster applies to all.
    pub agent: Option<&'a str>,
}

/// Pending items.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Inbox {
    /// The person; `None` for everyone.
    pub who: Option<String>,
    /// Pending items: what is to be decided, questions, what can be tidied up; in each the most valuable first.
    pub items: Vec<Item>,
    /// Number of further items pending for others only.
    pub others: u64,
    /// Whether questions about comments were searched for.
    pub questions: bool,
    /// Whether questions for the current store are still being searched: ask again in a moment.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looking: bool,
    /// Why nothing can be pending for this person, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Pending items that someone snoozed, next to come back first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snoozed: Vec<SnoozedItem>,
}

/// A pending item that is in no inbox until a day.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SnoozedItem {
    /// Who snoozed it, and until when.
    pub snooze: Snooze,
    /// The item.
    #[serde(flatten)]
    pub item: Item,
}

/// Returns what is pending for a person, with the known questions.
///
/// # Errors
/// If store or index cannot be read.
pub fn with_questions(
    queries: &Queries<'_>,
    whose: Whose<'_>,
    asked: &ApprovalRequirements,
    known: &QuestionContext,
    now: Timestamp,
) -> Result<Inbox, QueryError> {
    let open = known.open(queries, whose.agent)?;
    let shown = open.as_deref().map(|open| &open[..open.len().min(SHOWN)]);
    Ok(Inbox { looking: !known.is_fresh, ..inbox(queries, whose, asked, shown, now)? })
}

/// Returns what is pending for a person. `questions` are the most valuable ones, as [`inquiries`] finds them with the
/// analyzer; `None` if they were not searched for.
///
/// [`inquiries`]: crate::pipeline::clusters::inquiries
///
/// # Errors
/// If store or index cannot be read.
pub fn inbox(
    queries: &Queries<'_>,
    whose: Whose<'_>,
    asked: &ApprovalRequirements,
    questions: Option<&[Inquiry]>,
    now: Timestamp,
) -> Result<Inbox, QueryError> {
    let rosters = queries.rosters(asked)?;
    let roster = &rosters.in_force;
    let mut found = InboxBuilder { whose, now, roster, min_approvals: asked.min_approvals, items: vec![], others: 0 };
    let all = queries.index.clusters()?;
    let groups: HashMap<&str, &ClusterRecord> = all.iter().map(|c| (c.cluster_id.as_str(), c)).collect();
    let rules: Vec<ProposalRecord> = queries.index.proposals()?.into_iter().map(|(_, record)| record).collect();
    let mut open = 0.0;
    for rule in &rules {
        open += found.proposal(rule, &groups);
    }
    rules.iter().for_each(|rule| found.flagged(rule, &rules, &groups));
    queries.ambiguous_list(whose.agent, false)?.iter().for_each(|f| found.contradiction(&f.record));
    let right = queries.purity()?.map_or(0.5, |purity| purity.share);
    all.iter().for_each(|group| found.mixed(group, right));
    for inquiry in questions.unwrap_or_default() {
        let since = times(queries, inquiry)?;
        found.question(inquiry, since);
    }
    if let Some(waits) = &rosters.waits {
        let brought = queries.store.history(&waits.commit, &[layout::ROSTER.to_owned()], 1)?;
        let since = brought.first().and_then(|commit| Timestamp::from_second(commit.seconds).ok()).unwrap_or(now);
        let missing = waits.missing.clone();
        let mine = whose
            .who
            .is_none_or(|who| roster.is_approver(who) && !waits.approvals.iter().any(|voice| voice.reviewer_id == who));
        let progress = Progress { have: waits.approvals.len(), needed: waits.needed };
        found.add(
            mine,
            Item {
                why: format!("who may decide changes: {missing}"),
                progress: Some(progress),
                completes: mine && whose.who.is_some() && progress.have + 1 >= progress.needed,
                content_hash: Some(waits.hash.clone()),
                ..item(Kind::RosterChange, ROSTER, "", &waits.changes.join("; "), since, worth::roster(open))
            },
        );
    }
    let note = whose.who.filter(|who| roster.find(who).is_none()).map(|who| {
        format!("{who} is not on the roster, so nothing is pending for {who}; `feedbackd roster show` lists who is")
    });
    let InboxBuilder { mut items, others, .. } = found;
    items.sort_by(|a, b| {
        let sections = a.kind.section().cmp(&b.kind.section());
        let worth = b.worth.total_cmp(&a.worth).then(a.since.cmp(&b.since));
        sections.then(worth).then_with(|| (a.kind, &a.id).cmp(&(b.kind, &b.id)))
    });
    let (items, snoozed) = apart(items, &snoozes(queries.index.reviews()?.iter().map(|(_, review)| review), now));
    Ok(Inbox {
        who: whose.who.map(str::to_owned),
        items,
        others,
        questions: questions.is_some(),
        looking: false,
        note,
        snoozed,
    })
}

/// Returns the snooze of an item that has been pending since `since`; `None` if it is not snoozed.
///
/// # Errors
/// If the index cannot be read.
pub fn snooze_of(
    queries: &Queries<'_>,
    item: &str,
    since: Timestamp,
    now: Timestamp,
) -> Result<Option<Snooze>, QueryError> {
    let reviews = queries.index.reviews()?;
    let snooze = snoozes(reviews.iter().map(|(_, review)| review), now).remove(item);
    Ok(snooze.filter(|snooze| since <= snooze.at))
}

/// Parts items from those that are snoozed. What changed since it was snoozed is pending again.
fn apart(items: Vec<Item>, snoozes: &BTreeMap<String, Snooze>) -> (Vec<Item>, Vec<SnoozedItem>) {
    let (mut pending, mut snoozed) = (Vec::new(), Vec::new());
    for item in items {
        match snoozes.get(&item.id).filter(|snooze| item.since <= snooze.at) {
            Some(snooze) => snoozed.push(SnoozedItem { snooze: snooze.clone(), item }),
            None => pending.push(item),
        }
    }
    snoozed.sort_by_key(|one| one.snooze.until);
    (pending, snoozed)
}

/// Items found so far, and for whom.
struct InboxBuilder<'a> {
    whose: Whose<'a>,
    now: Timestamp,
    roster: &'a Roster,
    min_approvals: u32,
    items: Vec<Item>,
    others: u64,
}

impl InboxBuilder<'_> {
    fn add(&mut self, mine: bool, item: Item) {
        if mine { self.items.push(item) } else { self.others += 1 }
    }

    fn is_wanted(&self, agents: &[String]) -> bool {
        self.whose.agent.is_none_or(|agent| agents.iter().any(|a| a == agent))
    }

    /// Reports whether this person may decide about comments and clusters: everyone on the roster may.
    fn may_teach(&self) -> bool {
        self.whose.who.is_none_or(|who| self.roster.find(who).is_some())
    }

    /// Returns the expected number of comments in a rule's clusters in 30 days.
    fn monthly(&self, rule: &ProposalRecord, groups: &HashMap<&str, &ClusterRecord>) -> f64 {
        let of = rule.clusters().filter_map(|id| groups.get(id));
        let monthly: f64 = of.map(|group| in_a_month(group.members, group.first_seen, self.now)).sum();
        // A cluster may have ended since; its comments are still the evidence.
        if monthly > 0.0 { monthly } else { in_a_month(rule.evidence_count, rule.created_at, self.now) }
    }

    /// Returns what the proposal is worth to the person deciding, which depends on the roster.
    fn proposal(&mut self, rule: &ProposalRecord, groups: &HashMap<&str, &ClusterRecord>) -> f64 {
        if !self.is_wanted(&rule.affected_agents) {
            return 0.0;
        }
        let Some(turn) = turn(rule, self.roster, self.min_approvals, self.whose.who) else { return 0.0 };
        let card = rule.card.as_ref();
        let worth = worth::offer(&ProposalWorth {
            monthly: self.monthly(rule, groups),
            confidence: rule.classification_confidence,
            wrongly: card.map_or(0, |card| card.would_fire_wrongly),
            approvals: card.map_or(0, |card| card.approvals),
            missing: turn.progress.needed.saturating_sub(turn.progress.have),
        });
        let since = rule.version_at.unwrap_or(rule.created_at);
        let agents = rule.affected_agents.join(", ");
        self.add(
            turn.waits,
            Item {
                why: turn.why,
                progress: Some(turn.progress),
                changed_since_approved: turn.changed,
                wrote_evidence: turn.wrote_evidence,
                completes: turn.completes,
                content_hash: Some(rule.content_hash.clone()),
                about: rule.target_rule.clone(),
                evidence: Some(evidence(rule, groups)),
                text: Some(rule.rule_content.clone()),
                ..item(Kind::Proposal, &rule.proposal_id, &agents, &rule.title, since, worth)
            },
        );
        worth
    }

    /// Adds a flagged rule, unless the proposal to retire it is open: then that one is pending.
    fn flagged(&mut self, rule: &ProposalRecord, all: &[ProposalRecord], groups: &HashMap<&str, &ClusterRecord>) {
        let Some(flag) = rule.flag.as_ref().filter(|_| rule.status.in_force()) else { return };
        let is_open =
            |other: &&ProposalRecord| other.status.is_open() && flag.proposal.as_ref() == Some(&other.proposal_id);
        if !self.is_wanted(&rule.affected_agents) || all.iter().any(|other| is_open(&other)) {
            return;
        }
        let mine = self.whose.who.is_none_or(|who| self.roster.is_approver(who));
        let (agents, worth) = (rule.affected_agents.join(", "), worth::flagged(self.monthly(rule, groups)));
        self.add(
            mine,
            Item {
                why: flag.reason.clone(),
                wrote_evidence: self.whose.who.is_some_and(|who| quorum::wrote(rule, who)),
                content_hash: Some(rule.content_hash.clone()),
                evidence: Some(evidence(rule, groups)),
                text: Some(rule.rule_content.clone()),
                ..item(Kind::FlaggedRule, &rule.proposal_id, &agents, &rule.title, flag.at, worth)
            },
        );
    }

    fn contradiction(&mut self, record: &AmbiguousRecord) {
        let sides = std::iter::once(&record.this_side).chain(&record.other_side);
        let first = sides.clone().map(|side| side.timestamp).min().unwrap_or(record.opened_at);
        let worth = worth::contradiction(in_a_month(sides.count() as u64, first, self.now));
        let why = match record.other_side.first() {
            Some(other) => format!(
                "{} says the opposite of what {} said; nothing is learned from it until this is decided",
                record.this_side.reviewer_id, other.reviewer_id
            ),
            None => record.question.clone(),
        };
        let title = headline(&record.this_side.text);
        self.add(
            self.may_teach(),
            Item {
                why,
                ..item(Kind::Contradiction, &record.feedback_id, &record.agent, &title, record.opened_at, worth)
            },
        );
    }

    /// Adds a cluster that is pending, or half of whose members resemble no other. One that people merged is not mixed.
    fn mixed(&mut self, group: &ClusterRecord, right: f64) {
        let decided = group.taught_by.is_some() || group.decided_by.is_some() || group.merged_into.is_some();
        if decided || group.proposal.is_some() || self.whose.agent.is_some_and(|agent| agent != group.agent) {
            return;
        }
        let waits = group.not_proposed.as_deref().filter(|why| why.starts_with(WAITS_FOR_PEOPLE));
        let unlike = group.members.saturating_sub(group.similar_members);
        let monthly = in_a_month(group.members, group.first_seen, self.now);
        let (why, worth) = match waits {
            Some(why) => (why.to_owned(), worth::mixed(monthly, right)),
            None if group.members >= MIXED_FROM && unlike * 2 >= group.members => (
                format!("{unlike} of its {} resemble no other one in it", count(group.members, "member")),
                worth::mixed(monthly, unlike as f64 / group.members as f64),
            ),
            None => return,
        };
        self.add(
            self.may_teach(),
            Item {
                why,
                evidence: Some(Evidence {
                    comments: group.members,
                    people: group.reviewer_count,
                    tasks: group.similar_tasks,
                }),
                ..item(
                    Kind::MixedGroup,
                    &group.cluster_id,
                    &group.agent,
                    &headline(&group.title),
                    group.last_seen,
                    worth,
                )
            },
        );
    }

    fn question(&mut self, inquiry: &Inquiry, (first, last): (Timestamp, Timestamp)) {
        let monthly = |remarks| in_a_month(remarks, first, self.now);
        let (agent, title, why, worth) = match inquiry {
            Inquiry::List(list) => (
                &list.agent,
                list.remarks.first().map_or("", |said| said.text.as_str()),
                format!("which of {} ask for the same?", count(list.remarks.len() as u64, "comment")),
                worth::question(monthly(list.remarks.len() as u64), list.gain.min(1.0)),
            ),
            // The smaller side is what gets merged.
            Inquiry::Pair(pair) => (
                &pair.agent,
                pair.a.remarks.first().map_or("", |said| said.text.as_str()),
                format!("does {} ask for the same as {}?", pair.a.id, pair.b.id),
                worth::question(monthly(pair.a.size.min(pair.b.size)), pair.probability),
            ),
        };
        if self.whose.agent.is_some_and(|wanted| wanted != agent.as_str()) {
            return;
        }
        self.add(
            self.may_teach(),
            Item {
                why: capitalise(&why),
                question: Some(inquiry.clone()),
                ..item(Kind::Question, &inquiry.id(), agent, &headline(title), last, worth)
            },
        );
    }
}

/// Returns what a rule rests on. The tasks are those of its clusters, as long as there are any.
fn evidence(rule: &ProposalRecord, groups: &HashMap<&str, &ClusterRecord>) -> Evidence {
    let tasks = rule.clusters().filter_map(|id| groups.get(id)).map(|group| group.similar_tasks).sum();
    Evidence { comments: rule.evidence_count, people: rule.reviewers.len() as u64, tasks }
}

/// Builds an item with the common fields only.
fn item(kind: Kind, id: &str, agent: &str, title: &str, since: Timestamp, worth: f64) -> Item {
    Item { since, worth: round(worth), ..Item::new(kind, id, agent, title) }
}

/// Returns when the first and the last of a question's comments were made.
fn times(queries: &Queries<'_>, inquiry: &Inquiry) -> Result<(Timestamp, Timestamp), QueryError> {
    let mut found = Vec::new();
    for said in inquiry.remarks() {
        found.extend(queries.index.feedback(&said.feedback_id)?.map(|feedback| feedback.timestamp));
    }
    let none = Timestamp::UNIX_EPOCH;
    Ok((found.iter().copied().min().unwrap_or(none), found.iter().copied().max().unwrap_or(none)))
}
