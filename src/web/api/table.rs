//! The table of all calls. The routes and the OpenAPI document are built from it.

use super::agents::AGENTS;
use super::learned;
use super::openapi;
use super::operation::{Decides, Operation, UNREADABLE, Verb};
use super::operations::CHANNELS;
use super::response::ApiResponse;
use crate::domain::records::asyncapi;
use std::sync::LazyLock;

const DOCUMENT: &[Operation] = &[WRITTEN_CALLS, WRITTEN_STREAMS];

const WRITTEN_CALLS: Operation = Operation {
    verb: Verb::Get,
    path: "/openapi.json",
    id: "openapi",
    summary: "This document",
    query: &[],
    body: None,
    answer: |_| schemars::json_schema!({ "type": "object" }),
    problems: &[UNREADABLE],
    decides: Decides::Nothing,
    call: |_, _| Ok(ApiResponse::json(WRITTEN.clone())),
};

const WRITTEN_STREAMS: Operation = Operation {
    path: "/asyncapi.json",
    id: "asyncapi",
    summary: "The AsyncAPI document of the streams",
    call: |_, _| Ok(ApiResponse::json(STREAMS.clone())),
    ..WRITTEN_CALLS
};

static STREAMS: LazyLock<Vec<u8>> = LazyLock::new(|| format!("{:#}\n", asyncapi::document()).into_bytes());

static WRITTEN: LazyLock<Vec<u8>> = LazyLock::new(|| openapi::document(all()));

/// Returns all calls.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    let parts: [&'static [Operation]; 11] = [
        CHANNELS,
        learned::DEMANDS,
        learned::PROPOSALS,
        learned::RULES,
        learned::GROUPS,
        learned::FEEDBACK,
        learned::PEOPLE,
        learned::DEAD_LETTERS,
        learned::IMPORTS,
        AGENTS,
        DOCUMENT,
    ];
    parts.into_iter().flatten()
}
