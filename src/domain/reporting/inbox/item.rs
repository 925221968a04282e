//! One thing that waits, as everybody is shown it.

use crate::clusters::question::Inquiry;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// What waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A change of the roster.
    RosterChange,
    /// A proposal: a new rule, a check, or that a rule leaves force.
    Proposal,
    /// A rule in force that is not seen to help, where no proposal to retire it is open.
    FlaggedRule,
    /// A remark that contradicts earlier ones.
    Contradiction,
    /// Whether remarks ask for the same.
    Question,
    /// A group whose members may ask for several things.
    MixedGroup,
}

impl Kind {
    /// In a word or two, for people.
    pub fn word(self) -> &'static str {
        match self {
            Kind::RosterChange => "roster",
            Kind::Proposal => "proposal",
            Kind::FlaggedRule => "flagged rule",
            Kind::Contradiction => "contradiction",
            Kind::Question => "question",
            Kind::MixedGroup => "mixed group",
        }
    }
}

/// One thing that waits.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Item {
    /// What kind of thing.
    pub kind: Kind,
    /// What is decided about: a proposal's or a rule's id, a feedback's for a contradiction, a group's, `ROSTER`; of a
    /// question an id that is the same as long as it asks about the same remarks.
    pub id: String,
    /// The agents it is about, by commas; empty for the roster.
    pub agent: String,
    /// One line that says what it is about.
    pub title: String,
    /// Why it waits for this person, in words; for anybody where nobody is named.
    pub why: String,
    /// Since when it waits.
    #[schemars(with = "String")]
    pub since: Timestamp,
    /// What an answer is worth: corrections that it is expected to spare in 30 days. 0 or more.
    pub worth: f64,
    /// How many approvals it has, and needs; absent where one answer decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// Where this person approved an earlier version: what was approved, and what stands there now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_since_approved: Option<Changed>,
    /// Whether this person wrote part of the evidence, so that their approval is not enough without one of somebody who did
    /// not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wrote_evidence: bool,
    /// Whether a yes of this person is the last one that is needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub completes: bool,
    /// The content hash of what waits, which an approval must name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// The rule it is about, where that is another one: for a proposal to retire or to check it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The question, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<Inquiry>,
}

impl Item {
    /// An item with nothing but what all have; it waits since the beginning, and is worth nothing.
    pub fn new(kind: Kind, id: &str, agent: &str, title: &str) -> Item {
        Item {
            kind,
            id: id.to_owned(),
            agent: agent.to_owned(),
            title: title.to_owned(),
            why: String::new(),
            since: Timestamp::UNIX_EPOCH,
            worth: 0.0,
            progress: None,
            changed_since_approved: None,
            wrote_evidence: false,
            completes: false,
            content_hash: None,
            about: None,
            question: None,
        }
    }
}

/// How far something is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Progress {
    /// The approvals it has.
    pub have: usize,
    /// The approvals it needs.
    pub needed: usize,
}

/// An approval that is void because the text changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Changed {
    /// The version this person approved.
    pub approved_version: u32,
    /// Its content hash.
    pub approved_hash: String,
    /// The version that waits.
    pub version: u32,
    /// Its content hash.
    pub content_hash: String,
}
