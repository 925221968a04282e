//! Stopping rules and resuming them: out of every prompt and back (specification, "Rules"). The review stream is
//! the way in, as for everybody.

use super::request::{Asked, unprocessable};
use super::submission::SOURCE;
use crate::app::decisions::submission::Submitted;
use crate::problem::Problem;
use crate::services::Services;
use crate::submission;
use crate::submission::Own;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Who stops or resumes, and why.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Who decides: an approver of the roster. Whoever asks with a token of their own is who decides; only the program's
    /// token has to say.
    pub reviewer_id: Option<String>,
    /// Why, in words: whoever finds the rule missing from a prompt reads it.
    pub reason: String,
    /// The id of this decision: sent again, it is the same decision. Made up where it is not there.
    pub review_id: Option<String>,
    /// When it was decided, where that is signed.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub timestamp: Option<Timestamp>,
    /// An SSH signature of it with a key of the roster, armored; required where `review.require_signatures` is set.
    pub signature: Option<String>,
}

/// `POST /rules/stop` and `POST /rules/{rule}/stop`.
pub fn stop(services: &Services, asked: &Asked) -> Result<Submitted, Problem> {
    decide(services, asked, "STOP")
}

/// `POST /rules/resume` and `POST /rules/{rule}/resume`.
pub fn resume(services: &Services, asked: &Asked) -> Result<Submitted, Problem> {
    decide(services, asked, "RESUME")
}

fn decide(services: &Services, asked: &Asked, what: &str) -> Result<Submitted, Problem> {
    let decision: Decision = asked.json()?;
    let mut action = json!({ "decision": what, "reason": decision.reason });
    match asked.part("rule") {
        "" => action["all"] = Value::Bool(true),
        rule => action["rule_id"] = Value::from(rule),
    }
    let own = Own { review_id: decision.review_id, timestamp: decision.timestamp, signature: decision.signature };
    let who = match &asked.caller {
        Some(caller) => caller.decides(decision.reviewer_id.as_deref())?,
        None => {
            decision.reviewer_id.as_deref().ok_or_else(|| unprocessable("`reviewer_id` is missing: who decides?"))?
        }
    };
    submission::decide(services, SOURCE, who, action, own)
}
