//! Output of answers. The one place where untrusted text meets a terminal, and so the one that sanitizes it.
//!
//! No cursor movement, and no colours except those added afterwards: any control character is data and is shown as its
//! code.

use super::exit::{CliError, Exit};
use super::terminal::{Screen, coloured};
use crate::text::redact::{hidden_characters, is_hidden};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write;

/// Page width in columns when not on a terminal.
const PAGE_WIDTH: usize = 80;

/// A command's standard output and standard error.
pub struct Output<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    json: bool,
    width: Option<usize>,
    screen: Option<Screen>,
}

impl<'a> Output<'a> {
    /// `width` is the terminal's; `None` if the output is not a terminal: lists then have one line per record, however
    /// long.
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, width: Option<usize>) -> Output<'a> {
        Output { out, err, json: false, width, screen: None }
    }

    /// Sets the terminal for answers: colours, and a pager for long ones.
    pub fn show_on(&mut self, screen: Option<Screen>) {
        self.screen = screen;
    }

    /// Chooses whether answers are printed as JSON.
    pub fn set_json(&mut self, json: bool) {
        self.json = json;
    }

    /// Reports whether answers are printed as JSON.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Returns the width for lists; `None` means unlimited.
    pub fn list_width(&self) -> Option<usize> {
        self.width
    }

    /// Returns the width for pages of text.
    pub fn page_width(&self) -> usize {
        self.width.unwrap_or(PAGE_WIDTH).clamp(40, 120)
    }

    /// Prints an answer as JSON, or as the text returned by `text`.
    pub fn answer<T: Serialize>(&mut self, answer: &T, text: impl FnOnce(&Self) -> String) -> Result<(), CliError> {
        let mut document = if self.json {
            let json = serde_json::to_string_pretty(answer)
                .map_err(|e| CliError::new(Exit::Failure, format!("cannot write JSON: {e}"), ""))?;
            escape_json(&json)
        } else {
            clean(&text(self)).into_owned()
        };
        if !document.ends_with('\n') && !document.is_empty() {
            document.push('\n');
        }
        let Some(screen) = self.screen.as_ref().filter(|_| !self.json) else {
            return self.raw(document.as_bytes());
        };
        let document = if screen.colours { coloured(&document) } else { document };
        if screen.is_too_small_for(&document) && screen.page(&document) {
            return Ok(());
        }
        self.raw(document.as_bytes())
    }

    /// Prints bytes that contain no untrusted data (scripts, manual pages, help).
    pub fn raw(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        self.out.write_all(bytes)?;
        Ok(self.out.flush()?)
    }

    /// Prints one line for people on standard error; with `--json`, a document.
    pub fn notice(&mut self, line: &str) {
        if self.json {
            return self.complain_json(&serde_json::json!({ "note": line }));
        }
        self.complain(&format!("note: {line}\n"));
    }

    /// Prints an error and its hint on standard error. Returns the exit code.
    pub fn failure(&mut self, error: &CliError) -> Exit {
        if self.json && !error.quiet {
            self.tell_json(error.exit, &error.message, &error.hint);
        } else if !error.quiet {
            self.complain(&format!("error: {}\n", error.message));
            if !error.hint.is_empty() {
                self.complain(&format!("hint: {}\n", error.hint));
            }
        }
        error.exit
    }

    /// Reports an error in the command line.
    pub fn usage(&mut self, message: &str) -> Exit {
        if self.json {
            let message = message.trim().trim_start_matches("error: ");
            self.tell_json(Exit::Usage, message, "see `--help`");
        } else {
            self.complain(message);
        }
        Exit::Usage
    }

    /// Prints an error as one line of JSON: its code as a word, what happened, and what to do.
    fn tell_json(&mut self, exit: Exit, message: &str, hint: &str) {
        self.complain_json(&serde_json::json!({ "code": exit.name(), "message": message, "hint": hint }));
    }

    fn complain_json(&mut self, document: &serde_json::Value) {
        let _ = self.err.write_all(format!("{}\n", escape_json(&document.to_string())).as_bytes());
        let _ = self.err.flush();
    }

    fn complain(&mut self, text: &str) {
        // If standard error is closed, there is nowhere to report it.
        let _ = self.err.write_all(clean(text).as_bytes());
        let _ = self.err.flush();
    }
}

/// Returns text that cannot move the cursor, change direction or hide: every such character becomes its code, as in
/// `\u{202e}`. Line feeds are kept, and so are joiners and selectors that are part of an emoji or a word.
pub fn clean(text: &str) -> Cow<'_, str> {
    let hidden: BTreeSet<usize> = hidden_characters(text).map(|(at, _)| at).collect();
    let is_unsafe = |at: usize, c: char| c != '\n' && (moves(c) || hidden.contains(&at));
    if !text.char_indices().any(|(at, c)| is_unsafe(at, c)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        if c == '\t' {
            safe.push(' ');
        } else if is_unsafe(at, c) {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Like `clean` for JSON text, with JSON's own escapes. Such characters can only occur within strings.
fn escape_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && is_unsafe(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Matches characters that move the cursor: control characters and line ends that are not a terminal's.
fn moves(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Matches characters that have no visible form of their own.
fn is_unsafe(c: char) -> bool {
    c.is_control() || is_hidden(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io;

    const HOSTILE: &str = "a\u{1b}[2Jb\u{202e}c\u{200b}d\u{e0041}e\u{7f}f\u{9b}g\rh";

    #[test]
    fn nothing_hidden_reaches_the_terminal() {
        insta::assert_snapshot!(clean(HOSTILE), @r"a\u{1b}[2Jb\u{202e}c\u{200b}d\u{e0041}e\u{7f}f\u{9b}g\u{d}h");
        assert_eq!(clean("plain, ü, 漢, ❤\u{fe0f}\n"), "plain, ü, 漢, ❤\u{fe0f}\n");
        assert_eq!(clean("a\u{fe0f}\u{e000}\u{2800}"), r"a\u{fe0f}\u{e000}\u{2800}");
    }

    #[test]
    fn a_closed_pipe_is_no_failure() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut err = vec![];
        let mut closed = Closed;
        let mut output = Output::new(&mut closed, &mut err, None);
        let error = output.raw(b"text").unwrap_err();
        assert_eq!(output.failure(&error), Exit::Ok);
        assert!(err.is_empty());
    }

    #[test]
    fn with_json_errors_are_documents() {
        let (mut out, mut err) = (vec![], vec![]);
        let mut output = Output::new(&mut out, &mut err, None);
        output.set_json(true);
        output.notice("the index is behind");
        output.failure(&CliError::new(Exit::NotFound, "there is no x\u{1b}", "look"));
        assert_eq!(output.usage("error: unexpected argument\n"), Exit::Usage);
        insta::assert_snapshot!(String::from_utf8(err).unwrap(), @r#"
        {"note":"the index is behind"}
        {"code":"not_found","message":"there is no x\u001b","hint":"look"}
        {"code":"usage","message":"unexpected argument","hint":"see `--help`"}
        "#);
    }

    proptest! {
        #[test]
        fn json_says_the_same_and_hides_nothing(text: String) {
            let json = escape_json(&serde_json::to_string_pretty(&text).unwrap());
            prop_assert!(!json.contains(is_unsafe));
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }

        #[test]
        fn clean_text_stays_clean(text: String) {
            let once = clean(&text).into_owned();
            prop_assert!(!once.contains(|c| c != '\n' && moves(c)));
            prop_assert_eq!(hidden_characters(&once).next(), None);
            prop_assert_eq!(clean(&once).into_owned(), once);
        }
    }
}
