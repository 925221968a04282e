//! The terminal, if there is one: its size, its colour support, and the pager for text longer than the screen.

#![allow(clippy::disallowed_types, reason = "the user chooses the pager")]

use ratatui::crossterm::terminal;
use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

/// Columns if a terminal does not report them.
const COLUMNS: usize = 80;

/// A terminal at standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Characters per line.
    pub columns: usize,
    /// Lines.
    pub rows: usize,
    /// Whether it supports colours and they are not disabled (`NO_COLOR`).
    pub colours: bool,
    /// The shell command for showing longer text; `None` prints it anyway.
    pub pager: Option<String>,
}

impl Screen {
    /// Returns the terminal at standard output; `None` if it is not one.
    pub fn of_stdout() -> Option<Screen> {
        if !io::stdout().is_terminal() {
            return None;
        }
        let (columns, rows) = terminal::size().unwrap_or((COLUMNS as u16, u16::MAX));
        let variable = |name: &str| std::env::var(name).ok();
        let pager = match variable("PAGER") {
            Some(named) if named.trim().is_empty() || named.trim() == "cat" => None,
            Some(named) => Some(named),
            None => Some("less -FRX".to_owned()),
        };
        Some(Screen {
            // Some consoles report a width of 0, which means unknown.
            columns: if columns == 0 { COLUMNS } else { usize::from(columns) },
            rows: if rows == 0 { usize::MAX } else { usize::from(rows) },
            colours: takes_colours(variable("NO_COLOR").as_deref(), variable("TERM").as_deref()),
            pager: pager.filter(|_| io::stdin().is_terminal()),
        })
    }

    /// Reports whether a text is longer than the screen.
    pub fn is_too_small_for(&self, text: &str) -> bool {
        text.lines().count() >= self.rows
    }

    /// Shows a text in the pager. Returns false, having shown nothing, if there is none or it does not start.
    pub fn page(&self, text: &str) -> bool {
        let Some(pager) = &self.pager else { return false };
        let started = Command::new("sh").arg("-c").arg(pager).stdin(Stdio::piped()).spawn();
        let Ok(mut child) = started else { return false };
        if let Some(mut input) = child.stdin.take() {
            // The user may quit the pager early.
            let _ = input.write_all(text.as_bytes());
        }
        // 127: the shell found no such program.
        child.wait().is_ok_and(|status| status.code() != Some(127))
    }
}

fn takes_colours(no_color: Option<&str>, term: Option<&str>) -> bool {
    no_color.is_none_or(str::is_empty) && term.is_none_or(|term| term != "dumb")
}

/// The style of a piece of text.
#[derive(Clone, Copy)]
pub enum Tone {
    Bold,
    Good,
    Doubtful,
    Bad,
}

/// Formats a piece of text in a tone.
pub fn toned(text: &str, tone: Tone) -> String {
    let code = match tone {
        Tone::Bold => "1",
        Tone::Good => "32",
        Tone::Doubtful => "33",
        Tone::Bad => "1;31",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Colours a page or a list: its first line, its headings and the marks of checks. The text was sanitized before, so it
/// contains no other codes.
pub fn coloured(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 64);
    let (mut first, mut after_gap) = (true, false);
    for line in text.split_inclusive('\n') {
        let (words, end) = line.split_at(line.trim_end_matches('\n').len());
        let marks = [("ok     ", Tone::Good), ("warning", Tone::Doubtful), ("PROBLEM", Tone::Bad)];
        let mark = marks.iter().find(|(mark, _)| words.strip_prefix(mark).is_some_and(|rest| rest.starts_with("  ")));
        let is_heading = (first || after_gap) && !words.starts_with(' ') && !words.is_empty();
        match mark {
            Some((mark, tone)) => shown += &format!("{}{}", toned(mark, *tone), &words[mark.len()..]),
            None if is_heading => shown += &toned(words, Tone::Bold),
            None => shown += words,
        }
        shown += end;
        after_gap = words.is_empty();
        first = false;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_left_out_where_nobody_wants_them() {
        assert!(takes_colours(None, Some("xterm")));
        assert!(takes_colours(Some(""), None));
        assert!(!takes_colours(Some("1"), Some("xterm")));
        assert!(!takes_colours(None, Some("dumb")));
    }

    #[test]
    fn what_stands_out_is_titles_and_marks() {
        let shown = coloured("dec-1\n\n  said  x\n\nHeading\n  y\nok       git  found\nPROBLEM  redis  away\n");
        let plain = shown.replace("\u{1b}[0m", "").replace('\u{1b}', "^");
        insta::assert_snapshot!(plain, @"
        ^[1mdec-1

          said  x

        ^[1mHeading
          y
        ^[32mok       git  found
        ^[1;31mPROBLEM  redis  away
        ");
    }

    #[test]
    fn what_is_longer_than_the_screen_goes_to_the_pager() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("shown");
        let pager = Some(format!("cat > {}", file.display()));
        let screen = Screen { columns: 80, rows: 3, colours: false, pager };
        assert!(!screen.is_too_small_for("1\n2\n") && screen.is_too_small_for("1\n2\n3\n"));
        assert!(screen.page("1\n2\n3\n"));
        assert_eq!(std::fs::read_to_string(file).unwrap(), "1\n2\n3\n");
        let none = Screen { pager: Some("there-is-no-such-pager 2>/dev/null".to_owned()), ..screen };
        assert!(!none.page("x"));
    }
}
