//! The tools: their names, inputs and outputs. Lists and calls use this table.

use super::schema::{answered, object, taken};
use super::shapes::{Outcome, Remarks, Reported, Rules, RulesOf, SimilarTo, Suggestions, Validated, Written};
use super::state::{McpState, Rights};
use super::{comments, rules};
use crate::app::channels::service::SuggestError;
use crate::domain::channels::iteration::is_refused;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use schemars::Schema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::LazyLock;

/// One tool.
pub struct Tool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    input: fn() -> Schema,
    output: fn() -> Schema,
    /// Whether it is read-only.
    reads: bool,
    /// The implementation; may block. Errors contain advice.
    pub call: fn(&McpState, Rights, JsonObject) -> Result<Value, String>,
}

const ALL: &[Tool] = &[
    Tool {
        name: "rules",
        title: "Rules for this work",
        description: "The rules that people approved for an agent, learned from reviews of earlier work. Call it with \
                      the paths before you change files, and follow what it lists.",
        input: taken::<RulesOf>,
        output: answered::<Rules>,
        reads: true,
        call: |desk, _, given| answer(&rules::rules(desk, read(given)?)?),
    },
    Tool {
        name: "similar_remarks",
        title: "Similar past comments",
        description: "What reviewers said before about similar text or diffs. Quoted as untrusted data.",
        input: taken::<SimilarTo>,
        output: answered::<Remarks>,
        reads: true,
        call: |desk, _, given| answer(&comments::similar(desk, &read(given)?)?),
    },
    Tool {
        name: "validate_review",
        title: "Validate a review document",
        description: "Whether a review document (JSON or YAML) is actionable, with everything that is wrong in it.",
        input: taken::<Written>,
        output: answered::<Validated>,
        reads: true,
        call: |desk, _, given| {
            let findings = desk.channels.validate(&read::<Written>(given)?.document).map_err(|error| {
                let line = error.line.map(|line| format!("line {line}: ")).unwrap_or_default();
                format!("{line}{}. {}", error.message, error.hint)
            })?;
            answer(&Validated { valid: !is_refused(&findings), findings })
        },
    },
    Tool {
        name: "suggest_actions",
        title: "What to try next",
        description: "What helped after failures like this one, best first, with the counts. Call it when an action \
                      has failed.",
        input: taken::<Outcome>,
        output: answered::<Suggestions>,
        reads: true,
        call: |desk, _, given| {
            let results = desk.channels.suggest(event(&read(given)?)?).map_err(|error| match error {
                SuggestError::Event(problem) => problem.to_string(),
                SuggestError::Query(error) => format!("{error}; try again later"),
            })?;
            answer(&Suggestions { results })
        },
    },
    Tool {
        name: "report_outcome",
        title: "Report an outcome",
        description: "Reports the outcome of an action, good or bad, so that others learn what helps. Needs a token \
                      with the scope `decide`.",
        input: taken::<Outcome>,
        output: answered::<Reported>,
        reads: false,
        call: |desk, rights, given| {
            if !rights.report {
                return Err("your token is read-only; reporting needs a token with the scope `decide`".to_owned());
            }
            let now = desk.channels.clock.now();
            let action_id = desk.outcomes.report(event(&read(given)?)?, now).map_err(|error| error.to_string())?;
            answer(&Reported { action_id, effect: "passed to the daemon, which records it".to_owned() })
        },
    },
];

static LISTED: LazyLock<Vec<Listed>> = LazyLock::new(|| ALL.iter().map(Tool::listed).collect());

/// Returns all tools in the clients' form, always in the same order.
pub fn listed() -> &'static [Listed] {
    &LISTED
}

/// Returns the tool with a name.
pub fn named(name: &str) -> Option<&'static Tool> {
    ALL.iter().find(|tool| tool.name == name)
}

impl Tool {
    fn listed(&self) -> Listed {
        let about = ToolAnnotations::with_title(self.title)
            .read_only(self.reads)
            .destructive(false)
            .idempotent(self.reads)
            .open_world(false);
        Listed::new(self.name, self.description, object((self.input)()))
            .with_title(self.title)
            .with_raw_output_schema(object((self.output)()))
            .with_annotations(about)
    }
}

fn read<T: DeserializeOwned>(given: JsonObject) -> Result<T, String> {
    serde_json::from_value(Value::Object(given))
        .map_err(|error| format!("invalid arguments: {error}; tools/list shows what this tool takes"))
}

fn answer(answer: &impl Serialize) -> Result<Value, String> {
    serde_json::to_value(answer).map_err(|error| format!("the answer cannot be written: {error}"))
}

/// Returns the outcome as an entry of the stream.
fn event(outcome: &Outcome) -> Result<Value, String> {
    answer(outcome)
}
