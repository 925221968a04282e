//! Table rows for `feedbackd actions history` and `feedbackd actions suggest`. The CLI lays them out.

use super::answer::{Suggestion, SuggestionSource};
use super::beta::Counts;
use super::record::ActionRecord;
use super::statistics::ActionStatistics;
use super::suggest::times;
use crate::text::prose::{line, percent};

/// The columns of [`history_rows`].
pub const HISTORY_COLUMNS: [&str; 8] =
    ["time", "session", "agent", "attempt", "action", "result", "cause", "why / suggested next"];
/// The columns of [`suggestion_rows`].
pub const SUGGESTION_COLUMNS: [&str; 6] = ["action", "confidence", "90 % between", "worked here", "source", "why"];
/// The columns of [`experience_rows`].
pub const EXPERIENCE_COLUMNS: [&str; 6] = ["signature", "inference", "cause", "failures", "approach", "worked"];

/// Returns a row per record, in the records' order.
pub fn history_rows<'r>(records: impl IntoIterator<Item = &'r ActionRecord>) -> Vec<[String; 8]> {
    let row = |record: &ActionRecord| {
        let feedback = &record.feedback;
        let entry = feedback.feedback_history.last();
        let mut next = line(&feedback.why, 80);
        if let Some(first) = feedback.suggestions.first() {
            next.push_str(&format!(" / {} ({})", first.action, likely(first)));
        }
        if feedback.escalation.is_some() {
            next.push_str(" / people were asked");
        }
        [
            record.result.timestamp.to_string(),
            line(&record.result.session_id, 24),
            line(&record.result.agent, 32),
            record.position.to_string(),
            line(entry.map_or(record.result.inference.as_str(), |entry| entry.action.as_str()), 40),
            record.result.kind.result().to_owned(),
            if record.result.is_failure() { record.class.as_str().to_owned() } else { "-".to_owned() },
            next,
        ]
    };
    records.into_iter().map(row).collect()
}

/// Returns a row per suggestion, best first.
pub fn suggestion_rows(suggestions: &[Suggestion]) -> Vec<[String; 6]> {
    let row = |suggestion: &Suggestion| {
        let failures = suggestion.tried.saturating_sub(suggestion.succeeded + suggestion.partly);
        let counts = Counts { successes: suggestion.succeeded, failures, partials: suggestion.partly };
        let (low, high) = (suggestion.credible.low, suggestion.credible.high);
        let between = if guessed(suggestion) { "-".into() } else { format!("{} and {}", percent(low), percent(high)) };
        [
            suggestion.tool.clone().unwrap_or_else(|| suggestion.action.clone()),
            likely(suggestion),
            between,
            if suggestion.tried == 0 { "not tried yet".to_owned() } else { times(counts) },
            suggestion.source.as_str().to_owned(),
            line(&suggestion.why, 100),
        ]
    };
    suggestions.iter().map(row).collect()
}

/// Reports whether it was never tried, here or in similar situations. Its figure is then a guess used for ranking.
fn guessed(suggestion: &Suggestion) -> bool {
    matches!(suggestion.source, SuggestionSource::BuiltIn | SuggestionSource::Publisher)
}

/// Formats how likely it is to help: a guess in percent would look like experience.
fn likely(suggestion: &Suggestion) -> String {
    if guessed(suggestion) { "not tried yet".to_owned() } else { percent(suggestion.confidence) }
}

/// Returns a row per situation and approach: the most frequent situations first, in each the most tried approach.
pub fn experience_rows(learning: &ActionStatistics, most: usize) -> Vec<[String; 6]> {
    let mut situations: Vec<_> = learning.situations().collect();
    situations.sort_by(|a, b| b.occurrences.cmp(&a.occurrences).then_with(|| a.signature.id.cmp(&b.signature.id)));
    let mut rows = Vec::new();
    for situation in situations {
        let head = [
            situation.signature.id.clone(),
            line(&situation.signature.inference, 40),
            line(&format!("{}: {}", situation.signature.class.as_str(), situation.signature.cause), 60),
            situation.occurrences.to_string(),
        ];
        let mut approaches: Vec<_> = situation.approaches.iter().collect();
        approaches.sort_by(|(a, x), (b, y)| y.counts.tried().cmp(&x.counts.tried()).then_with(|| a.cmp(b)));
        let told = |(key, tally): (&String, &crate::channels::action::statistics::ApproachTally)| {
            (tally.name().unwrap_or(key).to_owned(), times(tally.counts))
        };
        let mut lines: Vec<(String, String)> = approaches.into_iter().map(told).collect();
        if lines.is_empty() {
            lines.push(("-".to_owned(), "nothing was tried yet".to_owned()));
        }
        for (approach, worked) in lines {
            if rows.len() == most {
                return rows;
            }
            let [id, inference, cause, failures] = head.clone();
            rows.push([id, inference, cause, failures, approach, worked]);
        }
    }
    rows
}
