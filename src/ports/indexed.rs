//! What the index is asked for and what it answers; no behaviour of its own.

use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::feedback::{is_comment, is_outright};
use crate::domain::intake::submission::Mark;
use crate::domain::records::record::{AdviceKind, DecisionRecord, Tokens};
use crate::text::ids::Gate;
use crate::text::language::catalogue::Voiced;
use crate::text::language::direction::Direction;
use crate::text::language::model_reading::Reading;
use crate::text::language::similarity::DemandVector;
use crate::text::verdict::Verdict;
use jiff::Timestamp;

/// One feedback as the index knows it: enough to list it, to compare it and to find its record.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedFeedback {
    /// Its id.
    pub id: String,
    /// The publisher's decision id.
    pub decision_id: String,
    /// Its record in the store.
    pub path: String,
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent.
    pub agent: String,
    /// The gate.
    pub gate: Gate,
    /// Who decided.
    pub reviewer: String,
    /// The verdict.
    pub verdict: Verdict,
    /// When.
    pub timestamp: Timestamp,
    /// What is compared and searched: summary and comment, redacted; empty where nothing was said.
    pub text: String,
    /// Whether it makes a demand.
    pub demand: bool,
    /// Whether the decision corrects, of a comment whether that does: see [`DecisionRecord::corrects`].
    pub corrects: bool,
    /// How many comments the decision has beside it.
    pub comments: u32,
    /// Which way it points.
    pub direction: Direction,
    /// Whether it says outright which way it points.
    pub outright: bool,
    /// The concern it voices, where one was recognised.
    pub voiced: Option<Voiced>,
    /// The class.
    pub classification: Classification,
    /// The probability, 0 to 1, that the class is right.
    pub confidence: f64,
    /// The cluster.
    pub cluster: Option<String>,
    /// The edge case it opened.
    pub edge_case: Option<String>,
    /// How often it was evaluated.
    pub revision: u32,
    /// The agent's session, where it is known.
    pub session: Option<String>,
    /// How long the review took, in seconds, where that is known.
    pub review_seconds: Option<u64>,
    /// Whether people withdrew it: nothing is learned from it, and it counts nowhere.
    pub retracted: bool,
    /// The sentence in which somebody said what it asks for, where it is compared by that.
    pub sentence: Option<String>,
    /// Whether a language model said which group it belongs to.
    pub judged: bool,
    /// The task; of a forge's review the pull request, as `owner/name#12`.
    pub task: Option<String>,
    /// The repository of the forge that it came from, as `owner/name`.
    pub repository: Option<String>,
    /// The file that it is about, where that is one.
    pub file: Option<String>,
    /// That it asks for nothing, or for something too particular for a rule, where people or a language model say so.
    pub mark: Option<Mark>,
    /// The vector of its text, where it has one.
    pub vector: Option<DemandVector>,
}

impl IndexedFeedback {
    /// Whether it is a comment of a decision.
    pub fn is_comment(&self) -> bool {
        is_comment(&self.id)
    }

    /// What the index keeps of a decision record at `path`. `vector` is that of [`DecisionRecord::text`].
    pub fn new(path: &str, record: &DecisionRecord, vector: Option<DemandVector>) -> IndexedFeedback {
        let (feedback, evaluation) = (&record.feedback, &record.evaluation);
        IndexedFeedback {
            id: feedback.feedback_id.clone(),
            decision_id: record.decision_id.clone(),
            path: path.to_owned(),
            tenant: record.tenant_id.clone().unwrap_or_default(),
            agent: feedback.agent.clone(),
            gate: record.gate,
            reviewer: record.reviewer_id.clone(),
            verdict: record.decision,
            timestamp: record.timestamp,
            text: record.text().unwrap_or_default(),
            demand: feedback.stance.demand,
            corrects: record.corrects(),
            comments: u32::try_from(record.comments.len()).unwrap_or(u32::MAX),
            direction: feedback.stance.direction,
            outright: is_outright(&feedback.stance, feedback.concern.as_ref()),
            voiced: Voiced::of(feedback.concern.as_ref(), feedback.stance.waives),
            classification: evaluation.classification,
            confidence: evaluation.confidence,
            cluster: evaluation.cluster.clone(),
            edge_case: feedback.edge_case.clone(),
            revision: evaluation.revision,
            session: record.session_id.clone(),
            review_seconds: record.review_duration_seconds,
            retracted: feedback.retracted_by.is_some(),
            sentence: feedback.reading.as_ref().and_then(Reading::sentence).map(str::to_owned),
            judged: feedback.placed_by.is_some(),
            task: record.task_id.clone(),
            repository: record.repository().map(str::to_owned),
            file: record.single_file().map(str::to_owned),
            mark: record.teaches_nothing(),
            vector,
        }
    }
}

/// What to list. Empty options do not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedbackFilter {
    /// Only this tenant.
    pub tenant: Option<String>,
    /// Only this agent.
    pub agent: Option<String>,
    /// Only this gate.
    pub gate: Option<Gate>,
    /// Only this reviewer.
    pub reviewer: Option<String>,
    /// Only this class.
    pub classification: Option<Classification>,
    /// Only members of this cluster.
    pub cluster: Option<String>,
    /// At or after.
    pub since: Option<Timestamp>,
    /// At most so many, the latest first; 0 means no limit.
    pub limit: usize,
}

/// Which decisions of an agent are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeQuery {
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent.
    pub agent: String,
    /// Only at these gates; empty: at all of them.
    pub gates: Vec<Gate>,
    /// At or after.
    pub since: Option<Timestamp>,
    /// Before; this moment itself is not in it.
    pub until: Option<Timestamp>,
    /// The latest first, instead of the earliest.
    pub latest_first: bool,
    /// At most so many; 0 means no limit.
    pub limit: usize,
}

/// What one decision came to, as far as it is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The feedback's id.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// The gate.
    pub gate: Gate,
    /// The clusters that it, or a comment of it, belongs to.
    pub clusters: Vec<String>,
    /// Whether it corrects: anything but an approval that asks for nothing, of the whole or of a place.
    pub is_correction: bool,
    /// The agent's session, where it is known.
    pub session: Option<String>,
}

/// What was submitted before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submitted {
    /// The ids of reviews.
    pub reviews: Vec<String>,
    /// The ids of injections.
    pub injections: Vec<String>,
    /// The ids of follow-ups of reviews.
    pub follow_ups: Vec<String>,
    /// What a model was asked.
    pub advice: Vec<Asked>,
    /// The comments that a model was asked to read, with when, and what that took.
    pub readings: Vec<(String, Timestamp, Tokens)>,
}

/// A question that a model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The question's hash.
    pub question_hash: String,
    /// What it was about.
    pub about: Vec<String>,
    /// Which kind of question it was.
    pub kind: AdviceKind,
    /// Whether demands were placed once more.
    pub again: bool,
    /// When it was asked.
    pub at: Timestamp,
    /// What it took.
    pub tokens: Tokens,
}

/// How much of everything there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Feedback records by class, in the order of [`Classification::ALL`].
    pub by_class: [u64; 5],
    /// Clusters.
    pub clusters: u64,
    /// Proposals that await review.
    pub pending_proposals: u64,
    /// Edge cases that are still open.
    pub open_edge_cases: u64,
    /// Tiebreaks that wait for a person.
    pub open_ambiguous: u64,
    /// Dead letters.
    pub dead_letters: u64,
    /// Files that could not be read.
    pub unreadable: u64,
}
