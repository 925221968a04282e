//! What reviewers keep asking for, as the page, the API, the command and the file show it. Field names are stable; fields may
//! be added.

use super::quote::Quote;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// What reviewers keep asking for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Demands {
    /// Of what: only this repository, agent and time where they are named.
    pub of: Behind,
    /// What was read, and what it came to.
    pub read: Read,
    /// What several people ask for, the most remarks first.
    pub patterns: Vec<Recurring>,
    /// How many more patterns there are.
    pub more_patterns: u64,
    /// What one person alone asks for repeatedly: a second voice is missing.
    pub by_one: Vec<Recurring>,
    /// How many more of these there are.
    pub more_by_one: u64,
    /// Remarks that say the opposite of earlier ones and wait for a person, the latest first.
    pub contradictions: Vec<Opposed>,
    /// How many more of these there are.
    pub more_contradictions: u64,
    /// The questions about remarks whose answers pay most; absent where nobody looked for them yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<Puzzle>>,
    /// How far the patterns are to be trusted, by what people answered; absent where nobody answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// What was left out before it became feedback, as far as imports and looks at forges noted it.
    pub left_out: Vec<LeftOut>,
    /// The repositories that there are, by name.
    pub repositories: Vec<String>,
    /// The agents that there are, by name.
    pub agents: Vec<String>,
}

/// What the figures are about; all of it where nothing is named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Behind {
    /// Only what came from this repository of a forge, `owner/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Only what is about this agent's work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// From then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Before then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// What was read. Each comment, and what a review says of the whole, counts in one of the figures from `shared` on; a review
/// that says nothing beside its comments does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Read {
    /// Reviews at all.
    pub reviews: u64,
    /// Comments of these reviews on places of the work.
    pub comments: u64,
    /// The pull requests of forges that they are of.
    pub pull_requests: u64,
    /// The tasks that others of them are of.
    pub tasks: u64,
    /// The people who made them.
    pub people: u64,
    /// When the first of them was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Timestamp>,
    /// When the last of them was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Timestamp>,
    /// Those that ask for what somebody else asks for, too.
    pub shared: u64,
    /// Those that ask for what the same person asks for elsewhere, and nobody else.
    pub by_one: u64,
    /// Those that ask for something that nobody else was found to ask for.
    pub once: u64,
    /// Those that say the opposite of earlier ones.
    pub contradict: u64,
    /// Those that ask for something too particular for a rule.
    pub particular: u64,
    /// Those that ask for nothing: approvals, praise, reports.
    pub nothing: u64,
    /// Those that send work back without words.
    pub wordless: u64,
    /// Those that people withdrew.
    pub withdrawn: u64,
}

/// A demand that recurs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Recurring {
    /// What is asked for: the rule that was made of it, else one of the remarks.
    pub demand: String,
    /// Whose work it is about.
    pub agent: String,
    /// The groups of remarks that ask for it, the largest first.
    pub groups: Vec<String>,
    /// The probability, 0 to 1, that its remarks ask for the same.
    pub confidence: f64,
    /// How many remarks ask for it.
    pub remarks: u64,
    /// How many people, and the programs as one more.
    pub people: u64,
    /// On how many pull requests of forges.
    pub pull_requests: u64,
    /// On how many other tasks.
    pub tasks: u64,
    /// When it was asked for first.
    pub first: Timestamp,
    /// When it was asked for last.
    pub last: Timestamp,
    /// The share of all reviews of the agent's work in which it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// How often it was asked for, by equal parts of the whole time, the first one first.
    pub periods: Vec<Period>,
    /// Where, as far as its remarks say it.
    pub places: Where,
    /// The rule that was made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<DemandRule>,
    /// Why there is none, where that has a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_proposed: Option<String>,
    /// Some of its remarks, of as many people as possible.
    pub evidence: Vec<Quote>,
    /// How many more remarks there are.
    pub more_evidence: u64,
}

/// So many of so many, and where the true share lies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Share {
    /// How many.
    pub part: u64,
    /// Of how many.
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
    /// How many remarks.
    pub remarks: u64,
}

/// Where a demand is made. Only remarks that are about one file count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Where {
    /// How many remarks count.
    pub remarks: u64,
    /// The kinds of files and languages, the most frequent first.
    pub kinds: Vec<Count>,
    /// The files with several remarks, the most frequent first.
    pub files: Vec<Count>,
}

/// How many of something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    /// Of what.
    pub name: String,
    /// How many.
    pub count: u64,
}

/// The rule that was made of a demand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DemandRule {
    /// `RULE-<year>-<nnnn>`
    pub rule_id: String,
    /// What it says.
    pub text: String,
    /// Where it stands: proposed, active, rejected …
    pub state: String,
    /// The files that it is for; all of them where none is named.
    pub paths: Vec<String>,
}

/// A remark that says the opposite of an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Opposed {
    /// The feedback.
    pub feedback_id: String,
    /// Whose work it is about.
    pub agent: String,
    /// What it says, and who says it.
    pub text: String,
    /// Who says it.
    pub reviewer_id: String,
    /// What was said before; empty where that was an approval without words.
    pub other_text: String,
    /// Who said that.
    pub other_reviewer_id: String,
    /// What is to be decided.
    pub question: String,
}

/// A question about remarks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Puzzle {
    /// Its id.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// The first of the remarks that it is about, shortened.
    pub remarks: Vec<String>,
}

/// What people said of groups that the program made by itself.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Trust {
    /// Groups that they said are right.
    pub right: u64,
    /// Groups that they said are not.
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
    /// The same in words.
    pub why: String,
    /// How much was left out.
    pub count: u64,
}
