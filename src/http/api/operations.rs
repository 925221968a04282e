//! The calls: where each lies, what it takes, what it answers. Routes and OpenAPI document are made from this table.

use super::asked::{Asked, Parameter, bad, unprocessable};
use super::openapi;
use super::operation::{Body, Operation, Verb};
use super::requests::{Detect, Detected, History, Judge, Refine, Strategies, Suggestions, Turns, Validated};
use super::stopping::{self, Decision};
use crate::app::channel_service::{Judged, JudgedTurn, SuggestError, TurnPage};
use crate::app::queries::{ActionFilter, QueryError, TurnFilter};
use crate::app::submitting::Submitted;
use crate::domain::channels::action::ActionResult;
use crate::domain::channels::iteration::{Document, is_refused};
use crate::domain::channels::refine;
use crate::domain::channels::turn::Exchange;
use crate::domain::records::record::StopsRecord;
use crate::http::problem::Problem;
use crate::http::services::Services;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::json;
use std::sync::LazyLock;

const JSON: &[&str] = &["application/json"];
const LIMIT: Parameter =
    Parameter { name: "limit", what: "how many at most, 1 to 500; 50 without it", required: false };
const SESSION: Parameter = Parameter { name: "session", what: "only those of this session", required: false };
const UNREADABLE: (StatusCode, &str) = (StatusCode::BAD_REQUEST, "The request cannot be read.");
const UNFIT: (StatusCode, &str) = (StatusCode::UNPROCESSABLE_ENTITY, "The body does not have the shape it needs.");

const CONFLICT: (StatusCode, &str) = (StatusCode::CONFLICT, "It is so already, or cannot be; nothing changed.");
const STOPPING: &[(StatusCode, &str)] = &[UNREADABLE, UNFIT, CONFLICT];
const STOPPING_ONE: &[(StatusCode, &str)] =
    &[UNREADABLE, UNFIT, CONFLICT, (StatusCode::NOT_FOUND, "There is no such rule.")];

