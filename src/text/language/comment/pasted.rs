//! Text pasted by a reviewer: quoted lines, fences, code, diffs, stack traces, log lines.
//!
//! Lines are classified one by one, by their form alone. Code within a sentence is part of it and stays.

use super::parts::{SetAside, SurroundingPart};
use super::text::{regex, says_something};
use crate::prose::beginning;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Removes pasted text; returns the text unchanged if nothing else would be left.
pub fn own_words(text: &str) -> String {
    separate(beginning(text, super::text::LOOKED_AT), &mut Vec::new())
}

/// Returns the reviewer's own lines; if there are none, the text without quotation and fence marks.
pub(super) fn separate(text: &str, set_aside: &mut Vec<SetAside>) -> String {
    let before = set_aside.len();
    let text = out(text, &FENCE, SurroundingPart::Code, set_aside);
    let text = out(&text, &DIFF_INLINE, SurroundingPart::Diff, set_aside);
    let text = out(&text, &TRACE_INLINE, SurroundingPart::Trace, set_aside);
    let mut own = Vec::new();
    let mut reader = Reader::default();
    let several = text.lines().nth(1).is_some();
    let mut last = None;
    for line in text.lines() {
        let kind = reader.kind(line).filter(|kind| several || matches!(kind, SurroundingPart::Quote));
        match kind {
            None => own.push(line),
            // Consecutive lines of a kind belong together.
            Some(kind) if last == Some(kind) && set_aside.len() > before => {
                if let Some(aside) = set_aside.last_mut().filter(|aside| aside.text.len() < 200) {
                    aside.text.push(' ');
                    aside.text.push_str(line);
                }
            }
            Some(kind) => set_aside.push(SetAside { kind, text: line.to_owned() }),
        }
        last = kind;
    }
    let own = own.join("\n");
    // In a comment that is only pasted text, that text counts.
    let said = says_something(&own);
    if !said {
        set_aside.truncate(before);
    } else if !FENCE.is_match(&own) {
        return own;
    }
    let all = if said { &own } else { text.as_ref() };
    let plain = MARKS.replace_all(all, "").into_owned();
    if says_something(&plain) { plain } else { all.to_owned() }
}

/// Removes a pattern's matches from a text, unless nothing would be left.
fn out<'a>(text: &'a str, pattern: &Regex, kind: SurroundingPart, set_aside: &mut Vec<SetAside>) -> Cow<'a, str> {
    let rest = pattern.replace_all(text, "${own}\n");
    if matches!(rest, Cow::Borrowed(_)) || !says_something(&rest) {
        return Cow::Borrowed(text);
    }
    set_aside.extend(pattern.captures_iter(text).map(|found| {
        let own = found.name("own").map_or(0, |own| own.len());
        SetAside { kind, text: found[0][own..].to_owned() }
    }));
    rest
}

/// What the previous lines tell about a line.
#[derive(Default)]
struct Reader {
    /// The remaining lines of a hunk: old, new.
    hunk: (usize, usize),
    /// The previous line belongs to a stack trace.
    trace: bool,
    /// The previous line belongs to a diff.
    diff: bool,
}

impl Reader {
    /// Classifies a line; `None` if it is the reviewer's own.
    fn kind(&mut self, line: &str) -> Option<SurroundingPart> {
        let (trace, diff) = (std::mem::take(&mut self.trace), std::mem::take(&mut self.diff));
        if let Some(hunk) = HUNK.captures(line) {
            let count = |name| hunk.name(name).map_or(1, |m| m.as_str().parse().unwrap_or(usize::MAX));
            self.hunk = (count("old"), count("new"));
            self.diff = true;
            return Some(SurroundingPart::Diff);
        }
        if self.hunk != (0, 0) {
            let (old, new) = self.hunk;
            let rest = match line.chars().next() {
                Some('-') if old > 0 => Some((old - 1, new)),
                Some('+') if new > 0 => Some((old, new - 1)),
                Some(' ') => Some((old.saturating_sub(1), new.saturating_sub(1))),
                Some('\\') => Some(self.hunk),
                _ => None,
            };
            self.hunk = rest.unwrap_or_default();
            if rest.is_some() {
                return Some(SurroundingPart::Diff);
            }
        }
        if DIFF.is_match(line) || (CHANGED.is_match(line) && (diff || CODE.is_match(line))) {
            self.diff = true;
            return Some(SurroundingPart::Diff);
        }
        if QUOTE.is_match(line) {
            return Some(SurroundingPart::Quote);
        }
        // In a Python trace the source follows its file.
        if TRACE.is_match(line) || (trace && (line.starts_with([' ', '\t']) || THROWN.is_match(line))) {
            self.trace = true;
            return Some(SurroundingPart::Trace);
        }
        if LOG.is_match(line) {
            return Some(SurroundingPart::Trace);
        }
        CODE_LINE.is_match(line).then_some(SurroundingPart::Code)
    }
}

