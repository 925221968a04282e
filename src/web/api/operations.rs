//! The calls: paths, inputs and answers. The routes and the OpenAPI document are built from this table.

use super::operation::{Body, CONFLICT, Decides, JSON, LIMIT, Operation, UNFIT, UNREADABLE, Verb};
use super::request::{ApiRequest, Parameter, bad, unprocessable};
use super::requests::{Detect, Detected, History, Judge, Refine, Strategies, Suggestions, Turns, Validated};
use super::response::{ApiResponse, refused, told};
use super::rule_stops;
use super::rule_stops::Decision;
use crate::app::channels::service::{JudgedTurn, SuggestError, TurnJudgement, TurnPage};
use crate::app::decisions::submission::SubmissionOutcome;
use crate::app::queries::{ActionFilter, TurnFilter};
use crate::domain::channels::action::ActionResult;
use crate::domain::channels::iteration::{Document, is_refused};
use crate::domain::channels::refine;
use crate::domain::channels::turn::{Exchange, FeedbackType};
use crate::domain::records::record::StopsRecord;
use crate::problem::Problem;
use crate::services::Services;
use axum::http::StatusCode;
use serde_json::json;

const SESSION: Parameter = Parameter::new("session", "only those of this session");
const STOPPING: &[(StatusCode, &str)] = &[UNREADABLE, UNFIT, CONFLICT];
const STOPPING_ONE: &[(StatusCode, &str)] =
    &[UNREADABLE, UNFIT, CONFLICT, (StatusCode::NOT_FOUND, "There is no such rule.")];

/// The calls about the channels, and those that stop rules.
pub const CHANNELS: &[Operation] = &[
    Operation {
        verb: Verb::Post,
        path: "/validate",
        id: "validate",
        summary: "Whether an actionable-feedback document is valid, and what is wrong with it",
        query: &[],
        body: Some(Body {
            types: &["application/json", "application/yaml"],
            schema: |g| g.subschema_for::<Document>(),
        }),
        answer: |g| g.subschema_for::<Validated>(),
        problems: &[UNREADABLE, (StatusCode::UNPROCESSABLE_ENTITY, "The document is not valid; `findings` says why.")],
        decides: Decides::Nothing,
        call: validate,
    },
    Operation {
        verb: Verb::Post,
        path: "/detect",
        id: "detect",
        summary: "Whether an output or a comment signals a failure",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Detect>() }),
        answer: |g| g.subschema_for::<Detected>(),
        problems: &[UNREADABLE, UNFIT],
        decides: Decides::Nothing,
        call: detect,
    },
    Operation {
        verb: Verb::Post,
        path: "/refine",
        id: "refine",
        summary: "Refines a prompt with the feedback on its result",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Refine>() }),
        answer: |g| g.subschema_for::<refine::Outcome>(),
        problems: &[UNREADABLE, UNFIT],
        decides: Decides::Nothing,
        call: refine,
    },
    Operation {
        verb: Verb::Post,
        path: "/turns/judge",
        id: "judgeTurn",
        summary: "What the next turn says about the previous one, with the text for the next answer",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Judge>() }),
        answer: |g| g.subschema_for::<TurnJudgement>(),
        problems: &[UNREADABLE, UNFIT],
        decides: Decides::Nothing,
        call: judge,
    },
    Operation {
        verb: Verb::Get,
        path: "/turns",
        id: "listTurns",
        summary: "Turns with their status, latest first",
        query: &[
            SESSION,
            Parameter::new("status", "only those that are `rejected`, `accepted` or `neutral`")
                .of(|g| g.subschema_for::<FeedbackType>()),
            LIMIT,
        ],
        body: None,
        answer: |g| g.subschema_for::<Turns>(),
        problems: &[UNREADABLE],
        decides: Decides::Nothing,
        call: turns,
    },
    Operation {
        verb: Verb::Get,
        path: "/turns/search",
        id: "searchStrategies",
        summary: "Strategies to use again, best first, with the formula; rejected ones are left out",
        query: &[
            Parameter::new(
                "q",
                "words, at least one of which is in the turn's query; of the latest 4000 turns also those with the \
                 same meaning",
            )
            .needed(),
            LIMIT,
        ],
        body: None,
        answer: |g| g.subschema_for::<Strategies>(),
        problems: &[UNREADABLE],
        decides: Decides::Nothing,
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
        decides: Decides::Nothing,
        call: turn,
    },
    Operation {
        verb: Verb::Get,
        path: "/actions",
        id: "listActions",
        summary: "The history of actions with the advice given to the agent, latest first",
        query: &[SESSION, LIMIT],
        body: None,
        answer: |g| g.subschema_for::<History>(),
        problems: &[UNREADABLE],
        decides: Decides::Nothing,
        call: actions,
    },
    Operation {
        verb: Verb::Post,
        path: "/actions/suggest",
        id: "suggestActions",
        summary: "What to try after an action's result, based on what helped before, with the counts",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<ActionResult>() }),
        answer: |g| g.subschema_for::<Suggestions>(),
        problems: &[UNREADABLE, (StatusCode::UNPROCESSABLE_ENTITY, "The body is not the result of an action.")],
        decides: Decides::Nothing,
        call: suggest,
    },
    Operation {
        verb: Verb::Get,
        path: "/rules/stopped",
        id: "listStops",
        summary: "Stopped rules (in force, but in no prompt), with who stopped them and why",
        query: &[],
        body: None,
        answer: |g| g.subschema_for::<StopsRecord>(),
        problems: &[],
        decides: Decides::Nothing,
        call: stops,
    },
    Operation {
        verb: Verb::Post,
        path: "/rules/stop",
        id: "stopAll",
        summary: "Removes every rule from every prompt, immediately and until they are resumed; approvals are kept",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Decision>() }),
        answer: |g| g.subschema_for::<SubmissionOutcome>(),
        problems: STOPPING,
        decides: Decides::Something,
        call: |services, asked| told(&rule_stops::stop(services, asked)?),
    },
    Operation {
        verb: Verb::Post,
        path: "/rules/resume",
        id: "resumeAll",
        summary: "Puts all stopped rules back into prompts, as they were approved",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Decision>() }),
        answer: |g| g.subschema_for::<SubmissionOutcome>(),
        problems: STOPPING,
        decides: Decides::Something,
        call: |services, asked| told(&rule_stops::resume(services, asked)?),
    },
    Operation {
        verb: Verb::Post,
        path: "/rules/{rule}/stop",
        id: "stopRule",
        summary: "Removes one rule from every prompt, immediately and until it is resumed; its approvals are kept",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Decision>() }),
        answer: |g| g.subschema_for::<SubmissionOutcome>(),
        problems: STOPPING_ONE,
        decides: Decides::Something,
        call: |services, asked| told(&rule_stops::stop(services, asked)?),
    },
    Operation {
        verb: Verb::Post,
        path: "/rules/{rule}/resume",
        id: "resumeRule",
        summary: "Puts a stopped rule back into prompts, as it was approved",
        query: &[],
        body: Some(Body { types: JSON, schema: |g| g.subschema_for::<Decision>() }),
        answer: |g| g.subschema_for::<SubmissionOutcome>(),
        problems: STOPPING_ONE,
        decides: Decides::Something,
        call: |services, asked| told(&rule_stops::resume(services, asked)?),
    },
];

