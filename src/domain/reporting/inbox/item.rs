//! A pending item, as presented to any client.

use crate::clusters::question::Inquiry;
use crate::text::prose::{count, people};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use strum::{EnumIter, EnumString, IntoStaticStr};

/// The kinds of pending items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A change of the roster.
    RosterChange,
    /// A proposal: a new rule, a check, or a rule's removal from force.
    Proposal,
    /// A rule in force without a visible benefit and without an open proposal to retire it.
    FlaggedRule,
    /// A comment that contradicts earlier ones.
    Contradiction,
    /// Whether comments ask for the same.
    Question,
    /// A cluster whose members may ask for several things.
    MixedGroup,
}

/// A part of the inbox, in the order in which a person should look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Section {
    /// Rules and the roster: an answer has an effect at once.
    Decide,
    /// Questions about comments: an answer makes later proposals better.
    Answer,
    /// Contradictions and clusters that may be mixed: they hold nothing up.
    Tidy,
}

impl Section {
    /// Returns its heading.
    pub fn heading(self) -> &'static str {
        match self {
            Section::Decide => "To decide",
            Section::Answer => "Questions",
            Section::Tidy => "Tidy up",
        }
    }
}

impl Kind {
    /// Returns the part of the inbox it belongs to.
    pub fn section(self) -> Section {
        match self {
            Kind::RosterChange | Kind::Proposal | Kind::FlaggedRule => Section::Decide,
            Kind::Question => Section::Answer,
            Kind::Contradiction | Kind::MixedGroup => Section::Tidy,
        }
    }

    /// Returns a word or two for people.
    pub fn word(self) -> &'static str {
        match self {
            Kind::RosterChange => "roster",
            Kind::Proposal => "proposal",
            Kind::FlaggedRule => "flagged rule",
            Kind::Contradiction => "contradiction",
            Kind::Question => "question",
            Kind::MixedGroup => "mixed cluster",
        }
    }
}

/// A pending item.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Item {
    /// Its kind.
    pub kind: Kind,
    /// The subject's id: a proposal, a rule, a feedback for a contradiction, a cluster, or `ROSTER`; for a question, an
    /// id that is stable as long as it asks about the same comments.
    pub id: String,
    /// The agents concerned, separated by commas; empty for the roster.
    pub agent: String,
    /// A one-line description.
    pub title: String,
    /// The rule's text, if it is about a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why it is pending for this person, in words; for anyone if no person is given.
    pub why: String,
    /// Since when it is pending.
    #[schemars(with = "String")]
    pub since: Timestamp,
    /// The value of an answer: corrections that it is expected to save in 30 days. 0 or more.
    pub worth: f64,
    /// What it rests on; absent if it is not about comments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Approvals received and needed; absent if one answer decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// The version this person approved and the current one, if they approved an earlier version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_since_approved: Option<Changed>,
    /// Whether this person wrote part of the evidence, so that their approval does not suffice without one from someone
    /// who did not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wrote_evidence: bool,
    /// Whether this person's approval is the last one needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub completes: bool,
    /// The content hash of the pending version, which an approval must name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// The other rule it is about: for a proposal to retire or check it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The question, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<Inquiry>,
}

impl Item {
    /// Creates an item with only the common data; pending since the beginning of time, with value 0.
    pub fn new(kind: Kind, id: &str, agent: &str, title: &str) -> Item {
        Item {
            kind,
            id: id.to_owned(),
            agent: agent.to_owned(),
            title: title.to_owned(),
            text: None,
            why: String::new(),
            since: Timestamp::UNIX_EPOCH,
            worth: 0.0,
            evidence: None,
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

/// The comments behind an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    /// Comments that ask for the same.
    pub comments: u64,
    /// The people who wrote them.
    pub people: u64,
    /// The tasks or pull requests they are about, as far as known.
    pub tasks: u64,
}

impl Evidence {
    /// Returns `29 comments by 4 people on 17 tasks`.
    pub fn told(&self) -> String {
        let on = if self.tasks > 0 { format!(" on {}", count(self.tasks, "task")) } else { String::new() };
        format!("{} by {}{on}", count(self.comments, "comment"), people(self.people))
    }
}

/// Progress towards the needed approvals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Progress {
    /// Approvals received.
    pub have: usize,
    /// Approvals needed.
    pub needed: usize,
}

/// An approval that is void because the text changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Changed {
    /// The version this person approved.
    pub approved_version: u32,
    /// Its content hash.
    pub approved_hash: String,
    /// The pending version.
    pub version: u32,
    /// Its content hash.
    pub content_hash: String,
}