/// All calls.
pub const OPERATIONS: &[Operation] = &[
    Operation {
        verb: Verb::Post,
        path: "/validate",
        id: "validate",
        summary: "Whether an actionable-feedback document passes, and what speaks against it",
        query: &[],
        body: Some(Body {
            types: &["application/json", "application/yaml"],
            schema: |g| g.subschema_for::<Document>(),
        }),
        answer: |g| g.subschema_for::<Validated>(),
        problems: &[UNREADABLE, (StatusCode::UNPROCESSABLE_ENTITY, "The document does not pass; `findings` says why.")],
        call: validate,
    },
    Operation {
        verb: Verb::Post,
        path: "/detect",
        id: "detect",
        summary: "Whether an output or a remark signals a failure",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Detect>() }),
        answer: |g| g.subschema_for::<Detected>(),
        problems: &[UNREADABLE, UNFIT],
        call: detect,
    },
    Operation {
        verb: Verb::Post,
        path: "/refine",
        id: "refine",
        summary: "Refines a prompt by the feedback on what it led to",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Refine>() }),
        answer: |g| g.subschema_for::<refine::Outcome>(),
        problems: &[UNREADABLE, UNFIT],
        call: refine,
    },
    Operation {
        verb: Verb::Post,
        path: "/turns/judge",
        id: "judgeTurn",
        summary: "What the next turn says about the one before, with the text for whoever answers next",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Judge>() }),
        answer: |g| g.subschema_for::<Judged>(),
        problems: &[UNREADABLE, UNFIT],
        call: judge,
    },
    Operation {
        verb: Verb::Get,
        path: "/turns",
        id: "listTurns",
        summary: "Turns with their status, the latest first",
        query: &[
            SESSION,
            Parameter {
                name: "status",
                what: "only those that are `rejected`, `accepted` or `neutral`",
                required: false,
            },
            LIMIT,
        ],
        body: None,
        answer: |g| g.subschema_for::<Turns>(),
        problems: &[UNREADABLE],
        call: turns,
    },
    Operation {
        verb: Verb::Get,
        path: "/turns/search",
        id: "searchStrategies",
        summary: "Strategies to use again, best first with the formula; rejected ones are left out",
        query: &[
            Parameter {
                name: "q",
                what: "words, one of which the turn's query has; of the latest 4000 turns also those that mean the same",
                required: true,
            },
            LIMIT,
        ],
        body: None,
        answer: |g| g.subschema_for::<Strategies>(),
        problems: &[UNREADABLE],
        call: strategies,
    },
    Operation {
        verb: Verb::Get,
        path: "/turns/{session}/{turn}",
        id: "getTurn",
        summary: "One turn with its quality and what the next turn said about it",
        query: &[],
        body: None,
        answer: |g| g.subschema_for::<TurnPage>(),
        problems: &[UNREADABLE, (StatusCode::NOT_FOUND, "There is no such session, or no such turn in it.")],
        call: turn,
    },
    Operation {
        verb: Verb::Get,
        path: "/actions",
        id: "listActions",
        summary: "The history of actions with what was said to the agent, the latest first",
        query: &[SESSION, LIMIT],
        body: None,
        answer: |g| g.subschema_for::<History>(),
        problems: &[UNREADABLE],
        call: actions,
    },
    Operation {
        verb: Verb::Post,
        path: "/actions/suggest",
        id: "suggestActions",
        summary: "What to try after an action's result, by what helped before, with the counts",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<ActionResult>() }),
        answer: |g| g.subschema_for::<Suggestions>(),
        problems: &[UNREADABLE, (StatusCode::UNPROCESSABLE_ENTITY, "The body is no result of an action.")],
        call: suggest,
    },
    Operation {
        verb: Verb::Get,
        path: "/rules/stopped",
        id: "listStops",
        summary: "Which rules are stopped: in force, and in no prompt; by whom and why",
        query: &[],
        body: None,
        answer: |g| g.subschema_for::<StopsRecord>(),
        problems: &[],
        call: stops,
    },
    Operation {
        verb: Verb::Post,
        path: "/rules/stop",
        id: "stopAll",
        summary: "Takes every rule out of every prompt, at once and until they are resumed; approvals stay",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Decision>() }),
        answer: |g| g.subschema_for::<Submitted>(),
        problems: STOPPING,
        call: |services, asked| told(&stopping::stop(services, asked)?),
    },
    Operation {
        verb: Verb::Post,
        path: "/rules/resume",
        id: "resumeAll",
        summary: "Lets all stopped rules into prompts again, as they were approved",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Decision>() }),
        answer: |g| g.subschema_for::<Submitted>(),
        problems: STOPPING,
        call: |services, asked| told(&stopping::resume(services, asked)?),
    },
    Operation {
        verb: Verb::Post,
        path: "/rules/{rule}/stop",
        id: "stopRule",
        summary: "Takes one rule out of every prompt, at once and until it is resumed; its approvals stay",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Decision>() }),
        answer: |g| g.subschema_for::<Submitted>(),
        problems: STOPPING_ONE,
        call: |services, asked| told(&stopping::stop(services, asked)?),
    },
    Operation {
        verb: Verb::Post,
        path: "/rules/{rule}/resume",
        id: "resumeRule",
        summary: "Lets a stopped rule into prompts again, as it was approved",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Decision>() }),
        answer: |g| g.subschema_for::<Submitted>(),
        problems: STOPPING_ONE,
        call: |services, asked| told(&stopping::resume(services, asked)?),
    },
    Operation {
        verb: Verb::Get,
        path: "/openapi.json",
        id: "openapi",
        summary: "This document",
        query: &[],
        body: None,
        answer: |_| schemars::json_schema!({ "type": "object" }),
        problems: &[UNREADABLE],
        call: |_, _| Ok(DOCUMENT.clone()),
    },
];

static DOCUMENT: LazyLock<Vec<u8>> = LazyLock::new(|| openapi::document(OPERATIONS));

fn validate(Services { channels: service, .. }: &Services, asked: &Asked) -> Result<Vec<u8>, Problem> {
    let findings = service.validate(asked.text()?).map_err(|error| {
        let line = error.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        bad(format!("{line}{}. {}", error.message, error.hint))
    })?;
    if is_refused(&findings) {
        let detail = "the document cannot be acted upon; `findings` says where and what would pass";
        return Err(unprocessable(detail).with("valid", false).with("findings", json!(findings)));
    }
    told(&Validated { valid: true, findings })
}