fn validate(Services { channels: service, .. }: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let findings = service.validate(asked.text()?).map_err(|error| {
        let line = error.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        bad(format!("{line}{}. {}", error.message, error.hint))
    })?;
    if is_refused(&findings) {
        let detail = "the document is not actionable; `findings` says where and how to fix it";
        return Err(unprocessable(detail).with("valid", false).with("findings", json!(findings)));
    }
    told(&Validated { valid: true, findings })
}

fn detect(Services { channels: service, .. }: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    told(&Detected { signal: service.detect(&asked.json::<Detect>()?.seen()) })
}

fn refine(Services { channels: service, .. }: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let request: Refine = asked.json()?;
    let iteration = request.iteration.unwrap_or(1);
    let done = iteration.checked_sub(1).ok_or_else(|| unprocessable("`iteration` must be 1 or more"))?;
    told(&service.refine(&request.prompt, &request.seen(), done))
}

fn judge(Services { channels: service, .. }: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let request: Judge = asked.json()?;
    if request.text.trim().is_empty() {
        return Err(unprocessable("`text` is empty; send what the user said next"));
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

fn turns(Services { channels: service, .. }: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let session = asked.option("session").map(str::to_owned);
    let filter = TurnFilter { session, status: asked.word("status")?, limit: asked.limit()? };
    told(&Turns { turns: service.turns(&filter).map_err(refused)? })
}

fn strategies(Services { channels: service, .. }: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let words = asked.option("q").unwrap_or_default();
    told(&Strategies { strategies: service.strategies(words, asked.limit()?).map_err(refused)? })
}

fn turn(Services { channels: service, .. }: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    told(&service.turn(asked.part("session"), asked.part("turn")).map_err(refused)?)
}

fn actions(Services { channels: service, .. }: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let session = asked.option("session").map(str::to_owned);
    let filter = ActionFilter { session, agent: None, limit: asked.limit()? };
    told(&History { actions: service.actions(&filter).map_err(refused)? })
}

fn suggest(Services { channels: service, .. }: &Services, asked: &ApiRequest) -> Result<ApiResponse, Problem> {
    let results = service.suggest(asked.json()?).map_err(|error| match error {
        SuggestError::Event(problem) => unprocessable(problem.to_string()),
        SuggestError::Query(error) => refused(error),
    })?;
    told(&Suggestions { results })
}

fn stops(Services { channels: service, .. }: &Services, _: &ApiRequest) -> Result<ApiResponse, Problem> {
    told(&service.stops().map_err(refused)?)
}
