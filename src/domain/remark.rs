//! A remark without its wrapping: whom it is addressed to, how urgent it is, where it points, thanks.
//!
//! A few patterns, no understanding: what a remark demands is not decided here.

use regex::Regex;
use std::sync::LazyLock;

static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?ix)^\s*(?:
            @[\w.-]+[:,]?
          | (?:nit|nitpick|minor|major|blocking|blocker|fyi|again|reminder|question)\b\s*[:.,!-]+
          | fyi\b
          | same\ as\ before\s*[:.,!-]*
          | (?:2nd|3rd|second|third|\d+th)\ time(?:\ i\ say\ this)?\s*[:.,!-]*
          | (?:in|on)\ (?:section|line|page|fig(?:ure)?\.?)\ \d+\s*[:,]
          | (?:line|fig|section|page)\ \d+\s*[:,]
          | (?:in\ )?[\w./-]+\.\w{1,5}(?::\d+|\ l\d+)\s*[:,]
        )\s*",
    )
});

static REDACTED: LazyLock<Regex> = LazyLock::new(|| regex(r"\[REDACTED:[^\]]*\]"));

static TAIL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?ix)(?:^|[\s.!])\s*(?:
            \((?:[^()]{0,30}?[.:/][^()]{0,20}|(?:line|lines|section|page|l)\.?\ ?\d+(?:\s?-\s?\d+)?)\)
          | cc\ @[\w.-]+
          | see\ (?:the\ )?[\w./:-]+(?:\ [\w./:-]+){0,2}
          | (?:many\ )?thanks | thank\ you
          | happy\ to\ pair(?:\ on\ (?:it|this))?
          | otherwise\ (?:ok|okay|fine|good)
          | (?:the\ )?rest\ is\ (?:ok|okay|fine|good)
          | this\ (?:blocks\ me|is\ blocking)
        )\s*[.!]*\s*$",
    )
});

/// The remark without its wrapping; the remark itself where nothing else would be left.
pub fn unwrap(remark: &str) -> &str {
    let mut text = remark.trim();
    while let Some(found) = LEAD.find(text).filter(|m| m.end() > 0 && m.end() < text.len()) {
        text = &text[found.end()..];
    }
    while let Some(found) = TAIL.find(text).filter(|m| m.start() > 0) {
        text = text[..found.start()].trim_end();
    }
    text
}

/// The remark as it is compared: unwrapped, and without the marks of what was redacted, which would make all remarks
/// that had a secret look alike.
pub fn compared(remark: &str) -> String {
    REDACTED.replace_all(unwrap(remark), "").trim().to_owned()
}

/// The first sentence that has more than two words; the whole text where there is none.
///
/// A full stop inside a name or a number (`api.py`, `2.5`) ends nothing.
pub fn sentence(text: &str) -> &str {
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let ends =
            matches!(c, '.' | '!' | '?' | ';' | '。') && text[end..].chars().next().is_none_or(char::is_whitespace);
        if ends {
            let found = text[start..end].trim();
            if found.split_whitespace().count() > 2 {
                return found;
            }
            start = end;
        }
    }
    let last = text[start..].trim();
    if last.split_whitespace().count() > 2 { last } else { text.trim() }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are constants and a test compiles them")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wrapping_is_taken_off() {
        for (remark, plain) in [
            ("nit: name it", "name it"),
            ("@coder again: name it, cc @lead", "name it,"),
            ("Blocking. name it Happy to pair on it.", "name it"),
            ("2nd time I say this: name it (src/a.rs:12)", "name it"),
            ("In section 5, name it. Otherwise ok", "name it"),
            ("name it. Thanks!", "name it"),
            ("src/api.rs:12: name it See src/api.rs:12.", "name it"),
            ("name it! See the runbook", "name it"),
            ("thanks", "thanks"),
            ("again", "again"),
            ("name (the thing)", "name (the thing)"),
            ("minor versions break", "minor versions break"),
        ] {
            assert_eq!(unwrap(remark), plain, "{remark}");
        }
    }

    #[test]
    fn what_was_redacted_is_not_compared() {
        assert_eq!(compared("nit: remove [REDACTED:github-token] here"), "remove  here");
    }

    #[test]
    fn sentences_end_at_sentence_ends() {
        assert_eq!(sentence("No. The handlers.ts file is 2.5 MB. Split it."), "The handlers.ts file is 2.5 MB.");
        assert_eq!(sentence("name it"), "name it");
    }

    proptest! {
        #[test]
        fn something_is_left(text in "(?s).{1,200}") {
            prop_assert_eq!(unwrap(&text).is_empty(), text.trim().is_empty());
            prop_assert!(text.contains(unwrap(&text)) && text.contains(sentence(&text)));
        }
    }
}
