//! Queries to the index and their results; no behaviour of its own.

use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::feedback::{is_comment, is_outright};
use crate::domain::intake::submission::Mark;
use crate::domain::records::record::{AdviceKind, DecisionRecord, Tokens};
use crate::text::ids::Gate;
use crate::text::language::catalogue::ClusterConcern;
use crate::text::language::direction::Direction;
use crate::text::language::model_reading::ModelReading;
use crate::text::language::similarity::DemandVector;
use crate::text::verdict::Verdict;
use jiff::Timestamp;

/// One feedback in the index: enough to list it, compare it and find its record.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedFeedback {
    /// The line's id.
    pub id: String,
    /// The publisher's decision id.
    pub decision_id: String,
    /// The path of its record in the store.
    pub path: String,
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent.
    pub agent: String,
    /// The gate.
    pub gate: Gate,
    /// The person who decided.
    pub reviewer: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The time.
    pub timestamp: Timestamp,
    /// The text compared and searched: summary and comment, redacted; may be empty.
    pub text: String,
    /// Whether it makes a demand.
    pub demand: bool,
    /// Whether the decision, or for a comment the comment, corrects: see [`DecisionRecord::corrects`].
    pub corrects: bool,
    /// The number of additional comments of the decision.
    pub comments: u32,
    /// Its direction.
    pub direction: Direction,
    /// Whether it states its direction explicitly.
    pub outright: bool,
    /// The concern it voices, if recognised.
    pub voiced: Option<ClusterConcern>,
    /// The class.
    pub classification: Classification,
    /// The probability, 0 to 1, that the class is correct.
    pub confidence: f64,
    /// The cluster.
    pub cluster: Option<String>,
    /// The one-off it opened.
    pub edge_case: Option<String>,
    /// How often it was evaluated.
    pub revision: u32,
    /// The agent's session, if known.
    pub session: Option<String>,
    /// The duration of the review, in seconds, if known.
    pub review_seconds: Option<u64>,
    /// Whether it was withdrawn: nothing is learned from it, and it does not count.
    pub retracted: bool,
    /// The sentence in which a person stated its demand, if that is compared instead.
    pub sentence: Option<String>,
    /// Whether a language model chose its cluster.
    pub judged: bool,
    /// The task; for a forge's review the pull request, as `owner/name#12`.
    pub task: Option<String>,
    /// Its repository on the forge, as `owner/name`.
    pub repository: Option<String>,
    /// The file that it is about, if any.
    pub file: Option<String>,
    /// Marked by people or a language model as demanding nothing, or something too specific for a rule.
    pub mark: Option<Mark>,
    /// The vector of its text, if any.
    pub vector: Option<DemandVector>,
}

impl IndexedFeedback {
    /// Reports whether it is a comment of a decision.
    pub fn is_comment(&self) -> bool {
        is_comment(&self.id)
    }

    /// Creates the index entry of a decision record at `path`. `vector` is that of [`DecisionRecord::text`].
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
            voiced: ClusterConcern::of(feedback.concern.as_ref(), feedback.stance.waives),
            classification: evaluation.classification,
            confidence: evaluation.confidence,
            cluster: evaluation.cluster.clone(),
            edge_case: feedback.edge_case.clone(),
            revision: evaluation.revision,
            session: record.session_id.clone(),
            review_seconds: record.review_duration_seconds,
            retracted: feedback.retracted_by.is_some(),
            sentence: feedback.reading.as_ref().and_then(ModelReading::sentence).map(str::to_owned),
            judged: feedback.placed_by.is_some(),
            task: record.task_id.clone(),
            repository: record.repository().map(str::to_owned),
            file: record.single_file().map(str::to_owned),
            mark: record.teaches_nothing(),
            vector,
        }
    }
}

/// A filter for lists. Empty options do not filter.
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
    /// Maximum number, latest first; 0 means no limit.
    pub limit: usize,
}

/// A query for an agent's decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeQuery {
    /// The tenant; empty for the default tenant.
    pub tenant: String,
    /// The agent.
    pub agent: String,
    /// Only at these gates; empty for all.
    pub gates: Vec<Gate>,
    /// At or after.
    pub since: Option<Timestamp>,
    /// Strictly before.
    pub until: Option<Timestamp>,
    /// Whether the latest come first.
    pub latest_first: bool,
    /// Maximum number; 0 means no limit.
    pub limit: usize,
}

/// The countable outcome of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The feedback's id.
    pub id: String,
    /// The time.
    pub at: Timestamp,
    /// The gate.
    pub gate: Gate,
    /// The clusters of the decision and its comments.
    pub clusters: Vec<String>,
    /// Whether it corrects: anything but an approval without demands, of the whole or of a place.
    pub is_correction: bool,
    /// The agent's session, if known.
    pub session: Option<String>,
}

/// Earlier submissions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexedSubmissions {
    /// The ids of reviews.
    pub reviews: Vec<String>,
    /// The ids of injections.
    pub injections: Vec<String>,
    /// The ids of follow-ups of reviews.
    pub follow_ups: Vec<String>,
    /// Questions asked of a model.
    pub advice: Vec<IndexedQuestion>,
    /// The comments that a model was asked to read, with the time and the tokens used.
    pub readings: Vec<(String, Timestamp, Tokens)>,
}

/// A question that a model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedQuestion {
    /// The question's hash.
    pub question_hash: String,
    /// Its subjects.
    pub about: Vec<String>,
    /// Its kind.
    pub kind: AdviceKind,
    /// Whether demands were placed a second time.
    pub again: bool,
    /// When it was asked.
    pub at: Timestamp,
    /// The tokens used.
    pub tokens: Tokens,
}

/// Counts of everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Feedback records by class, in the order of [`Classification::ALL`].
    pub by_class: [u64; 5],
    /// The number of clusters.
    pub clusters: u64,
    /// Proposals awaiting review.
    pub pending_proposals: u64,
    /// One-offs still open.
    pub open_edge_cases: u64,
    /// Tiebreaks awaiting a person.
    pub open_ambiguous: u64,
    /// Dead letters.
    pub dead_letters: u64,
    /// Files that could not be read.
    pub unreadable: u64,
}
