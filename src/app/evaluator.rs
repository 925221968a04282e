//! The evaluator: finds the neighbours of a feedback, has the domain judge it, and keeps the memory of groups.
//!
//! It writes nothing. What must be recorded follows from what it returns.

mod near;

use crate::domain::grouping::cluster::{ClusterKey, Group, Joined, Member, MemberKey, Memory, Pointing, Policy};
use crate::domain::grouping::evaluate::{self, Judgement, Neighbour};
use crate::domain::grouping::evaluation::{Classification, Evaluation, ProposedAction};
use crate::domain::grouping::question::{self, Question};
use crate::domain::intake::feedback::Feedback;
use crate::domain::language::catalogue::Voiced;
use crate::domain::language::similarity::Embedding;
use crate::domain::prose;
use crate::ports::Knowledge;
pub use crate::ports::KnowledgeError;
use jiff::Timestamp;
use near::{Around, Asked, scope};
use std::collections::{HashMap, HashSet};

/// How many neighbours are looked at. More would change no class: a pattern needs two voices.
const NEIGHBOURS: usize = 64;
/// How many remarks a rule's card is made from at most.
const MANY: usize = 10_000;
/// Calibrated similarity from which a remark is near enough to ask about.
const ASKED_FROM: f64 = 0.3;
/// How much of a remark the memory keeps, in characters.
const REMARK: usize = 160;

/// What was found out about one new feedback.
#[derive(Clone, Debug)]
pub struct Considered {
    /// What it is by itself.
    pub judgement: Judgement,
    /// Its key in the memory, where it can be compared.
    pub key: Option<MemberKey>,
    /// What it changed in the groups.
    pub joined: Joined,
    /// Earlier feedback that may ask for the same, with calibrated similarity, best first.
    pub same: Vec<(MemberKey, f64)>,
    /// Earlier feedback that points the other way, likewise.
    pub opposing: Vec<(MemberKey, f64)>,
}

/// Remarks like a rule's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Likes {
    /// Those that ask for what the rule says.
    pub asking: Vec<MemberKey>,
    /// Those that ask for the opposite.
    pub opposing: Vec<MemberKey>,
}

/// The evaluator's state: what was asked for so far.
pub struct Evaluator {
    /// The remarks and their groups.
    pub memory: Memory,
    /// What decides about grouping and classes.
    pub policy: Policy,
    /// Feedback that a tiebreak decided against: it contradicts nothing any more.
    pub overruled: HashSet<String>,
    knowledge: Box<dyn Knowledge>,
    /// What was near to remarks when they came, by their keys: only what came since has to be looked for again.
    found: HashMap<MemberKey, Vec<(MemberKey, f64)>>,
}

