//! Descriptions of a failure for people and models (specification, "Actions: Structured feedback" and "Actions:
//! Examples").

use super::answer::{HistoryEntry, Suggestion, SuggestionSource};
use super::approach::key;
use super::beta::Counts;
use super::cause::CauseMatch;
use super::read::UNSPECIFIED;
use super::remedy::{RemedyMatch, is_about_cases, of_key};
use super::result::{ActionKind, ActionResult};
use super::suggest::times;
use crate::text::prose::{capitalise, line};
use serde_json::Value;

/// The maximum length of a reason in a text, in characters.
const REASON: usize = 300;

/// Returns what happened, from the inference's name: `unresolved_document_ids` becomes "Could not resolve document
/// IDs".
pub fn headline(inference: &str, kind: ActionKind) -> String {
    let words = humanised(inference);
    if inference == UNSPECIFIED || words.is_empty() {
        return match kind {
            ActionKind::Success => "The action succeeded",
            ActionKind::Failed => "The action failed",
            ActionKind::Partial => "The action succeeded in part",
        }
        .to_owned();
    }
    let said = |words: &str| {
        [
            "failed",
            "could not",
            "cannot",
            "missing",
            "ambiguous",
            "not found",
            "denied",
            "invalid",
            "error",
            "unable",
            "unknown",
            "unread",
            "unavail",
            "unsupported",
            "inaccess",
            "unsent",
            "timeout",
            "timed out",
            "expired",
            "refused",
            "rejected",
            "exceeded",
            "conflict",
            "locked",
            "lost",
        ]
        .iter()
        .any(|cue| words.to_lowercase().contains(cue))
    };
    match (kind, words.strip_prefix("unresolved ").or_else(|| words.strip_prefix("Unresolved "))) {
        (ActionKind::Failed | ActionKind::Partial, Some(what)) => format!("Could not resolve {what}"),
        (ActionKind::Failed, None) if !said(&words) => capitalise(&format!("{words} failed")),
        _ => capitalise(&words),
    }
}

/// Returns what an inference is about: `unresolved_document_ids` becomes "processing document ids".
pub(super) fn doing(inference: &str) -> String {
    let words = humanised(inference).to_lowercase();
    let about = ["unresolved ", "missing ", "ambiguous ", "unknown ", "invalid ", "some "];
    let ends = [
        " not found",
        " failed",
        " failure",
        " error",
        " denied",
        " processed",
        " timeout",
        " unreadable",
        " unavailable",
        " inaccessible",
        " unresolved",
        " missing",
        " ambiguous",
        " unknown",
        " invalid",
        " unsent",
        " locked",
    ];
    let mut what = words.as_str();
    let mut object = false;
    for prefix in about {
        if let Some(rest) = what.strip_prefix(prefix) {
            (what, object) = (rest, true);
        }
    }
    for suffix in ends {
        if let Some(rest) = what.strip_suffix(suffix) {
            object |= suffix != " failed" && suffix != " failure" && suffix != " timeout";
            what = rest;
        }
    }
    match (what, object) {
        ("", _) => "the step".to_owned(),
        (_, _) if inference == UNSPECIFIED => "the step".to_owned(),
        (what, true) => format!("processing {what}"),
        (what, false) => format!("running {what}"),
    }
}

/// Returns the reason for the failure, as one line; `None` if not reported.
pub fn reason_line(result: &ActionResult) -> Option<String> {
    let told = result.reason.as_deref().or(result.error.as_deref()).or(result.feedback.as_deref());
    told.or(result.details.as_deref()).map(|text| line(text, REASON)).filter(|text| !text.is_empty())
}

/// Returns the text that tells a model what went wrong and what to try (specification, "Actions: Structured feedback").
pub(super) fn explain(
    result: &ActionResult,
    classed: &CauseMatch,
    suggestions: &[Suggestion],
    history: &[HistoryEntry],
    missing: &[String],
) -> String {
    let reason = reason_line(result);
    let mut items = vec![match &reason {
        Some(reason) => capitalise(reason),
        None => classed.class.usually().to_owned(),
    }];
    if let (Some(reason), Some(error)) = (&result.reason, &result.error) {
        let error = line(error, REASON);
        if !reason.contains(&error) {
            items.push(format!("Error: {error}"));
        }
    }
    if let Some(state) = result.state.as_ref().filter(|_| is_about_cases(result)) {
        items.push(format!("Active case: {}", state.active_case.as_deref().unwrap_or("None")));
    }
    let earlier = &history[..history.len().saturating_sub(1)];
    let tried: Vec<String> = earlier
        .iter()
        .filter(|entry| entry.result != "success")
        .map(|entry| format!("{} ({})", entry.action, entry.result))
        .collect();
    if !tried.is_empty() {
        let from = tried.len().saturating_sub(5);
        items.push(format!("Tried before: {}", tried[from..].join(", ")));
    }
    if let Some(first) = suggestions.first() {
        items.push(format!("Suggest: {}{}", first.how.trim_end_matches('.'), seen(first)));
    }
    if !missing.is_empty() {
        items.push(format!("Report with the next result: {}", missing.join(", ")));
    }
    let mut head = match (result.kind, partial(result)) {
        (ActionKind::Partial, Some(head)) => head,
        _ => headline(&result.inference, result.kind),
    };
    if reason.is_none() {
        head.push_str(", and no reason was given");
    }
    format!("{head}. Possible reasons:\n    • {}", items.join("\n    • "))
}

