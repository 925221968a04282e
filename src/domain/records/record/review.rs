//! A person's decision about what was learned, accepted or rejected.

use super::rejection::Refusal;
use super::stored_record::{Before, IndexRow, StoredRecord};
use crate::clusters::purity::Purity;
use crate::intake::submission::ReviewAction;
use crate::records::layout;
use crate::records::message::{Outgoing, ReviewOutcomeMessage, Topic, json};
use crate::records::review_status::{ReviewOutcome, ReviewedStatus};
use crate::source::Source;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A person's decision about what was learned, accepted or rejected: `reviews/<yyyy>/<mm>/<dd>/<review_id>.yaml`,
/// `reviews/roster/<review_id>.yaml` if it is about the roster and counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewRecord {
    /// `feedbackd.review/1`
    pub schema: String,
    /// Its id; equal ids mean the same review.
    pub review_id: String,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The decision.
    pub action: ReviewAction,
    /// Who decided.
    pub reviewer_id: String,
    /// When, according to the reviewer.
    pub timestamp: Timestamp,
    /// Why, in the reviewer's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The hash of the text that the reviewer saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// Whether it was signed with a key of the roster.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
    /// The signature of `signed_text`, armored in OpenSSH's format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The text that was signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_text: Option<String>,
    /// The signing key's fingerprint: `SHA256:` and 43 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signing_key: Option<String>,
    /// The hash of the version that an approval counted for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_hash: Option<String>,
    /// Its outcome.
    pub outcome: ReviewOutcome,
    /// Why it was rejected, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// The effect, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// The resulting state of the proposal or rule it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<ReviewedStatus>,
    /// Its verdict on clusters built automatically, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
    /// When it was applied.
    pub recorded_at: Timestamp,
    /// Its source.
    pub source: Source,
}

impl StoredRecord for ReviewRecord {
    const SCHEMA: &'static str = "feedbackd.review/1";

    fn is_place(path: &str) -> bool {
        layout::is_below(layout::REVIEWS, path, ".yaml")
    }

    fn path(&self) -> String {
        if self.action.is_about_roster() && self.outcome == ReviewOutcome::Accepted {
            return layout::roster_review(&self.review_id);
        }
        layout::review(self.timestamp, &self.review_id)
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.review_id, self.timestamp)
    }

    /// An id may be rejected more than once, so the entry helps to distinguish the outcomes.
    fn messages(&self, path: &str, before: &Before<'_, Self>) -> Vec<Outgoing> {
        if before.record().is_some_and(|before| (&before.source, before.outcome) == (&self.source, self.outcome)) {
            return Vec::new();
        }
        let data = ReviewOutcomeMessage {
            review_id: self.review_id.clone(),
            action: self.action.clone(),
            subject: self.action.subject().to_owned(),
            reviewer_id: self.reviewer_id.clone(),
            decided_at: self.timestamp,
            outcome: self.outcome,
            refusal: self.refusal.clone(),
            effect: self.effect.clone(),
            standing: self.standing.clone(),
            stream: self.source.stream.clone(),
            entry_id: self.source.entry_id.clone(),
            record: path.to_owned(),
        };
        vec![Outgoing {
            topic: Topic::ReviewOutcomes,
            schema: "feedbackd.review_outcome/1",
            idempotency_key: format!("review_outcome:{}:{}", self.review_id, self.source.entry_id),
            tenant_id: self.tenant_id.clone().unwrap_or_default(),
            timestamp: self.recorded_at,
            trace: None,
            data: json(&data),
        }]
    }
}

/// How many automatically built clusters an answer confirms, and how many it refutes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// Clusters in which at least four fifths ask for the same.
    pub right: u32,
    /// The other ones.
    pub wrong: u32,
}

impl Judged {
    /// Adds another answer's counts.
    pub fn add(&mut self, other: Judged) {
        self.right = self.right.saturating_add(other.right);
        self.wrong = self.wrong.saturating_add(other.wrong);
    }

    /// Returns what the counts imply for unjudged clusters.
    pub fn purity(self) -> Option<Purity> {
        Purity::of(u64::from(self.right), u64::from(self.wrong))
    }

    /// Returns the counts unless all zero.
    pub fn told(self) -> Option<Judged> {
        (self.right + self.wrong > 0).then_some(self)
    }
}
