//! A model's checks of rules against their evidence.

use super::check_question::{CheckQuestion, ToCheck};
use super::json;
use super::readings::{MAX_BYTES, number};
use super::screen::{ScreenError, is_copied, quoted, screen, sentences};
use crate::records::record::{CheckReply, CheckedRule};
use crate::text::language::specificity;
use crate::text::prose::line;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

const MAX_WHY: usize = 200;
const MAX_TITLE: usize = 72;
const MAX_RULE: usize = 300;
/// The maximum number of rules per pattern.
const MAX_RULES: usize = 4;

/// A model's check of one pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneCheck {
    /// The cluster.
    pub about: String,
    /// The check, or why it was rejected.
    pub check: Result<CheckReply, ScreenError>,
}

/// Why an item that was shown but not answered is rejected.
const UNANSWERED: &str = "nothing was said of it";

/// The required form of the answer about one pattern.
#[derive(Deserialize)]
struct PatternAnswer {
    pattern: Value,
    rules: Vec<Line>,
    #[serde(default = "yes")]
    worth: bool,
    #[serde(default)]
    why: String,
    #[serde(default)]
    same: Vec<Value>,
}

#[derive(Deserialize)]
struct Line {
    rule: String,
    #[serde(default)]
    title: String,
    settles: Vec<Value>,
    #[serde(default)]
    opposite: Vec<Value>,
}

fn yes() -> bool {
    true
}

/// Parses an answer: the check of each pattern, by the store's names. The first answer about a pattern counts.
///
/// # Errors
/// If the answer is too long or covers no pattern.
pub fn read_checks(question: &CheckQuestion, text: &str) -> Result<Vec<OneCheck>, ScreenError> {
    if text.len() > MAX_BYTES {
        return Err(ScreenError::Schema("the answer is too long"));
    }
    let mut found: Vec<PatternAnswer> = json::each(text);
    let mut checks = Vec::new();
    let mut said = false;
    for shown in &question.patterns {
        let place = found.iter().position(|one| number(&one.pattern) == Some(shown.pattern));
        let check = match place {
            Some(at) => checked(shown, found.swap_remove(at)),
            None => Err(ScreenError::Schema(UNANSWERED)),
        };
        said |= place.is_some();
        checks.push(OneCheck { about: shown.about.clone(), check });
    }
    if said { Ok(checks) } else { Err(ScreenError::Schema("the answer says nothing of the patterns that were shown")) }
}

/// Parses the check of one pattern. A comment is settled by the first rule that names it.
fn checked(shown: &ToCheck, answered: PatternAnswer) -> Result<CheckReply, ScreenError> {
    let PatternAnswer { rules, worth, why, same, .. } = answered;
    let mut settled: BTreeSet<usize> = BTreeSet::new();
    let mut checked = Vec::new();
    for Line { rule, title, settles, opposite } in rules.into_iter().take(MAX_RULES) {
        let ids = |all: &[Value]| -> Vec<usize> {
            let known = |id: &usize| shown.comments.iter().any(|shown| shown.id == *id);
            all.iter().filter_map(number).filter(known).collect()
        };
        let names = |ids: Vec<usize>| -> Vec<String> {
            shown.comments.iter().filter(|shown| ids.contains(&shown.id)).map(|shown| shown.about.clone()).collect()
        };
        let settles: Vec<usize> = ids(&settles).into_iter().filter(|id| settled.insert(*id)).collect();
        let opposite: Vec<usize> = ids(&opposite).into_iter().filter(|id| !settles.contains(id)).collect();
        let rule = quoted(&rule);
        let title = if title.trim().is_empty() { rule.trim_end_matches('.').to_owned() } else { quoted(&title) };
        // A line may be longer by its ellipsis.
        let title = line(&title, MAX_TITLE - 1);
        checked.push(CheckedRule { rule, title, settles: names(settles), opposite: names(opposite) });
    }
    let why = line(&quoted(&why), MAX_WHY - 1);
    let named = |name: &Value| shown.others.iter().find(|other| Some(other.name.as_str()) == name.as_str());
    let same = same.iter().filter_map(named).map(|other| other.about.clone()).collect();
    let reply = CheckReply { cluster: shown.about.clone(), rules: checked, worth, why, same };
    let Some(first) = reply.rules.first() else { return Ok(CheckReply { worth: false, ..reply }) };
    // Only the first rule is proposed in these words; further ones are checked separately.
    if !first.settles.is_empty() && worth {
        check_texts(first, shown)?;
    }
    if !reply.why.is_empty() {
        screen("the reason", &reply.why, MAX_WHY)?;
    }
    for further in reply.rules.iter().skip(1) {
        screen("the rule", &further.rule, MAX_RULE)?;
    }
    Ok(reply)
}

/// Checks the wording of a rule.
fn check_texts(checked: &CheckedRule, shown: &ToCheck) -> Result<(), ScreenError> {
    screen("the rule", &checked.rule, MAX_RULE)?;
    screen("the title", &checked.title, MAX_TITLE)?;
    if sentences(&checked.rule) > 2 {
        return Err(ScreenError::Lint("the rule has more than two sentences".to_owned()));
    }
    if let Some(finding) = specificity::lint(&checked.rule).into_iter().next() {
        return Err(ScreenError::Lint(format!("the rule does not pass the linter: {}", finding.message)));
    }
    if shown.comments.iter().any(|shown| is_copied(&checked.rule, &shown.comment)) {
        return Err(ScreenError::Lint("the rule is a comment, copied".to_owned()));
    }
    Ok(())
}
