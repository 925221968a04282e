//! Lists, and single records with what is linked to them. Nothing here compares comments.

use super::answers::{
    AmbiguousFile, ClassCount, ClusterPage, EdgeCaseFile, EdgeCaseFilter, FeedbackLine, FeedbackPage, RecordLocation,
    RetractedRule, Retraction, RuleFile, Status, Unreadable,
};
use super::error::{QueryError, not_found};
use super::nearest;
use super::rosters::{Rosters, chain, waits};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::purity::Purity;
use crate::domain::records::layout;
use crate::domain::records::record::Side;
use crate::domain::records::record::{
    AmbiguousRecord, AmbiguousStatus, ClusterRecord, DecisionRecord, EdgeCaseRecord, EdgeCaseStatus, FollowUpRecord,
    ProposalRecord, Registered,
};
use crate::domain::records::record::{Judged, ReviewOutcome, ReviewRecord, WAITS_FOR_PEOPLE};
use crate::domain::records::record::{RuleState, StopsRecord};
use crate::domain::rules::lifecycle::roster::Roster;
use crate::ports::{FeedbackFilter, Index, IndexedFeedback, StoreReader};
use crate::rules::approval_history::{ApprovalRequirements, KnownPast, Past, roster_at, stops_at};
use crate::text::ids::safe_name;
use crate::text::yaml;

/// Answers questions. Cheap to create: it only borrows.
#[derive(Clone, Copy)]
pub struct Queries<'a> {
    pub store: &'a dyn StoreReader,
    /// The index, whose commit the answers reflect.
    pub index: &'a dyn Index,
    /// Cached knowledge of the store's history; none for one-time queries.
    pub known: Option<&'a KnownPast>,
}

impl<'a> Queries<'a> {
    /// Creates queries on a store without cached history.
    pub fn new(store: &'a dyn StoreReader, index: &'a dyn Index) -> Queries<'a> {
        Queries { store, index, known: None }
    }
}

