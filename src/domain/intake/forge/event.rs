//! What was said on a forge, in a common form.

use crate::intake::comment::{Comment, CommentSide};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

/// The software of a forge.
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

/// The content of a delivery.
#[derive(Clone, Debug, PartialEq)]
pub enum EventContent {
    /// A review, or a part of one.
    Review(Box<Review>),
    /// A follow-up to an earlier one.
    FollowUp(Box<FollowUpEvent>),
    /// Nothing usable.
    Nothing(Reason),
}

/// A person or account on a forge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The account's name on the forge.
    pub login: String,
    /// The account's number, if known.
    #[serde(default)]
    pub number: Option<String>,
    /// Whether the forge marks it as a program.
    #[serde(default)]
    pub bot: bool,
    /// Whether the account is deleted: the author is then unknown.
    #[serde(default)]
    pub deleted: bool,
    /// The account's role in the repository, in the forge's own word and lower case, such as `member`; `None` if
    /// unknown.
    #[serde(default)]
    pub standing: Option<String>,
}

/// A reviewer's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ReviewVerdict {
    /// Nothing was decided.
    Comment,
    Approve,
    /// Changes were requested.
    Reject,
}

impl ReviewVerdict {
    /// Returns the decision implied by a vote on the work.
    pub(super) fn of_vote(vote: Option<i64>) -> ReviewVerdict {
        match vote {
            Some(1..=i64::MAX) => ReviewVerdict::Approve,
            Some(i64::MIN..=-1) => ReviewVerdict::Reject,
            Some(0) | None => ReviewVerdict::Comment,
        }
    }
}

/// The reviewed work. Its stated origin is a claim by its author.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// `owner/name`; on Gerrit the project
    pub repository: String,
    /// The number of the pull request or change.
    pub number: String,
    /// Its URL.
    pub url: Option<String>,
    /// Its author.
    pub author: Person,
    /// The source branch.
    pub branch: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The reviewed commit.
    pub revision: Option<String>,
}

/// A review, or a part of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// The key shared by a review's parts, unique within the work.
    pub review: String,
    /// Its author.
    pub by: Person,
    pub decided: ReviewVerdict,
    /// The text on the whole.
    pub body: Option<String>,
    /// The inline comments.
    pub remarks: Vec<InlineComment>,
    /// When it was made; now if unknown.
    pub at: Option<Timestamp>,
    pub work: Work,
    /// Its URL.
    pub url: Option<String>,
}

/// An inline comment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlineComment {
    /// The forge's number for it.
    pub id: String,
    pub text: String,
    /// The file; `None` if it is about the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The last line it is about, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The number of lines it is about, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// `left` if the line is in the old text, else `right`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// The part of the diff above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunk: Option<String>,
    /// The commit it was made on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Its conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// When it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Its URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl From<InlineComment> for Comment {
    fn from(remark: InlineComment) -> Comment {
        let revision = remark.revision.map(|revision| ("revision".to_owned(), revision.into()));
        Comment {
            // A reply is in another comment's conversation.
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

/// A follow-up to something said earlier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FollowUpEvent {
    pub what: ToldWhat,
    /// The review, as in [`Review::review`].
    pub review: String,
    /// The comment; `None` for the whole review.
    pub remark: Option<String>,
    /// The person responsible.
    pub by: Person,
    /// The replacement text.
    pub text: Option<String>,
    pub work: Work,
}

/// What happened to something said earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoStaticStr, EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ToldWhat {
    /// Its text was changed.
    Edited,
    /// It was deleted.
    Deleted,
    /// Its conversation is resolved.
    Resolved,
    /// Its conversation is open again.
    Unresolved,
    /// The decision no longer holds.
    Dismissed,
}

/// Why a delivery is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Reason {
    /// It is about something other than a review.
    OtherEvent,
    /// It is empty: it wraps a comment that is sent separately.
    Empty,
    /// It is from a program.
    Bot,
    /// It is from the author of the work.
    Author,
    /// It is from an ignored account.
    IgnoredPerson,
    /// It is from an account without a role in the repository.
    NoStanding,
    /// Its author is no longer known.
    AccountDeleted,
    /// One account acts in the name of another.
    AnotherPerson,
    /// It was visible to some people only.
    Internal,
    /// People hid it: spam, abuse, off topic.
    Hidden,
    /// It praises or thanks, and asks for nothing.
    Praise,
    /// It is a command to a program, or only names addressees.
    Command,
    /// It is about a pull request for our own rules.
    OwnExport,
    /// The agent that did the work is unknown.
    NoAgent,
    /// It lacks parts of such an event.
    Incomplete,
}

impl Reason {
    /// Returns it in words.
    pub fn why(self) -> &'static str {
        match self {
            Reason::OtherEvent => "this event is not about a review",
            Reason::Empty => "it has no text; its comments are sent separately",
            Reason::Bot => "a program wrote it",
            Reason::Author => "the author of the work wrote it",
            Reason::IgnoredPerson => "the configuration ignores this person",
            Reason::NoStanding => "its author's role in the repository is not in `heard_from`",
            Reason::AccountDeleted => "its author's account was deleted, and `heard_from` does not contain `deleted`",
            Reason::AnotherPerson => "one account posted it in the name of another",
            Reason::Internal => "the forge shows it only to some people",
            Reason::Hidden => "people hid it on the forge, as spam, abuse or off topic",
            Reason::Praise => "it is praise or thanks, and asks for nothing",
            Reason::Command => "it is a command to a program, or only names addressees",
            Reason::OwnExport => "it is about a pull request for our own rules",
            Reason::NoAgent => "the configuration assigns no agent to it, and there is no default_agent",
            Reason::Incomplete => "it lacks a required part: a repository, a number or a person",
        }
    }
}
