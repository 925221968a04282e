//! An inline comment of Gerrit: its place, the surrounding lines as a hunk, and a fix as a suggestion.

use super::message::words_id;
use crate::intake::forge::event::InlineComment;
use crate::intake::forge::payload::{Payload, end_of};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The file name of a comment about the whole patch set.
pub const PATCH_SET: &str = "/PATCHSET_LEVEL";

/// A range of lines of a file, from 1.
#[derive(Clone, Copy)]
struct Lines {
    first: u64,
    last: u64,
}

/// Converts a comment, with its conversation and the page of its change. `/COMMIT_MSG` stays its file name: it is about
/// the commit message, which is not a file of the repository.
pub fn remark(comment: Payload<'_>, thread: Option<String>, page: Option<&str>) -> Option<InlineComment> {
    let (id, text) = (comment.text("/id")?, comment.text("/message")?);
    let url = page.map(|page| format!("{page}/comment/{id}/"));
    let revision = comment.text("/commit_id");
    let file = comment.text("/path").filter(|path| path != PATCH_SET);
    let Some(file) = file else {
        return Some(InlineComment { id: words_id(&text), text, revision, thread, url, ..InlineComment::default() });
    };
    let around = around(comment);
    let is_old = comment.text("/side").is_some_and(|side| side == "PARENT");
    let fix = if is_old { None } else { fix(comment, &file, &around) };
    let (lines, text) = match fix {
        Some((lines, fix)) => (Some(lines), format!("{text}\n{fix}")),
        None => (lines(comment), text),
    };
    let count = lines.map(|lines| lines.last - lines.first + 1);
    Some(InlineComment {
        id,
        text,
        file: Some(file),
        line: lines.map(|lines| lines.last),
        lines: count.filter(|count| *count > 1),
        side: lines.map(|_| if is_old { "left" } else { "right" }.to_owned()),
        hunk: lines.and_then(|lines| hunk(&around, lines.last)),
        revision,
        thread,
        at: None,
        url,
    })
}

/// Returns the lines it is about; `None` if it is about the file.
fn lines(comment: Payload<'_>) -> Option<Lines> {
    let of = |name: &str| comment.number(&[&format!("/range/{name}")]);
    let line = comment.number(&["/line"]);
    let (first, end) = (of("start_line").or(line)?, of("end_line").or(line)?);
    // A range that ends at the beginning of a line excludes it.
    let last = if of("end_character") == Some(0) { end.saturating_sub(1) } else { end };
    (first > 0).then_some(Lines { first, last: last.max(first) })
}

/// Returns the lines of the file that Gerrit sends with it.
fn around<'a>(comment: Payload<'a>) -> BTreeMap<u64, &'a str> {
    let line = |line: Payload<'a>| Some((line.number(&["/line_number"])?, line.0.get("context_line")?.as_str()?));
    comment.items("/context_lines").filter_map(line).filter(|(_, text)| !text.contains(['\n', '\r'])).collect()
}

/// Returns the lines down to the commented one as unchanged diff lines: without a diff, this is the context.
fn hunk(around: &BTreeMap<u64, &str>, last: u64) -> Option<String> {
    let mut above: Vec<&str> = Vec::new();
    let mut first = last;
    while let Some(line) = around.get(&first) {
        above.push(line);
        first -= 1;
        if first == 0 {
            break;
        }
    }
    let (first, count) = (first + 1, above.len());
    let mut hunk = format!("@@ -{first},{count} +{first},{count} @@");
    for line in above.iter().rev() {
        let _ = write!(hunk, "\n {line}");
    }
    (count > 0).then(|| end_of(&hunk))
}

