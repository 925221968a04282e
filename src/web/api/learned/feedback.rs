//! People's feedback: viewing, marking and withdrawing it.

use super::rows::{AGENT, COMPARED, CURSOR, decision, hand_in, list, one};
use crate::api::cursor::part;
use crate::api::operation::{Decides, LIMIT, Operation};
use crate::api::request::{ApiRequest, Parameter, bad};
use crate::api::response::{ApiResponse, refused, told};
use crate::api::submission::{Nothing, SubmissionBody};
use crate::app::queries::{FeedbackFilter, FeedbackLine, FeedbackPage, SimilarLine, SimilarTo};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::submission::Mark;
use crate::problem::Problem;
use crate::services::Services;
use crate::text::ids::Gate;
use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Default minimum similarity of listed comments.
const SIMILAR_FROM: f64 = 0.8;
/// The format of a gate.
const GATE: &str = "^[Hh][Ii][Tt][Ll][-_ ]*0*[1-9][0-9]?([-_ ].*)?$";

/// The calls about feedback.
pub const FEEDBACK: &[Operation] = &[
    list(
        "/feedback",
        "listFeedback",
        "What reviewers said, latest first",
        &[
            AGENT,
            Parameter::new("gate", "only feedback at this gate, such as HITL-2")
                .of(|_| json_schema!({ "type": "string", "pattern": GATE })),
            Parameter::new("reviewer", "only feedback from this person"),
            Parameter::new("class", "only this class, such as EDGE_CASE").of(|g| g.subschema_for::<Classification>()),
            Parameter::new("group", "only members of this cluster"),
            Parameter::new("since", "only from this time on, in RFC 3339 format")
                .of(|_| json_schema!({ "type": "string", "format": "date-time" })),
            LIMIT,
            CURSOR,
        ],
        |g| g.subschema_for::<Feedback>(),
        all,
    ),
    list(
        "/feedback/search",
        "searchFeedback",
        "Feedback that contains all the words, best match first",
        &[Parameter::new("q", "the words").needed(), LIMIT],
        |g| g.subschema_for::<Feedback>(),
        |services, asked| {
            let (words, limit) = (asked.option("q").unwrap_or_default(), asked.limit()?);
            let feedback = services.channels.ask(|c| c.queries.search(words, limit)).map_err(refused)?;
            told(&Feedback { feedback, next: None })
        },
    ),
    Operation {
        problems: COMPARED,
        ..list(
            "/feedback/similar",
            "similarFeedback",
            "Feedback with the same meaning as a given feedback or text, most similar first",
            &[
                Parameter::new("feedback", "the id of a feedback"),
                Parameter::new("text", "any text, instead of `feedback`"),
                Parameter::new("threshold", "the minimum similarity, 0 to 1; default 0.8")
                    .of(|_| json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })),
                AGENT,
                LIMIT,
            ],
            |g| g.subschema_for::<Alike>(),
            similar,
        )
    },
    one(
        "/feedback/{feedback}",
        "getFeedback",
        "One feedback with everything that depends on it; also by the publisher's decision id",
        |g| g.subschema_for::<FeedbackPage>(),
        |services, asked| {
            told(&services.channels.ask(|c| c.queries.feedback_show(asked.part("feedback"))).map_err(refused)?)
        },
    ),
    decision(
        "/feedback/{feedback}/mark",
        "markFeedback",
        "Classifies a comment: it asks for nothing, is too specific for a rule, or makes a demand of the catalogue",
        |g| g.subschema_for::<SubmissionBody<Marked>>(),
        Decides::Something,
        |services, asked| {
            hand_in::<Marked>(services, asked, |sent| {
                let id = asked.part("feedback");
                let mut action = json!({"decision": "MARK", "feedback_id": id, "mark": sent.mark.as_str()});
                if let Some(demand) = &sent.demand {
                    action["demand"] = json!(demand);
                }
                action
            })
        },
    ),
    decision(
        "/feedback/{feedback}/move",
        "moveFeedback",
        "Moves a comment to another cluster",
        |g| g.subschema_for::<SubmissionBody<Moved>>(),
        Decides::Something,
        |services, asked| {
            hand_in::<Moved>(
                services,
                asked,
                |sent| json!({"decision": "MOVE_FEEDBACK", "feedback_id": asked.part("feedback"), "into": sent.into}),
            )
        },
    ),
    decision(
        "/feedback/{feedback}/retract",
        "retractFeedback",
        "Withdraws what was learned from a comment, and everything based on it; needs a `reason`",
        |g| g.subschema_for::<SubmissionBody<Nothing>>(),
        Decides::Something,
        |services, asked| {
            hand_in::<Nothing>(
                services,
                asked,
                |_| json!({"decision": "RETRACT", "feedback_id": asked.part("feedback")}),
            )
        },
    ),
];

/// Feedback.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Feedback {
    /// The requested number of records.
    pub feedback: Vec<FeedbackLine>,
    /// The next cursor; omitted after the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Similar feedback.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Alike {
    /// The requested number of records.
    pub similar: Vec<SimilarLine>,
}

/// The mark of a comment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Marked {
    /// NOTHING, PARTICULAR or DEMAND.
    pub mark: Mark,
    /// The concern of the catalogue, with DEMAND.
    pub demand: Option<String>,
}

/// The new cluster of a comment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// The id of the cluster.
    #[schemars(length(min = 1))]
    pub into: String,
}

fn all(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let gate = match asked.option("gate") {
        Some(text) => Some(Gate::parse(text).ok_or_else(|| bad("`gate` must be HITL-1 to HITL-99"))?),
        None => None,
    };
    let since = match asked.option("since") {
        Some(text) => Some(text.parse().map_err(|_| bad("`since` must be a time such as 2026-01-31T12:00:00Z"))?),
        None => None,
    };
    let own = |name| asked.option(name).map(str::to_owned);
    let filter = FeedbackFilter {
        tenant: None,
        agent: own("agent"),
        gate,
        reviewer: own("reviewer"),
        classification: asked.word("class")?,
        cluster: own("group"),
        since,
        limit: 0,
    };
    let found = services.channels.ask(|c| c.queries.feedback_list(&filter)).map_err(refused)?;
    let (feedback, next) = part(asked, found, |line| &line.feedback_id)?;
    told(&Feedback { feedback, next })
}

fn similar(services: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let to = match (asked.option("feedback"), asked.option("text")) {
        (Some(id), None) => SimilarTo::Feedback(id.to_owned()),
        (None, Some(text)) => SimilarTo::Text(text.to_owned()),
        _ => return Err(bad("send either `feedback` or `text`")),
    };
    let threshold = match asked.option("threshold") {
        Some(text) => {
            let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
            number.ok_or_else(|| bad("`threshold` must be a number from 0 to 1"))?
        }
        None => SIMILAR_FROM,
    };
    let filter = FeedbackFilter { agent: asked.option("agent").map(str::to_owned), ..FeedbackFilter::default() };
    let limit = asked.limit()?;
    told(&Alike { similar: services.channels.ask(|c| c.similar(&to, threshold, limit, &filter)).map_err(refused)? })
}
