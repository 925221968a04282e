//! A decision with its feedback and its evaluation: the record all others refer to.

use super::stored_record::{Before, IndexRow, StoredRecord, name, probability};
use crate::clusters::evaluation::{Classification, Evaluation};
use crate::intake::comment::Comment;
use crate::intake::feedback::{BETWEEN, CommentSaid, whole_id};
use crate::intake::place::{RemarkedPlace, code_of, code_of_comment, single_file};
use crate::intake::submission::{Mark, Marked};
use crate::intake::words::{compared_words, words};
use crate::records::layout;
use crate::records::message::{FeedbackEvaluated, Outgoing, Topic, json};
use crate::source::Source;
use crate::text::ids::Gate;
use crate::text::language::catalogue::Match;
use crate::text::language::cues::Code;
use crate::text::language::direction::Stance;
use crate::text::language::model_reading::ModelReading;
use crate::text::verdict::{Severity, Verdict};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A decision with its feedback and its evaluation: the record all others refer to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionRecord {
    /// `feedbackd.decision/1`
    pub schema: String,
    /// The publisher's id.
    pub decision_id: String,
    /// The canonical gate.
    pub gate: Gate,
    /// The gate in its original spelling.
    pub gate_id: String,
    /// The verdict.
    pub decision: Verdict,
    /// Who decided.
    pub reviewer_id: String,
    /// When it was made.
    pub timestamp: Timestamp,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The epic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epic_id: Option<String>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The agent session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The review time in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_duration_seconds: Option<u64>,
    /// Hash of the agent's output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_output_sha: Option<String>,
    /// Hash of the accepted output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_output_sha: Option<String>,
    /// What the reviewer said, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer_comment: Option<String>,
    /// How serious the reviewer considers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Whether the reviewer wants something learned from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consider_for_improvement: Option<bool>,
    /// Free tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Unknown fields from the publisher, redacted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, serde_json::Value>,
    /// Where it was first read.
    pub source: Source,
    /// The feedback derived from it.
    pub feedback: FeedbackSection,
    /// Its evaluation.
    pub evaluation: Evaluation,
    /// Comments on specific places, in the order sent, each with its feedback and evaluation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentRecord>,
    /// The comment that this is a [view](DecisionRecord::view) of; `None` for the record itself.
    #[serde(skip)]
    pub comment: Option<CommentSaid>,
}

/// A comment of a decision, or one demand of it, with its feedback and its evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommentRecord {
    /// The comment, redacted. For a comment's second and later demands only its id: the first has the rest.
    #[serde(flatten)]
    pub comment: Comment,
    /// Number of the demand within the comment, from 1, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// The part of the body it concerns, if the comment makes several demands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<String>,
    /// The feedback derived from it.
    pub feedback: FeedbackSection,
    /// Its evaluation.
    pub evaluation: Evaluation,
}

impl CommentRecord {
    /// Returns the text: its own part of the comment.
    pub fn said(&self) -> &str {
        self.demand.as_deref().unwrap_or(&self.comment.body)
    }

    /// Returns its name within the decision.
    pub fn name(&self) -> &str {
        self.feedback.feedback_id.split_once(BETWEEN).map_or("", |(_, name)| name)
    }
}

impl DecisionRecord {
    /// Returns the decision as if it consisted of one comment only, with that comment's words, feedback and evaluation.
    /// Its path is the file's, followed by `#` and the comment's name.
    pub fn view(&self, name: &str) -> Option<DecisionRecord> {
        let at = self.comments.iter().position(|comment| comment.name() == name)?;
        Some(self.view_at(at, self.without_comments()))
    }

    /// Returns the id of the feedback on the whole decision.
    pub fn whole_id(&self) -> &str {
        whole_id(&self.feedback.feedback_id)
    }

    /// Returns all views of a decision, one per comment and demand, in order.
    pub fn views(&self) -> Vec<DecisionRecord> {
        if self.comments.is_empty() {
            return Vec::new();
        }
        let alone = self.without_comments();
        (0..self.comments.len()).map(|at| self.view_at(at, alone.clone())).collect()
    }

    fn without_comments(&self) -> DecisionRecord {
        let mut alone = self.clone();
        alone.comments.clear();
        alone
    }

    fn view_at(&self, at: usize, alone: DecisionRecord) -> DecisionRecord {
        let found = &self.comments[at];
        let id = &found.comment.comment_id;
        let first = self.comments.iter().find(|other| other.comment.comment_id == *id);
        let said = CommentSaid {
            name: found.name().to_owned(),
            at,
            part: found.part.unwrap_or(1),
            comment: first.unwrap_or(found).comment.clone(),
            demand: found.demand.clone(),
        };
        let text = said.text().to_owned();
        DecisionRecord {
            reviewer_comment: Some(text).filter(|text| !text.trim().is_empty()),
            feedback: found.feedback.clone(),
            evaluation: found.evaluation.clone(),
            comment: Some(said),
            ..alone
        }
    }

