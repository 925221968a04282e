//! Ranked suggestions: learned ones, built-in ones and the publisher's in one list.

use super::answer::{Suggestion, SuggestionSource};
use super::approach::{Approach, find_tool};
use super::beta::Counts;
use super::cause::Cause;
use super::chain::ChainPosition;
use super::remedy::{RemedyMatch, of_key, remedies};
use super::result::ActionResult;
use super::signature::Signature;
use super::statistics::{ActionStatistics, Estimate};
use crate::text::language::guard;
use crate::text::prose::{line, round};
use std::collections::BTreeMap;

/// The assumed value of a publisher's suggestion that states none.
const GIVEN_GUESS: f64 = 0.6;

/// The factor by which a failure in the same run lowers a suggestion's confidence.
const FAILED_HERE: f64 = 0.5;

/// A suggestion with its remedy, while the list is built.
struct Candidate {
    approach: Approach,
    fitting: Option<RemedyMatch>,
    guess: f64,
    sentence: Option<String>,
    given: bool,
    tool: Option<String>,
    order: usize,
}

/// Returns what to try after a failure, best first, at most `most`. Reports of other agents are included if
/// [two of them](ActionStatistics::vouched) saw the approach help. `standing` contains what already failed in this run.
///
/// At equal confidence, a suggestion that did not fail in this run comes first, then the one tried more often, then the
/// order of the built-in table, then the name.
pub fn suggest(
    result: &ActionResult,
    signature: &Signature,
    standing: Option<&ChainPosition<'_>>,
    learning: &ActionStatistics,
    most: usize,
) -> Vec<Suggestion> {
    let mut ranked: Vec<(Suggestion, usize)> = candidates(result, signature, learning)
        .into_values()
        .map(|candidate| {
            let order = candidate.order;
            let failed = standing.map_or(0, |standing| standing.failures_of(&candidate.approach.key));
            (weigh(candidate, signature, failed, learning), order)
        })
        .collect();
    // Suggestions that did not fail in this run come before those that did.
    let fresh = ranked.iter().filter(|(s, _)| s.failed_here == 0).map(|(s, _)| s.confidence).fold(0.0, f64::max);
    if fresh > 0.0 {
        for (suggestion, _) in ranked.iter_mut().filter(|(s, _)| s.failed_here > 0) {
            suggestion.confidence = suggestion.confidence.min(fresh);
        }
    }
    ranked.sort_by(|(a, i), (b, j)| {
        b.confidence
            .total_cmp(&a.confidence)
            .then_with(|| a.failed_here.cmp(&b.failed_here))
            .then_with(|| b.tried.cmp(&a.tried))
            .then_with(|| i.cmp(j))
            .then_with(|| a.action.cmp(&b.action))
    });
    ranked.truncate(most);
    ranked.into_iter().map(|(suggestion, _)| suggestion).collect()
}

fn candidates(
    result: &ActionResult,
    signature: &Signature,
    learning: &ActionStatistics,
) -> BTreeMap<String, Candidate> {
    let mut candidates: BTreeMap<String, Candidate> = BTreeMap::new();
    for fitting in remedies(result, signature.class) {
        let Some(mut approach) = Approach::named(fitting.remedy.action) else { continue };
        approach.name = fitting.remedy.action.to_owned();
        let candidate = Candidate {
            guess: fitting.remedy.mean,
            sentence: None,
            given: false,
            tool: fitting.tool.clone(),
            order: candidates.len(),
            fitting: Some(fitting),
            approach,
        };
        candidates.entry(candidate.approach.key.clone()).or_insert(candidate);
    }
    for given in &result.suggestions {
        let Some((approach, tool)) = given_approach(&given.action, result) else { continue };
        let order = candidates.len();
        let known = candidates.entry(approach.key.clone()).or_insert_with(|| Candidate {
            fitting: None,
            guess: GIVEN_GUESS,
            sentence: None,
            given: true,
            tool,
            order,
            approach,
        });
        known.given = true;
        known.guess = given.confidence.unwrap_or(known.guess);
        if given.action.contains(' ') {
            known.sentence = Some(line(&given.action, 200));
        }
    }
    for tried in learning.tried(signature) {
        if candidates.contains_key(tried) {
            continue;
        }
        let Some(tally) = learning.tally(signature, tried) else { continue };
        let name = tally.name().unwrap_or(tried).to_owned();
        // A name is text from the reporting agent: one that addresses its reader is not an approach.
        let is_order = !guard::orders(&name).is_empty();
        let built_in = of_key(signature.class, tried).is_some();
        if is_order || !(built_in || learning.vouched(signature, tried, &result.agent)) {
            continue;
        }
        let tool = result.tools().and_then(|tools| find_tool(&name, tools)).map(str::to_owned);
        // A tool that is available only elsewhere cannot be called.
        if tally.as_tool > 0 && result.tools().is_some() && tool.is_none() {
            continue;
        }
        let remedy = of_key(signature.class, tried);
        if remedy.as_ref().is_some_and(|remedy| remedy.tool.is_some()) && result.tools().is_some() && tool.is_none() {
            continue;
        }
        let fitting = remedy.map(|remedy| RemedyMatch::new(remedy, tool.clone(), result));
        let order = candidates.len();
        let approach = Approach { key: tried.to_owned(), name };
        let candidate = Candidate { approach, fitting, guess: 0.5, sentence: None, given: false, tool, order };
        candidates.insert(tried.to_owned(), candidate);
    }
    candidates
}

