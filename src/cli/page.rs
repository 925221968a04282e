//! Text layout: lists with one line per record, and pages of labelled lines.
//!
//! Cells are cleaned before they are measured, so the measured text is the text shown.

use super::output::clean;
use crate::domain::reporting::score::Share;
use crate::text::prose;
use comfy_table::{ContentArrangement, Table, presets};
use std::collections::BTreeMap;

/// Maximum lines of a text in a list.
const TEXT_LINES: usize = 3;
/// If fewer columns remain for the text, it gets lines of its own.
const LEAST_TEXT: usize = 28;

/// Formats a list. The last column is a text: it is wrapped in the remaining width, or moves below its record if too
/// little remains. The other columns, above all ids, are never broken. Without a width, each record is one line.
pub fn list(header: &[&str], rows: Vec<Vec<String>>, width: Option<usize>) -> String {
    let mut rows: Vec<Vec<String>> =
        rows.into_iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let last = header.len().saturating_sub(1);
    let mut below = Vec::new();
    let mut header = header.to_vec();
    if let Some(width) = width {
        let widest = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain([header[column].len()]).max().unwrap_or(0)
        };
        let taken: usize = (0..last).map(|column| widest(column) + 2).sum();
        let left = width.saturating_sub(taken + 1);
        if left >= LEAST_TEXT.min(widest(last)) || last == 0 {
            for cell in rows.iter_mut().filter_map(|row| row.get_mut(last)) {
                *cell = few_lines(cell, left.max(16)).join("\n");
            }
        } else {
            header.truncate(last);
            below = rows.iter_mut().map(|row| row.split_off(last.min(row.len())).join(" ")).collect();
        }
    }
    let text = table(&header, rows);
    let Some(width) = width.filter(|_| !below.is_empty()) else { return text };
    let mut lines = text.lines();
    let mut text = format!("{}\n", lines.next().unwrap_or_default());
    for (line, said) in lines.zip(&below) {
        text += &format!("{line}\n");
        few_lines(said, width.saturating_sub(4).max(16)).iter().for_each(|part| text += &format!("    {part}\n"));
    }
    text
}

/// Wraps a text to a few lines of a width; cuts the rest.
fn few_lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = wrap(text, width);
    if lines.len() > TEXT_LINES {
        let rest = lines.split_off(TEXT_LINES - 1).join(" ");
        lines.push(cut(&rest, width));
    }
    // Some words are longer than the line.
    lines.iter().map(|line| cut(line, width)).collect()
}

fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header.to_vec());
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.add_rows(rows);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(at > 0), 1));
    }
    let mut text: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    if text.is_empty() {
        text.push('\n');
    }
    text
}

/// Appends an indented list below a title; nothing is cut.
pub fn indented(text: &mut String, header: &[&str], rows: Vec<Vec<String>>) {
    list(header, rows, None).lines().for_each(|line| *text += &format!("  {line}\n"));
}

/// A page of labelled lines under a title. Values are wrapped; empty ones are left out.
pub struct Page {
    text: String,
    width: usize,
}

const LABEL: usize = 14;

impl Page {
    /// Creates a page with its first line.
    pub fn new(title: &str, width: usize) -> Page {
        Page { text: format!("{}\n\n", one_line(title)), width }
    }

    /// Adds a labelled value.
    pub fn line(&mut self, label: &str, value: impl AsRef<str>) -> &mut Page {
        let value = value.as_ref();
        let mut label = label;
        for paragraph in value.lines().filter(|p| !p.trim().is_empty()) {
            for line in wrap(&one_line(paragraph), self.width.saturating_sub(LABEL + 2).max(20)) {
                self.text.push_str(&format!("  {label:LABEL$}{line}\n"));
                label = "";
            }
        }
        self
    }

    /// Adds a heading between lines.
    pub fn chapter(&mut self, title: &str) -> &mut Page {
        let title = wrap(&one_line(title), self.width).join("\n");
        self.text.push_str(&format!("{}{title}\n", if self.text.ends_with("\n\n") { "" } else { "\n" }));
        self
    }

    /// Adds a separate text below the lines.
    pub fn block(&mut self, title: &str, text: &str) -> &mut Page {
        self.text.push_str(&format!("\n{title}\n{text}"));
        self
    }

    /// Returns the finished page.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.text)
    }
}

/// Wraps and indents a sentence.
pub fn paragraph(text: &str, width: usize, indent: usize) -> String {
    let lines = wrap(&one_line(text), width.saturating_sub(indent).max(20));
    lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect()
}

pub use crate::text::prose::{count, day, percent, when};

/// Formats a figure from 0 to 1 with three decimals.
pub fn three(value: f64) -> String {
    format!("{value:.3}")
}

/// Like [`three`]; `-` for `None`.
pub fn maybe(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), three)
}

/// Formats a share as `3 of 4 (0.750)`.
pub fn share(share: &Share) -> String {
    format!("{} of {} ({})", share.part, share.of, maybe(share.share))
}

/// Returns a text as one line, safe for a terminal.
fn one_line(text: &str) -> String {
    clean(&prose::one_line(text)).into_owned()
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Maximum number of names listed with counts.
const NAMED: usize = 10;

/// Lists the names with the highest counts first.
pub fn most<K: AsRef<str>>(named: &BTreeMap<K, u64>) -> String {
    let mut all: Vec<(&str, u64)> = named.iter().map(|(name, count)| (name.as_ref(), *count)).collect();
    all.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let mut shown: Vec<String> = all.iter().take(NAMED).map(|(name, count)| format!("{name} {count}")).collect();
    if all.len() > NAMED {
        shown.push(format!("and {} more", all.len() - NAMED));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stay_within_the_width() {
        let rows = vec![
            vec!["dec-1".into(), "a remark\nthat is much longer than what is left of the line".into()],
            vec!["dec-22".into(), "short".into()],
        ];
        insta::assert_snapshot!(list(&["id", "said"], rows, Some(40)), @r"
        id      said
        dec-1   a remark that is much longer
                than what is left of the line
        dec-22  short
        ");
    }

    #[test]
    fn ids_stay_whole_and_a_text_without_room_stands_below() {
        let said = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
        let rows = vec![vec!["a-decision-with-a-long-id".into(), "HITL-4".into(), format!("{said} {said}")]];
        insta::assert_snapshot!(list(&["id", "gate", "said"], rows, Some(48)), @r"
        id                         gate
        a-decision-with-a-long-id  HITL-4
            one two three four five six seven eight nine
            ten eleven twelve thirteen fourteen fifteen
            sixteen one two three four five six seven e…
        ");
    }

    #[test]
    fn pages_wrap_and_leave_out_what_is_empty() {
        let mut page = Page::new("dec-1", 40);
        page.line("said", "one two three four five six\n\nseven").line("why", "");
        insta::assert_snapshot!(page.finish(), @r"
        dec-1

          said          one two three four five
                        six
                        seven
        ");
    }

    #[test]
    fn almost_certain_is_not_certain() {
        assert_eq!([percent(0.996), percent(1.0), percent(0.754)], ["99 %", "100 %", "75 %"]);
        assert_eq!([count(1, "member"), count(0, "member")], ["1 member", "0 members"]);
    }
}
