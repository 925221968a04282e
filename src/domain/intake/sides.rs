//! A unified diff as its two sides, line by line, for visual comparison.
//!
//! It only reads diffs; it does not apply or check them. One pass, linear time.

use super::diff::{Range, hunk_header, path};

/// One file of a diff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSides {
    /// Its path; the new one if it was renamed, empty if the diff names none.
    pub path: String,
    /// The lines shown in the diff.
    pub hunks: Vec<Vec<Pair>>,
}

/// An old and a new line, side by side. One of them may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// The old line.
    pub old: Option<NumberedLine>,
    /// The new line.
    pub new: Option<NumberedLine>,
    /// Whether both are the same.
    pub same: bool,
}

/// A line with its number in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedLine {
    /// The version, from 1.
    pub number: usize,
    /// Without its line ending.
    pub text: String,
}

/// Returns the two sides of a diff, at most `most` pairs of lines, and whether that is all of it.
pub fn sides(diff: &str, most: usize) -> (Vec<FileSides>, bool) {
    let mut reader = Reader { files: Vec::new(), left: most, open: None, whole: true };
    for line in diff.lines() {
        reader.line(line);
    }
    reader.close();
    reader.files.retain(|file| !file.hunks.is_empty());
    (reader.files, reader.whole)
}

struct Reader {
    files: Vec<FileSides>,
    /// Number of pairs that may still be added.
    left: usize,
    open: Option<Hunk>,
    whole: bool,
}

/// A hunk while it is read.
struct Hunk {
    old: Range,
    new: Range,
    removed: Vec<NumberedLine>,
    added: Vec<NumberedLine>,
    pairs: Vec<Pair>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if self.open.as_ref().is_some_and(|hunk| hunk.old.count + hunk.new.count > 0) && self.hunk_line(line) {
            return;
        }
        if let Some((old, new)) = line.strip_prefix("@@ ").and_then(hunk_header) {
            self.close();
            if self.files.is_empty() {
                self.files.push(FileSides::default());
            }
            self.open = Some(Hunk { old, new, removed: vec![], added: vec![], pairs: vec![] });
        } else if let Some(rest) = line.strip_prefix("--- ") {
            self.close();
            self.files.push(FileSides { path: path(rest).unwrap_or_default(), hunks: vec![] });
        } else if let Some(rest) = line.strip_prefix("+++ ")
            && let (Some(file), Some(new)) = (self.files.last_mut(), path(rest))
        {
            file.path = new;
        }
    }

    /// Reports whether the line belongs to the hunk.
    fn hunk_line(&mut self, line: &str) -> bool {
        let Some(hunk) = &mut self.open else { return false };
        let text = line.get(1..).unwrap_or_default().to_owned();
        match line.as_bytes().first() {
            Some(b'-') if hunk.old.count > 0 => {
                if !hunk.added.is_empty() {
                    hunk.pair();
                }
                hunk.removed.push(hunk.old.next(text));
            }
            Some(b'+') if hunk.new.count > 0 => hunk.added.push(hunk.new.next(text)),
            // An empty context line may have lost its space in transit.
            Some(b' ') | None if hunk.old.count > 0 && hunk.new.count > 0 => {
                hunk.pair();
                let (old, new) = (hunk.old.next(text.clone()), hunk.new.next(text));
                hunk.pairs.push(Pair { old: Some(old), new: Some(new), same: true });
            }
            Some(b'\\') => {}
            // The hunk header announced more lines than there are.
            _ => {
                self.close();
                return false;
            }
        }
        true
    }

    fn close(&mut self) {
        let Some(mut hunk) = self.open.take() else { return };
        hunk.pair();
        if hunk.pairs.len() > self.left {
            hunk.pairs.truncate(self.left);
            self.whole = false;
        }
        self.left -= hunk.pairs.len();
        if let Some(file) = self.files.last_mut().filter(|_| !hunk.pairs.is_empty()) {
            file.hunks.push(hunk.pairs);
        }
    }
}

impl Hunk {
    /// Pairs removed lines with the added lines that replace them.
    fn pair(&mut self) {
        let (mut old, mut new) = (self.removed.drain(..), self.added.drain(..));
        loop {
            let pair = Pair { old: old.next(), new: new.next(), same: false };
            if pair.old.is_none() && pair.new.is_none() {
                return;
            }
            self.pairs.push(pair);
        }
    }
}

impl Range {
    fn next(&mut self, text: String) -> NumberedLine {
        let number = self.first;
        self.first = self.first.saturating_add(1);
        self.count = self.count.saturating_sub(1);
        NumberedLine { number, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(diff: &str, most: usize) -> String {
        let (files, whole) = sides(diff, most);
        let mut text = String::new();
        for file in files {
            text += &format!("{}\n", file.path);
            for pair in file.hunks.iter().flatten() {
                let side =
                    |l: &Option<NumberedLine>| l.as_ref().map_or("-".into(), |l| format!("{} {}", l.number, l.text));
                let middle = if pair.same { "=" } else { "|" };
                text += &format!("{} {middle} {}\n", side(&pair.old), side(&pair.new));
            }
        }
        text + if whole { "" } else { "more\n" }
    }

    #[test]
    fn what_was_removed_stands_beside_what_was_added() {
        let diff = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -3,4 +3,4 @@ def f():\n try:\n-    go()\n-    pass\n\
                    +    go(timeout=5)\n+    raise\n end\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";
        insta::assert_snapshot!(shown(diff, 100), @r"
        a.py
        3 try: = 3 try:
        4     go() | 4     go(timeout=5)
        5     pass | 5     raise
        6 end = 6 end
        b
        1 gone | -
        ");
        insta::assert_snapshot!(shown(diff, 2), @r"
        a.py
        3 try: = 3 try:
        4     go() | 4     go(timeout=5)
        more
        ");
        assert_eq!(shown("no diff", 10), "");
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read(lines in proptest::collection::vec("(@@ -[0-9]{1,3} \\+[0-9]{1,3} @@|--- a|[-+ ]x|ü|)", 0..30)) {
            sides(&lines.join("\n"), 5);
        }
    }
}
