//! One batch in the making: what is evaluated, what follows from it, and the files that change.
//!
//! Nothing here is durable, and nothing here touches the memory: a batch that fails is dropped whole.

#[path = "advice.rs"]
mod advising;
mod cards;
#[path = "hearing.rs"]
mod channels;
mod completing;
mod edge_cases;
#[path = "finish.rs"]
mod finishing;
#[path = "regrouping.rs"]
mod grouping;
mod judging;
mod proposing;
#[path = "reviews.rs"]
mod reviewing;
mod rules;
mod teaching;
mod withdrawing;

pub(in crate::app::pipeline) use finishing::Finished;

use crate::app::evaluator::{Added, Evaluator, Found, Judged, Near};
use crate::app::parallel;
use crate::app::pipeline::recent::Known;
use crate::app::pipeline::staging::Staging;
use crate::app::pipeline::state::State;
use crate::app::pipeline::{BatchCounts, Outside, PipelineError, Settings};
use crate::domain::grouping::evaluate::Judgement;
use crate::domain::grouping::evaluation::{Classification, Evaluation};
use crate::domain::grouping::{ClusterKey, Joined, Member, MemberKey};
use crate::domain::ids::short_hash;
use crate::domain::intake::capture::{CaptureContext, CorrectionInput, capture};
use crate::domain::intake::event::{HitlDecision, RawEntry, Rejection};
use crate::domain::intake::feedback::Feedback;
use crate::domain::language::similarity::Embedding;
use crate::domain::records::build;
use crate::domain::records::layout;
use crate::domain::records::record::{ClusterRecord, DeadLetterRecord, DecisionRecord, Registered, Stored};
use crate::ports::{CorrectionFiles, StoreReader};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(super) struct Batch<'a> {
    /// The memory as it shall be.
    state: State,
    /// Vectors of new remarks.
    added: Added,
    /// What was near to new remarks when they came.
    found: HashMap<MemberKey, Found>,
    outside: &'a Outside,
    settings: &'a Settings,
    now: Timestamp,
    /// The records that are written.
    staging: Staging,
    /// Rules that change, by id, with their paths in the store; the memory has them as they shall be.
    changed_rules: BTreeMap<String, Option<String>>,
    /// Tenants and agents whose open proposals need their cards made anew.
    stale_cards: BTreeSet<(String, String)>,
    /// Whether the memory must be loaded anew once this batch is durable.
    reload: bool,
    /// Corrections and reports, by path.
    texts: BTreeMap<String, String>,
    vectors: HashMap<String, Embedding>,
    /// Remarks whose class or cluster may have changed.
    unsettled: BTreeSet<MemberKey>,
    /// Groups that have a new member.
    touched: BTreeSet<ClusterKey>,
    /// Groups that lost members to others.
    left: BTreeSet<ClusterKey>,
    /// New feedback that says the opposite of what a group asks for.
    dissent: BTreeMap<ClusterKey, BTreeSet<String>>,
    counts: BatchCounts,
}

