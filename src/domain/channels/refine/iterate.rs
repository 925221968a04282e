//! The loop: apply the actions that the feedback can fill, assess the prompt, stop or continue.

use super::actions::{ActionKind, Placeholder, REFINEMENT_MAPPING, actions_for};
use super::analysis::analyze;
use super::fill::{self, Sources, head};
use super::outcome::{LogEntry, Outcome, StopReason};
use crate::channels::signal::{Observation, detect, readable};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The hard limit of iterations (specification, "Refinement: Limits": "Hard limit prevents infinite loops"); a larger
/// setting is reduced to it.
pub const HARD_LIMIT: u32 = 10;

/// The maximum length of `feedback_signal`, in characters.
pub const MAX_SIGNAL_CHARS: usize = 2_000;

/// The maximum length of a prompt in the log, in characters; the refined prompt itself is not cut.
pub const MAX_PROMPT_CHARS: usize = 20_000;

/// Settings of the loop (specification, "Refinement: Limits").
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RefineConfig {
    /// The maximum number of iterations, 0 to [`HARD_LIMIT`]; 0 leaves every prompt unchanged.
    pub max_refinement_iterations: u32,
    /// The sufficient score, 0 to 10 (specification, "Refinement: Limits").
    pub stop_at: f64,
}

impl Default for RefineConfig {
    fn default() -> RefineConfig {
        RefineConfig { max_refinement_iterations: 3, stop_at: 7.0 }
    }
}

/// Refines a prompt by the feedback on its result (specification, "Refinement: The loop"). `done` is the number of the
/// task's earlier iterations, which count against the limit.
///
/// As specified: detect, apply the type's actions in priority order, analyse, stop at the score, else continue with the
/// refined prompt. The pseudo-code would append the same lines in each iteration. Here an action whose line (or whose
/// filled words) the prompt already has is not applied again. A later iteration applies the rest, and may fill it from
/// the prompt if the feedback does not suffice. An action that cannot be filled is left out.
pub fn refine(
    original_prompt: &str,
    feedback: &Observation<'_>,
    config: &RefineConfig,
    done: u32,
    now: Timestamp,
) -> Outcome {
    let mut prompt = original_prompt.to_owned();
    let mut iterations = Vec::new();
    let limit = config.max_refinement_iterations.min(HARD_LIMIT);
    let signal = detect(feedback);
    let Some(found) = &signal else {
        return Outcome {
            analysis: analyze(&prompt),
            refined_prompt: prompt,
            iterations,
            signal,
            stopped: StopReason::NoSignal,
        };
    };
    let said = readable(feedback.text);
    let mut stopped = StopReason::MaxIterations;
    for iteration in done.saturating_add(1)..=limit {
        let sources =
            Sources { feedback: &said, signal: found, prompt: original_prompt, widened: iteration > done + 1 };
        let before = prompt.clone();
        let applied = apply_all(&mut prompt, &sources);
        let nothing = applied.is_empty();
        if !nothing || iterations.is_empty() {
            iterations.push(LogEntry {
                timestamp: now,
                original_prompt: clip(&before, MAX_PROMPT_CHARS),
                feedback_type: found.kind,
                feedback_signal: clip(said.trim(), MAX_SIGNAL_CHARS),
                actions_applied: applied,
                refined_prompt: clip(&prompt, MAX_PROMPT_CHARS),
                iteration,
                success: None,
            });
        }
        if analyze(&prompt).score >= config.stop_at {
            stopped = StopReason::GoodEnough;
            break;
        }
        // The first iteration may find nothing new in the feedback alone.
        if nothing && sources.widened {
            stopped = StopReason::NothingLeft;
            break;
        }
    }
    Outcome { analysis: analyze(&prompt), refined_prompt: prompt, iterations, signal, stopped }
}

/// Applies the actions that can be filled and add something new; returns which ones.
fn apply_all(prompt: &mut String, sources: &Sources<'_>) -> Vec<ActionKind> {
    let mut applied = Vec::new();
    for action in actions_for(sources.signal.kind) {
        let (line, value) = match action.placeholder {
            None => (action.template.to_owned(), None),
            Some(placeholder) => {
                let Some(value) = fill::value(placeholder, sources) else { continue };
                (action.template.replace(&format!("{{{}}}", placeholder.name()), &value), Some(value))
            }
        };
        let lead = action.template.split('{').next().unwrap_or_default();
        // Two lines may contain the same words only if the second asks for something else: minimal changes.
        let value = value.filter(|_| action.placeholder != Some(Placeholder::Issue));
        if added(prompt, lead, &line, value.as_deref(), sources) {
            continue;
        }
        let apart = if last_is_ours(prompt) { "\n" } else { "\n\n" };
        if !prompt.trim().is_empty() {
            prompt.truncate(prompt.trim_end().len());
            prompt.push_str(apart);
        }
        prompt.push_str(&line);
        applied.push(action.kind);
    }
    applied
}

/// Reports whether the prompt has the line, or one of our lines with the same words.
pub(super) fn added(prompt: &str, lead: &str, line: &str, value: Option<&str>, sources: &Sources<'_>) -> bool {
    let ours = |said: &str| leads().any(|lead| said.starts_with(lead));
    prompt.lines().any(|said| {
        said == line
            // Filling the same action again for the same feedback adds nothing new.
            || (sources.widened && said.starts_with(lead))
            || value.is_some_and(|value| ours(said) && said.ends_with(&format!(": {value}")))
    })
}

fn last_is_ours(prompt: &str) -> bool {
    let last = prompt.trim_end().lines().last().unwrap_or_default();
    leads().any(|lead| last.starts_with(lead))
}

/// Returns the beginnings of the templates' lines.
fn leads() -> impl Iterator<Item = &'static str> {
    REFINEMENT_MAPPING
        .iter()
        .flat_map(|(_, actions)| actions.iter())
        .map(|action| action.template.split('{').next().unwrap_or_default())
}

/// Cuts a text to `max` characters: the beginning and the end, with a mark for the omission.
fn clip(text: &str, max: usize) -> String {
    // Bytes are an upper bound for characters, so most texts are not counted.
    if text.len() <= max || text.chars().count() <= max {
        return text.to_owned();
    }
    let keep = max - 3;
    let first: String = head(text, keep * 4).chars().take(keep / 2).collect();
    let mut last: Vec<char> = text.chars().rev().take(keep - keep / 2).collect();
    last.reverse();
    format!("{first}\n…\n{}", last.into_iter().collect::<String>())
}
