//! A decision as it is sent: what is decided, and what goes with every decision.

use super::request::{Asked, unprocessable};
use crate::app::decisions::submission::Submitted;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::services::Services;
use crate::submission;
use crate::submission::Own;
use axum::http::StatusCode;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Where the records of what came this way say that it came from.
pub const SOURCE: &str = "http";
/// What goes with every decision.
const WITH: [&str; 5] = ["reason", "reviewer_id", "review_id", "timestamp", "signature"];

/// What goes with every decision. All of it is optional, but for a reason where the decision needs one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct With {
    /// Why, in words.
    pub reason: Option<String>,
    /// Who decides, where that is said: whoever the token stands for.
    pub reviewer_id: Option<String>,
    /// The id of this decision: sent again, it is the same decision. Made up where it is not there.
    pub review_id: Option<String>,
    /// When it was decided, where that is signed.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub timestamp: Option<Timestamp>,
    /// An SSH signature of it with a key of the roster, armored; required where `review.require_signatures` is set.
    pub signature: Option<String>,
}

/// A decision with all that goes with it.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Sent<T> {
    /// What is decided.
    #[schemars(flatten)]
    pub what: T,
    /// What goes with it.
    #[schemars(flatten)]
    pub with: With,
}

/// Nothing but what goes with every decision.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

impl<T: DeserializeOwned> Sent<T> {
    /// The decision in a body. A body that is empty says nothing more than the path.
    ///
    /// # Errors
    /// 400 where it is no JSON, 422 where it does not fit.
    pub fn read(asked: &Asked) -> Result<Sent<T>, Problem> {
        let mut what: Map<String, Value> = if asked.body.is_empty() { Map::new() } else { asked.json()? };
        let with = WITH.iter().filter_map(|name| what.remove_entry(*name)).collect();
        let unfit = |error: serde_json::Error| unprocessable(format!("the body does not fit: {error}"));
        Ok(Sent {
            what: serde_json::from_value(Value::Object(what)).map_err(unfit)?,
            with: serde_json::from_value(Value::Object(with)).map_err(unfit)?,
        })
    }
}

/// The person who asks. Whatever is decided, a person decides.
///
/// # Errors
/// 403 where a program asks.
pub fn person(asked: &Asked) -> Result<&Caller, Problem> {
    asked.caller.as_ref().ok_or_else(|| {
        let detail = "the token of http.api_token_file stands for no person, and this needs one; use a token of the person \
                      who decides (`feedbackd token create`)";
        Problem::new(StatusCode::FORBIDDEN, detail)
    })
}

/// Hands in what somebody decides.
///
/// # Errors
/// As [`submission::decide`], and 403 where they may not.
pub fn decide(services: &Services, asked: &Asked, mut action: Value, with: With) -> Result<Submitted, Problem> {
    let who = person(asked)?.decides(with.reviewer_id.as_deref())?;
    if let Some(reason) = with.reason {
        action["reason"] = Value::String(reason);
    }
    let own = Own { review_id: with.review_id, timestamp: with.timestamp, signature: with.signature };
    submission::decide(services, SOURCE, who, action, own)
}