/// Returns the one change it suggests, and the lines it replaces, as in a suggestion block.
fn fix(comment: Payload<'_>, file: &str, around: &BTreeMap<u64, &str>) -> Option<(Lines, String)> {
    let only = |mut items: Vec<_>| if items.len() == 1 { items.pop() } else { None };
    let suggested: Payload<'_> = only(comment.items("/fix_suggestions").collect())?;
    let change: Payload<'_> = only(suggested.items("/replacements").collect())?;
    let of = |name: &str| change.number(&[&format!("/range/{name}")]);
    let (first, end) = (of("start_line")?, of("end_line")?);
    let (from, to) = (of("start_character")?, of("end_character")?);
    let written = change.0.get("replacement")?.as_str()?;
    if change.text("/path").is_some_and(|path| path != file) || first == 0 || written.contains("```") {
        return None;
    }
    let (last, new) = if from == 0 && to == 0 && end > first {
        (end - 1, written.to_owned())
    } else {
        let line = |number: u64| around.get(&number).copied();
        let cut = |text: &str, at: u64| text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(at as usize);
        let (before, after) = (line(first)?, line(end)?);
        (end, format!("{}{written}{}", &before[..cut(before, from)?], &after[cut(after, to)?..]))
    };
    let new = new.strip_suffix('\n').unwrap_or(&new);
    let end_of_block = if new.is_empty() { "" } else { "\n" };
    (last >= first).then(|| (Lines { first, last }, format!("```suggestion\n{new}{end_of_block}```")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(more: Value) -> InlineComment {
        let lines: Vec<Value> = [(5, "def go():"), (6, "    a = get(url)"), (7, "    return a"), (8, "")]
            .map(|(number, text)| json!({ "line_number": number, "context_line": text }))
            .to_vec();
        let mut comment = json!({
            "id": "aa_1", "message": "Set a timeout.", "path": "src/x.py", "line": 6, "context_lines": lines,
            "commit_id": "abc",
        });
        for (name, value) in more.as_object().unwrap() {
            comment[name] = value.clone();
        }
        remark(Payload(&comment), None, Some("https://g.example/c/p/+/1")).unwrap()
    }

    #[test]
    fn the_lines_down_to_the_remark_are_its_hunk() {
        let one = of(json!({}));
        assert_eq!(one.hunk.as_deref(), Some("@@ -5,2 +5,2 @@\n def go():\n     a = get(url)"));
        assert_eq!((one.line, one.lines, one.side.as_deref()), (Some(6), None, Some("right")));
        assert_eq!(one.url.as_deref(), Some("https://g.example/c/p/+/1/comment/aa_1/"));
        let range = |end: u64, at: u64| {
            json!({ "range": {
                "start_line": 6, "start_character": 4, "end_line": end, "end_character": at,
            } })
        };
        let two = of(range(7, 3));
        assert_eq!((two.line, two.lines), (Some(7), Some(2)));
        assert_eq!((of(range(7, 0)).line, of(range(7, 0)).lines), (Some(6), None));
        let file = of(json!({ "line": null, "side": "PARENT" }));
        assert_eq!((file.line, file.side, file.hunk), (None, None, None));
        assert_eq!(of(json!({ "side": "PARENT" })).side.as_deref(), Some("left"));
        assert_eq!(of(json!({ "line": 60 })).hunk, None);
        assert_eq!(of(json!({ "path": "/COMMIT_MSG" })).file.as_deref(), Some("/COMMIT_MSG"));
        let whole = of(json!({ "path": PATCH_SET }));
        assert_eq!((whole.file, whole.line, whole.id), (None, None, words_id("Set a timeout.")));
    }

    #[test]
    fn a_single_change_that_is_suggested_is_a_suggestion_block() {
        let fixed = |range: Value, text: &str| {
            let change = json!({ "path": "src/x.py", "range": range, "replacement": text });
            of(json!({ "fix_suggestions": [{ "fix_id": "f", "description": "d", "replacements": [change] }] }))
        };
        let range = |start: u64, from: u64, end: u64, to: u64| json!({ "start_line": start, "start_character": from, "end_line": end, "end_character": to });
        let inside = fixed(range(6, 15, 6, 15), ", timeout=5");
        assert_eq!(inside.text, "Set a timeout.\n```suggestion\n    a = get(url, timeout=5)\n```");
        let whole = fixed(range(6, 0, 8, 0), "    return get(url)\n");
        assert_eq!(whole.text, "Set a timeout.\n```suggestion\n    return get(url)\n```");
        assert_eq!((whole.line, whole.lines), (Some(7), Some(2)));
        assert_eq!(whole.hunk.as_deref(), Some("@@ -5,3 +5,3 @@\n def go():\n     a = get(url)\n     return a"));
        assert_eq!(fixed(range(7, 0, 8, 0), "").text, "Set a timeout.\n```suggestion\n```");
        for unknown in [range(6, 99, 6, 99), range(70, 1, 70, 2), range(7, 1, 6, 2), range(0, 0, 1, 0), json!({})] {
            assert_eq!(fixed(unknown.clone(), "x").text, "Set a timeout.", "{unknown}");
        }
    }
}
