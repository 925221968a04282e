//! A cluster of comments about the same thing. Small whatever the cluster's size: its members refer to it, not the
//! reverse.

use super::stored_record::{IndexRow, StoredRecord, name, probability};
use crate::clusters::evaluation::Classification;
use crate::records::layout;
use crate::text::language::direction::Direction;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Beginning of the reason why a pattern has no proposal, if new patterns need people's approval.
pub const WAITS_FOR_PEOPLE: &str = "It waits for people";

/// A cluster of feedback about the same thing. Small whatever its size: members are found by the `cluster` of their
/// decision records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClusterRecord {
    /// `feedbackd.cluster/1`
    pub schema: String,
    /// `CLUSTER-<id>`
    pub cluster_id: String,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The representative comment.
    pub title: String,
    /// The class of its pattern.
    pub classification: Classification,
    /// The probability, 0 to 1, that the class is right.
    pub confidence: f64,
    /// Which way its members point.
    pub direction: Direction,
    /// How many feedback records belong to it.
    pub members: u64,
    /// How many different reviewers they have.
    pub reviewer_count: u64,
    /// How many members are similar to another one (0.8 or more): only these make a pattern.
    pub similar_members: u64,
    /// How many different reviewers the similar members have.
    pub similar_reviewers: u64,
    /// Number of tasks with similar members: pull requests, for a forge's reviews. 0 if not known for all of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub similar_tasks: u64,
    /// The reviewers with the most comments, with their counts; at most 20.
    pub reviewers: BTreeMap<String, u64>,
    /// The gates, with their member counts.
    pub gates: BTreeMap<String, u64>,
    /// The first member's time.
    pub first_seen: Timestamp,
    /// The last member's time.
    pub last_seen: Timestamp,
    /// A few members that show what the cluster is about.
    pub representatives: Vec<Representative>,
    /// Its proposal, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
    /// Why a pattern has no proposal, if there is a reason: its text cannot become a rule, or repeats a rule in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_proposed: Option<String>,
    /// The review that made it a pattern, whatever its numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// The cluster that people merged it into; it then has no members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// The review by which people last changed its members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taught_by: Option<String>,
    /// Clusters and feedback that people keep apart from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_apart: Vec<String>,
}

impl StoredRecord for ClusterRecord {
    const SCHEMA: &'static str = "feedbackd.cluster/1";

    fn is_place(path: &str) -> bool {
        layout::is_in(layout::CLUSTERS, path, ".yaml")
    }

    fn path(&self) -> String {
        layout::cluster(&self.cluster_id)
    }

    /// Largest first, not latest.
    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow {
            id: &self.cluster_id,
            rank: (i64::try_from(self.members).unwrap_or(i64::MAX), 0),
            open: true,
            subject: None,
        }
    }

    /// A cluster is found by its id alone, so a file naming another cluster's id would hide that one.
    fn check(&self, path: &str) -> Result<(), String> {
        probability("confidence", self.confidence)?;
        name("proposal", &self.proposal)?;
        name("merged_into", &self.merged_into)?;
        let home = self.path();
        if path == home { Ok(()) } else { Err(format!("it describes {}, which belongs in {home}", self.cluster_id)) }
    }
}

/// A member shown in its cluster's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Representative {
    /// The line's id.
    pub feedback_id: String,
    /// Who said it.
    pub reviewer_id: String,
    /// The text, shortened.
    pub text: String,
    /// The path of its record in the store.
    pub record: String,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}
