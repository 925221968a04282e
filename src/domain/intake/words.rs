//! The words of a comment, and those that are compared.

use crate::text::language::comment;

/// Returns the text in words: the reviewer's summary and comment (specification, "Learning: Similarity").
///
/// A summary derived from a diff is used only if the reviewer wrote nothing: it names files, and would make comments
/// about the same file look alike. A suggestion block is the correction and is used only if there is nothing else.
/// `None` if there are no words.
pub fn words(summary: Option<(&str, bool)>, comment: Option<&str>) -> Option<String> {
    let said = comment.and_then(comment::beside_suggestions);
    match (summary, said) {
        (Some((summary, false)), Some(said)) => Some(format!("{summary}. {said}")),
        (_, Some(said)) => Some(said.into_owned()),
        (Some((summary, _)), None) => Some(summary.to_owned()),
        (None, None) => comment.map(str::to_owned),
    }
}

/// Returns the text to compare: the words, unwrapped. A suggestion is an edit, not text; if there is nothing else,
/// there are no words to compare.
pub fn compared_words(summary: Option<(&str, bool)>, comment: Option<&str>) -> Option<String> {
    let said = comment.and_then(comment::beside_suggestions);
    if said.is_none() && summary.is_none() {
        return None;
    }
    words(summary, comment).map(|text| comment::compared(&text))
}