/// Returns the approach that a publisher's suggestion names: a tool within it, a name with underscores, or the whole
/// text.
fn given_approach(text: &str, result: &ActionResult) -> Option<(Approach, Option<String>)> {
    if text.contains(guard::LEFT_OUT) {
        return None;
    }
    let words = || text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).filter(|word| !word.is_empty());
    let tools = result.tools().unwrap_or_default();
    if let Some(tool) = words().find_map(|word| find_tool(word, tools)) {
        return Some((Approach::named(tool)?, Some(tool.to_owned())));
    }
    let named = words().find(|word| word.contains('_')).and_then(Approach::named);
    let usual = |approach: &Approach| of_key(Cause::Unknown, &approach.key).is_some_and(|remedy| remedy.tool.is_some());
    if let Some(approach) = named {
        let unavailable = result.tools().is_some() && usual(&approach);
        return (!unavailable).then_some((approach, None));
    }
    let name: Vec<String> = text.split_whitespace().take(8).map(str::to_lowercase).collect();
    let short = Approach::named(text).unwrap_or_else(|| Approach { key: name.join("_"), name: line(text, 80) });
    (!short.key.is_empty()).then_some((short, None))
}

fn weigh(candidate: Candidate, signature: &Signature, failed_here: u32, learning: &ActionStatistics) -> Suggestion {
    let estimate = learning.estimate(signature, &candidate.approach.key, candidate.guess);
    let confidence = estimate.mean * FAILED_HERE.powi(failed_here.min(20) as i32);
    let seen = estimate.here.tried() > 0;
    let similar = estimate.inference.tried() + estimate.class.tried() > 0;
    let source = match (seen, similar, candidate.given) {
        (true, _, _) => SuggestionSource::Observed,
        (false, _, true) => SuggestionSource::Publisher,
        (false, true, false) => SuggestionSource::Similar,
        (false, false, false) => SuggestionSource::BuiltIn,
    };
    Suggestion {
        confidence: round(confidence),
        tried: estimate.here.tried(),
        succeeded: estimate.here.successes,
        partly: estimate.here.partials,
        credible: estimate.credible,
        failed_here,
        source,
        why: why(&candidate, &estimate, failed_here),
        how: how(&candidate),
        tool: candidate.tool,
        action: candidate.approach.name,
    }
}

fn how(candidate: &Candidate) -> String {
    match (&candidate.sentence, &candidate.fitting, &candidate.tool) {
        (Some(sentence), _, _) => sentence.clone(),
        (None, Some(fitting), _) => fitting.say(fitting.remedy.item),
        (None, None, Some(tool)) => format!("Use '{tool}' tool"),
        (None, None, None) => format!("Try {}", candidate.approach.name),
    }
}

fn why(candidate: &Candidate, estimate: &Estimate, failed_here: u32) -> String {
    let mut parts = Vec::new();
    if estimate.here.tried() > 0 {
        parts.push(format!("worked {} in this situation", times(estimate.here)));
    }
    if estimate.inference.tried() > 0 {
        parts.push(format!(
            "worked {} where the same was inferred for another cause of this class",
            times(estimate.inference)
        ));
    }
    if estimate.class.tried() > 0 {
        parts.push(format!("worked {} with other failures of this class", times(estimate.class)));
    }
    if parts.is_empty() {
        let usual = candidate.fitting.as_ref().map(|fitting| fitting.remedy.why);
        parts.push(match usual {
            Some(usual) => format!("{usual}; not tried yet"),
            None => "the publisher suggests it; not tried yet".to_owned(),
        });
    }
    if failed_here > 0 {
        let often = if failed_here == 1 { "once".to_owned() } else { format!("{failed_here} times") };
        parts.push(format!("failed {often} in this attempt at it"));
    }
    parts.join("; ")
}

/// Formats counts: "3 of 4 times", "3 of 5 times and 1 in part".
pub(super) fn times(counts: Counts) -> String {
    let tried = counts.tried();
    let noun = if tried == 1 { "time" } else { "times" };
    let partly = if counts.partials > 0 { format!(" and {} in part", counts.partials) } else { String::new() };
    format!("{} of {tried} {noun}{partly}", counts.successes)
}
