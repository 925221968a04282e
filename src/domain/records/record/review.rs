//! A decision of a person about what was learned, accepted or refused.

use super::refusal::Refusal;
use super::stored_record::{IndexRow, StoredRecord};
use crate::domain::grouping::purity::Purity;
use crate::domain::intake::submission::ReviewAction;
use crate::domain::records::layout;
use crate::domain::source::Source;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A decision of a person about what was learned, accepted or refused: `reviews/<yyyy>/<mm>/<dd>/<review_id>.yaml`,
/// `reviews/roster/<review_id>.yaml` where it is about the roster and counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewRecord {
    /// `feedbackd.review/1`
    pub schema: String,
    /// Its id; the same id is the same review.
    pub review_id: String,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// What was decided.
    pub action: ReviewAction,
    /// Who decided.
    pub reviewer_id: String,
    /// When, as the reviewer says.
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
    /// The signature, armored as OpenSSH writes it, of `signed_text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The text that was signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_text: Option<String>,
    /// The fingerprint of the key it was signed with: `SHA256:` and 43 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signing_key: Option<String>,
    /// The hash of the version that an approval counted for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_hash: Option<String>,
    /// What became of it.
    pub outcome: ReviewOutcome,
    /// Why it was refused, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// What followed, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// What it says of groups that the program had made by itself, where it says something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
    /// When it was taken up.
    pub recorded_at: Timestamp,
    /// Where it was read.
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
}

/// How many groups that the program had made by itself an answer says are right, and how many are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// Groups of which four fifths or more ask for the same.
    pub right: u32,
    /// The other ones.
    pub wrong: u32,
}

impl Judged {
    /// Adds what another answer says.
    pub fn add(&mut self, other: Judged) {
        self.right = self.right.saturating_add(other.right);
        self.wrong = self.wrong.saturating_add(other.wrong);
    }

    /// What all of it implies for groups that nobody judged.
    pub fn purity(self) -> Option<Purity> {
        Purity::of(u64::from(self.right), u64::from(self.wrong))
    }

    /// This, where it says something.
    pub fn told(self) -> Option<Judged> {
        (self.right + self.wrong > 0).then_some(self)
    }
}

/// What became of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewOutcome {
    /// It counts.
    Accepted,
    /// It changes nothing.
    Refused,
}
