//! What the suggestion blocks of a review say to write, as a diff: a correction that the reviewer made.

use super::hunk::Hunk;
use super::places::remarks;
use crate::domain::intake::forge::Remark;
use crate::domain::language::remark::suggestion;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A unified diff of all suggestions of a review whose lines are known as they were; `None` where there is none. The lines
/// of a suggestion stand for those that are remarked on, so the hunk has to end with these.
pub fn suggested(extra: &BTreeMap<String, Value>) -> Option<String> {
    let diff: String = remarks(extra).iter().filter_map(of_remark).collect();
    Some(diff).filter(|diff| !diff.is_empty())
}

fn of_remark(remark: &Remark) -> Option<String> {
    let suggestion = suggestion(&remark.text)?;
    let file = remark.file.as_deref().filter(|file| !file.is_empty() && !file.contains(char::is_control))?;
    let hunk = Hunk::read(remark.hunk.as_deref()?);
    let count = match suggestion.around {
        // What is below the line is not shown.
        Some((above, 0)) => above.checked_add(1)?,
        Some(_) => return None,
        None => remark.line_count(),
    };
    if remark.side.as_deref() == Some("left") {
        return None;
    }
    let (before, after) = (hunk.remarked(count, false)?, suggestion.lines);
    if before == after {
        return None;
    }
    let last = hunk.last_number().or_else(|| usize::try_from(remark.line?).ok())?;
    let first = last.checked_add(1)?.checked_sub(count)?;
    let mut diff = format!("--- a/{file}\n+++ b/{file}\n@@ -{first},{count} +{first},{} @@\n", after.len());
    before.iter().for_each(|line| diff.extend(["-", line, "\n"]));
    for line in &after {
        let _ = writeln!(diff, "+{line}");
    }
    Some(diff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(remarks: Value) -> Option<String> {
        suggested(&[("forge".to_owned(), json!({ "remarks": remarks }))].into())
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
