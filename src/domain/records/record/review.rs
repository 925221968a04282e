//! What people decided, what entered prompts, what was in force before, and what people should look at.

use crate::domain::intake::submission::{Import, ImportedRule, InjectedRule, Injection, ReviewAction};
use crate::domain::source::Source;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A decision of a person about what was learned, accepted or refused: `reviews/<yyyy>/<mm>/<dd>/<review_id>.yaml`.
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
    /// What became of it.
    pub outcome: ReviewOutcome,
    /// Why it was refused, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// What followed, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// When it was taken up.
    pub recorded_at: Timestamp,
    /// Where it was read.
    pub source: Source,
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

/// Why a review was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refusal {
    /// For programs.
    pub code: RefusalCode,
    /// For people: what is wrong, and what to do.
    pub message: String,
}

/// The kinds of refusal. The spelling is part of the contract with those who publish reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// There is no such proposal, rule, feedback or cluster.
    UnknownId,
    /// The reviewer is not on the roster, or may not approve.
    NotAnApprover,
    /// The reviewer approved this version before.
    AlreadyApproved,
    /// The text is another one than the reviewer saw.
    WrongContentHash,
    /// The proposal was approved or rejected before.
    AlreadyDecided,
    /// Nobody decided in time.
    Expired,
    /// The rule is not in force.
    NotInForce,
    /// A reason is required and missing.
    ReasonMissing,
    /// The new text is not specific, or is advice rather than a demand.
    VagueText,
    /// The new text says what the base prompt or another rule says already.
    Restatement,
    /// The signature is missing although the roster demands one, or it is not a signature of this review by this person.
    BadSignature,
    /// It makes no sense: a cluster merged into itself, members that are not there.
    Impossible,
}

impl RefusalCode {
    /// The spelling used in records, metrics and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            RefusalCode::UnknownId => "unknown_id",
            RefusalCode::NotAnApprover => "not_an_approver",
            RefusalCode::AlreadyApproved => "already_approved",
            RefusalCode::WrongContentHash => "wrong_content_hash",
            RefusalCode::AlreadyDecided => "already_decided",
            RefusalCode::Expired => "expired",
            RefusalCode::NotInForce => "not_in_force",
            RefusalCode::ReasonMissing => "reason_missing",
            RefusalCode::VagueText => "vague_text",
            RefusalCode::Restatement => "restatement",
            RefusalCode::BadSignature => "bad_signature",
            RefusalCode::Impossible => "impossible",
        }
    }
}

/// Which rules entered one prompt: `injections/<yyyy>/<mm>/<dd>/<hh>/<injection_id>.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InjectionRecord {
    /// `feedbackd.injection/1`
    pub schema: String,
    /// Its id.
    pub injection_id: String,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The agent's session, where it is known: decisions of the same session are compared by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// When.
    pub timestamp: Timestamp,
    /// The rules, in prompt order.
    pub rules: Vec<InjectedRule>,
    /// Rules that were left out to compare prompts with and without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_out: Vec<String>,
    /// BLAKE3 of the base prompt.
    pub base_hash: String,
    /// BLAKE3 of the finished prompt.
    pub prompt_hash: String,
}

impl InjectionRecord {
    /// The record of a notice, in this daemon's tenant.
    pub fn of(notice: &Injection, tenant_id: Option<String>) -> InjectionRecord {
        InjectionRecord {
            schema: "feedbackd.injection/1".to_owned(),
            injection_id: notice.injection_id.clone(),
            tenant_id,
            agent: notice.agent.clone(),
            session_id: notice.session_id.clone(),
            timestamp: notice.timestamp,
            rules: notice.rules.clone(),
            held_out: notice.held_out.clone(),
            base_hash: notice.base_hash.clone(),
            prompt_hash: notice.prompt_hash.clone(),
        }
    }
}

/// Rules that are in force elsewhere, and so need no proposal: `rules/imported/<name>.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportRecord {
    /// `feedbackd.import/1`
    pub schema: String,
    /// Its name, from the file's; importing again replaces it.
    pub name: String,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agents it is in force for; all where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Who imported it.
    pub imported_by: String,
    /// When.
    pub imported_at: Timestamp,
    /// BLAKE3 of the file it was read from.
    pub file_hash: String,
    /// The rules, in their order.
    pub rules: Vec<ImportedRule>,
}

impl ImportRecord {
    /// The record of an import, in this daemon's tenant.
    pub fn of(import: &Import, tenant_id: Option<String>) -> ImportRecord {
        ImportRecord {
            schema: "feedbackd.import/1".to_owned(),
            name: import.name.clone(),
            tenant_id,
            agents: import.agents.clone(),
            imported_by: import.imported_by.clone(),
            imported_at: import.imported_at,
            file_hash: import.file_hash.clone(),
            rules: import.rules.clone(),
        }
    }
}

/// Something people should look at: `alerts/<kind>/<yyyy>/<mm>/<alert_id>.yaml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlertRecord {
    /// `feedbackd.alert_record/1`
    pub schema: String,
    /// Its id, a function of what it is about.
    pub alert_id: String,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// `capability_gap`, `action_escalated` or `repeated_issue`
    pub kind: String,
    /// The agent; may be empty where none is known.
    pub agent: String,
    /// What is to be looked at, in words and figures.
    pub message: String,
    /// The figures behind a capability gap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<GapFigures>,
    /// What it is about: an action, or what was reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// More about it, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// When.
    pub raised_at: Timestamp,
}

/// What a capability gap shows itself by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GapFigures {
    /// The agent's decisions in the window.
    pub decisions: u64,
    /// How many of them were corrections.
    pub corrections: u64,
    /// The window, in days.
    pub days: u32,
    /// Rules in force for the agent.
    pub active_rules: u64,
    /// How many different things the corrections ask for.
    pub themes: u64,
}