static FENCE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)```.*?(?:```|\z)|~~~.*?(?:~~~|\z)"));

/// A diff on the same line as the preceding comment.
static DIFF_INLINE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?m)^(?P<own>\S.*?)[ \t](?:--- a/\S+ .*|diff --git a/.*|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*|[-+][ \t]+[\w.]+ [-+*]?= [\w.]+\(.*)$",
    )
});

/// A trace on the same line as the preceding comment.
static TRACE_INLINE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?m)^(?P<own>\S.*?)[ \t](?:Traceback \(most recent call last\):.*|File "[^"\n]+", line \d+, in .*|(?:[\w.$]+(?:Exception|Error): \S.* )?at [\w.$<>]+\([\w.]+:\d+\).*|thread '[^'\n]*' panicked at .*|goroutine \d+ \[.*)$"#,
    )
});

static HUNK: LazyLock<Regex> = LazyLock::new(|| regex(r"^@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@"));

static DIFF: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:\+\+\+ |--- (?:[ab]/|/dev/null|\S+\.\w)|@@|diff --git |index [0-9a-f]{6,}\.\.|new file mode |deleted file mode |similarity index |rename (?:from|to) |Binary files )",
    )
});

/// A line that a diff adds or removes, if not a list item.
static CHANGED: LazyLock<Regex> = LazyLock::new(|| regex(r"^[-+](?:\s{2,}|\t|[^\s-])"));

static CODE: LazyLock<Regex> = LazyLock::new(|| regex(r"[;{}]\s*$|\w\([^)]*\)|\s[-+*/]?=\s|=>|->|</?\w+[^>]*>"));

static QUOTE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s*>(?:[^=\d\s]|\s*>|\s+[^=\d\s]|\s*$)|^(?:On .{4,80} wrote|Am .{4,80} schrieb.{0,40}|Le .{4,80} a écrit|El .{4,80} escribió)\s*:$",
    )
});

static TRACE: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r#"^\s*(?:at (?:async )?[\w.$<>\[\] /]+\(.*\)$|at (?:async )?\S+:\d+:\d+$|File "[^"]+", line \d+|Traceback \(most recent|Caused by:|\.{3} \d+ (?:more|common)|thread '.*' panicked at|note: run with `?RUST_BACKTRACE|stack backtrace:|\d+: +(?:0x[0-9a-f]+|[\w:<>]+::\w+)|goroutine \d+ \[|panic: |/\S+\.(?:go|rs|py|js|ts|rb):\d+|\S+\.(?:py|rb|ts|js):\d+: \w+|FAILED \S+::\S+|exit status \d)"#,
        r"|^(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error)\b|^[A-Z]\w+(?:Exception|Error)(?:: .*)?$|^E {2,}\S|^(?:Uncaught )?Error: (?:expect\(|Cannot |ENOENT|connect )",
        r"|^created by \S+|^[\w./-]+\.\w+\([^)]*\)$",
    ))
});

/// The exception message below its trace.
static THROWN: LazyLock<Regex> = LazyLock::new(|| regex(r"^[\w.]*(?:Error|Exception|Warning|Interrupt)\b"));

static LOG: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^\s*\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d|^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d ",
        r"|^\s*\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL)\]?:? +(?:\[|\d{4}-|\d\d:|[\w.]+\[\d|[\w.]+(?: - |: ))",
    ))
});

/// A line that looks like code: indented with a code character, or a statement.
static CODE_LINE: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^(?: {4}|\t).*(?:[(){};]|\w=| = |\[\w*\])|^\s*(?:\}|\)|\]|\{|\})[\s);,]*$|^[^.!?]*[;{]\s*$",
        r"|^\s*(?:(?:async )?def \w+\(.*:|class \w+.*[:{]|(?:const|let|var) \w+ =.*|(?:pub )?fn \w+.*|func \w*\(.*|from \w[\w.]* import .*|SELECT .* FROM .*|#include .*|@\w+\(.*\))\s*$",
    ))
});

/// Quotation and fence marks.
static MARKS: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^\s*(?:>\s?)+|```\w*|~~~\w*"));
