//! The types of an actionable-feedback document (specification, "Review documents: The schema"). Fields unknown to the
//! schema are kept. `check` finds errors in a document.

use super::check::check;
use super::diagnostic::{Diagnostic, is_refused};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Fields unknown to the schema.
type Extra = BTreeMap<String, Value>;

/// Structured feedback of one iteration (specification, "Review documents").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// Unique feedback identifier, a UUID.
    pub id: String,
    /// When feedback was generated.
    pub timestamp: Timestamp,
    /// The iteration.
    pub iteration: Iteration,
    /// What was reviewed.
    pub target: Target,
    /// Specific feedback items, at least one.
    pub feedback_items: Vec<FeedbackItem>,
    /// The conclusion from them.
    pub overall_assessment: Assessment,
    /// The effect of the feedback in the next iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality_tracking: Option<QualityTracking>,
    /// Fields unknown to the schema.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The round of the loop that a document belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Iteration {
    /// Current iteration number, from 1.
    #[serde(deserialize_with = "whole")]
    pub number: u64,
    /// Maximum allowed iterations, from 1.
    #[serde(deserialize_with = "whole")]
    pub max: u64,
    /// Current refinement phase.
    pub phase: Phase,
    /// Fields unknown to the schema.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The phase of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The first iteration.
    Initial,
    /// An iteration between the first and the last.
    Refinement,
    /// The last iteration.
    Final,
}

/// What is being reviewed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// Type of artifact being reviewed.
    #[serde(rename = "type")]
    pub kind: TargetType,
    /// File path or artifact identifier.
    pub path: String,
    /// Version or commit hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Additional context about the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Fields unknown to the schema.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A type of artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "self-explanatory")]
pub enum TargetType {
    Code,
    Document,
    Artifact,
    Configuration,
    Test,
    Schema,
}

/// One thing to do (specification, "Review documents: The schema", FeedbackItem).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackItem {
    /// Quality aspect being addressed.
    pub aspect: Aspect,
    /// Impact severity.
    pub severity: ItemSeverity,
    /// Score for this aspect (0=poor, 1=excellent).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Clear description of the problem, 20 to 500 characters.
    pub issue: String,
    /// Where it is.
    pub location: Location,
    /// Returns what to do about the error.
    pub suggestion: Suggestion,
    /// Supporting evidence for this feedback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Fields unknown to the schema.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A quality aspect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "self-explanatory")]
pub enum Aspect {
    Correctness,
    Completeness,
    Clarity,
    Consistency,
    Efficiency,
    Security,
    Style,
    Documentation,
    Testability,
    Maintainability,
}

impl Aspect {
    /// Returns the spelling used in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Aspect::Correctness => "correctness",
            Aspect::Completeness => "completeness",
            Aspect::Clarity => "clarity",
            Aspect::Consistency => "consistency",
            Aspect::Efficiency => "efficiency",
            Aspect::Security => "security",
            Aspect::Style => "style",
            Aspect::Documentation => "documentation",
            Aspect::Testability => "testability",
            Aspect::Maintainability => "maintainability",
        }
    }
}

/// The severity of an item; the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemSeverity {
    /// The artifact cannot be accepted.
    Critical,
    /// It must be fixed.
    Major,
    /// It should be fixed, but is minor.
    Minor,
    /// It may be left unchanged.
    Suggestion,
}

/// The location of an issue (specification, "Review documents: Location").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Location {
    /// What the reference names.
    #[serde(rename = "type")]
    pub kind: LocationType,
    /// Line number, function name, section heading, etc.
    pub reference: String,
    /// Text or code immediately before the issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_before: Option<String>,
    /// Text or code immediately after the issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_after: Option<String>,
    /// Fields unknown to the schema.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a location's reference names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "self-explanatory")]
pub enum LocationType {
    Line,
    Range,
    Function,
    Section,
    Element,
    Path,
}

/// What to do, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Suggestion {
    /// Specific action to take, 20 to 1000 characters.
    pub action: String,
    /// Why this action will improve the artifact, 20 to 500 characters.
    pub rationale: String,
    /// Example of the improved version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// Priority order for addressing, 1 (highest) to 10.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole_or_none")]
    pub priority: Option<u64>,
    /// Fields unknown to the schema.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What supports an item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Relevant test output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_result: Option<String>,
    /// Relevant metric value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Reference to best practice or standard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Fields unknown to the schema.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The conclusion from the items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assessment {
    /// Overall quality score, 0 to 1.
    pub score: f64,
    /// Recommended action.
    pub verdict: ReviewVerdict,
    /// Brief summary of assessment, 50 to 500 characters.
    pub summary: String,
    /// Confidence in this assessment, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Fields unknown to the schema.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A recommended action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Verdict")]
pub enum ReviewVerdict {
    /// It is done.
    Accept,
    /// Another iteration is needed.
    Refine,
    /// The approach is wrong.
    Reject,
    /// People decide.
    Escalate,
}

/// The effect of feedback in the next iteration (specification, "Review documents: Tracking quality").
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QualityTracking {
    /// Was this feedback followed in next iteration?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_followed: Option<bool>,
    /// Did following feedback improve the artifact?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub improvement_observed: Option<bool>,
    /// Score change from following feedback, -1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub improvement_delta: Option<f64>,
    /// How clear was this feedback? (retrospective), 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_clarity_score: Option<f64>,
    /// Fields unknown to the schema.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Document {
    /// Parses a value.
    ///
    /// # Errors
    /// The findings of [`check`], if any is an error.
    pub fn of(value: &Value) -> Result<Document, Vec<Diagnostic>> {
        let found = check(value);
        if is_refused(&found) {
            return Err(found);
        }
        Document::deserialize(value).map_err(|e| vec![unreadable(&e)])
    }
}

fn unreadable(error: &serde_json::Error) -> Diagnostic {
    let message = format!("the document cannot be read: {error}");
    Diagnostic::new("", super::DocumentRule::SchemaOther, message, "another shape", "a document of a different form")
}

/// Reads an integer. JSON Schema counts 2.0 as an integer, too. Out-of-range values saturate.
fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Number {
        Whole(u64),
        Float(f64),
    }
    Ok(match Number::deserialize(from)? {
        Number::Whole(n) => n,
        // Saturates.
        Number::Float(f) => f as u64,
    })
}

fn whole_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    whole(from).map(Some)
}
