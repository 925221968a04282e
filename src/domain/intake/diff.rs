//! What a unified diff changes, and a summary in words for corrections that came without one.
//!
//! It only reads diffs; it does not apply or check them. One pass, linear time.

use std::collections::BTreeSet;

/// What a diff changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffStat {
    /// The files it touches, each once, in order; without `a/` and `b/`.
    pub files: Vec<String>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// The most informative added line, trimmed.
    pub telling_added: Option<String>,
    /// The most informative removed line, trimmed.
    pub telling_removed: Option<String>,
}

/// Reads a unified diff, with or without Git's headers; `None` if the text is not a diff.
pub fn read_diff(text: &str) -> Option<DiffStat> {
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.line(line);
    }
    reader.finish()
}

/// Returns one or two sentences: which files, how many lines, and the most informative line.
pub fn summarise(stat: &DiffStat) -> String {
    let named = stat.files.iter().take(3).map(|f| shortened(f, 80)).collect::<Vec<_>>().join(", ");
    let more = stat.files.len().saturating_sub(3);
    let files = match (stat.files.is_empty(), more) {
        (true, _) => "the output".to_owned(),
        (false, 0) => named,
        (false, more) => format!("{named} and {more} more"),
    };
    let quote = |line: &String| format!("\"{}\"", shortened(line, 80));
    let what = match (stat.telling_removed.as_ref(), stat.telling_added.as_ref()) {
        (Some(old), Some(new)) if stat.added == 1 && stat.removed == 1 => {
            format!(": replaced {} with {}", quote(old), quote(new))
        }
        (_, Some(new)) => format!(": added {}", quote(new)),
        (Some(old), None) => format!(": removed {}", quote(old)),
        (None, None) => String::new(),
    };
    format!("Changed {files} (+{} -{}){what}", stat.added, stat.removed)
}

/// The reader's state.
#[derive(Default)]
struct Reader {
    stat: DiffStat,
    seen: BTreeSet<String>,
    /// Lines missing from the current hunk on the old and the new side.
    left: (usize, usize),
    /// The path of a `---` line whose `+++` line is pending.
    old: Option<String>,
    /// Removed lines, trimmed.
    gone: BTreeSet<String>,
    hunks: usize,
    headers: usize,
    best: (i32, i32),
}

impl Reader {
    fn line(&mut self, line: &str) {
        if self.left != (0, 0) && self.hunk_line(line) {
            return;
        }
        if let Some(rest) = line.strip_prefix("@@ ") {
            if let Some((old, new)) = hunk_header(rest) {
                self.hunks += 1;
                self.left = (old.count, new.count);
            }
        } else if let Some(rest) = line.strip_prefix("--- ") {
            self.old = path(rest);
        } else if let Some(rest) = line.strip_prefix("+++ ") {
            let old = self.old.take();
            self.file(path(rest).or(old));
        } else if let Some(rest) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            self.file(path(rest));
        } else if let Some(rest) = line.strip_prefix("diff --git ") {
            // Only binary files and mode changes have no better line; both sides then name the same file.
            self.headers += 1;
            if let Some((old, new)) = rest.split_once(" b/")
                && old.strip_prefix("a/") == Some(new)
            {
                self.file(Some(new.to_owned()));
            }
        }
    }

    /// Reports whether the line belongs to the hunk.
    fn hunk_line(&mut self, line: &str) -> bool {
        match line.as_bytes().first() {
            Some(b'+') if self.left.1 > 0 => {
                self.left.1 -= 1;
                self.stat.added += 1;
                // Moved or reindented lines are uninformative.
                if !self.gone.contains(line[1..].trim()) {
                    telling(&line[1..], &mut self.stat.telling_added, &mut self.best.0);
                }
            }
            Some(b'-') if self.left.0 > 0 => {
                self.left.0 -= 1;
                self.stat.removed += 1;
                self.gone.insert(line[1..].trim().to_owned());
                telling(&line[1..], &mut self.stat.telling_removed, &mut self.best.1);
            }
            // An empty context line may have lost its space in transit.
            Some(b' ') | None => self.left = (self.left.0.saturating_sub(1), self.left.1.saturating_sub(1)),
            Some(b'\\') => {}
            // The hunk header announced more lines than there are.
            _ => {
                self.left = (0, 0);
                return false;
            }
        }
        true
    }

    fn file(&mut self, path: Option<String>) {
        if let Some(path) = path {
            self.headers += 1;
            if self.seen.insert(path.clone()) {
                self.stat.files.push(path);
            }
        }
    }

    fn finish(self) -> Option<DiffStat> {
        let is_diff = self.hunks > 0 || (self.headers > 0 && !self.stat.files.is_empty());
        is_diff.then_some(self.stat)
    }
}

/// The lines of one side of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// The number of the first line.
    pub(super) first: usize,
    /// The number of lines.
    pub(super) count: usize,
}

