//! One batch in the making: what is evaluated, what follows from it, and the files that change.
//!
//! Nothing here is durable. A batch that fails is dropped whole, and the memory is loaded anew.

use crate::app::evaluator::Considered;
use crate::app::pipeline::state::{LivingRule, State};
use crate::app::pipeline::summary;
use crate::app::pipeline::{BatchCounts, Outside, PipelineError, Settings, class_index};
use crate::domain::capture::{CorrectionInput, capture, feedback_id};
use crate::domain::cluster::{ClusterKey, Member, MemberKey};
use crate::domain::evaluate::Judgement;
use crate::domain::event::{HitlDecision, RawEntry, Rejection};
use crate::domain::feedback::{Classification, Feedback};
use crate::domain::ids::{numbered, parse_numbered, short_hash};
use crate::domain::proposal::{self, KnownRule, Relation};
use crate::domain::record::{
    AmbiguousRecord, ClusterRecord, DeadLetterRecord, DecisionRecord, EdgeCaseRecord, ProposalRecord, ProposalStatus,
};
use crate::domain::similarity::Embedding;
use crate::domain::{build, layout, message, yaml};
use crate::ports::{ChangeSet, FileWrite, IndexUpdate, StoreReader};
use jiff::Timestamp;
use serde::{Serialize, de::DeserializeOwned};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A record that changes: what stood in the store, and what shall stand there.
struct Edit<T> {
    before: Option<(String, T)>,
    after: T,
}

impl<T: Serialize> Edit<T> {
    fn content(&self) -> Result<Vec<u8>, PipelineError> {
        match &self.before {
            None => yaml::render(&self.after),
            Some((text, before)) => yaml::edit(text, before, &self.after),
        }
        .map(String::into_bytes)
        .map_err(PipelineError::Record)
    }
}

/// Records of one kind that change, by path.
type Edits<T> = BTreeMap<String, Edit<T>>;

/// What a batch comes to.
pub(super) struct Finished {
    pub change: ChangeSet,
    pub updates: Vec<IndexUpdate>,
    pub messages: Vec<message::Outgoing>,
    pub counts: BatchCounts,
}

pub(super) struct Batch<'a> {
    state: &'a mut State,
    outside: &'a Outside,
    settings: &'a Settings,
    now: Timestamp,
    decisions: Edits<DecisionRecord>,
    clusters: Edits<ClusterRecord>,
    proposals: Edits<ProposalRecord>,
    edge_cases: Edits<EdgeCaseRecord>,
    ambiguous: Edits<AmbiguousRecord>,
    dead_letters: Edits<DeadLetterRecord>,
    diffs: BTreeMap<String, String>,
    vectors: HashMap<String, Embedding>,
    /// Remarks whose class or cluster may have changed.
    unsettled: BTreeSet<MemberKey>,
    /// Groups that have a new member.
    touched: BTreeSet<ClusterKey>,
    counts: BatchCounts,
}

