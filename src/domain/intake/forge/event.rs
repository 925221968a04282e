//! What was said on a forge, in words that are the same for all of them.

use crate::intake::comment::{Comment, CommentSide};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

/// What a forge runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    Github,
    Gitlab,
    Gitea,
    Forgejo,
    Gerrit,
}

/// What a delivery says.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A review, or a part of one.
    Review(Box<Review>),
    /// Something about an earlier one.
    Told(Box<Told>),
    /// Nothing that is taken.
    Nothing(Reason),
}

/// Who did something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The name that the account has on the forge.
    pub login: String,
    /// The account's number, where the forge says it.
    #[serde(default)]
    pub number: Option<String>,
    /// Whether the forge says that it is a program.
    #[serde(default)]
    pub bot: bool,
    /// Whether the account is gone: then nobody knows whose words these are.
    #[serde(default)]
    pub deleted: bool,
    /// What part the account has in the repository, in the forge's own word and lower case, such as `member`; none where
    /// the forge does not say.
    #[serde(default)]
    pub standing: Option<String>,
}

/// What a reviewer decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Decided {
    /// Nothing was decided.
    Comment,
    Approve,
    /// Changes were asked for.
    Reject,
}

impl Decided {
    /// What a vote for or against the work decides.
    pub(super) fn of_vote(vote: Option<i64>) -> Decided {
        match vote {
            Some(1..=i64::MAX) => Decided::Approve,
            Some(i64::MIN..=-1) => Decided::Reject,
            Some(0) | None => Decided::Comment,
        }
    }
}

/// The work that was reviewed. What it says of where it comes from is a claim of its author.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// `owner/name`; on Gerrit the project
    pub repository: String,
    /// The number of the pull request or change.
    pub number: String,
    /// Its page.
    pub url: Option<String>,
    /// Who opened it.
    pub author: Person,
    /// The branch that it comes from.
    pub branch: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The commit that was reviewed.
    pub revision: Option<String>,
}

/// A review, or a part of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// What the parts of a review have in common, unique within the work.
    pub review: String,
    /// Whose it is.
    pub by: Person,
    pub decided: Decided,
    /// What is said of the whole.
    pub body: Option<String>,
    /// What is said of places.
    pub remarks: Vec<Remark>,
    /// When; now where the forge does not say.
    pub at: Option<Timestamp>,
    pub work: Work,
    /// Its page.
    pub url: Option<String>,
}

/// What is said of a place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// The forge's number of it.
    pub id: String,
    pub text: String,
    /// The file; none where it is about the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The last line that it is about, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// How many lines it is about, where it is more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// `left` where the line is one of the old text, else `right`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// The part of the diff above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunk: Option<String>,
    /// The commit that it was made on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The conversation that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// When it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl From<Remark> for Comment {
    fn from(remark: Remark) -> Comment {
        let revision = remark.revision.map(|revision| ("revision".to_owned(), revision.into()));
        Comment {
            // Who answers is in the conversation of another one.
            in_reply_to: remark.thread.clone().filter(|thread| *thread != remark.id),
            comment_id: remark.id,
            body: remark.text,
            path: remark.file,
            line: remark.line,
            lines: remark.lines,
            side: remark.side.map(|side| if side == "left" { CommentSide::Old } else { CommentSide::New }),
            diff_hunk: remark.hunk,
            suggestion: None,
            thread_id: remark.thread,
            created_at: remark.at,
            url: remark.url,
            extra: revision.into_iter().collect(),
        }
    }
}

/// What is told of something that was said before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    pub what: ToldWhat,
    /// The review, as in [`Review::review`].
    pub review: String,
    /// The remark; none where it is the whole review.
    pub remark: Option<String>,
    /// Who did it.
    pub by: Person,
    /// What is said in its place.
    pub text: Option<String>,
    pub work: Work,
}

/// What became of something that was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoStaticStr, EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ToldWhat {
    /// It has another text.
    Edited,
    /// It is gone.
    Deleted,
    /// Its conversation is settled.
    Resolved,
    /// Its conversation is open again.
    Unresolved,
    /// The decision does not hold any longer.
    Dismissed,
}

/// Why nothing is taken of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Reason {
    /// It is about something else than a review.
    OtherEvent,
    /// It says nothing: it wraps a remark that is sent by itself.
    Empty,
    /// A program speaks.
    Bot,
    /// The author of the work speaks.
    Author,
    /// Somebody speaks who is not to be heard.
    IgnoredPerson,
    /// Somebody speaks who has no part in the repository.
    NoStanding,
    /// Nobody knows any longer who spoke.
    AccountDeleted,
    /// One account speaks in the name of another.
    AnotherPerson,
    /// It was said to some people alone.
    Internal,
    /// People took it out of sight: spam, abuse, off topic.
    Hidden,
    /// It praises or thanks, and asks for nothing.
    Praise,
    /// It is an order to a program, or only names whom it is for.
    Command,
    /// It is about a pull request that brings our own rules.
    OwnExport,
    /// Nobody knows which agent's work it is.
    NoAgent,
    /// It lacks what such an event has.
    Incomplete,
}

impl Reason {
    /// In words.
    pub fn why(self) -> &'static str {
        match self {
            Reason::OtherEvent => "this event is not about a review",
            Reason::Empty => "it has no words; the remarks that it wraps are sent by themselves",
            Reason::Bot => "a program said it",
            Reason::Author => "the author of the work said it",
            Reason::IgnoredPerson => "the configuration says not to hear this person",
            Reason::NoStanding => "whoever said it has no such part in the repository as `heard_from` names",
            Reason::AccountDeleted => {
                "the account of whoever said it was deleted, and `heard_from` does not name `deleted`"
            }
            Reason::AnotherPerson => "one account said it in the name of another",
            Reason::Internal => "the forge shows it to some people alone",
            Reason::Hidden => "people hid it on the forge, as spam, abuse or off topic",
            Reason::Praise => "it praises or thanks, and asks for nothing",
            Reason::Command => "it is an order to a program, or only names whom it is for",
            Reason::OwnExport => "it is about a pull request that brings our own rules",
            Reason::NoAgent => {
                "nothing in the configuration says which agent's work it is, and there is no default_agent"
            }
            Reason::Incomplete => "it lacks what such an event has: a repository, a number, a person",
        }
    }
}