fn detect(Services { channels: service, .. }: &Services, asked: &Asked) -> Result<Vec<u8>, Problem> {
    told(&Detected { signal: service.detect(&asked.json::<Detect>()?.seen()) })
}

fn refine(Services { channels: service, .. }: &Services, asked: &Asked) -> Result<Vec<u8>, Problem> {
    let request: Refine = asked.json()?;
    let iteration = request.iteration.unwrap_or(1);
    let done = iteration.checked_sub(1).ok_or_else(|| unprocessable("`iteration` counts from 1"))?;
    told(&service.refine(&request.prompt, &request.seen(), done))
}

fn judge(Services { channels: service, .. }: &Services, asked: &Asked) -> Result<Vec<u8>, Problem> {
    let request: Judge = asked.json()?;
    if request.text.trim().is_empty() {
        return Err(unprocessable("`text` is empty; what did the user say next?"));
    }
    let turn = JudgedTurn {
        turn_id: request.turn_id.as_deref(),
        detected_in: request.detected_in_turn.as_deref(),
        strategy: request.strategy.as_ref(),
        rejections_before: usize::try_from(request.rejections_before).unwrap_or(usize::MAX),
    };
    let Judge { previous_query, previous_response, text, .. } = &request;
    let exchange = Exchange {
        previous_query: previous_query.clone(),
        previous_response: previous_response.clone(),
        text: text.clone(),
        similarity: None,
    };
    told(&service.judge(&exchange, &turn).map_err(refused)?)
}

fn turns(Services { channels: service, .. }: &Services, asked: &Asked) -> Result<Vec<u8>, Problem> {
    let session = asked.option("session").map(str::to_owned);
    let filter = TurnFilter { session, status: asked.word("status")?, limit: asked.limit()? };
    told(&Turns { turns: service.turns(&filter).map_err(refused)? })
}

fn strategies(Services { channels: service, .. }: &Services, asked: &Asked) -> Result<Vec<u8>, Problem> {
    let words = asked.option("q").unwrap_or_default();
    told(&Strategies { strategies: service.strategies(words, asked.limit()?).map_err(refused)? })
}

fn turn(Services { channels: service, .. }: &Services, asked: &Asked) -> Result<Vec<u8>, Problem> {
    told(&service.turn(asked.part("session"), asked.part("turn")).map_err(refused)?)
}

fn actions(Services { channels: service, .. }: &Services, asked: &Asked) -> Result<Vec<u8>, Problem> {
    let session = asked.option("session").map(str::to_owned);
    let filter = ActionFilter { session, agent: None, limit: asked.limit()? };
    told(&History { actions: service.actions(&filter).map_err(refused)? })
}

fn suggest(Services { channels: service, .. }: &Services, asked: &Asked) -> Result<Vec<u8>, Problem> {
    let results = service.suggest(asked.json()?).map_err(|error| match error {
        SuggestError::Event(problem) => unprocessable(problem.to_string()),
        SuggestError::Query(error) => refused(error),
    })?;
    told(&Suggestions { results })
}

fn stops(Services { channels: service, .. }: &Services, _: &Asked) -> Result<Vec<u8>, Problem> {
    told(&service.stops().map_err(refused)?)
}

fn told(answer: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(answer).map_err(|error| {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the answer cannot be written: {error}"))
    })
}

fn refused(error: QueryError) -> Problem {
    let (status, hint) = match &error {
        QueryError::NotFound { nearest, .. } if nearest.is_empty() => (StatusCode::NOT_FOUND, String::new()),
        QueryError::NotFound { nearest, .. } => (StatusCode::NOT_FOUND, format!("; near: {}", nearest.join(", "))),
        QueryError::NoWords => (StatusCode::UNPROCESSABLE_ENTITY, String::new()),
        QueryError::Unreadable { .. } => {
            (StatusCode::INTERNAL_SERVER_ERROR, "; mend the file in a clone of the store and push it".to_owned())
        }
        QueryError::Store(_) | QueryError::Index(_) | QueryError::Embed(_) | QueryError::Knowledge(_) => {
            (StatusCode::SERVICE_UNAVAILABLE, "; try again later".to_owned())
        }
    };
    Problem::new(status, format!("{error}{hint}"))
}