impl<'a> Batch<'a> {
    pub fn new(state: &'a mut State, outside: &'a Outside, settings: &'a Settings, now: Timestamp) -> Batch<'a> {
        Batch {
            state,
            outside,
            settings,
            now,
            decisions: BTreeMap::new(),
            clusters: BTreeMap::new(),
            proposals: BTreeMap::new(),
            edge_cases: BTreeMap::new(),
            ambiguous: BTreeMap::new(),
            dead_letters: BTreeMap::new(),
            diffs: BTreeMap::new(),
            vectors: HashMap::new(),
            unsettled: BTreeSet::new(),
            touched: BTreeSet::new(),
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
        let replayed = entry.stream == crate::domain::decode::REPLAY;
        let id = if replayed { format!("{}-{}", entry.id, fingerprint(entry)) } else { entry.id.clone() };
        let path = layout::dead_letter(&entry.stream, &id);
        if self.load::<DeadLetterRecord>(&path)?.is_none() {
            self.dead_letters.insert(path, Edit { before: None, after: build::dead_letter(entry, rejection) });
        }
        Ok(())
    }

    /// A decision that is recorded arrived again. From the same stream that is a redelivery; from another one it may
    /// know more, and the record takes over what it did not have.
    pub fn complete(&mut self, decision: HitlDecision) -> Result<(), PipelineError> {
        let id = feedback_id(&decision.decision_id);
        let Some(known) = self.outside.index.open.feedback(&id)? else { return Ok(()) };
        let (path, mut edit) = match self.decisions.remove(&known.path) {
            Some(edit) => (known.path, edit),
            None => match self.load::<DecisionRecord>(&known.path)? {
                Some((text, record)) => (known.path, Edit { after: record.clone(), before: Some((text, record)) }),
                None => return Ok(()),
            },
        };
        if edit.after.source.stream != decision.source.stream {
            let said_nothing = edit.after.text().is_none();
            let had_correction = edit.after.feedback.correction.is_some();
            let mut feedback = self.capture(decision);
            build::fill_missing(&mut edit.after, &feedback);
            if let (false, Some(correction), Some(stored)) =
                (had_correction, &feedback.correction, &edit.after.feedback.correction)
            {
                self.diffs.insert(stored.path.clone(), correction.diff.clone());
            }
            if said_nothing && edit.after.text().is_some() {
                // What both say is as the record has it; the two events may differ in time, spelling or verdict.
                feedback.decision.verdict = edit.after.decision;
                feedback.decision.gate = edit.after.gate;
                feedback.decision.timestamp = edit.after.timestamp;
                feedback.decision.reviewer_id.clone_from(&edit.after.reviewer_id);
                feedback.agent.clone_from(&edit.after.feedback.agent);
                let vector = self.embed(std::slice::from_ref(&feedback)).pop().flatten();
                edit.after.feedback.stance = feedback.stance.clone();
                self.decisions.insert(path.clone(), edit);
                return self.consider(feedback, vector, path);
            }
        }
        if edit.before.as_ref().is_none_or(|(_, before)| *before != edit.after) {
            self.decisions.insert(path, edit);
        }
        Ok(())
    }

    /// Makes feedback of new decisions.
    pub fn capture_all(&self, decisions: Vec<HitlDecision>) -> Vec<Feedback> {
        decisions.into_iter().map(|decision| self.capture(decision)).collect()
    }

    /// Evaluates and groups new feedback with its vectors, in its order.
    pub fn evaluate(&mut self, feedback: Vec<Feedback>, vectors: Vec<Option<Embedding>>) -> Result<(), PipelineError> {
        for (feedback, vector) in feedback.into_iter().zip(vectors) {
            self.state.know(&feedback.id);
            let path = layout::decision(feedback.decision.gate, feedback.decision.timestamp, &feedback.id);
            self.consider(feedback, vector, path)?;
        }
        Ok(())
    }

    /// Makes proposals for patterns that have none: at once where they are sure, else when a batch is due.
    pub fn offer_proposals(&mut self, flush: bool) -> Result<(), PipelineError> {
        let memory = &self.state.evaluator.memory;
        let policy = &self.state.evaluator.policy;
        let (sure, waiting): (Vec<_>, Vec<_>) = memory
            .clusters()
            .filter(|(_, c)| c.proposal.is_none() && c.class(policy) == Classification::GeneralizableHigh)
            .map(|(key, c)| (key, c.confidence(policy) >= self.settings.immediate_at))
            .partition(|(_, sure)| *sure);
        let since = *self.state.waiting_since.get_or_insert(self.now);
        let due = flush
            || waiting.len() >= self.settings.batch_count
            || self.now.duration_since(since) >= self.settings.batch_every;
        let chosen: Vec<ClusterKey> = sure.iter().chain(waiting.iter().filter(|_| due)).map(|(key, _)| *key).collect();
        if waiting.is_empty() || due {
            self.state.waiting_since = None;
        }
        for key in chosen {
            self.offer(key)?;
        }
        self.add_evidence()
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
            let after = build::cluster(cluster, &evaluator.memory.representatives(key, 3), &evaluator.policy);
            let before = self.load::<ClusterRecord>(&path)?;
            if before.is_none() {
                self.counts.clusters_opened += 1;
            }
            self.clusters.insert(path, Edit { before, after });
        }
        Ok(())
    }

    /// The commit, the index's updates and the messages.
    pub fn finish(mut self, entries: &[RawEntry]) -> Result<Finished, PipelineError> {
        for edit in self.decisions.values() {
            match &edit.before {
                None => self.counts.by_class[class_index(edit.after.evaluation.classification)] += 1,
                Some((_, before)) if before.evaluation.revision != edit.after.evaluation.revision => {
                    self.counts.reevaluated += 1;
                }
                Some(_) => {}
            }
        }
        let (subject, body) = summary::message(&self.counts, &self.decisions_agents(), self.dead_letters.len());
        let mut change = ChangeSet { subject, body, trailers: summary::trailers(entries), ..ChangeSet::default() };
        let mut messages: Vec<(String, message::Outgoing)> = Vec::new();
        let mut updates = Vec::new();
        for (path, content) in std::mem::take(&mut self.diffs) {
            change.writes.push(FileWrite { path, content: content.into_bytes() });
        }
        for (path, edit) in self.decisions {
            change.writes.push(FileWrite { path: path.clone(), content: edit.content()? });
            let previous = edit.before.as_ref().map(|(_, b)| b.evaluation.revision);
            messages.extend(message::evaluated(&path, &edit.after, previous).map(|m| (path.clone(), m)));
            let vector = match (self.vectors.remove(&edit.after.feedback.feedback_id), edit.after.compared_text()) {
                (Some(vector), _) => Some(vector),
                // Completed, not evaluated: the index keeps the vector of what the record says.
                (None, Some(text)) => self.outside.embedder.embed(&[text]).pop().flatten(),
                (None, None) => None,
            };
            updates.push(IndexUpdate::Decision { path, record: Box::new(edit.after), vector });
        }
        for (path, edit) in self.clusters {
            change.writes.push(FileWrite { path, content: edit.content()? });
            updates.push(IndexUpdate::Cluster(edit.after));
        }
        for (path, edit) in self.proposals {
            change.writes.push(FileWrite { path: path.clone(), content: edit.content()? });
            let previous = edit.before.as_ref().map(|(_, b)| b.version);
            messages.extend(message::proposed(&path, &edit.after, previous).map(|m| (path.clone(), m)));
            updates.push(IndexUpdate::Proposal { path, record: Box::new(edit.after) });
        }
        for (path, edit) in self.edge_cases {
            change.writes.push(FileWrite { path: path.clone(), content: edit.content()? });
            updates.push(IndexUpdate::EdgeCase { path, record: edit.after });
        }
        for (path, edit) in self.ambiguous {
            change.writes.push(FileWrite { path: path.clone(), content: edit.content()? });
            let known = edit.before.is_some();
            messages.extend(message::tiebreak(&path, &edit.after, known).map(|m| (path.clone(), m)));
            updates.push(IndexUpdate::Ambiguous { path, record: edit.after });
        }
        for (path, edit) in self.dead_letters {
            change.writes.push(FileWrite { path: path.clone(), content: edit.content()? });
            let known = edit.before.is_some();
            messages.extend(message::lost(&path, &edit.after, known).map(|m| (path.clone(), m)));
            updates.push(IndexUpdate::DeadLetter { path, record: edit.after });
        }
        // In the order in which a diff of the two commits names them: publishing can resume from there.
        messages.sort_by(|a, b| a.0.cmp(&b.0));
        let messages = messages.into_iter().map(|(_, message)| message).collect();
        Ok(Finished { change, updates, messages, counts: self.counts })
    }

    fn decisions_agents(&self) -> BTreeMap<String, Vec<String>> {
        let mut agents: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for edit in self.proposals.values().filter(|e| e.before.is_none()) {
            for agent in &edit.after.affected_agents {
                agents.entry(agent.clone()).or_default().push(edit.after.proposal_id.clone());
            }
        }
        agents
    }

    fn capture(&self, decision: HitlDecision) -> Feedback {
        let input = match (&decision.correction_diff, &decision.correction_diff_path) {
            (None, Some(path)) => match self.outside.corrections.read(path) {
                Ok(diff) => CorrectionInput::Read(diff),
                Err(reason) => CorrectionInput::Unavailable(reason),
            },
            _ => CorrectionInput::None,
        };
        capture(decision, input, &self.settings.capture)
    }

    /// The vectors of those that can be compared.
    pub fn embed(&self, feedback: &[Feedback]) -> Vec<Option<Embedding>> {
        let texts: Vec<Option<String>> = feedback.iter().map(Feedback::compared_text).collect();
        let present: Vec<String> = texts.iter().flatten().cloned().collect();
        let mut vectors = self.outside.embedder.embed(&present).into_iter();
        texts.iter().map(|text| text.as_ref().and_then(|_| vectors.next().flatten())).collect()
    }

    /// Considers a feedback; its record at `path` is staged where it is new.
    fn consider(&mut self, feedback: Feedback, vector: Option<Embedding>, path: String) -> Result<(), PipelineError> {
        let considered = self.state.evaluator.consider(&feedback, vector.as_ref(), &path);
        let revision = self.decisions.get(&path).map_or(0, |edit| edit.after.evaluation.revision);
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
        let needs_edge_case = considered.key.is_none() && evaluation.classification == Classification::EdgeCase;
        match self.decisions.get_mut(&path) {
            Some(edit) => edit.after.evaluation = evaluation,
            None => {
                let (record, diff) = build::decision(&feedback, evaluation);
                if let (Some(diff), Some(stored)) = (diff, &record.feedback.correction) {
                    self.diffs.insert(stored.path.clone(), diff);
                }
                self.decisions.insert(path.clone(), Edit { before: None, after: record });
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
        let Some(cluster) = considered.joined.cluster else { return };
        self.touched.insert(cluster);
        if considered.joined.reclassified {
            let memory = &self.state.evaluator.memory;
            self.unsettled.extend(memory.cluster(cluster).members.iter().filter(|m| memory.member(**m).tied));
        }
    }

    /// Brings one remark's record up to what its group means now.
    fn settle_member(&mut self, key: MemberKey) -> Result<(), PipelineError> {
        let member = self.state.evaluator.memory.member(key).clone();
        let mut evaluation = self.state.evaluator.evaluate(key, member.revision + 1, self.now);
        let mut edit = match self.decisions.remove(&member.path) {
            Some(edit) => edit,
            None => match self.load::<DecisionRecord>(&member.path)? {
                Some((text, record)) => Edit { after: record.clone(), before: Some((text, record)) },
                // Somebody removed the record, or made it unreadable: what people do stands.
                None => return Ok(()),
            },
        };
        let written = edit.before.as_ref().map(|(_, before)| &before.evaluation);
        if let Some(written) = written
            && written.classification == evaluation.classification
            && written.cluster == evaluation.cluster
            && *written == edit.after.evaluation
        {
            // Nothing new is to be said of it, but another stream may have completed it.
            if edit.before.as_ref().is_some_and(|(_, before)| *before != edit.after) {
                self.decisions.insert(member.path, edit);
            }
            return Ok(());
        }
        evaluation.revision = written.map_or(0, |w| w.revision) + 1;
        self.state.evaluator.memory.note_evaluation(key, evaluation.classification, evaluation.revision);
        let completed = edit.before.as_ref().is_some_and(|(_, before)| before.text() != edit.after.text());
        edit.after.evaluation = evaluation;
        if !self.vectors.contains_key(&member.id) {
            self.vectors.insert(member.id.clone(), member.vector.clone());
        }
        let classification = edit.after.evaluation.classification;
        // A remark that came with a second stream: its record opened an edge case before it could be compared.
        let edge_case = member.edge_case.clone().or_else(|| edit.after.feedback.edge_case.clone());
        self.decisions.insert(member.path.clone(), edit);
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

    fn open_edge_case(&mut self, decision_path: &str) -> Option<String> {
        let edit = self.decisions.get_mut(decision_path)?;
        if edit.after.feedback.edge_case.is_some() {
            return edit.after.feedback.edge_case.clone();
        }
        let year = layout::year(edit.after.timestamp);
        let number = self.state.next_number("EDGE", year);
        let id = numbered("EDGE", year, number);
        edit.after.feedback.edge_case = Some(id.clone());
        let record = build::edge_case(id.clone(), &edit.after, decision_path);
        self.edge_cases.insert(layout::edge_case(year, number), Edit { before: None, after: record });
        Some(id)
    }

    fn promote_edge_case(&mut self, id: &str, member: &Member) -> Result<(), PipelineError> {
        let Some((path, mut edit)) = self.take_edge_case(id)? else { return Ok(()) };
        if let Some(cluster) = member.cluster {
            build::promote(&mut edit.after, self.state.evaluator.memory.cluster(cluster), self.now);
            self.edge_cases.insert(path, edit);
        }
        Ok(())
    }

    /// An edge case of which nothing was said until another stream brought the words.
    fn retell_edge_case(&mut self, id: &str, decision_path: &str) -> Result<(), PipelineError> {
        let Some((path, mut edit)) = self.take_edge_case(id)? else { return Ok(()) };
        if let Some(decision) = self.decisions.get(decision_path) {
            let told = build::edge_case(id.to_owned(), &decision.after, decision_path);
            (edit.after.what, edit.after.why) = (told.what, told.why);
        }
        self.edge_cases.insert(path, edit);
        Ok(())
    }

    /// An edge case as this batch has it so far, taken out to be changed; `None` where it is missing or unreadable.
    fn take_edge_case(&mut self, id: &str) -> Result<Option<(String, Edit<EdgeCaseRecord>)>, PipelineError> {
        let Some((year, number)) = parse_numbered("EDGE", id) else { return Ok(None) };
        let path = layout::edge_case(year, number);
        if let Some(edit) = self.edge_cases.remove(&path) {
            return Ok(Some((path, edit)));
        }
        let loaded = self.load::<EdgeCaseRecord>(&path)?;
        Ok(loaded.map(|(text, record)| (path, Edit { after: record.clone(), before: Some((text, record)) })))
    }

    fn open_tiebreak(&mut self, feedback: &Feedback, considered: &Considered, path: &str) {
        let evaluator = &self.state.evaluator;
        let opposing = evaluator.neighbours(&considered.opposing);
        let record = build::ambiguous(feedback, path, &opposing, &evaluator.policy, self.now);
        self.ambiguous.insert(layout::ambiguous(&feedback.id), Edit { before: None, after: record });
    }

    /// Makes a proposal for a cluster, or adds it to one that says the same.
    fn offer(&mut self, key: ClusterKey) -> Result<(), PipelineError> {
        let evaluator = &self.state.evaluator;
        let cluster = evaluator.memory.cluster(key);
        let Some(example) = evaluator.memory.representatives(key, 1).into_iter().next() else { return Ok(()) };
        let (tenant, agent) = (example.tenant.clone(), example.agent.clone());
        let draft = proposal::draft(&example.text, cluster.direction);
        let vector = self.outside.embedder.embed(std::slice::from_ref(&draft.content)).pop().flatten();
        let known = self.state.rules_for(&tenant, std::slice::from_ref(&agent));
        let related =
            proposal::relate(&draft.content, vector.as_ref(), &known, &evaluator.policy, &self.settings.thresholds);
        let conflicts = match related {
            Relation::Duplicate(id) => {
                self.touched.insert(key);
                self.state.evaluator.memory.set_proposal(key, id);
                return Ok(());
            }
            Relation::New(conflicts) => conflicts,
        };
        let members = tied_members(self.state, key);
        let year = layout::year(self.now);
        let content = draft.content.clone();
        let policy = self.state.evaluator.policy;
        let cluster = self.state.evaluator.memory.cluster(key).clone();
        let mut record = proposal::propose(draft, &cluster, &members, conflicts, &policy, self.now);
        let id = numbered("RULE", year, self.state.next_number("RULE", year));
        record.proposal_id.clone_from(&id);
        let path = layout::proposal(&id);
        self.state.rules.push(LivingRule {
            path: path.clone(),
            tenant,
            agents: vec![agent],
            rule: KnownRule {
                id: id.clone(),
                content,
                vector,
                evidence: record.created_from_feedback_ids.first().cloned(),
            },
            pending: true,
            listed: record.created_from_feedback_ids.len(),
        });
        self.proposals.insert(path, Edit { before: None, after: record });
        self.state.evaluator.memory.set_proposal(key, id.clone());
        self.counts.proposals.push(id);
        self.touched.insert(key);
        // The remarks that this batch writes anyway name the proposal; older ones find it through their cluster.
        Ok(())
    }

    /// Adds new members of groups to the evidence of their pending proposals.
    fn add_evidence(&mut self) -> Result<(), PipelineError> {
        for key in self.touched.clone() {
            let Some(id) = self.state.evaluator.memory.cluster(key).proposal.clone() else { continue };
            let Some(place) = self.state.rules.iter().position(|r| r.rule.id == id && r.pending) else { continue };
            if self.state.rules[place].listed >= crate::domain::record::MAX_EVIDENCE {
                continue;
            }
            let path = self.state.rules[place].path.clone();
            let mut edit = match self.proposals.remove(&path) {
                Some(edit) => edit,
                None => match self.load::<ProposalRecord>(&path)? {
                    Some((text, record)) => Edit { after: record.clone(), before: Some((text, record)) },
                    None => continue,
                },
            };
            if edit.after.status != ProposalStatus::Pending {
                continue;
            }
            let cluster = self.state.evaluator.memory.cluster(key).clone();
            let members = tied_members(self.state, key);
            let added = proposal::add_evidence(&mut edit.after, &cluster, &members);
            let listed = edit.after.created_from_feedback_ids.len();
            if added || edit.before.is_none() {
                self.proposals.insert(path, edit);
            }
            self.state.rules[place].listed = listed;
        }
        Ok(())
    }

    /// A record as it stands in the store at the memory's head; `None` where it is missing or unreadable.
    fn load<T: DeserializeOwned>(&self, path: &str) -> Result<Option<(String, T)>, PipelineError> {
        let Some(head) = &self.state.head else { return Ok(None) };
        let store: &dyn StoreReader = self.outside.store.as_ref();
        let Some(bytes) = store.read(head, path)? else { return Ok(None) };
        let Ok(text) = String::from_utf8(bytes) else { return Ok(None) };
        match yaml::parse(&text) {
            Ok(record) => Ok(Some((text, record))),
            Err(error) => {
                tracing::warn!(path, error, "a record in the store cannot be read; it is left as it is");
                Ok(None)
            }
        }
    }
}

/// A cluster's tied members, the earliest first.
fn tied_members(state: &State, key: ClusterKey) -> Vec<&Member> {
    let memory = &state.evaluator.memory;
    let mut members: Vec<&Member> =
        memory.cluster(key).members.iter().map(|m| memory.member(*m)).filter(|m| m.tied).collect();
    members.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    members
}

fn fingerprint(entry: &RawEntry) -> String {
    let fields: Vec<String> =
        entry.fields.iter().map(|(_, value)| String::from_utf8_lossy(value).into_owned()).collect();
    short_hash(&fields.iter().map(String::as_str).collect::<Vec<_>>())
}
