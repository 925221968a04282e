//! A review's suggestion blocks as a diff: a correction by the reviewer.

use super::hunk::Hunk;
use crate::intake::comment::Comment;
use crate::text::language::comment::suggestion;
use std::fmt::Write;

/// Returns a unified diff of all suggestions of a review whose original lines are known; `None` if there are none. A
/// suggestion replaces the commented lines, so the hunk must end with these.
pub fn suggested<'c>(comments: impl IntoIterator<Item = &'c Comment>) -> Option<String> {
    let diff: String = comments.into_iter().filter_map(of_comment).collect();
    Some(diff).filter(|diff| !diff.is_empty())
}

fn of_comment(comment: &Comment) -> Option<String> {
    let file = comment.path.as_deref().filter(|file| !file.is_empty() && !file.contains(char::is_control))?;
    let hunk = Hunk::read(comment.diff_hunk.as_deref()?);
    let (count, after) = replaced(comment)?;
    if comment.is_on_old() {
        return None;
    }
    let before = hunk.remarked(count, false)?;
    if before == after {
        return None;
    }
    let last = hunk.last_number().or_else(|| usize::try_from(comment.line?).ok())?;
    let first = last.checked_add(1)?.checked_sub(count)?;
    let mut diff = format!("--- a/{file}\n+++ b/{file}\n@@ -{first},{count} +{first},{} @@\n", after.len());
    before.iter().for_each(|line| diff.extend(["-", line, "\n"]));
    for line in &after {
        let _ = writeln!(diff, "+{line}");
    }
    Some(diff)
}

/// Returns how many lines a comment's suggestion replaces, and the replacement; `None` if it suggests nothing, or
/// replaces lines that are not shown.
fn replaced(comment: &Comment) -> Option<(usize, Vec<&str>)> {
    if comment.suggestion.is_some() {
        return Some((comment.line_count(), comment.suggested()?));
    }
    let suggestion = suggestion(&comment.body)?;
    let count = match suggestion.around {
        // Lines below are not shown.
        Some((above, 0)) => above.checked_add(1)?,
        Some(_) => return None,
        None => comment.line_count(),
    };
    Some((count, suggestion.lines))
}

#[cfg(test)]
mod tests {
    use super::super::places::remarks;
    use super::*;
    use serde_json::{Value, json};

    fn of(remarked: Value) -> Option<String> {
        suggested(&remarks(&[("forge".to_owned(), json!({ "remarks": remarked }))].into()))
    }

    fn remark(text: &str, more: Value) -> Value {
        let hunk = "@@ -8,2 +8,3 @@ def go():\n     try_it()\n+    a = get(url)\n+    b = get(url)";
        let mut remark =
            json!({ "id": "1", "text": text, "file": "src/x.py", "line": 10, "side": "right", "hunk": hunk });
        for (name, value) in more.as_object().unwrap() {
            remark[name] = value.clone();
        }
        remark
    }

    const ONE: &str = "Set a timeout:\n```suggestion\n    b = get(url, timeout=5)\n```";

    #[test]
    fn the_lines_that_are_remarked_on_are_replaced() {
        insta::assert_snapshot!(of(json!([remark(ONE, json!({}))])).unwrap(), @r"
        --- a/src/x.py
        +++ b/src/x.py
        @@ -10,1 +10,1 @@
        -    b = get(url)
        +    b = get(url, timeout=5)
        ");
        let both = "```suggestion:-1+0\n    a, b = get(url, timeout=5)\n```";
        let two = remark("```suggestion\n```", json!({ "lines": 2, "id": "2" }));
        insta::assert_snapshot!(of(json!([remark(both, json!({})), two])).unwrap(), @r"
        --- a/src/x.py
        +++ b/src/x.py
        @@ -9,2 +9,1 @@
        -    a = get(url)
        -    b = get(url)
        +    a, b = get(url, timeout=5)
        --- a/src/x.py
        +++ b/src/x.py
        @@ -9,2 +9,0 @@
        -    a = get(url)
        -    b = get(url)
        ");
    }

    #[test]
    fn nothing_where_the_lines_are_not_known() {
        for nothing in [
            remark("Set a timeout.", json!({})),
            remark(ONE, json!({ "hunk": null })),
            remark(ONE, json!({ "side": "left" })),
            remark(ONE, json!({ "lines": 9 })),
            remark("```suggestion:-0+2\nx\n```", json!({})),
            remark("```suggestion\n    b = get(url)\n```", json!({})),
        ] {
            assert_eq!(of(json!([nothing])), None, "{nothing}");
        }
    }
}