    /// Applies a view's content to its comment; a comment not present yet is appended.
    pub fn take(&mut self, view: DecisionRecord) {
        let DecisionRecord { comment, feedback, evaluation, .. } = view;
        let Some(said) = comment else { return };
        if let Some(known) = self.comments.iter_mut().find(|known| known.name() == said.name) {
            known.feedback = feedback;
            known.evaluation = evaluation;
            return;
        }
        let CommentSaid { part, comment, demand, .. } = said;
        let comment = match part {
            1 => comment,
            _ => Comment { comment_id: comment.comment_id, ..Comment::default() },
        };
        let part = Some(part).filter(|_| demand.is_some());
        self.comments.push(CommentRecord { comment, part, demand, feedback, evaluation });
    }

    /// Returns the code it is about, as far as known.
    pub fn code(&self) -> Option<Code> {
        match &self.comment {
            Some(said) => code_of_comment(&said.comment),
            None => code_of(self.reviewer_comment.as_deref(), &self.extra),
        }
    }

    /// Reports whether it counts as an approval, unless it explicitly asks for something. A comment is not an approval.
    pub fn approves(&self) -> bool {
        self.comment.is_none() && self.decision == Verdict::Approved
    }

    /// Reports whether the work was corrected: it was not approved, or something was still asked for, of the whole or a
    /// place. Withdrawn feedback never counts.
    pub fn corrects(&self) -> bool {
        let asks = |section: &FeedbackSection, evaluation: &Evaluation| {
            evaluation.classification != Classification::Positive && section.retracted_by.is_none()
        };
        let approved = self.approves() || self.comment.is_some();
        !approved
            || asks(&self.feedback, &self.evaluation)
            || self.comments.iter().any(|comment| asks(&comment.feedback, &comment.evaluation))
    }

    /// Returns what was said in words.
    pub fn text(&self) -> Option<String> {
        let section = &self.feedback;
        words(
            section.correction_summary.as_deref().map(|s| (s, section.summary_is_derived)),
            self.reviewer_comment.as_deref(),
        )
    }

    /// Returns the text compared with other feedback: the unwrapped text of a correction that states what it wants.
    pub fn compared_text(&self) -> Option<String> {
        if !self.is_compared() {
            return None;
        }
        let summary = self.feedback.correction_summary.as_deref().map(|s| (s, self.feedback.summary_is_derived));
        compared_words(summary, self.reviewer_comment.as_deref())
    }

    /// Reports whether it is compared with other feedback: it asks for something and is not marked as teaching nothing.
    pub fn is_compared(&self) -> bool {
        let teaches = !self.feedback.marked.as_ref().is_some_and(Marked::teaches_nothing);
        self.feedback.stance.demand && self.feedback.retracted_by.is_none() && teaches
    }

    /// Returns the repository, if it comes from a forge's review.
    pub fn repository(&self) -> Option<&str> {
        let name = self.extra.get("forge")?.get("repository")?.as_str()?;
        (!name.is_empty() && name.len() <= NAME && !name.contains(char::is_control)).then_some(name)
    }

    /// Returns the author with the account's role in the repository, as given by the forge: `ann (github: member)`. A
    /// mapped account is shown as its person.
    pub fn said_by(&self) -> String {
        let forge = |name: &str| {
            let text = self.extra.get("forge")?.get(name)?.as_str()?;
            (!text.is_empty() && text.len() <= NAME && !text.contains(char::is_control)).then_some(text)
        };
        let is_mapped = self.extra.get("forge").and_then(|forge| forge.get("mapped")?.as_bool()) == Some(true);
        match (forge("account"), forge("name"), forge("standing")) {
            (Some(_), Some(name), Some(standing)) => format!("{} ({name}: {standing})", self.reviewer_id),
            (Some(_), Some(name), None) if !is_mapped => format!("{} ({name}: role unknown)", self.reviewer_id),
            _ => self.reviewer_id.clone(),
        }
    }

    /// Returns the file it is about, if all its places are in one.
    pub fn single_file(&self) -> Option<&str> {
        single_file(&self.feedback.places)
    }

    /// Returns the mark by people or a language model that it asks for nothing, or for something too specific for a
    /// rule. People take precedence.
    pub fn teaches_nothing(&self) -> Option<Mark> {
        let feedback = &self.feedback;
        match (&feedback.marked, &feedback.reading) {
            (Some(marked), _) => Some(marked.mark).filter(|mark| *mark != Mark::Demand),
            (None, Some(reading)) if reading.none => Some(Mark::Nothing),
            (None, Some(reading)) if !reading.generic => Some(Mark::Particular),
            (None, _) => None,
        }
    }
}

/// Maximum length of a repository's name, in bytes; a longer one is ignored.
const NAME: usize = 200;

impl StoredRecord for DecisionRecord {
    const SCHEMA: &'static str = "feedbackd.decision/1";

    fn is_place(path: &str) -> bool {
        layout::is_below(layout::DECISIONS, path, ".yaml")
    }

