//! The code that feedback is about, as seen by cues.

use super::kind::PlaceKind;
use super::language::language;
use super::places::remarks;
use crate::intake::comment::Comment;
use crate::text::language::cues::Code;
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns the code that a comment is on; `None` if it names no file and suggests nothing.
pub fn code_of_comment(comment: &Comment) -> Option<Code> {
    let suggestion = comment.suggested();
    let path = comment.path.as_deref().unwrap_or_default();
    if path.is_empty() && suggestion.is_none() && comment.diff_hunk.is_none() {
        return None;
    }
    let kind = PlaceKind::of(path).map(<&'static str>::from);
    let lines = comment.lines.and_then(|lines| usize::try_from(lines).ok());
    let hunk = comment.diff_hunk.as_deref().unwrap_or_default();
    Some(Code::new(path, (language(path), kind), hunk, lines, suggestion.as_deref()))
}

/// Returns the code that a decision is about, if it is one place: that of a review's only comment in decisions of
/// earlier versions, or the one that `file` (or `path`) and `diff_hunk` (or `hunk`) name.
pub fn code_of(said: Option<&str>, extra: &BTreeMap<String, Value>) -> Option<Code> {
    match remarks(extra).as_slice() {
        [] => {}
        [one] => return code_of_comment(one),
        _ => return None,
    }
    let text = |names: [&str; 2]| {
        names.iter().find_map(|name| extra.get(*name)?.as_str()).map(str::to_owned).filter(|text| !text.is_empty())
    };
    code_of_comment(&Comment {
        body: said.unwrap_or_default().to_owned(),
        path: text(["file", "path"]),
        diff_hunk: text(["diff_hunk", "hunk"]),
        ..Comment::default()
    })
}
