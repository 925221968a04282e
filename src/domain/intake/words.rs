//! The words of what was said, and what of them is compared.

use crate::text::language::comment;

/// What was said in words: the reviewer's summary and comment (specification, "Learning: Similarity").
///
/// A summary that was derived from a diff speaks only where the reviewer said nothing: it names files, and would make
/// remarks about the same file look alike. A suggestion block is the correction and speaks only where nothing else does.
/// `None` where there are no words at all.
pub fn words(summary: Option<(&str, bool)>, comment: Option<&str>) -> Option<String> {
    let said = comment.and_then(comment::beside_suggestions);
    match (summary, said) {
        (Some((summary, false)), Some(said)) => Some(format!("{summary}. {said}")),
        (_, Some(said)) => Some(said.into_owned()),
        (Some((summary, _)), None) => Some(summary.to_owned()),
        (None, None) => comment.map(str::to_owned),
    }
}

/// What is compared of what was said: the words, unwrapped. A suggestion is an edit and no text; where there is nothing else,
/// there is nothing to compare by words.
pub fn compared_words(summary: Option<(&str, bool)>, comment: Option<&str>) -> Option<String> {
    let said = comment.and_then(comment::beside_suggestions);
    if said.is_none() && summary.is_none() {
        return None;
    }
    words(summary, comment).map(|text| comment::compared(&text))
}
