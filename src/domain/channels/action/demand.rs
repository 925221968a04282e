//! What an agent should do in future: a recurring failure, and what was observed to help, as a comment.
//!
//! The comment joins those that people make at gates: it can become a rule. Nothing is demanded that was not observed
//! to work.

use super::cause::Cause;
use super::remedy::{RemedyMatch, of_key};
use super::result::ActionResult;
use super::signature::{readable_cause, signature};
use super::statistics::{ActionStatistics, Experience};
use super::text::doing;
use crate::text::prose::line;

/// How many failures with one signature make a pattern.
pub const MIN_FAILURES: u64 = 2;

/// Returns the comment for a repeated failure; call it after recording the result. `None` if the failure is the first
/// with its signature, if no reason was reported, or if no approach has worked at least half the time.
pub fn demand(result: &ActionResult, learning: &ActionStatistics) -> Option<String> {
    if !result.is_failure() {
        return None;
    }
    let experience = learning.experience(&signature(result).id).filter(|e| e.occurrences >= MIN_FAILURES)?;
    let (key, name) = best(experience)?;
    let cause = readable_cause(result)?;
    let doing = doing(&result.inference);
    let class = experience.signature.class;
    let said = said(result, class, key, name, &doing);
    (!said.is_empty()).then(|| format!("{said}: {}", line(&lower_first(&cause), 160)))
}

/// Returns the approach with the highest success rate, if it helped more often than not.
fn best(experience: &Experience) -> Option<(&str, &str)> {
    let share = |successes: u64, tried: u64| (successes as f64 + 1.0) / (tried as f64 + 2.0);
    let mut best: Option<(f64, &str, &str)> = None;
    for (key, tally) in &experience.approaches {
        let counts = tally.counts;
        if counts.successes == 0 || counts.successes < counts.failures {
            continue;
        }
        let share = share(counts.successes, counts.tried());
        if best.is_none_or(|(most, _, _)| share > most) {
            best = Some((share, key, tally.name().unwrap_or(key)));
        }
    }
    best.map(|(_, key, name)| (key, name))
}

fn said(result: &ActionResult, class: Cause, key: &str, name: &str, doing: &str) -> String {
    match of_key(class, key) {
        Some(remedy) => {
            let tool = remedy.tool.map(|_| name.to_owned());
            let fitting = RemedyMatch::new(remedy, tool, result);
            fitting.say(fitting.remedy.rule).replace("{doing}", doing)
        }
        None => format!("Use {name} when {doing} fails"),
    }
}

/// Lowercases a text that merely starts with a capital, or is a title; abbreviations and types stay.
fn lower_first(text: &str) -> String {
    let plain = |word: &str| {
        let mut chars = word.chars();
        chars.next().is_some_and(char::is_uppercase) && chars.all(|c| !c.is_uppercase())
    };
    let title = text.split_whitespace().filter(|word| plain(word)).count() > 1;
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    for (at, word) in words.iter_mut().enumerate() {
        if plain(word) && (at == 0 || title) {
            *word = word.to_lowercase();
        }
    }
    words.join(" ")
}
