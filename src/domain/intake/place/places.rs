//! The places that a decision's comments are about, from the publisher's data.

use super::commented::RemarkedPlace;
use super::hunk::Hunk;
use super::identifier::about;
use super::kind::PlaceKind;
use super::language::language;
use crate::intake::comment::Comment;
use crate::intake::forge::InlineComment;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum number of places in a record.
pub const MAX_PLACES: usize = 20;
/// Maximum length of a path, in bytes; a longer one is ignored.
const PATH: usize = 400;

/// Returns the places of the comments, in order: those of a forge's review that became a decision, or the one that its
/// `file` and `line` name. At most [`MAX_PLACES`].
pub fn places(extra: &BTreeMap<String, Value>) -> Vec<RemarkedPlace> {
    let remarks = remarks(extra);
    if !remarks.is_empty() {
        return remarks.iter().filter_map(of_comment).take(MAX_PLACES).collect();
    }
    let file = extra.get("file").and_then(Value::as_str).unwrap_or_default();
    let line = extra.get("line").and_then(|line| line.as_u64().or_else(|| line.as_str()?.parse().ok()));
    place(file, line).into_iter().collect()
}

/// Returns the comments of the forge's review behind a decision, as stored by earlier versions.
pub fn remarks(extra: &BTreeMap<String, Value>) -> Vec<Comment> {
    let remarks = extra.get("forge").and_then(|forge| forge.get("remarks")).and_then(Value::as_array);
    remarks
        .into_iter()
        .flatten()
        .filter_map(|remark| InlineComment::deserialize(remark).ok())
        .map(Comment::from)
        .collect()
}

/// Returns the place of a comment; `None` if it names no file.
pub fn of_comment(comment: &Comment) -> Option<RemarkedPlace> {
    let place = place(comment.path.as_deref()?, comment.line)?;
    let hunk = Hunk::read(comment.diff_hunk.as_deref().unwrap_or_default());
    let remarked = hunk.remarked(comment.line_count(), comment.is_on_old()).unwrap_or_default();
    Some(RemarkedPlace { about: about(&comment.body, &hunk, remarked), ..place })
}

fn place(file: &str, line: Option<u64>) -> Option<RemarkedPlace> {
    let file = file.trim();
    let fits = !file.is_empty() && file.len() <= PATH && !file.contains(char::is_control);
    fits.then(|| RemarkedPlace {
        file: file.to_owned(),
        line,
        language: language(file).map(str::to_owned),
        kind: PlaceKind::of(file),
        about: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn of(extra: Value) -> Vec<String> {
        let extra: BTreeMap<String, Value> = serde_json::from_value(extra).unwrap();
        places(&extra).iter().map(RemarkedPlace::told).collect()
    }

    #[test]
    fn each_remark_of_a_review_has_its_place() {
        let hunk = "@@ -1,1 +1,2 @@\n import dates\n+def parse_date(text):";
        let remarks = json!([
            { "id": "1", "text": "Add a docstring.", "file": "src/api.py", "line": 2, "side": "right", "hunk": hunk },
            { "id": "2", "text": "Say why.", "file": "tests/test_api.py" },
            { "id": "3", "text": "And the whole?" },
            "no remark",
        ]);
        let told = of(json!({ "forge": { "remarks": remarks }, "file": "not.this" }));
        assert_eq!(told, ["src/api.py:2 (Python, source, parse_date)", "tests/test_api.py (Python, test)"]);
    }

    #[test]
    fn a_file_that_came_with_the_decision_is_one() {
        assert_eq!(
            of(json!({ "file": "db/migrations/1.sql", "line": "7" })),
            ["db/migrations/1.sql:7 (SQL, migration)"]
        );
        assert_eq!(of(json!({ "file": "bin/run" })), ["bin/run"]);
        for nothing in [json!({}), json!({ "file": 7 }), json!({ "file": " " }), json!({ "forge": "x" })] {
            assert!(of(nothing).is_empty());
        }
    }

    proptest! {
        #[test]
        fn no_remark_makes_it_panic(
            text in "(\\PC{0,12}|`[a-z_]{0,6}`|```suggestion(:-1\\+0)?|\n){0,12}",
            hunk in "(@@ -[0-9]{1,3}(,[0-9])? \\+[0-9]{1,20} @@|[-+ \\\\]?\\PC{0,12}|\n){0,12}",
            line in any::<Option<u64>>(), lines in any::<Option<u64>>(), left in any::<bool>(),
        ) {
            let side = if left { "left" } else { "right" };
            let remark = json!({ "id": "1", "text": text, "file": "a.py", "line": line, "lines": lines, "side": side, "hunk": hunk });
            let extra: BTreeMap<String, Value> = [("forge".to_owned(), json!({ "remarks": [remark] }))].into();
            let found = places(&extra);
            prop_assert_eq!(found.len(), 1);
            prop_assert!(found[0].about.as_ref().is_none_or(|name| text.contains(name.as_str()) || hunk.contains(name.as_str())));
            if let Some(diff) = super::super::suggested(&remarks(&extra)) {
                prop_assert!(crate::intake::diff::read_diff(&diff).is_some(), "{}", diff);
            }
        }
    }
}