impl Evaluator {
    /// An evaluator that knows nothing yet.
    pub fn new(mut knowledge: Box<dyn Knowledge>, policy: Policy) -> Evaluator {
        knowledge.clear();
        Evaluator { memory: Memory::default(), policy, overruled: HashSet::new(), knowledge, found: HashMap::new() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.memory = Memory::default();
        self.overruled.clear();
        self.knowledge.clear();
        self.found.clear();
    }

    /// Whether everything that was found so far was right; to be asked before anything of it becomes durable.
    ///
    /// # Errors
    /// Where it was not: what the evaluator knows must be loaded anew.
    pub fn settle(&mut self) -> Result<(), KnowledgeError> {
        self.knowledge.settle()
    }

    /// A batch is over: what is evaluated from now on is looked for anew.
    pub fn settled(&mut self) {
        self.found.clear();
    }

    /// Takes up a remark that was evaluated before, with its cluster.
    pub fn restore(&mut self, member: Member, cluster: Option<&str>) {
        let (scope, vector) = (scope(&member.tenant, &member.agent, member.direction), member.vector.clone());
        let key = self.memory.restore(member, cluster);
        self.knowledge.add(&scope, key, &vector);
    }

    /// Takes up a remark as if it came now, whatever was decided about it.
    pub fn replay(&mut self, mut member: Member) {
        (member.cluster, member.tied, member.revision) = (None, false, 0);
        if member.classification == Classification::Ambiguous {
            return self.restore(member, None);
        }
        member.classification = Classification::EdgeCase;
        let near = self.around(&Asked::of(&member), NEIGHBOURS).same;
        let near: Vec<_> = near.into_iter().map(|(key, s)| (key, self.policy.calibration.cosine(s))).collect();
        let (scope, vector) = (scope(&member.tenant, &member.agent, member.direction), member.vector.clone());
        let (key, _) = self.memory.join(member, &near, &self.policy);
        self.knowledge.add(&scope, key, &vector);
    }

    /// Considers a new feedback. `vector` is that of its text, where it has one; `path` is its record's.
    pub fn consider(&mut self, feedback: &Feedback, vector: Option<&Embedding>, path: &str) -> Considered {
        let considered = self.judge(feedback, vector, path);
        if let (Some(key), Some(vector)) = (considered.key, vector) {
            self.knowledge.add(&scope(&feedback.tenant, &feedback.agent, feedback.stance.direction), key, vector);
            self.found.insert(key, considered.same.clone());
        }
        considered
    }

    /// As [`Evaluator::consider`], but the remark will not be found as a neighbour.
    fn judge(&mut self, feedback: &Feedback, vector: Option<&Embedding>, path: &str) -> Considered {
        let nothing = |judgement| Considered {
            judgement,
            key: None,
            joined: Joined::default(),
            same: Vec::new(),
            opposing: Vec::new(),
        };
        let early = evaluate::judge(feedback, &[], &[], &self.policy);
        let (Judgement::Correction, Some(vector)) = (&early, vector) else { return nothing(early) };
        let mut member = member(feedback, vector, path);
        let Around { same, contrary: mut opposing } = self.around(&Asked::of(&member), NEIGHBOURS);
        opposing.retain(|(key, _)| !self.overruled.contains(&self.memory.member(*key).id));
        let judgement = {
            let (same, opposing) = (self.neighbours(&same), self.neighbours(&opposing));
            evaluate::judge(feedback, &same, &opposing, &self.policy)
        };
        let (key, joined) = if judgement == Judgement::Contradiction {
            member.classification = Classification::Ambiguous;
            (self.memory.restore(member, None), Joined::default())
        } else {
            let near: Vec<(MemberKey, f64)> =
                same.iter().map(|(key, s)| (*key, self.policy.calibration.cosine(*s))).collect();
            self.memory.join(member, &near, &self.policy)
        };
        Considered { judgement, key: Some(key), joined, same, opposing }
    }

    /// The evaluation of a remark as the groups stand now.
    pub fn evaluate(&self, key: MemberKey, revision: u32, now: Timestamp) -> Evaluation {
        let member = self.memory.member(key);
        let same = self.neighbours_of(key, member);
        let same = self.neighbours(&same);
        let cluster = member.cluster.map(|c| self.memory.cluster(c));
        let pattern = cluster.filter(|_| member.tied).map(|c| (c, c.class(&self.policy)));
        let (classification, confidence, rationale) = match pattern {
            Some((cluster, class)) if class != Classification::EdgeCase => (
                class,
                prose::round(cluster.confidence(&self.policy)),
                evaluate::explain_pattern(&member.reviewer, &same, cluster, &self.policy),
            ),
            _ => (
                Classification::EdgeCase,
                evaluate::edge_case_confidence(&same),
                evaluate::explain_edge_case(&member.agent, &same, &self.policy),
            ),
        };
        let proposal = cluster.and_then(|c| c.proposal.clone()).filter(|_| classification != Classification::EdgeCase);
        Evaluation {
            classification,
            confidence,
            rationale,
            similar: evaluate::cite(&same, &self.policy),
            contradicts: Vec::new(),
            cluster: cluster.map(|c| c.id.clone()),
            proposed_action: proposal.map(|proposal_id| ProposedAction {
                action_type: crate::domain::grouping::evaluation::ActionType::CreateRule,
                target_agent: Some(member.agent.clone()),
                proposal_id,
            }),
            revision,
            evaluated_at: now,
        }
    }

    /// The evaluation of feedback that is in no group: approvals, contradictions, and what says nothing.
    pub fn evaluate_alone(
        &self,
        feedback: &Feedback,
        considered: &Considered,
        revision: u32,
        now: Timestamp,
    ) -> Evaluation {
        let opposing = self.neighbours(&considered.opposing);
        let (classification, confidence, rationale) = match considered.judgement {
            Judgement::Positive => {
                let (rationale, confidence) = evaluate::explain_positive(feedback);
                (Classification::Positive, confidence, rationale)
            }
            Judgement::Contradiction => (
                Classification::Ambiguous,
                prose::round(opposing.first().map_or(0.0, |n| n.similarity)),
                evaluate::explain_contradiction(feedback, &opposing),
            ),
            Judgement::Silent => (Classification::EdgeCase, 0.5, evaluate::explain_silent(feedback)),
            Judgement::Correction => (Classification::EdgeCase, 0.5, evaluate::explain_unreadable(&feedback.agent)),
        };
        Evaluation {
            classification,
            confidence,
            rationale,
            similar: evaluate::cite(&self.neighbours(&considered.same), &self.policy),
            contradicts: evaluate::cite_contrary(&opposing),
            cluster: None,
            proposed_action: None,
            revision,
            evaluated_at: now,
        }
    }

    /// Feedback that says the opposite of a remark and waits for a person.
    pub fn dissent(&self, member: &Member) -> Vec<String> {
        let near = self.around(&Asked::of(member), NEIGHBOURS).contrary;
        let waits = |key: &MemberKey| self.memory.member(*key).classification == Classification::Ambiguous;
        near.iter().filter(|(key, _)| waits(key)).map(|(key, _)| self.memory.member(*key).id.clone()).collect()
    }

    /// The group that asks for what a remark asks for, where there is one.
    pub fn groups_near(&self, key: MemberKey) -> Option<ClusterKey> {
        let member = self.memory.member(key);
        let near = self.neighbours_of(key, member);
        let similar = near.into_iter().filter(|(_, similarity)| *similarity >= self.policy.similar_at);
        similar
            .filter_map(|(other, _)| self.memory.member(other).cluster)
            .filter(|cluster| !self.memory.cluster(*cluster).pointing.opposes(member.pointing()))
            .find(|cluster| !self.memory.are_apart(self.memory.group_of(key), Group::Cluster(*cluster)))
    }

    /// The questions to people that pay most, about one agent or about all.
    pub fn questions(&self, agent: Option<&str>, limit: usize) -> Vec<Question> {
        let min = self.policy.calibration.cosine(ASKED_FROM);
        let near = |member: &Member| {
            let mut near = self.found(&Asked::of(member), min, NEIGHBOURS);
            near.retain(|(key, _)| !self.is_contrary(member.pointing(), *key));
            near.into_iter().map(|(key, _)| key).collect()
        };
        question::questions(&self.memory, agent, limit, &near)
    }

    /// Remarks like a rule's text: those that ask for it, and those that point the other way, with calibrated
    /// similarity, similar ones only.
    pub fn like(&self, tenant: &str, agent: &str, pointing: Pointing, vector: &Embedding) -> Likes {
        let Around { mut same, contrary } = self.around(&Asked { tenant, agent, pointing, vector }, MANY);
        same.retain(|found| self.is_alike(pointing, *found));
        let keys = |near: Vec<(MemberKey, f64)>| near.into_iter().map(|(key, _)| key).collect();
        Likes { asking: keys(same), opposing: keys(contrary) }
    }

    /// The neighbours behind keys.
    pub fn neighbours(&self, keys: &[(MemberKey, f64)]) -> Vec<Neighbour<'_>> {
        keys.iter()
            .map(|(key, similarity)| Neighbour { member: self.memory.member(*key), similarity: *similarity })
            .collect()
    }
}

/// The member that a new feedback becomes.
fn member(feedback: &Feedback, vector: &Embedding, path: &str) -> Member {
    Member {
        id: feedback.id.clone(),
        tenant: feedback.tenant.clone(),
        agent: feedback.agent.clone(),
        reviewer: feedback.decision.reviewer_id.clone(),
        verdict: feedback.decision.verdict,
        gate: feedback.decision.gate,
        at: feedback.decision.timestamp,
        direction: feedback.stance.direction,
        voiced: Voiced::of(feedback.concern.as_ref(), feedback.stance.waives),
        text: remark(feedback.text().as_deref().unwrap_or_default()),
        path: path.to_owned(),
        vector: vector.clone(),
        classification: Classification::EdgeCase,
        revision: 0,
        edge_case: None,
        cluster: None,
        tied: false,
        withdrawn: false,
    }
}

/// A remark as the memory keeps it: one line, shortened.
pub fn remark(text: &str) -> String {
    prose::line(text, REMARK)
}
