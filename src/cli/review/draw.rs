//! The screen: the list on top, the details below it, held-back decisions and keys at the foot.

use super::detail::NUMBERED;
use super::entry::{Entry, Mode, Tick};
use super::keys::{COMMON, bindings, foot};
use super::line::Line as Typed;
use super::state::Review;
use crate::cli::inbox::progress;
use crate::cli::output::clean;
use crate::cli::page::paragraph;
use crate::text::prose::{age, line, one_line};
use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};

/// Maximum rows of the list.
const ROWS: u16 = 6;

/// Draws the screen.
pub fn draw(frame: &mut Frame<'_>, review: &Review, now: Timestamp) {
    let rows = u16::try_from(review.entries.len()).unwrap_or(ROWS).clamp(1, ROWS);
    let [title, list, text, message, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(rows),
        Constraint::Min(3),
        Constraint::Length(1),
        Constraint::Length(2),
    ])
    .areas(frame.area());
    frame.render_widget(Line::from(head(review)).style(Modifier::REVERSED), title);
    draw_list(frame, review, now, list);
    draw_text(frame, review, text);
    frame.render_widget(Line::from(safe(&told(review))).style(Modifier::BOLD), message);
    draw_foot(frame, review, keys);
    if review.mode == Mode::Help {
        draw_help(frame, review);
    }
}

fn head(review: &Review) -> String {
    let at = if review.entries.is_empty() { 0 } else { review.at + 1 };
    format!(" feedbackd review: {}   {at} of {}   {} decided", review.who, review.entries.len(), review.decided)
}

/// Describes the held-back decision, or the outcome of the last one.
fn told(review: &Review) -> String {
    match (review.message.as_str(), review.held()) {
        ("", Some(held)) => format!("{held}: sent with the next one, or in a minute; u undoes it"),
        ("", None) => String::new(),
        (message, Some(held)) => format!("{message} (held: {held})"),
        (message, None) => message.to_owned(),
    }
}

fn draw_list(frame: &mut Frame<'_>, review: &Review, now: Timestamp, area: Rect) {
    let first = review.at.saturating_sub(usize::from(area.height.saturating_sub(1)));
    let shown = review.entries.iter().enumerate().skip(first).take(usize::from(area.height));
    let lines = shown.map(|(at, entry)| {
        let item = &entry.item;
        let mark = if at == review.at { '>' } else { ' ' };
        let facts =
            format!("{mark} {:13} {:20} {:10} {:6} ", item.kind.word(), item.id, age(item.since, now), progress(item));
        let left = usize::from(area.width).saturating_sub(facts.chars().count()).max(8);
        let style = if at == review.at { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
        Line::styled(safe(&facts) + &safe(&line(&item.title, left)), style)
    });
    let lines: Vec<Line<'_>> = lines.collect();
    let nothing = vec![Line::from("  Nothing is left. q quits.")];
    frame.render_widget(Paragraph::new(if lines.is_empty() { nothing } else { lines }), area);
}

fn draw_text(frame: &mut Frame<'_>, review: &Review, area: Rect) {
    let block = Block::new().borders(Borders::TOP | Borders::BOTTOM);
    let lines = review.current().map(|entry| content(entry, usize::from(area.width))).unwrap_or_default();
    let height = usize::from(area.height.saturating_sub(2));
    let most = u16::try_from(lines.len().saturating_sub(height)).unwrap_or(u16::MAX);
    let scroll = review.scroll.min(most);
    let below = lines.len().saturating_sub(height + usize::from(scroll));
    let block = if below > 0 { block.title_bottom(format!(" {below} more lines: PgDn ")) } else { block };
    let lines: Vec<Line<'_>> = lines.into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(lines).block(block).scroll((scroll, 0)), area);
}

/// Returns the details, line by line.
pub fn content(entry: &Entry, width: usize) -> Vec<String> {
    let mut text = paragraph(&entry.item.why, width, 0);
    text += "\n";
    text += entry.text.as_deref().unwrap_or_default();
    if !entry.remarks.is_empty() {
        text += "\nRemarks:\n";
    }
    for (at, said) in entry.remarks.iter().enumerate() {
        let tick = match (entry.is_list(), entry.ticks.get(at)) {
            (false, _) | (true, None) => "   ",
            (true, Some(Tick::On)) => "[x]",
            (true, Some(Tick::Off)) => "[ ]",
            (true, Some(Tick::Nothing)) => "[p]",
            (true, Some(Tick::Particular)) => "[t]",
        };
        let words = format!("{}: “{}” ({})", said.reviewer_id, one_line(&said.text), said.feedback_id);
        let indented = paragraph(&words, width, 7);
        // Comments without a digit are decided together with the rest.
        let number = if at < NUMBERED { (at + 1).to_string() } else { "·".to_owned() };
        text += &format!("{tick} {number} ");
        text += indented.get(6..).unwrap_or_default();
    }
    let fits = |line: &str| line.chars().count() <= width;
    // Titles are never wrapped; everything else is wrapped already.
    let wrapped = |line: &str| if fits(line) { format!("{line}\n") } else { paragraph(line, width, 0) };
    text.lines().flat_map(|line| wrapped(line).lines().map(safe).collect::<Vec<_>>()).collect()
}

fn draw_foot(frame: &mut Frame<'_>, review: &Review, area: Rect) {
    let typed = |ask: &str, line: &Typed| {
        let (before, after) = line.split();
        let mut after = after.chars();
        let under = after.next().unwrap_or(' ').to_string();
        let ask = format!("{ask} (Enter: done, Esc: not) ");
        // Overlong input is cut at the front, so that the cursor stays visible.
        let room = usize::from(area.width * 2).saturating_sub(ask.chars().count() + 4);
        let hidden = before.chars().count().saturating_sub(room);
        Line::from(vec![
            Span::raw(ask),
            Span::raw(safe(&before.chars().skip(hidden).collect::<String>())),
            Span::styled(safe(&under), Modifier::REVERSED),
            Span::raw(safe(after.as_str())),
        ])
    };
    let line = match (&review.mode, review.current()) {
        (Mode::Reason { line, .. }, _) => typed("Why?", line),
        (Mode::Into(line), _) => typed("Into which cluster? CLUSTER-…", line),
        (Mode::Id(line), _) => typed("Which id?", line),
        (Mode::Which(_), _) => Line::from("Which comment? Type its number; any other key cancels."),
        (Mode::List | Mode::Help, Some(entry)) => Line::from(foot(entry.item.kind)),
        (Mode::List | Mode::Help, None) => Line::from("u undo  o open an id  ? keys  q quit"),
    };
    let wrap = ratatui::widgets::Wrap { trim: true };
    frame.render_widget(Paragraph::new(line).wrap(wrap), area);
}

fn draw_help(frame: &mut Frame<'_>, review: &Review) {
    let own = review.current().map(|entry| bindings(entry.item.kind)).unwrap_or_default();
    let own = own.iter().map(|(key, _, text)| format!(" {key:12} {text}"));
    let common = COMMON.iter().map(|(keys, text)| format!(" {keys:12} {text}"));
    let lines: Vec<Line<'_>> = own.chain([String::new()]).chain(common).map(Line::from).collect();
    let area = frame.area();
    let height = u16::try_from(lines.len() + 2).unwrap_or(area.height).min(area.height);
    let width = area.width.min(78);
    let place = Rect { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height };
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" Keys (any key closes) ")), place);
}

/// Returns text that is safe for a terminal; invisible characters are shown as codes.
fn safe(text: &str) -> String {
    clean(text).replace('\n', " ")
}