    fn path(&self) -> String {
        let id = &self.feedback.feedback_id;
        let file = layout::decision(self.gate, self.timestamp, whole_id(id));
        match &self.comment {
            Some(said) => layout::of_comment(&file, &said.name),
            None => file,
        }
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.feedback.feedback_id, self.timestamp)
    }

    fn check(&self, _path: &str) -> Result<(), String> {
        check_parts(&self.feedback, &self.evaluation)?;
        let id = &self.feedback.feedback_id;
        let mut names = BTreeSet::new();
        for comment in &self.comments {
            check_parts(&comment.feedback, &comment.evaluation)?;
            let its = &comment.feedback.feedback_id;
            if whole_id(its) != id || !names.insert(comment.name()) {
                return Err(format!("`comments` has the feedback {its:?}: it must be {id}{BETWEEN} and a unique name"));
            }
        }
        Ok(())
    }

    /// Every new evaluation is published: that of the whole, and those of its comments.
    fn messages(&self, path: &str, before: &Before<'_, Self>) -> Vec<Outgoing> {
        let before = before.record();
        let whole = self.evaluated(&self.feedback, &self.evaluation, before.map(|b| b.evaluation.revision), path);
        let comments = self.comments.iter().filter_map(|comment| {
            let known = before.and_then(|b| b.comments.iter().find(|known| known.name() == comment.name()));
            let path = layout::of_comment(path, comment.name());
            self.evaluated(&comment.feedback, &comment.evaluation, known.map(|k| k.evaluation.revision), &path)
        });
        whole.into_iter().chain(comments).collect()
    }
}

impl DecisionRecord {
    /// Returns the message for an evaluation; `None` if already published.
    fn evaluated(
        &self,
        feedback: &FeedbackSection,
        evaluation: &Evaluation,
        before: Option<u32>,
        path: &str,
    ) -> Option<Outgoing> {
        if before == Some(evaluation.revision) {
            return None;
        }
        let data = FeedbackEvaluated {
            feedback_id: feedback.feedback_id.clone(),
            decision_id: self.decision_id.clone(),
            agent: feedback.agent.clone(),
            gate: self.gate,
            decision: self.decision,
            reviewer_id: self.reviewer_id.clone(),
            classification: evaluation.classification,
            confidence: evaluation.confidence,
            rationale: evaluation.rationale.clone(),
            similar_feedback_ids: evaluation.similar.iter().map(|s| s.feedback_id.clone()).collect(),
            cluster_id: evaluation.cluster.clone(),
            proposed_action: evaluation.proposed_action.clone(),
            revision: evaluation.revision,
            record: path.to_owned(),
        };
        Some(Outgoing {
            topic: Topic::FeedbackEvaluated,
            schema: "feedbackd.feedback_evaluated/1",
            idempotency_key: format!("feedback_evaluated:{}:{}", feedback.feedback_id, evaluation.revision),
            tenant_id: self.tenant_id.clone().unwrap_or_default(),
            timestamp: evaluation.evaluated_at,
            trace: None,
            data: json(&data),
        })
    }
}

/// Checks what the types cannot express.
fn check_parts(feedback: &FeedbackSection, evaluation: &Evaluation) -> Result<(), String> {
    name("cluster", &evaluation.cluster)?;
    name("proposal_id", evaluation.proposed_action.iter().map(|action| &action.proposal_id))?;
    name("edge_case", &feedback.edge_case)?;
    probability("confidence", evaluation.confidence)
}

/// The feedback part of a decision record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackSection {
    /// The feedback's id.
    pub feedback_id: String,
    /// The agent whose work was judged.
    pub agent: String,
    /// What was changed, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction_summary: Option<String>,
    /// Whether the summary was derived from the diff.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summary_is_derived: bool,
    /// The correction's diff in the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<CorrectionRef>,
    /// Why an announced correction is not in the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction_note: Option<String>,
    /// The places it is about, one per comment, as far as the publisher gives them; at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<RemarkedPlace>,
    /// The comment's demand, and which way it points.
    pub stance: Stance,
    /// The catalogue concern it voices, and why it was recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concern: Option<Match>,
    /// What it asks for according to a language model; it is then compared by that sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<ModelReading>,
    /// The language model that placed it in its cluster: `model:<name>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed_by: Option<String>,
    /// Which kinds of secrets were removed from the texts, and which invisible characters, as `U+202E`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// The one-off this feedback opened, if it is or was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_case: Option<String>,
    /// The review that withdrew this feedback: nothing more is learned from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retracted_by: Option<String>,
    /// The mark that people gave it, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marked: Option<Marked>,
}

/// A stored diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CorrectionRef {
    /// Its path in the store.
    pub path: String,
    /// The files it touches; at most 20.
    pub files: Vec<String>,
    /// Lines added.
    pub lines_added: usize,
    /// Lines removed.
    pub lines_removed: usize,
    /// Whether it was built from the comments' suggestion blocks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suggested: bool,
}
