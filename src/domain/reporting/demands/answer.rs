//! What reviewers keep asking for, as shown by page, API, command and file. Field names are stable; fields may be
//! added.

use super::quote::Quote;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// What reviewers keep asking for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Demands {
    /// The repository, agent and period covered.
    pub of: Behind,
    /// What was read, with totals.
    pub read: Read,
    /// What several people ask for, most comments first.
    pub patterns: Vec<Recurring>,
    /// Number of further patterns.
    pub more_patterns: u64,
    /// What a single person asks for repeatedly: a second voice is missing.
    pub by_one: Vec<Recurring>,
    /// Number of further ones.
    pub more_by_one: u64,
    /// Comments that oppose earlier ones and are pending a decision, latest first.
    pub contradictions: Vec<Opposed>,
    /// Number of further ones.
    pub more_contradictions: u64,
    /// The most valuable questions about comments; absent if not searched for yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<Puzzle>>,
    /// How reliable the patterns are, by people's answers; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// What was left out before becoming feedback, as far as imports and forge checks noted it.
    pub left_out: Vec<LeftOut>,
    /// All repositories, by name.
    pub repositories: Vec<String>,
    /// All agents, by name.
    pub agents: Vec<String>,
}

/// What the figures cover; everything if empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Behind {
    /// Only this repository of a forge, `owner/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Only this agent's work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Start time, inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// End time, exclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// What was read. Each comment, and a review's overall text, counts in one of the figures from `shared` on; a review
/// without text apart from its comments does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Read {
    /// All reviews.
    pub reviews: u64,
    /// These reviews' comments on places in the work.
    pub comments: u64,
    /// The forges' pull requests they belong to.
    pub pull_requests: u64,
    /// The other tasks they belong to.
    pub tasks: u64,
    /// Their authors.
    pub people: u64,
    /// Time of the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Timestamp>,
    /// Time of the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Timestamp>,
    /// Those that ask for the same as another person.
    pub shared: u64,
    /// Those that repeat a demand by the same person only.
    pub by_one: u64,
    /// Those whose demand was not found elsewhere.
    pub once: u64,
    /// Those that oppose earlier ones.
    pub contradict: u64,
    /// Those that are too specific for a rule.
    pub particular: u64,
    /// Those that ask for nothing: approvals, praise, reports.
    pub nothing: u64,
    /// Those that reject work without words.
    pub wordless: u64,
    /// Those that people withdrew.
    pub withdrawn: u64,
}

/// A recurring demand.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Recurring {
    /// What is asked for: the resulting rule, otherwise one of the comments.
    pub demand: String,
    /// The agent whose work it is about.
    pub agent: String,
    /// The clusters that ask for it, largest first.
    pub groups: Vec<String>,
    /// The probability, 0 to 1, that its comments ask for the same.
    pub confidence: f64,
    /// How many comments ask for it.
    pub remarks: u64,
    /// How many people, counting all programs as one more.
    pub people: u64,
    /// On how many of the forges' pull requests.
    pub pull_requests: u64,
    /// On how many other tasks.
    pub tasks: u64,
    /// When it was first asked for.
    pub first: Timestamp,
    /// When it was last asked for.
    pub last: Timestamp,
    /// The share of all reviews of the agent's work that ask for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// How often it was asked for in equal parts of the whole time, first to last.
    pub periods: Vec<Period>,
    /// Where, as far as its comments tell.
    pub places: Where,
    /// The resulting rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<DemandRule>,
    /// Why there is none, if there is a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_proposed: Option<String>,
    /// Some of its comments, by as many people as possible.
    pub evidence: Vec<Quote>,
    /// Number of further comments.
    pub more_evidence: u64,
}

/// A share with its confidence interval.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Share {
    /// The count.
    pub part: u64,
    /// The denominator.
    pub of: u64,
    /// The lower bound, 0 to 1, at 95 % (Wilson).
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// A part of the time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Period {
    /// A month, quarter or year: `2026-03`, `2026-Q1`, `2026`.
    pub period: String,
    /// Number of comments.
    pub remarks: u64,
}

/// Where a demand is made. Only comments on a single file count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Where {
    /// Number of comments counted.
    pub remarks: u64,
    /// The kinds of files and languages, most frequent first.
    pub kinds: Vec<Count>,
    /// The files with several comments, most frequent first.
    pub files: Vec<Count>,
}

/// A count with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    /// What is counted.
    pub name: String,
    /// The count.
    pub count: u64,
}

/// The rule resulting from a demand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DemandRule {
    /// `RULE-<year>-<nnnn>`
    pub rule_id: String,
    /// Its text.
    pub text: String,
    /// Its state: proposed, active, rejected …
    pub state: String,
    /// The files it is for; all if none is named.
    pub paths: Vec<String>,
}

/// A comment that opposes an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Opposed {
    /// The feedback.
    pub feedback_id: String,
    /// The agent whose work it is about.
    pub agent: String,
    /// Its text.
    pub text: String,
    /// Its author.
    pub reviewer_id: String,
    /// The earlier text; empty for an approval without words.
    pub other_text: String,
    /// The earlier author.
    pub other_reviewer_id: String,
    /// The question to decide.
    pub question: String,
}

/// A question about comments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Puzzle {
    /// The line's id.
    pub id: String,
    /// The question.
    pub question: String,
    /// The first comments it is about, shortened.
    pub remarks: Vec<String>,
}

/// People's verdicts on automatically built clusters.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Trust {
    /// Clusters judged right.
    pub right: u64,
    /// Clusters judged wrong.
    pub wrong: u64,
    /// The lower bound of the share of right ones, 0 to 1, at 90 % (Jeffreys).
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// What was left out of a repository's history, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// The reason's name, as in `feedbackd_forge_ignored_total`.
    pub reason: String,
    /// Describes it in words.
    pub why: String,
    /// The number left out.
    pub count: u64,
}