/// Returns the same on one line, as an agent reports to its supervisor (specification, "Actions: Several agents").
pub(super) fn brief(result: &ActionResult, classed: &CauseMatch, suggestions: &[Suggestion]) -> String {
    let advice = suggestions.first().map(|first| advice(result, classed, first));
    let mut text = match (result.kind, partial(result), reason_line(result)) {
        (ActionKind::Partial, Some(counts), Some(reason)) => format!("{counts}: {reason}"),
        (ActionKind::Partial, Some(counts), None) => format!("{counts}, and no reason was given"),
        (_, _, Some(reason)) if names_subject(result) => {
            format!("{} - {reason}", headline(&result.inference, result.kind))
        }
        (_, _, Some(reason)) => capitalise(&reason),
        (_, _, None) => format!("{}, and no reason was given", headline(&result.inference, result.kind)),
    };
    if let (Some(_), Some(details)) = (&result.reason, &result.details) {
        close(&mut text);
        text.push(' ');
        text.push_str(&capitalise(&line(details, REASON)));
    }
    if let (Some(advice), ActionKind::Failed) = (advice, result.kind) {
        close(&mut text);
        text.push(' ');
        text.push_str(&advice);
    }
    text
}

/// Returns how often the first suggestion helped, if observed.
fn seen(suggestion: &Suggestion) -> String {
    if suggestion.source != SuggestionSource::Observed {
        return String::new();
    }
    let failures = suggestion.tried - suggestion.succeeded - suggestion.partly;
    let counts = Counts { successes: suggestion.succeeded, failures, partials: suggestion.partly };
    format!(" (worked {} in this situation)", times(counts))
}

fn advice(result: &ActionResult, classed: &CauseMatch, first: &Suggestion) -> String {
    match of_key(classed.class, &key(&first.action)) {
        Some(remedy) => {
            let fitting = RemedyMatch::new(remedy, first.tool.clone(), result);
            fitting.say(fitting.remedy.brief)
        }
        None => format!("Suggest: {}", first.how),
    }
}

/// Returns "2 documents found, 1 processed, 1 failed" (specification, "Actions: Structured feedback"); `None` if
/// nothing can be counted.
fn partial(result: &ActionResult) -> Option<String> {
    let data = result.data.as_ref()?;
    let count = |name: &str| match data.get(name)? {
        Value::Array(items) => Some(items.len() as u64),
        other => other.as_u64(),
    };
    let (failed, done) =
        (count("failed")?, ["processed", "succeeded", "done"].iter().find_map(|n| Some((*n, count(n)?)))?);
    let words = humanised(&result.inference).to_lowercase();
    let what =
        words.strip_prefix("some ").unwrap_or(&words).split(' ').next().filter(|w| w.ends_with('s')).unwrap_or("items");
    let total = failed.saturating_add(done.1);
    Some(format!("{total} {what} found, {} {}, {failed} failed", done.1, done.0))
}

/// Reports whether the inference names a step ("OCR failed"), so that the reason alone would not explain what went
/// wrong.
fn names_subject(result: &ActionResult) -> bool {
    let words = humanised(&result.inference).to_lowercase();
    result.inference != UNSPECIFIED
        && words.split_once(' ').is_some_and(|(_, rest)| rest.ends_with("failed") || rest.ends_with("error"))
}

fn close(text: &mut String) {
    if !text.ends_with(['.', '!', '?', ':']) {
        text.push('.');
    }
}

/// Returns the words of a name, abbreviations in upper case: `document_ids` becomes "document IDs".
fn humanised(name: &str) -> String {
    let name: String = name.chars().take(120).collect();
    let words = name.split(|c: char| c == '_' || c == '-' || c.is_whitespace()).filter(|word| !word.is_empty());
    let spelled = words.map(|word| match word.to_lowercase().as_str() {
        "ids" => "IDs".to_owned(),
        "urls" => "URLs".to_owned(),
        "id" | "ocr" | "api" | "url" | "pdf" | "kyc" | "json" | "csv" | "xml" | "html" | "http" | "sql" | "llm"
        | "ssl" => word.to_uppercase(),
        _ => word.to_owned(),
    });
    spelled.collect::<Vec<_>>().join(" ")
}