impl Queries<'_> {
    /// Returns the counts of everything and how far the index has got.
    pub fn status(&self, asked: &ApprovalRequirements) -> Result<Status, QueryError> {
        let head = self.store.head()?;
        let reflects = self.index.commit()?;
        let counts = self.index.counts()?;
        let (mut behind, mut last_commit) = (0, None);
        if let Some(head) = &head {
            let from = reflects.as_ref().filter(|at| *at != head);
            if from.is_some() || reflects.is_none() {
                behind = self.store.commits(from, head)?.len() as u64;
            }
            last_commit = Some(head.clone());
        }
        let classes = Classification::ALL.into_iter().zip(counts.by_class);
        let is_waiting =
            |c: &ClusterRecord| c.not_proposed.as_deref().is_some_and(|why| why.starts_with(WAITS_FOR_PEOPLE));
        let past = self.past(asked)?;
        let identity = past.as_ref().and_then(|past| past.identity.as_ref());
        Ok(Status {
            store_id: identity.map(|identity| identity.store_id.clone()),
            roster_waits: past.as_ref().and_then(|past| waits(past, asked)),
            head: last_commit,
            index: reflects,
            behind,
            feedback: counts.by_class.iter().sum(),
            classes: classes.map(|(class, count)| ClassCount { classification: class, count }).collect(),
            clusters: counts.clusters,
            pending_proposals: counts.pending_proposals,
            stops: self.stops()?,
            waiting_patterns: self.index.clusters()?.iter().filter(|c| is_waiting(c)).count() as u64,
            purity: self.purity()?,
            open_edge_cases: counts.open_edge_cases,
            open_ambiguous: counts.open_ambiguous,
            dead_letters: counts.dead_letters,
            unreadable: self.index.unreadable()?.into_iter().map(|(path, why)| Unreadable { path, why }).collect(),
        })
    }

    /// Returns the purity that people's answers imply for automatically built clusters; `None` if no answer concerns
    /// one.
    pub fn purity(&self) -> Result<Option<Purity>, QueryError> {
        let mut judged = Judged::default();
        let accepted = |review: &ReviewRecord| review.outcome == ReviewOutcome::Accepted;
        let reviews = self.index.reviews()?.into_iter().filter(|(_, review)| accepted(review));
        reviews.filter_map(|(_, review)| review.judged).for_each(|said| judged.add(said));
        Ok(judged.purity())
    }

    /// Returns a feedback record with everything linked to it. The id may also be the publisher's decision id.
    pub fn feedback_show(&self, id: &str) -> Result<FeedbackPage, QueryError> {
        let found = self.feedback(id)?;
        let record = self.decision(&found.path)?;
        let cluster = match &record.evaluation.cluster {
            Some(cluster) => self.cluster(cluster)?,
            None => None,
        };
        let proposed = record.evaluation.proposed_action.as_ref().map(|a| a.proposal_id.clone());
        let proposal = proposed.or_else(|| cluster.as_ref()?.proposal.clone());
        let edge_case = match &record.feedback.edge_case {
            Some(id) => self.edge_case(id)?,
            None => None,
        };
        let ambiguous = self.index.record::<AmbiguousRecord>(&found.id)?;
        Ok(FeedbackPage {
            path: found.path,
            cluster: cluster.map(located_cluster),
            proposal: match proposal {
                Some(id) => self.rule(&id)?,
                None => None,
            },
            edge_case,
            ambiguous: ambiguous.map(|(path, record)| RecordLocation { path, record }),
            follow_ups: {
                let mut all = self.follow_ups(&record.decision_id)?;
                if let Some(said) = &record.comment {
                    let its = |one: &RecordLocation<FollowUpRecord>| {
                        one.record.remark.as_ref() == Some(&said.comment.comment_id)
                    };
                    all.retain(|one| one.record.remark.is_none() || its(one));
                }
                all
            },
            record,
        })
    }

    /// Returns later forge comments about a decision, in chronological order.
    pub fn follow_ups(&self, decision_id: &str) -> Result<Vec<RecordLocation<FollowUpRecord>>, QueryError> {
        let mut found: Vec<RecordLocation<FollowUpRecord>> = Vec::new();
        for id in FollowUpRecord::decisions_of(decision_id) {
            found.extend(self.index.about(id, 0)?.into_iter().map(|(path, record)| RecordLocation { path, record }));
        }
        found.sort_by(|a, b| {
            (a.record.timestamp, &a.record.follow_up_id).cmp(&(b.record.timestamp, &b.record.follow_up_id))
        });
        Ok(found)
    }

    /// Returns the feedback that passes the filter, latest first.
    pub fn feedback_list(&self, filter: &FeedbackFilter) -> Result<Vec<FeedbackLine>, QueryError> {
        Ok(self.index.list(filter)?.into_iter().map(FeedbackLine::from).collect())
    }

    /// Returns the feedback whose text has all the words, best first.
    pub fn search(&self, words: &str, limit: usize) -> Result<Vec<FeedbackLine>, QueryError> {
        Ok(self.index.search(words, limit)?.into_iter().map(FeedbackLine::from).collect())
    }

    /// Returns all clusters, largest first; those of one agent if one is given.
    pub fn clusters(&self, agent: Option<&str>) -> Result<Vec<RecordLocation<ClusterRecord>>, QueryError> {
        let all = self.index.clusters()?.into_iter().filter(|c| agent.is_none_or(|a| a == c.agent));
        Ok(all.map(located_cluster).collect())
    }

    /// Returns one cluster with its members, latest first. `limit` 0 means all of them.
    pub fn cluster_show(&self, id: &str, limit: usize) -> Result<ClusterPage, QueryError> {
        let Some(cluster) = self.cluster(id)? else { return Err(self.no_record::<ClusterRecord>("cluster", id)?) };
        let members = FeedbackFilter { cluster: Some(id.to_owned()), limit, ..FeedbackFilter::default() };
        let proposal = match &cluster.proposal {
            Some(id) => self.rule(id)?,
            None => None,
        };
        Ok(ClusterPage { cluster: located_cluster(cluster), members: self.feedback_list(&members)?, proposal })
    }

    /// Returns proposals and rules, latest first, optionally of one state and one agent. Lists both what is pending
    /// review and what is in force for an agent (specification, "Learning: Meta-HITL").
    pub fn proposals(&self, state: Option<RuleState>, agent: Option<&str>) -> Result<Vec<RuleFile>, QueryError> {
        let mut all = self.rules()?;
        all.retain(|r| state.is_none_or(|s| s == r.state));
        all.retain(|r| agent.is_none_or(|a| r.record.affected_agents.iter().any(|x| x == a)));
        Ok(all)
    }

    /// Returns the roster file at the store's head; `None` if there is none. It need not be the one in force.
    pub fn roster(&self) -> Result<Option<Roster>, QueryError> {
        let Some(head) = self.store.head()? else { return Ok(None) };
        let Some(bytes) = self.store.read(&head, layout::ROSTER)? else { return Ok(None) };
        let unreadable = |message| QueryError::Unreadable { path: layout::ROSTER.to_owned(), message };
        Roster::parse(&String::from_utf8_lossy(&bytes)).map(Some).map_err(unreadable)
    }

    /// Returns the history; `None` if there is no commit.
    pub fn past(&self, asked: &ApprovalRequirements) -> Result<Option<Past>, QueryError> {
        let Some(head) = self.store.head()? else { return Ok(None) };
        let past = match self.known {
            Some(known) => known.at(self.store, &head, asked)?,
            None => Past::of(self.store, &head, asked, None)?,
        };
        Ok(Some(past))
    }

    /// Returns the store's rosters: in force, previous, and pending.
    pub fn rosters(&self, asked: &ApprovalRequirements) -> Result<Rosters, QueryError> {
        let mut rosters = Rosters::default();
        let (Some(past), Some(head)) = (self.past(asked)?, self.store.head()?) else { return Ok(rosters) };
        rosters.in_force = past.roster(self.store)?.map(|roster| roster.as_ref().clone()).unwrap_or_default();
        rosters.unreadable = roster_at(self.store, &head)?.err();
        (rosters.chain, rosters.waits) = (chain(&past), waits(&past, asked));
        Ok(rosters)
    }

    /// Returns the rules stopped at the store's head.
    pub fn stops(&self) -> Result<StopsRecord, QueryError> {
        Ok(stops_at(self.store, self.store.head()?.as_ref())?)
    }

    /// Returns one proposal or rule.
    pub fn proposal_show(&self, id: &str) -> Result<RuleFile, QueryError> {
        match self.rule(id)? {
            Some(found) => Ok(found),
            None => Err(self.no_record::<ProposalRecord>("proposal", id)?),
        }
    }

    /// Returns contradictions, latest first, including decided ones only on request.
    pub fn ambiguous_list(&self, agent: Option<&str>, decided: bool) -> Result<Vec<AmbiguousFile>, QueryError> {
        let all = self.index.ambiguous()?.into_iter().map(|(path, record)| RecordLocation { path, record });
        let wanted = |f: &AmbiguousFile| {
            (decided || f.record.status == AmbiguousStatus::Open) && agent.is_none_or(|a| a == f.record.agent)
        };
        Ok(all.filter(wanted).collect())
    }

    /// Returns one contradiction, by its feedback's id.
    pub fn ambiguous_show(&self, id: &str) -> Result<AmbiguousFile, QueryError> {
        let Some((path, mut record)) = self.index.record::<AmbiguousRecord>(id)? else {
            return Err(self.no_record::<AmbiguousRecord>("contradiction", id)?);
        };
        record.other_side = self.other_side(&record)?;
        Ok(RecordLocation { path, record })
    }

    /// Returns the other side of a contradiction. For comments less similar than patterns require, only the decision's
    /// record names it.
    pub fn other_side(&self, contradiction: &AmbiguousRecord) -> Result<Vec<Side>, QueryError> {
        if !contradiction.other_side.is_empty() {
            return Ok(contradiction.other_side.clone());
        }
        let mut sides = Vec::new();
        let Some(this) = self.index.feedback(&contradiction.feedback_id)? else { return Ok(sides) };
        let record = self.decision(&this.path)?;
        for cited in &record.evaluation.contradicts {
            let Some(other) = self.index.feedback(&cited.feedback_id)? else { continue };
            sides.push(Side {
                feedback_id: other.id,
                reviewer_id: other.reviewer,
                decision: other.verdict,
                timestamp: other.timestamp,
                direction: other.direction,
                text: other.text,
                similarity: Some(cited.similarity),
                record: other.path,
            });
        }
        Ok(sides)
    }

    /// Returns what withdrawing a reviewer's comments, or one feedback record, would affect.
    pub fn retraction(&self, reviewer: Option<&str>, feedback: Option<&str>) -> Result<Retraction, QueryError> {
        let found = match (reviewer, feedback) {
            (_, Some(id)) => vec![self.feedback(id)?],
            (reviewer, None) => self
                .index
                .list(&FeedbackFilter { reviewer: reviewer.map(str::to_owned), ..FeedbackFilter::default() })?,
        };
        if let (true, Some(reviewer)) = (found.is_empty(), reviewer) {
            return Err(QueryError::NotFound { what: "feedback by", id: reviewer.to_owned(), nearest: Vec::new() });
        }
        let ids: std::collections::HashSet<&str> = found.iter().map(|f| f.id.as_str()).collect();
        let clusters: std::collections::BTreeSet<String> = found.iter().filter_map(|f| f.cluster.clone()).collect();
        let mut rules = vec![];
        for rule in self.rules()? {
            let evidence = &rule.record.created_from_feedback_ids;
            let left = evidence.iter().filter(|id| !ids.contains(id.as_str())).count() as u64;
            let status = rule.record.status;
            if left < evidence.len() as u64 && (status.is_open() || status.in_force()) {
                rules.push(RetractedRule {
                    rule_id: rule.record.proposal_id.clone(),
                    status,
                    title: rule.record.title.clone(),
                    evidence_now: evidence.len() as u64,
                    evidence_left: left,
                });
            }
        }
        let feedback = found.into_iter().map(FeedbackLine::from).collect();
        Ok(Retraction { feedback, clusters: clusters.into_iter().collect(), rules })
    }

    /// Returns the first comments behind a proposal, in order.
    pub fn remarks_of(&self, rule: &RuleFile) -> Result<Vec<FeedbackLine>, QueryError> {
        const SHOWN: usize = 5;
        let ids = &rule.record.created_from_feedback_ids;
        self.feedback_lines(&ids[..ids.len().min(SHOWN)])
    }

    /// Returns the feedback with these ids, in their order; unknown ids are omitted.
    pub fn feedback_lines(&self, ids: &[String]) -> Result<Vec<FeedbackLine>, QueryError> {
        let found = ids.iter().map(|id| self.index.feedback(id)).collect::<Result<Vec<_>, _>>()?;
        Ok(found.into_iter().flatten().map(FeedbackLine::from).collect())
    }

    /// Returns one-offs, latest first.
    pub fn edge_cases_list(&self, filter: &EdgeCaseFilter) -> Result<Vec<EdgeCaseFile>, QueryError> {
        let mut all = self.edge_cases()?;
        all.retain(|e| filter.agent.as_deref().is_none_or(|a| a == e.record.agent));
        all.retain(|e| !filter.open_only || e.record.status == EdgeCaseStatus::Open);
        if filter.limit > 0 {
            all.truncate(filter.limit);
        }
        Ok(all)
    }

    /// Returns one one-off.
    pub fn edge_case_show(&self, id: &str) -> Result<EdgeCaseFile, QueryError> {
        match self.edge_case(id)? {
            Some(found) => Ok(found),
            None => Err(self.no_record::<EdgeCaseRecord>("edge case", id)?),
        }
    }

    /// Returns one-offs whose feedback has all the words, best first.
    pub fn edge_cases_search(&self, words: &str, filter: &EdgeCaseFilter) -> Result<Vec<EdgeCaseFile>, QueryError> {
        let all = self.edge_cases_list(&EdgeCaseFilter { limit: 0, ..filter.clone() })?;
        let mut by_feedback: std::collections::HashMap<String, Vec<EdgeCaseFile>> = std::collections::HashMap::new();
        for edge_case in all {
            by_feedback.entry(edge_case.record.feedback_id.clone()).or_default().push(edge_case);
        }
        let hits = self.index.search(words, 0)?.into_iter();
        let mut found: Vec<EdgeCaseFile> = hits.filter_map(|f| by_feedback.remove(&f.id)).flatten().collect();
        if filter.limit > 0 {
            found.truncate(filter.limit);
        }
        Ok(found)
    }

    pub(super) fn feedback(&self, id: &str) -> Result<IndexedFeedback, QueryError> {
        if let Some(found) = self.index.feedback(id)? {
            return Ok(found);
        }
        // A decision id that is not a safe name was replaced by one.
        if let Some(found) = self.index.feedback(&safe_name(id))? {
            return Ok(found);
        }
        let mut ids = vec![];
        self.index.each_feedback(&mut |f| {
            if nearest::worth_a_look(id, &f.id) {
                ids.push(f.id);
            }
        })?;
        Err(not_found("feedback", id, ids.iter().map(String::as_str)))
    }

    fn rules(&self) -> Result<Vec<RuleFile>, QueryError> {
        let mut all = self.index.proposals()?;
        all.sort_by(|(_, a), (_, b)| (b.created_at, &b.proposal_id).cmp(&(a.created_at, &a.proposal_id)));
        let all = all.into_iter();
        Ok(all.filter_map(|(path, record)| Some(RuleFile { state: RuleState::of(&path)?, path, record })).collect())
    }

    fn cluster(&self, id: &str) -> Result<Option<ClusterRecord>, QueryError> {
        Ok(self.index.record(id)?.map(|(_, record)| record))
    }

    fn rule(&self, id: &str) -> Result<Option<RuleFile>, QueryError> {
        let found = self.index.record(id)?;
        Ok(found.and_then(|(path, record)| Some(RuleFile { state: RuleState::of(&path)?, path, record })))
    }

    fn edge_case(&self, id: &str) -> Result<Option<EdgeCaseFile>, QueryError> {
        Ok(self.index.record(id)?.map(|(path, record)| RecordLocation { path, record }))
    }

    /// Builds a not-found error with similar ids.
    fn no_record<R: Registered>(&self, what: &'static str, id: &str) -> Result<QueryError, QueryError> {
        let ids = self.index.record_ids(R::KIND)?;
        Ok(not_found(what, id, ids.iter().map(String::as_str)))
    }

    fn edge_cases(&self) -> Result<Vec<EdgeCaseFile>, QueryError> {
        Ok(self.index.edge_cases()?.into_iter().map(|(path, record)| RecordLocation { path, record }).collect())
    }

    /// Returns the record of a decision, or of one of its comments.
    pub(crate) fn decision(&self, path: &str) -> Result<DecisionRecord, QueryError> {
        let (file, comment) = layout::file_and_comment(path);
        let record: DecisionRecord = self.record(file)?;
        let Some(comment) = comment else { return Ok(record) };
        let gone = || QueryError::Unreadable { path: path.to_owned(), message: "the comment is gone".into() };
        record.view(comment).ok_or_else(gone)
    }

    pub(crate) fn record<T: serde::de::DeserializeOwned>(&self, path: &str) -> Result<T, QueryError> {
        let unreadable = |message: String| QueryError::Unreadable { path: path.to_owned(), message };
        let text = self.text(path)?.ok_or_else(|| unreadable("the file is gone".into()))?;
        yaml::parse(&text).map_err(unreadable)
    }

    /// Returns a store file at the index's commit; `None` if it is gone.
    pub(crate) fn text(&self, path: &str) -> Result<Option<String>, QueryError> {
        let unreadable = |message: &str| QueryError::Unreadable { path: path.to_owned(), message: message.to_owned() };
        let commit = self.index.commit()?.ok_or_else(|| unreadable("the index reflects no commit"))?;
        let Some(content) = self.store.read(&commit, path)? else { return Ok(None) };
        String::from_utf8(content).map(Some).map_err(|_| unreadable("it is not UTF-8 text"))
    }
}

fn located_cluster(record: ClusterRecord) -> RecordLocation<ClusterRecord> {
    RecordLocation { path: layout::cluster(&record.cluster_id), record }
}
