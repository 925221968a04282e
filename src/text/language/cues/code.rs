//! The code that a comment is attached to, as far as known.

use similar::TextDiff;

/// Lines read from the end of the hunk.
const TAIL: usize = 6;
/// The largest text, in bytes, for which replaced lines are searched.
const COMPARED: usize = 4_000;
/// The penalty per extra line when searching for the lines a suggestion replaces.
const LONGER: f32 = 0.001;

/// The code that a comment is attached to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Code {
    /// The file; empty if unknown.
    pub path: String,
    /// Its language, such as `Java`.
    pub language: Option<&'static str>,
    /// Its purpose, such as `test`; `source` if its name does not show it.
    pub kind: &'static str,
    /// The last lines of the hunk, after the change; the last is the commented line.
    pub tail: Vec<String>,
    /// What the suggestion replaces.
    pub replaced: Option<String>,
    /// The suggestion.
    pub suggestion: Option<String>,
}

impl Code {
    /// Builds the code of a comment on a file. `hunk` ends with the commented line; the comment covers this many
    /// `lines`, if more than one.
    pub fn new(
        path: &str,
        (language, kind): (Option<&'static str>, Option<&'static str>),
        hunk: &str,
        lines: Option<usize>,
        suggestion: Option<&[&str]>,
    ) -> Code {
        let tail = tail(hunk);
        let suggestion = suggestion.map(|lines| lines.join("\n"));
        let replaced = suggestion.as_deref().and_then(|new| replaced(&tail, lines, new));
        Code {
            path: path.to_owned(),
            language,
            kind: kind.unwrap_or("source"),
            tail: tail.into_iter().map(str::to_owned).collect(),
            replaced,
            suggestion,
        }
    }

    /// Returns the commented line; `None` if unknown or empty.
    pub fn line(&self) -> Option<&str> {
        self.tail.last().map(String::as_str).filter(|line| !line.is_empty())
    }
}

/// Returns the last lines of a hunk without marks: those after the change, and the last one even if removed.
fn tail(hunk: &str) -> Vec<&str> {
    let lines: Vec<&str> = hunk.lines().filter(|line| !line.starts_with("@@") && !line.starts_with('\\')).collect();
    let unmarked = |line: &&'_ str| -> usize { usize::from(line.starts_with(['+', '-', ' '])) };
    let new = lines.iter().filter(|line| !line.starts_with('-')).map(|line| &line[unmarked(line)..]);
    let mut tail: Vec<&str> = new.collect();
    tail.drain(..tail.len().saturating_sub(TAIL));
    if let Some(last) = lines.last().filter(|line| line.starts_with('-')) {
        tail.push(&last[1..]);
    }
    tail
}

/// Returns the lines that a suggestion replaces: as many as the comment covers, else the most similar ones at the end.
fn replaced(tail: &[&str], lines: Option<usize>, new: &str) -> Option<String> {
    if tail.is_empty() {
        return None;
    }
    if let Some(lines) = lines.filter(|lines| *lines > 1) {
        return (lines <= tail.len()).then(|| tail[tail.len() - lines..].join("\n"));
    }
    let of = |count: usize| tail[tail.len() - count..].join("\n");
    let likeness = |old: &str| {
        if old.len() + new.len() > COMPARED { 0.0 } else { TextDiff::from_chars(old, new).ratio() }
    };
    let scored = (1..=tail.len()).map(|count| (likeness(&of(count)) - LONGER * count as f32, count));
    scored.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, count)| of(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_hunk_is_what_the_work_has_there() {
        let code = |hunk: &str| Code::new("a.py", (None, None), hunk, None, None).tail;
        assert_eq!(code("@@ -1,2 +1,3 @@ def f():\n a = 1\n-b = 2\n+b = 3"), ["a = 1", "b = 3"]);
        assert_eq!(code("@@ -1,2 +1,1 @@\n a = 1\n-b = 2"), ["a = 1", "b = 2"], "what is removed is commented on");
        assert_eq!(code("+1\n+2\n+3\n+4\n+5\n+6\n+7"), ["2", "3", "4", "5", "6", "7"]);
        assert_eq!(code(""), [""; 0]);
    }

    #[test]
    fn a_suggestion_replaces_the_lines_that_it_is_like() {
        let hunk = "@@ -1 +1,3 @@\n+int a = 1;\n+foo(a,\n+    b);";
        let replaced = |lines, new: &[&str]| Code::new("A.java", (None, None), hunk, lines, Some(new)).replaced;
        assert_eq!(replaced(None, &["    c);"]).as_deref(), Some("    b);"));
        assert_eq!(replaced(None, &["foo(a, b);"]).as_deref(), Some("foo(a,\n    b);"));
        assert_eq!(replaced(Some(3), &["x"]).as_deref(), Some("int a = 1;\nfoo(a,\n    b);"));
        assert_eq!(replaced(Some(9), &["x"]), None, "lines that are not shown");
    }
}