impl<'a> Batch<'a> {
    pub fn new(state: &State, outside: &'a Outside, settings: &'a Settings, now: Timestamp) -> Batch<'a> {
        Batch {
            state: state.clone(),
            added: Added::default(),
            found: HashMap::new(),
            outside,
            settings,
            now,
            staging: Staging::default(),
            changed_rules: BTreeMap::new(),
            stale_cards: BTreeSet::new(),
            reload: false,
            texts: BTreeMap::new(),
            vectors: HashMap::new(),
            unsettled: BTreeSet::new(),
            touched: BTreeSet::new(),
            left: BTreeSet::new(),
            dissent: BTreeMap::new(),
            counts: BatchCounts::default(),
        }
    }

    /// Whether a decision is recorded already.
    pub fn knows(&self, feedback_id: &str) -> bool {
        self.state.knows(feedback_id)
    }

    /// Records an entry that cannot be processed.
    pub fn reject(&mut self, entry: &RawEntry, rejection: &Rejection) -> Result<(), PipelineError> {
        // Lines of a file have no ids of their own: two files must not share their records.
        let replayed = entry.stream == crate::domain::intake::decode::REPLAY;
        let id = if replayed { format!("{}-{}", entry.id, fingerprint(entry)) } else { entry.id.clone() };
        let path = layout::dead_letter(&entry.stream, &id);
        if self.load::<DeadLetterRecord>(&path)?.is_none() {
            self.staging.put_at(path, build::dead_letter(entry, rejection));
        }
        Ok(())
    }

    /// Makes feedback of new decisions.
    pub fn capture_all(&self, decisions: Vec<HitlDecision>) -> Vec<Feedback> {
        let (files, context) = (self.outside.corrections.as_ref(), &self.settings.capture);
        parallel::map(decisions, |decision| capture_with(decision, files, context))
    }

    /// Evaluates and groups new feedback with its vectors, in its order.
    pub fn evaluate(&mut self, feedback: Vec<(Feedback, Option<Embedding>)>) -> Result<(), PipelineError> {
        for (feedback, vector) in feedback {
            self.state.know(&feedback.id);
            let path = layout::decision(feedback.decision.gate, feedback.decision.timestamp, &feedback.id);
            self.place(feedback, vector, path)?;
        }
        Ok(())
    }

    /// Writes what the groups, as they stand now, mean for the records of their members.
    pub fn settle(&mut self) -> Result<(), PipelineError> {
        for key in std::mem::take(&mut self.unsettled) {
            self.settle_member(key)?;
        }
        for key in std::mem::take(&mut self.touched) {
            let remarks = &self.state.remarks;
            let cluster = remarks.groups.cluster(key);
            let path = layout::cluster(&cluster.id);
            let mut after = build::cluster(cluster, &remarks.groups.representatives(key, 3), &remarks.policy);
            after.kept_apart = remarks.groups.kept_apart(&cluster.id).map(str::to_owned).collect();
            let before = match self.outside.recent.file(&path) {
                Some(known) => Some(known.clone()),
                None => self.load::<ClusterRecord>(&path)?,
            };
            if cluster.members.is_empty() && self.left.contains(&key) {
                // All of it belongs to other groups now, as its members' records say.
                if before.is_some() {
                    self.staging.remove(&path);
                }
                continue;
            }
            match before.as_ref().and_then(|known| ClusterRecord::of(&known.record)) {
                // A title that moved with every remark would help nobody, and people may have written a better one.
                Some(known) => {
                    after.title.clone_from(&known.title);
                    if cluster.members.is_empty() {
                        // Nobody is left to say whom it was about, and when.
                        after.tenant_id.clone_from(&known.tenant_id);
                        after.agent.clone_from(&known.agent);
                        (after.first_seen, after.last_seen) = (known.first_seen, known.last_seen);
                    }
                }
                None => self.counts.clusters_opened += 1,
            }
            if let Some(before) = before {
                self.staging.hold(path, before);
            }
            self.staging.put(after);
        }
        Ok(())
    }

    fn capture(&self, decision: HitlDecision) -> Feedback {
        capture_with(decision, self.outside.corrections.as_ref(), &self.settings.capture)
    }

    /// Understands those that can be compared: each is told what it demands, and its vector is returned.
    pub fn understand(&self, feedback: Vec<Feedback>) -> Result<Vec<(Feedback, Option<Embedding>)>, PipelineError> {
        let understanding = self.outside.understanding.as_ref();
        understanding.prepare(&mut feedback.iter().filter_map(Feedback::compared_text))?;
        let understood = parallel::map(feedback, |mut feedback| {
            let understood = understanding.feedback(&feedback)?;
            let vector = understood.map(|understood| understood.told(&mut feedback));
            Ok((feedback, vector))
        });
        understood.into_iter().collect()
    }

    /// Finds a feedback its place; its record at `path` is staged where it is new. What is in a group, or may be, is
    /// evaluated once all of the batch have their places.
    fn place(&mut self, feedback: Feedback, vector: Option<Embedding>, path: String) -> Result<(), PipelineError> {
        let mut judged = self.evaluator().judge(&feedback, vector.as_ref(), &path)?;
        let (revision, earlier) = match self.staging.get::<DecisionRecord>(&path) {
            Some(record) => (record.evaluation.revision, Some(record.evaluation.classification)),
            None => (0, None),
        };
        let member = judged.member.take();
        let waits = member.is_some() && judged.judgement == Judgement::Correction;
        let mut evaluation = if waits {
            Evaluation::undecided(revision + 1, self.now)
        } else {
            self.evaluator().evaluate_alone(&feedback, &judged, revision + 1, self.now)
        };
        if judged.judgement == Judgement::Contradiction {
            self.open_tiebreak(&feedback, &judged, &path);
        }
        let comparable = member.is_some();
        if let Some(member) = member {
            let (key, joined) = self.join(member, &judged);
            self.state.remarks.groups.note_evaluation(key, evaluation.classification, revision);
            if waits {
                evaluation.cluster = joined.cluster.map(|c| self.state.remarks.groups.cluster(c).id.clone());
                self.mark(key, &joined);
            }
            self.found.insert(key, judged.same);
        }
        if let Some(vector) = vector {
            self.vectors.insert(feedback.id.clone(), vector);
        }
        // What another stream completed was counted before, as what it was then.
        self.state.note_verdict(&feedback.tenant, &feedback.agent, evaluation.classification, earlier);
        let needs_edge_case = !comparable && evaluation.classification == Classification::EdgeCase;
        match self.staging.get_mut::<DecisionRecord>(&path) {
            Some(record) => record.evaluation = evaluation,
            None => {
                let (record, diff) = build::decision(&feedback, evaluation);
                if let (Some(diff), Some(stored)) = (diff, &record.feedback.correction) {
                    self.texts.insert(stored.path.clone(), diff);
                }
                self.staging.put_at(path.clone(), record);
            }
        }
        if needs_edge_case {
            self.open_edge_case(&path);
        }
        Ok(())
    }

    /// Takes a remark up among the others: in a group, alone, or waiting for a person.
    fn join(&mut self, mut member: Member, judged: &Judged) -> (MemberKey, Joined) {
        let policy = self.state.remarks.policy;
        let groups = &mut self.state.remarks.groups;
        self.added.add(groups.next_key(), &member, self.outside.knowledge.as_ref());
        if judged.judgement == Judgement::Contradiction {
            member.classification = Classification::Ambiguous;
            return (groups.restore(member, None), Joined::default());
        }
        let near: Found = judged.same.iter().map(|(key, s)| (*key, policy.calibration.cosine(*s))).collect();
        groups.join(member, &near, &policy)
    }

    /// Looks things up in the memory as it shall be.
    pub(super) fn evaluator(&self) -> Evaluator<'_> {
        let near = Near { knowledge: self.outside.knowledge.as_ref(), added: Some(&self.added) };
        Evaluator { remarks: &self.state.remarks, near }
    }

    /// Notes which remarks a new one may have changed.
    fn mark(&mut self, key: MemberKey, joined: &Joined) {
        self.unsettled.insert(key);
        self.unsettled.extend(&joined.moved);
        for left in &joined.left {
            self.touched.insert(*left);
            self.left.insert(*left);
            self.unsettled.extend(&self.state.remarks.groups.cluster(*left).members);
        }
        let Some(cluster) = joined.cluster else { return };
        // One more remark may say it clearly enough to become a rule.
        self.state.remarks.groups.cluster_mut(cluster).not_proposed = None;
        self.touched.insert(cluster);
        if joined.reclassified {
            let groups = &self.state.remarks.groups;
            self.unsettled.extend(groups.cluster(cluster).members.iter().filter(|m| groups.member(**m).tied));
        }
    }

    /// Brings one remark's record up to what its group means now.
    fn settle_member(&mut self, key: MemberKey) -> Result<(), PipelineError> {
        let member = self.state.remarks.groups.member(key).clone();
        if member.withdrawn {
            // Its record says so, and who did it.
            return Ok(());
        }
        // Somebody removed the record, or made it unreadable: what people do stands.
        let Some(record) = self.open::<DecisionRecord>(&member.path)?.cloned() else { return Ok(()) };
        let before = self.staging.before::<DecisionRecord>(&member.path);
        let written = before.map(|before| &before.evaluation);
        let revision = written.map_or(0, |w| w.revision) + 1;
        let evaluation = self.evaluator().evaluate(key, self.found.get(&key), revision, self.now)?;
        if let Some(written) = written
            && written.classification == evaluation.classification
            && written.cluster == evaluation.cluster
            && *written == record.evaluation
        {
            // Nothing new is to be said of it, but another stream may have completed it.
            return Ok(());
        }
        let completed = before.is_some_and(|before| before.text() != record.text());
        let classification = evaluation.classification;
        self.state.remarks.groups.note_evaluation(key, classification, evaluation.revision);
        if !self.vectors.contains_key(&member.id) {
            self.vectors.insert(member.id.clone(), member.vector.clone());
        }
        // A remark that came with a second stream: its record opened an edge case before it could be compared.
        let edge_case = member.edge_case.clone().or_else(|| record.feedback.edge_case.clone());
        self.staging.put_at(member.path.clone(), DecisionRecord { evaluation, ..record });
        match (classification, edge_case) {
            (Classification::EdgeCase, None) => {
                let id = self.open_edge_case(&member.path);
                self.state.remarks.groups.note_edge_case(key, id);
            }
            (Classification::EdgeCase, Some(id)) => {
                if completed {
                    self.retell_edge_case(&id, &member.path)?;
                }
                self.state.remarks.groups.note_edge_case(key, Some(id));
            }
            (_, Some(id)) => {
                if completed {
                    self.retell_edge_case(&id, &member.path)?;
                }
                self.promote_edge_case(&id, &member)?;
                self.state.remarks.groups.note_edge_case(key, Some(id));
            }
            (_, None) => {}
        }
        Ok(())
    }

    fn open_tiebreak(&mut self, feedback: &Feedback, judged: &Judged, path: &str) {
        let evaluator = self.evaluator();
        let opposing = evaluator.neighbours(&judged.opposing);
        let policy = &evaluator.remarks.policy;
        let record = build::ambiguous(feedback, path, &opposing, policy, self.now);
        let groups = opposing.iter().filter(|n| n.similarity >= policy.similar_at);
        let groups: Vec<ClusterKey> = groups.filter_map(|n| n.member.cluster).collect();
        for cluster in groups {
            self.dissent.entry(cluster).or_default().insert(feedback.id.clone());
        }
        self.staging.put(record);
    }

    /// A record as this batch has it so far, or as it stands in the store, to be changed; `None` where it is missing
    /// or unreadable.
    fn open<R: Registered>(&mut self, path: &str) -> Result<Option<&mut R>, PipelineError> {
        if !self.staging.has(path)
            && let Some(stored) = self.load::<R>(path)?
        {
            self.staging.hold(path.to_owned(), stored);
        }
        Ok(self.staging.get_mut(path))
    }

    /// A record as it stands in the store at the memory's head; `None` where it is missing or unreadable.
    fn load<R: Registered>(&self, path: &str) -> Result<Option<Known>, PipelineError> {
        let Some(head) = &self.state.head else { return Ok(None) };
        let store: &dyn StoreReader = self.outside.store.as_ref();
        let Some(bytes) = store.read(head, path)? else { return Ok(None) };
        let Ok(text) = String::from_utf8(bytes) else { return Ok(None) };
        match Stored::read(R::KIND, &text) {
            Ok(record) => Ok(Some(Known { text: text.into(), rendered: None, record })),
            Err(error) => {
                tracing::warn!(path, error, "a record in the store cannot be read; it is left as it is");
                Ok(None)
            }
        }
    }
}

fn fingerprint(entry: &RawEntry) -> String {
    let fields: Vec<String> =
        entry.fields.iter().map(|(_, value)| String::from_utf8_lossy(value).into_owned()).collect();
    short_hash(&fields.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Makes feedback of a decision, with its correction.
fn capture_with(decision: HitlDecision, files: &dyn CorrectionFiles, context: &CaptureContext) -> Feedback {
    let input = match (&decision.correction_diff, &decision.correction_diff_path) {
        (None, Some(path)) => match files.read(path) {
            Ok(diff) => CorrectionInput::Read(diff),
            Err(reason) => CorrectionInput::Unavailable(reason),
        },
        _ => CorrectionInput::None,
    };
    capture(decision, input, context)
}
