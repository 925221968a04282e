//! Evaluates feedback: on its own when it arrives, and in its cluster once the whole batch has been placed.

use super::near::{Around, Evaluator, NEIGHBOURS, NearComments, SearchTarget};
use super::vectors::remark;
use crate::domain::clusters::evaluate;
use crate::domain::clusters::evaluate::Judgement;
use crate::domain::clusters::evaluation::{ActionType, Classification, Evaluation, ProposedAction};
use crate::domain::clusters::{Member, MemberKey};
use crate::domain::intake::feedback::Feedback;
use crate::domain::intake::place::{PlaceKind, language, single_file};
use crate::ports::KnowledgeError;
use crate::text::language::catalogue::ClusterConcern;
use crate::text::language::model_reading::ModelReading;
use crate::text::language::similarity::DemandVector;
use crate::text::prose;
use jiff::Timestamp;

/// Confidence that feedback read as making no demand on later work makes none.
const READ: f64 = 0.8;

/// Findings about one new feedback.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The judgement on its own.
    pub judgement: Judgement,
    /// The member it becomes, if it can be compared.
    pub member: Option<Member>,
    /// Earlier feedback that may ask for the same.
    pub same: NearComments,
    /// Earlier feedback that points the other way.
    pub opposing: NearComments,
}

impl Evaluator<'_> {
    /// Judges a new feedback. `vector` is that of its text, if it has one; `path` is its record's.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn judge(
        &self,
        feedback: &Feedback,
        vector: Option<&DemandVector>,
        path: &str,
    ) -> Result<Findings, KnowledgeError> {
        let judgement = evaluate::judge(feedback, None, &[], &[]);
        let (Judgement::Correction, Some(vector)) = (&judgement, vector) else {
            return Ok(Findings { judgement, member: None, same: Vec::new(), opposing: Vec::new() });
        };
        let member = member(feedback, vector, path);
        let Around { same, contrary: mut opposing } = self.around(&SearchTarget::of(&member), NEIGHBOURS)?;
        if !opposing.is_empty() && self.remarks.is_reconciled(&member) {
            opposing.clear();
        }
        opposing.retain(|(key, _)| {
            let other = self.member(*key);
            !self.remarks.overruled.contains(&other.id) && evaluate::is_contrary(&member, other)
        });
        let judgement = {
            let (same, opposing) = (self.neighbours(&same), self.neighbours(&opposing));
            evaluate::judge(feedback, Some(&member), &same, &opposing)
        };
        Ok(Findings { judgement, member: Some(member), same, opposing })
    }

    /// Evaluates a comment with the current clusters.
    ///
    /// `found` holds its neighbours at arrival, if it came with the current batch: only what came since must be
    /// searched again.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn evaluate(
        &self,
        key: MemberKey,
        found: Option<&NearComments>,
        revision: u32,
        now: Timestamp,
    ) -> Result<Evaluation, KnowledgeError> {
        let (member, policy) = (self.member(key), &self.remarks.policy);
        let same = self.neighbours_of(key, member, found)?;
        let same = self.neighbours(&same);
        let cluster = member.cluster.map(|c| self.remarks.groups.cluster(c));
        let pattern = cluster.filter(|_| member.tied).map(|c| (c, c.class(policy)));
        let (classification, confidence, rationale) = match pattern {
            Some((cluster, class)) if class != Classification::EdgeCase => (
                class,
                prose::round(cluster.confidence(policy)),
                evaluate::explain_pattern(&member.reviewer, &same, cluster, policy),
            ),
            _ => (
                Classification::EdgeCase,
                evaluate::edge_case_confidence(&same),
                evaluate::explain_edge_case(&member.agent, &same, policy),
            ),
        };
        let proposal = cluster.and_then(|c| c.proposal.clone()).filter(|_| classification != Classification::EdgeCase);
        Ok(Evaluation {
            classification,
            confidence,
            rationale,
            similar: evaluate::cite(&same, policy),
            contradicts: Vec::new(),
            cluster: cluster.map(|c| c.id.clone()),
            proposed_action: proposal.map(|proposal_id| ProposedAction {
                action_type: ActionType::CreateRule,
                target_agent: Some(member.agent.clone()),
                proposal_id,
            }),
            revision,
            evaluated_at: now,
        })
    }

    /// Evaluates feedback in no cluster: approvals, contradictions, and feedback without content.
    pub fn evaluate_alone(&self, feedback: &Feedback, judged: &Findings, revision: u32, now: Timestamp) -> Evaluation {
        let opposing = self.neighbours(&judged.opposing);
        let (classification, confidence, rationale) = match judged.judgement {
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
            Judgement::Correction => {
                let read = feedback.reading.as_ref().filter(|reading| reading.sentence().is_none());
                let why = read.map_or_else(|| evaluate::explain_unreadable(&feedback.agent), evaluate::explain_read);
                (Classification::EdgeCase, if read.is_some() { READ } else { 0.5 }, why)
            }
        };
        Evaluation {
            classification,
            confidence,
            rationale,
            similar: evaluate::cite(&self.neighbours(&judged.same), &self.remarks.policy),
            contradicts: evaluate::cite_contrary(&opposing),
            cluster: None,
            proposed_action: None,
            revision,
            evaluated_at: now,
        }
    }
}

/// Returns the member that a new feedback becomes.
fn member(feedback: &Feedback, vector: &DemandVector, path: &str) -> Member {
    Member {
        id: feedback.id.clone(),
        tenant: feedback.tenant.clone(),
        agent: feedback.agent.clone(),
        reviewer: feedback.decision.reviewer_id.clone(),
        verdict: feedback.decision.verdict,
        gate: feedback.decision.gate,
        task: feedback.pull_request().map(str::to_owned),
        at: feedback.decision.timestamp,
        direction: feedback.stance.direction,
        outright: feedback.is_outright(),
        place: single_file(&feedback.places).and_then(PlaceKind::of),
        language: single_file(&feedback.places).and_then(language),
        voiced: ClusterConcern::of(feedback.concern.as_ref(), feedback.stance.waives),
        text: remark(feedback.text().as_deref().unwrap_or_default()),
        path: path.to_owned(),
        vector: vector.clone(),
        classification: Classification::EdgeCase,
        revision: 0,
        edge_case: None,
        cluster: None,
        tied: false,
        sentence: feedback.reading.as_ref().and_then(ModelReading::sentence).map(str::to_owned),
        judged: false,
        withdrawn: false,
    }
}
