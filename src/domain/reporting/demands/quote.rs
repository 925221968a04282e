//! A comment as evidence of a demand: for a review with several comments, the one that asks for it, with its place and
//! page.
//!
//! If that comment is ambiguous, the review is quoted as a whole without a place.

use super::link::web_link;
use crate::intake::comment::Comment;
use crate::intake::place::remarks;
use crate::records::record::DecisionRecord;
use crate::text::language::comment::beside_suggestions;
use crate::text::prose::{day, line};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashSet;

/// Maximum length of a quoted comment, in characters.
const QUOTED: usize = 280;
/// Lines of code shown with a comment.
const CODE: usize = 3;
/// Maximum length of compared text, in bytes.
const COMPARED: usize = 4_000;
/// Minimum length of a significant word; its beginning distinguishes it.
const LEAST: usize = 4;
const STEM: usize = 5;

/// A comment as evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Quote {
    /// The feedback.
    pub feedback_id: String,
    /// Its author.
    pub reviewer_id: String,
    /// When it was made.
    pub at: Timestamp,
    /// The text, shortened.
    pub text: String,
    /// The file it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Its subject: the pull request as `owner/name#12`, or the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The last lines of the code it refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Its page on the forge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl Quote {
    /// Returns who, when and where, as half a sentence: `ann, 2026-03-01, octo/shop#12, src/api.rs:7`.
    pub fn by(&self) -> String {
        let place = self.file.as_ref().map(|file| match self.line {
            Some(line) => format!("{file}:{line}"),
            None => file.clone(),
        });
        let said = [Some(self.reviewer_id.clone()), Some(day(self.at)), self.task.clone(), place];
        said.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Quotes a decision as evidence of the demand in these words.
pub fn quote(record: &DecisionRecord, demand: &str) -> Quote {
    let remarks = match &record.comment {
        Some(_) => Vec::new(),
        None => remarks(&record.extra),
    };
    let whole = record.text().unwrap_or_default();
    let body = body(record.reviewer_comment.as_deref().unwrap_or_default());
    let said = match remarks.as_slice() {
        [] => None,
        [one] if body.is_none() => Some(QuoteSource::Remark(one)),
        several => the_one(record, demand, several, body),
    };
    let forge = |name: &str| record.extra.get("forge").and_then(|forge| forge.get(name)).and_then(|v| v.as_str());
    let place = record.feedback.places.first().filter(|_| remarks.is_empty());
    let (text, file, at_line, url) = match said {
        Some(QuoteSource::Remark(one)) => (one.body.as_str(), one.path.as_deref(), one.line, one.url.as_deref()),
        Some(QuoteSource::Body(body)) => (body, None, None, None),
        None => {
            let url = record.comment.as_ref().and_then(|said| said.comment.url.as_deref());
            (whole.as_str(), place.map(|place| place.file.as_str()), place.and_then(|place| place.line), url)
        }
    };
    Quote {
        feedback_id: record.feedback.feedback_id.clone(),
        reviewer_id: record.reviewer_id.clone(),
        at: record.timestamp,
        text: line(&words_of(text), QUOTED),
        file: file.map(|file| line(file, QUOTED)),
        line: at_line,
        task: record.task_id.clone(),
        code: record.comment.as_ref().and_then(|said| said.comment.code(CODE)),
        url: url.and_then(web_link).or_else(|| forge("url").and_then(web_link)).map(str::to_owned),
    }
}

/// Returns what is said in words; all of it if there is nothing else.
fn words_of(text: &str) -> Cow<'_, str> {
    beside_suggestions(text).filter(|said| !said.trim().is_empty()).unwrap_or(Cow::Borrowed(text))
}

/// The text that asks for it.
enum QuoteSource<'r> {
    Remark(&'r Comment),
    /// The review's overall text.
    Body(&'r str),
}

/// Returns the comment that shares the most words with the demand; `None` if several do, or none.
fn the_one<'r>(
    record: &DecisionRecord,
    demand: &str,
    remarks: &'r [Comment],
    body: Option<&'r str>,
) -> Option<QuoteSource<'r>> {
    let mut wanted = words(demand);
    if let Some(concern) = &record.feedback.concern {
        wanted.extend(words(&concern.nearest_phrasing));
        concern.terms.iter().for_each(|term| wanted.extend(words(term)));
    }
    let shared = |text: &str| words(text).intersection(&wanted).count();
    let each = remarks.iter().map(|one| (shared(&one.body), QuoteSource::Remark(one)));
    let mut found: Vec<(usize, QuoteSource<'r>)> = each
        .chain(body.map(|body| (shared(body), QuoteSource::Body(body))))
        .filter(|(shared, _)| *shared > 0)
        .collect();
    let most = found.iter().map(|(shared, _)| *shared).max()?;
    found.retain(|(shared, _)| *shared == most);
    if found.len() == 1 { found.pop().map(|(_, asking)| asking) } else { None }
}

/// Returns a review's overall text, before its list of comments.
fn body(comment: &str) -> Option<&str> {
    if comment.starts_with("- ") {
        return None;
    }
    comment.split_once("\n\n- ").map(|(body, _)| body.trim()).filter(|body| !body.is_empty())
}

/// Returns the beginnings of the significant words in a text.
fn words(text: &str) -> HashSet<String> {
    let end = (0..=COMPARED.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let words = text[..end].split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= LEAST);
    words.map(|word| word.chars().take(STEM).flat_map(char::to_lowercase).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample::decision;
    use serde_json::{Value, json};

    fn of(comment: &str, remarks: Value, demand: &str) -> String {
        let mut record = decision(1);
        record.reviewer_comment = Some(comment.to_owned());
        record.task_id = Some("octo/shop#7".into());
        let forge = json!({ "url": "https://forge.example/7", "remarks": remarks });
        record.extra = [("forge".to_owned(), forge)].into();
        let quote = quote(&record, demand);
        format!("{} | {} | {}", quote.text, quote.by(), quote.url.unwrap_or_default())
    }

    #[test]
    fn the_comment_that_asks_is_quoted_with_its_place() {
        let remark = |id: &str, text: &str| json!({ "id": id, "text": text, "file": "src/a.rs", "line": 3, "url": format!("https://forge.example/7#{id}") });
        let comment = "Nearly there.\n\n- Handle the error of the call.\n- Rename this.";
        let two = json!([remark("1", "Handle the error of the call."), remark("2", "Rename this.")]);
        insta::assert_snapshot!(of(comment, two.clone(), "Handle every error"), @"Handle the error of the call. | ana, 2026-01-12, octo/shop#7, src/a.rs:3 | https://forge.example/7#1");
        // It is ambiguous which of them asks for it.
        insta::assert_snapshot!(of(comment, two, "Add a test"), @"Nearly there. - Handle the error of the call. - Rename this. | ana, 2026-01-12, octo/shop#7 | https://forge.example/7");
        let one = json!([remark("1", "Handle the error.")]);
        insta::assert_snapshot!(of("Handle the error.", one, "Something else"), @"Handle the error. | ana, 2026-01-12, octo/shop#7, src/a.rs:3 | https://forge.example/7#1");
        let hostile = json!([{ "id": "1", "text": "x", "url": "javascript:alert(1)" }]);
        insta::assert_snapshot!(of("x", hostile, "x"), @"x | ana, 2026-01-12, octo/shop#7 | https://forge.example/7");
    }

    #[test]
    fn a_decision_of_another_gate_is_quoted_as_it_is() {
        let quote = quote(&decision(1), "criteria");
        assert_eq!((quote.text.as_str(), quote.url), ("Acceptance criteria are missing in story 1", None));
    }
}
