//! One batch in the making: what is evaluated, what follows from it, and the files that change.
//!
//! Nothing here is durable. A batch that fails is dropped whole, and the memory is loaded anew.

mod advising;
mod cards;
mod channels;
mod completing;
mod edge_cases;
mod finishing;
mod grouping;
mod judging;
mod proposing;
mod reviewing;
mod rules;
mod teaching;
mod withdrawing;

pub(in crate::app::pipeline) use finishing::Finished;

use crate::app::evaluator::Considered;
use crate::app::parallel;
use crate::app::pipeline::recent::Known;
use crate::app::pipeline::staging::Staging;
use crate::app::pipeline::state::State;
use crate::app::pipeline::{BatchCounts, Outside, PipelineError, Settings};
use crate::domain::grouping::cluster::{ClusterKey, MemberKey};
use crate::domain::grouping::evaluate::Judgement;
use crate::domain::grouping::evaluation::Classification;
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
    state: &'a mut State,
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
    pub fn new(state: &'a mut State, outside: &'a Outside, settings: &'a Settings, now: Timestamp) -> Batch<'a> {
        Batch {
            state,
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
            self.consider(feedback, vector, path)?;
        }
        Ok(())
    }

    /// Writes what the groups, as they stand now, mean for the records of their members.
    pub fn settle(&mut self) -> Result<(), PipelineError> {
        for key in std::mem::take(&mut self.unsettled) {
            self.settle_member(key)?;
        }
        self.state.evaluator.settled();
        for key in std::mem::take(&mut self.touched) {
            let evaluator = &self.state.evaluator;
            let cluster = evaluator.memory.cluster(key);
            let path = layout::cluster(&cluster.id);
            let mut after = build::cluster(cluster, &evaluator.memory.representatives(key, 3), &evaluator.policy);
            after.kept_apart = evaluator.memory.kept_apart(&cluster.id).map(str::to_owned).collect();
            let before = match self.state.recent.file(&path) {
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

    /// Considers a feedback; its record at `path` is staged where it is new.
    fn consider(&mut self, feedback: Feedback, vector: Option<Embedding>, path: String) -> Result<(), PipelineError> {
        let considered = self.state.evaluator.consider(&feedback, vector.as_ref(), &path);
        let revision = self.staging.get::<DecisionRecord>(&path).map_or(0, |record| record.evaluation.revision);
        let mut evaluation = self.state.evaluator.evaluate_alone(&feedback, &considered, revision + 1, self.now);
        if let Some(key) = considered.key {
            self.state.evaluator.memory.note_evaluation(key, evaluation.classification, revision);
        }
        if let Some(cluster) = considered.joined.cluster {
            evaluation.cluster = Some(self.state.evaluator.memory.cluster(cluster).id.clone());
        }
        if let Some(vector) = vector {
            self.vectors.insert(feedback.id.clone(), vector);
        }
        if considered.judgement == Judgement::Contradiction {
            self.open_tiebreak(&feedback, &considered, &path);
        }
        // What another stream completed was counted before, as what it was then.
        let earlier = self.staging.get::<DecisionRecord>(&path).map(|record| record.evaluation.classification);
        self.state.note_verdict(&feedback.tenant, &feedback.agent, evaluation.classification, earlier);
        let needs_edge_case = considered.key.is_none() && evaluation.classification == Classification::EdgeCase;
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
        self.mark(&considered);
        Ok(())
    }

    /// Notes which remarks a new one may have changed.
    fn mark(&mut self, considered: &Considered) {
        if considered.judgement != Judgement::Correction {
            return;
        }
        self.unsettled.extend(considered.key);
        self.unsettled.extend(&considered.joined.moved);
        for left in &considered.joined.left {
            self.touched.insert(*left);
            self.left.insert(*left);
            self.unsettled.extend(&self.state.evaluator.memory.cluster(*left).members);
        }
        let Some(cluster) = considered.joined.cluster else { return };
        // One more remark may say it clearly enough to become a rule.
        self.state.evaluator.memory.cluster_mut(cluster).not_proposed = None;
        self.touched.insert(cluster);
        if considered.joined.reclassified {
            let memory = &self.state.evaluator.memory;
            self.unsettled.extend(memory.cluster(cluster).members.iter().filter(|m| memory.member(**m).tied));
        }
    }

    /// Brings one remark's record up to what its group means now.
    fn settle_member(&mut self, key: MemberKey) -> Result<(), PipelineError> {
        let member = self.state.evaluator.memory.member(key).clone();
        if member.withdrawn {
            // Its record says so, and who did it.
            return Ok(());
        }
        let mut evaluation = self.state.evaluator.evaluate(key, member.revision + 1, self.now);
        // Somebody removed the record, or made it unreadable: what people do stands.
        let Some(record) = self.open::<DecisionRecord>(&member.path)?.cloned() else { return Ok(()) };
        let before = self.staging.before::<DecisionRecord>(&member.path);
        let written = before.map(|before| &before.evaluation);
        if let Some(written) = written
            && written.classification == evaluation.classification
            && written.cluster == evaluation.cluster
            && *written == record.evaluation
        {
            // Nothing new is to be said of it, but another stream may have completed it.
            return Ok(());
        }
        evaluation.revision = written.map_or(0, |w| w.revision) + 1;
        let completed = before.is_some_and(|before| before.text() != record.text());
        let classification = evaluation.classification;
        self.state.evaluator.memory.note_evaluation(key, classification, evaluation.revision);
        if !self.vectors.contains_key(&member.id) {
            self.vectors.insert(member.id.clone(), member.vector.clone());
        }
        // A remark that came with a second stream: its record opened an edge case before it could be compared.
        let edge_case = member.edge_case.clone().or_else(|| record.feedback.edge_case.clone());
        self.staging.put_at(member.path.clone(), DecisionRecord { evaluation, ..record });
        match (classification, edge_case) {
            (Classification::EdgeCase, None) => {
                let id = self.open_edge_case(&member.path);
                self.state.evaluator.memory.note_edge_case(key, id);
            }
            (Classification::EdgeCase, Some(id)) => {
                if completed {
                    self.retell_edge_case(&id, &member.path)?;
                }
                self.state.evaluator.memory.note_edge_case(key, Some(id));
            }
            (_, Some(id)) => {
                if completed {
                    self.retell_edge_case(&id, &member.path)?;
                }
                self.promote_edge_case(&id, &member)?;
                self.state.evaluator.memory.note_edge_case(key, Some(id));
            }
            (_, None) => {}
        }
        Ok(())
    }

    fn open_tiebreak(&mut self, feedback: &Feedback, considered: &Considered, path: &str) {
        let evaluator = &self.state.evaluator;
        let opposing = evaluator.neighbours(&considered.opposing);
        let record = build::ambiguous(feedback, path, &opposing, &evaluator.policy, self.now);
        let groups = opposing.iter().filter(|n| n.similarity >= evaluator.policy.similar_at);
        for cluster in groups.filter_map(|n| n.member.cluster) {
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