/// Parses both sides of `-l,c +l,c @@`.
pub(super) fn hunk_header(text: &str) -> Option<(Range, Range)> {
    let mut words = text.split(' ');
    let mut range = |sign: char| {
        let range = words.next()?.strip_prefix(sign)?;
        let (line, count) = range.split_once(',').unwrap_or((range, "1"));
        let (first, count) = (line.parse::<u32>().ok()?, count.parse::<u32>().ok()?);
        Some(Range { first: first as usize, count: count as usize })
    };
    Some((range('-')?, range('+')?))
}

/// Returns the path on a `---` or `+++` line; `None` for `/dev/null`.
pub(super) fn path(text: &str) -> Option<String> {
    let text = text.split('\t').next().unwrap_or_default().trim().trim_matches('"');
    let text = text.strip_prefix("a/").or_else(|| text.strip_prefix("b/")).unwrap_or(text);
    (!text.is_empty() && text != "/dev/null").then(|| text.to_owned())
}

/// Keeps the line if it is more informative than the best so far; on ties, the first.
fn telling(line: &str, best: &mut Option<String>, best_score: &mut i32) {
    const WEIGHTY: [&str; 20] = [
        "raise", "except", "catch", "throw", "assert", "return", "if ", "def ", "fn ", "func ", "class ", "test",
        "error", "validate", "timeout", "retry", "must", "should", "limit", "check",
    ];
    const LIGHT: [&str; 9] = ["import ", "use ", "from ", "#include", "//", "# ", "/*", "*", "package "];
    // Beyond this, a line is data, and its start is enough.
    let head: String = line.trim().chars().take(200).collect();
    let letters = head.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 3 {
        return;
    }
    let lower = head.to_lowercase();
    let weighty = WEIGHTY.iter().any(|word| lower.contains(word));
    let light = LIGHT.iter().any(|start| lower.starts_with(start));
    let score = letters.min(40) as i32 + 20 * i32::from(weighty) - 30 * i32::from(light);
    if best.is_none() || score > *best_score {
        *best_score = score;
        *best = Some(head);
    }
}

fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GIT: &str = "diff --git a/src/api.py b/src/api.py\nindex 1..2 100644\n--- a/src/api.py\n+++ b/src/api.py\n\
        @@ -1,3 +1,5 @@ def call():\n try:\n     go()\n-    pass\n+import os\n+except TimeoutError:\n+    raise\n";

    fn summary(text: &str) -> String {
        read_diff(text).map(|stat| summarise(&stat)).unwrap_or_else(|| "no diff".into())
    }

    #[test]
    fn names_the_file_the_counts_and_the_line_that_says_most() {
        insta::assert_snapshot!(summary(GIT), @r#"Changed src/api.py (+3 -1): added "except TimeoutError:""#);
    }

    #[test]
    fn one_line_for_another() {
        let diff = "--- a/x.md\t2026-01-01\n+++ b/x.md\t2026-01-02\n@@ -4 +4 @@\n-within a while\n+within 30 seconds\n";
        insta::assert_snapshot!(summary(diff), @r#"Changed x.md (+1 -1): replaced "within a while" with "within 30 seconds""#);
    }

    #[test]
    fn a_line_that_was_only_indented_says_nothing() {
        let diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1,4 @@\n-return client.call(request)\n+try:\n\
            +    return client.call(request)\n+except TimeoutError:\n+    pass\n";
        insta::assert_snapshot!(summary(diff), @r#"Changed a.py (+4 -1): added "except TimeoutError:""#);
    }

    #[test]
    fn many_files() {
        let diff: String =
            (0..7).map(|i| format!("--- a/f{i}.rs\n+++ b/f{i}.rs\n@@ -1,1 +1,0 @@\n-let gone = {i};\n")).collect();
        insta::assert_snapshot!(summary(&diff), @r#"Changed f0.rs, f1.rs, f2.rs and 4 more (+0 -7): removed "let gone = 0;""#);
    }

    #[test]
    fn new_deleted_renamed_and_binary_files_are_named() {
        let stat = read_diff(
            "--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+fn a() {}\n--- a/old.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-fn b() {}\n\
             diff --git a/one b/two\nsimilarity index 100%\nrename from one\nrename to two\n\
             diff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n",
        )
        .unwrap();
        assert_eq!(stat.files, ["new.rs", "old.rs", "two", "logo.png"]);
        assert_eq!((stat.added, stat.removed), (1, 1));
    }

    #[test]
    fn lines_in_a_hunk_that_look_like_headers_are_counted() {
        let stat =
            read_diff("--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,1 @@\n--- a comment\n-select 1\n+++ more\n").unwrap();
        assert_eq!((stat.files.len(), stat.added, stat.removed), (1, 1, 2));
    }

    #[test]
    fn what_is_no_diff_is_none() {
        for text in ["", "hello", "please fix", "+ one\n- two", "@@ not a hunk @@", "--- dashes ---"] {
            assert_eq!(read_diff(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_counts_no_more_than_there_is(text in "([-+ @]{0,3}[a-zé0-9, /@]{0,12}\n){0,40}") {
            if let Some(stat) = read_diff(&text) {
                prop_assert!(stat.added + stat.removed <= text.lines().count());
                prop_assert!(summarise(&stat).len() < 2000);
            }
        }
    }
}
