//! A later change to a review on a forge: edited, deleted, resolved, dismissed. It is stored next to the decision and
//! changes nothing in it.

use super::stored_record::{Before, IndexRow, StoredRecord};
use crate::intake::forge::ToldWhat;
use crate::intake::submission::FollowUp;
use crate::records::layout;
use crate::records::message::{Outgoing, Topic, json};
use crate::text::prose::one_line;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A change to an earlier review: `follow_ups/<yyyy>/<mm>/<dd>/<follow_up_id>.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FollowUpRecord {
    /// `feedbackd.follow_up/1`
    pub schema: String,
    /// The line's id.
    pub follow_up_id: String,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The forge's name in the configuration.
    pub forge: String,
    /// `owner/name`
    pub repository: String,
    /// The number of the pull request or change.
    pub number: String,
    /// What happened to it.
    pub what: ToldWhat,
    /// The decision that the review was recorded as. A late comment is in a decision of its own, whose id begins with
    /// this one.
    pub decision_id: String,
    /// The forge's number of the comment; none for the whole review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// The account responsible.
    pub by: String,
    /// The replacement text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// When the daemon received it.
    pub timestamp: Timestamp,
}

impl FollowUpRecord {
    /// Builds the record of a follow-up, in this daemon's tenant.
    pub fn of(notice: &FollowUp, tenant_id: Option<String>) -> FollowUpRecord {
        FollowUpRecord {
            schema: Self::SCHEMA.to_owned(),
            follow_up_id: notice.follow_up_id.clone(),
            tenant_id,
            forge: notice.forge.clone(),
            repository: notice.repository.clone(),
            number: notice.number.clone(),
            what: notice.what,
            decision_id: notice.decision_id.clone(),
            remark: notice.remark.clone(),
            by: notice.by.clone(),
            text: notice.text.clone(),
            timestamp: notice.timestamp,
        }
    }
}

impl FollowUpRecord {
    /// Returns the decisions whose follow-ups concern this one: itself, and those of which it is a late part.
    pub fn decisions_of(decision_id: &str) -> impl Iterator<Item = &str> {
        let parts = decision_id.match_indices("-late-").map(|(at, _)| &decision_id[..at]);
        parts.chain([decision_id]).filter(|id| !id.is_empty())
    }

    /// Reports whether it concerns this decision, or one of which that is a late part.
    pub fn is_about(&self, decision_id: &str) -> bool {
        let rest = decision_id.strip_prefix(&self.decision_id);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("-late-"))
    }

    /// Describes it in words.
    pub fn told(&self) -> String {
        let of = self.remark.as_ref().map_or("the review".to_owned(), |id| format!("the comment {id}"));
        let did = match self.what {
            ToldWhat::Edited => "edited",
            ToldWhat::Deleted => "deleted",
            ToldWhat::Resolved => "resolved",
            ToldWhat::Unresolved => "opened again",
            ToldWhat::Dismissed => "dismissed",
        };
        let now = self.text.as_ref().map_or_else(String::new, |text| format!(", which now says: {}", one_line(text)));
        // An account, which may share the name of a person on the roster.
        format!("{} on {} {did} {of}{now}", self.by, self.forge)
    }
}

impl StoredRecord for FollowUpRecord {
    const SCHEMA: &'static str = "feedbackd.follow_up/1";

    fn is_place(path: &str) -> bool {
        layout::is_below(layout::FOLLOW_UPS, path, ".yaml")
    }

    fn path(&self) -> String {
        layout::follow_up(self.timestamp, &self.follow_up_id)
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.follow_up_id, self.timestamp).about(self.decision_id.as_str())
    }

    fn messages(&self, _path: &str, before: &Before<'_, Self>) -> Vec<Outgoing> {
        if !before.is_nothing() {
            return Vec::new();
        }
        vec![Outgoing {
            topic: Topic::ForgeTold,
            schema: Self::SCHEMA,
            idempotency_key: format!("follow_up:{}", self.follow_up_id),
            tenant_id: self.tenant_id.clone().unwrap_or_default(),
            timestamp: self.timestamp,
            trace: None,
            data: json(self),
        }]
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::sample::follow_up;

    #[test]
    fn it_is_about_a_decision_and_its_late_parts() {
        let one = follow_up(1);
        for (id, expected) in [
            ("github-octo-shop-1-review-1", true),
            ("github-octo-shop-1-review-1-late-3f2b8c1e7d4a", true),
            ("github-octo-shop-1-review-12", false),
            ("github-octo-shop-1", false),
        ] {
            assert_eq!(one.is_about(id), expected, "{id}");
        }
    }

    #[test]
    fn it_is_told_in_a_sentence() {
        insta::assert_snapshot!(follow_up(1).told(), @"ann on github edited the comment 2, which now says: Handle the timeout as well.");
    }
}
