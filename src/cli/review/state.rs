//! The list's state machine: keys in, effects out. Nothing here draws, sends or reads the clock.
//!
//! A decision is held back until the next one or for a minute, so that it can be undone. A deciding key counts only
//! once the item has been seen: not before it is drawn, not within the first moment, and not on key repeat.

use super::action;
use super::entry::{Decision, Effect, Entry, Mode, Tick};
use super::keys::{Key, KeyAction, bindings};
use super::line::Line;
use crate::app::decisions::inbox::{Item, Kind};
use crate::domain::intake::submission::Mark;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// Faster than any person reads; key repeat starts sooner.
pub const GLANCE: SignedDuration = SignedDuration::from_millis(700);
/// The same key again within this time is a key repeat.
pub const REPEAT: SignedDuration = SignedDuration::from_millis(250);
/// How long a decision can be undone.
pub const HOLD: SignedDuration = SignedDuration::from_secs(60);

/// The list and the position in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    pub who: String,
    pub entries: Vec<Entry>,
    pub at: usize,
    pub mode: Mode,
    pub message: String,
    /// The scroll offset, in lines.
    pub scroll: u16,
    held: Option<(Decision, Timestamp)>,
    drawn: Option<Timestamp>,
    last: Option<(Key, Timestamp)>,
    /// When and by which key the input line was opened.
    opened: Option<(Key, Timestamp)>,
    /// Decisions made and not undone.
    pub decided: usize,
}

impl Review {
    pub fn new(who: &str, items: Vec<Item>) -> Review {
        Review {
            who: who.to_owned(),
            entries: items.into_iter().map(Entry::new).collect(),
            at: 0,
            mode: Mode::List,
            message: String::new(),
            scroll: 0,
            held: None,
            drawn: None,
            last: None,
            opened: None,
            decided: 0,
        }
    }

    pub fn current(&self) -> Option<&Entry> {
        self.entries.get(self.at)
    }

    /// Describes the held-back decision.
    pub fn held(&self) -> Option<&str> {
        self.held.as_ref().map(|(held, _)| held.words.as_str())
    }

    /// Reports whether the current item is not drawn yet. Keys until then are lost.
    pub fn is_new(&self) -> bool {
        self.drawn.is_none()
    }

    /// Records that the current item was drawn.
    pub fn drawn(&mut self, now: Timestamp) {
        self.drawn.get_or_insert(now);
    }

    /// Handles a pressed key.
    pub fn key(&mut self, key: Key, now: Timestamp) -> Vec<Effect> {
        let repeated = self.last.replace((key, now)).is_some_and(|(last, at)| last == key && now < at + REPEAT);
        if key == Key::Break {
            return self.leave();
        }
        let Some(drawn) = self.drawn else { return vec![] };
        let settled = !repeated && now >= drawn + GLANCE;
        match std::mem::replace(&mut self.mode, Mode::List) {
            Mode::Help => vec![],
            Mode::Which(wish) => self.which(wish, key, now),
            Mode::Reason { wish, remark, line } => self.reason(wish, remark, line, key, repeated, now),
            Mode::Into(line) => self.into(line, key, repeated, now),
            Mode::Id(mut line) => match key {
                Key::Enter => vec![Effect::Open(line.text().trim().to_owned())],
                Key::Esc => vec![],
                _ => {
                    self.write(&mut line, key, repeated, now);
                    self.mode = Mode::Id(line);
                    vec![]
                }
            },
            Mode::List => self.list(key, settled, now),
        }
    }

    fn list(&mut self, key: Key, settled: bool, now: Timestamp) -> Vec<Effect> {
        let last = self.entries.len().saturating_sub(1);
        match key {
            Key::Char('q') => return self.leave(),
            Key::Char('?') => self.mode = Mode::Help,
            Key::Char('u') if settled => self.undo(),
            Key::Char('o') => self.open(Mode::Id(Line::default()), key, now),
            Key::Char('n' | ' ') if settled => {
                self.message.clear();
                self.choose(if self.at >= last { 0 } else { self.at + 1 });
            }
            Key::Down | Key::Char('j') => self.choose((self.at + 1).min(last)),
            Key::Up | Key::Char('k') => self.choose(self.at.saturating_sub(1)),
            Key::PageDown => self.scroll = self.scroll.saturating_add(10),
            Key::PageUp => self.scroll = self.scroll.saturating_sub(10),
            Key::Char(digit @ '1'..='9') => {
                self.tick(digit, Tick::Off);
            }
            Key::Char(c) if settled => return self.wish(c, now),
            _ => {}
        }
        vec![]
    }

    fn choose(&mut self, at: usize) {
        if at != self.at || self.entries.is_empty() {
            (self.at, self.scroll, self.drawn) = (at, 0, None);
        }
    }

    fn open(&mut self, mode: Mode, key: Key, now: Timestamp) {
        self.message.clear();
        (self.mode, self.opened) = (mode, Some((key, now)));
    }

    /// Sets a comment in a list to `other`, or back to those that ask for the same.
    fn tick(&mut self, digit: char, other: Tick) -> bool {
        let Some(entry) = self.entries.get_mut(self.at).filter(|entry| entry.is_list()) else { return false };
        let Some(tick) = place(digit).and_then(|place| entry.ticks.get_mut(place)) else { return false };
        *tick = if *tick == other { Tick::On } else { other };
        true
    }

    fn wish(&mut self, c: char, now: Timestamp) -> Vec<Effect> {
        let Some(entry) = self.current() else { return vec![] };
        let bound = bindings(entry.item.kind).iter().find(|(key, _, _)| *key == c);
        let Some((_, wish, _)) = bound.copied() else {
            self.message = format!("{c} does nothing here; ? shows the keys");
            return vec![];
        };
        let remarks = entry.remarks.len();
        let line = Line::default();
        let mode = match wish {
            KeyAction::Modify => return vec![Effect::Edit(entry.item.id.clone())],
            KeyAction::Merge => Mode::Into(line),
            KeyAction::Mark(_) | KeyAction::Withdraw if remarks == 0 => {
                self.message = "no comment is shown".to_owned();
                return vec![];
            }
            KeyAction::Mark(_) if remarks == 1 => return self.about_remark(wish, 0, None, now),
            KeyAction::Withdraw if remarks == 1 => Mode::Reason { wish, remark: Some(0), line },
            KeyAction::Mark(_) | KeyAction::Withdraw => Mode::Which(wish),
            _ if wish.needs_reason() => Mode::Reason { wish, remark: None, line },
            _ => return self.decide(wish, None, now),
        };
        self.open(mode, Key::Char(c), now);
        vec![]
    }

    fn which(&mut self, wish: KeyAction, key: Key, now: Timestamp) -> Vec<Effect> {
        let known = self.current().map_or(0, |entry| entry.remarks.len());
        let Key::Char(digit) = key else { return vec![] };
        let Some(place) = place(digit).filter(|place| *place < known) else {
            self.message = format!("there is no comment {digit}");
            return vec![];
        };
        match wish {
            KeyAction::Mark(Mark::Nothing) if self.tick(digit, Tick::Nothing) => vec![],
            KeyAction::Mark(Mark::Particular) if self.tick(digit, Tick::Particular) => vec![],
            KeyAction::Mark(_) => self.about_remark(wish, place, None, now),
            _ => {
                self.open(Mode::Reason { wish, remark: Some(place), line: Line::default() }, key, now);
                vec![]
            }
        }
    }

    fn reason(
        &mut self,
        wish: KeyAction,
        remark: Option<usize>,
        mut line: Line,
        key: Key,
        repeated: bool,
        now: Timestamp,
    ) -> Vec<Effect> {
        match key {
            Key::Esc => return vec![],
            Key::Enter if line.text().trim().is_empty() => {
                self.message = "a reason is required, for people who read it later (Esc cancels)".to_owned();
            }
            Key::Enter => {
                let reason = Some(line.text().trim().to_owned());
                return match remark {
                    Some(place) => self.about_remark(wish, place, reason, now),
                    None => self.decide(wish, reason, now),
                };
            }
            _ => self.write(&mut line, key, repeated, now),
        }
        self.mode = Mode::Reason { wish, remark, line };
        vec![]
    }

    fn into(&mut self, mut line: Line, key: Key, repeated: bool, now: Timestamp) -> Vec<Effect> {
        match key {
            Key::Esc => return vec![],
            Key::Enter if !line.text().trim().is_empty() => {
                let Some(entry) = self.current() else { return vec![] };
                let (action, words) =
                    (action::merge(entry, line.text().trim()), action::words(KeyAction::Merge, entry));
                return self.hold(vec![action], words, None, true, now);
            }
            _ => self.write(&mut line, key, repeated, now),
        }
        self.mode = Mode::Into(line);
        vec![]
    }

    /// The key that opened the line writes nothing while still held down.
    fn write(&mut self, line: &mut Line, key: Key, repeated: bool, now: Timestamp) {
        match self.opened {
            Some((opener, at)) if opener == key && (repeated || now < at + GLANCE) => {}
            _ => {
                self.opened = None;
                line.key(key);
            }
        }
    }

    fn about_remark(&mut self, wish: KeyAction, place: usize, reason: Option<String>, now: Timestamp) -> Vec<Effect> {
        let Some((entry, said)) = self.current().and_then(|entry| Some((entry, entry.remarks.get(place)?))) else {
            return vec![];
        };
        let words = format!("{} ({})", action::words(wish, entry), said.feedback_id);
        let leaves = entry.item.kind == Kind::Contradiction;
        self.hold(vec![action::of_remark(wish, said)], words, reason, leaves, now)
    }

    fn decide(&mut self, wish: KeyAction, reason: Option<String>, now: Timestamp) -> Vec<Effect> {
        let Some(entry) = self.current() else { return vec![] };
        match action::of(wish, entry) {
            Ok(actions) => {
                let words = action::words(wish, entry);
                self.hold(actions, words, reason, true, now)
            }
            Err(why) => {
                self.message = why;
                vec![]
            }
        }
    }

    /// Handles pasted text: inserted into an open line, never a decision.
    pub fn paste(&mut self, text: &str) {
        if let Mode::Reason { line, .. } | Mode::Into(line) | Mode::Id(line) = &mut self.mode {
            text.split_whitespace().enumerate().for_each(|(at, word)| {
                let gap = (at > 0).then_some(' ');
                gap.into_iter().chain(word.chars()).for_each(|c| line.key(Key::Char(c)));
            });
        }
    }

    /// Handles a proposal's edited text; `None` if unchanged.
    pub fn edited(&mut self, text: Option<String>, now: Timestamp) -> Vec<Effect> {
        self.drawn = None;
        let Some((entry, text)) = self.current().zip(text) else {
            self.message = "the text is unchanged".to_owned();
            return vec![];
        };
        let (action, words) = (action::modify(entry, &text), action::words(KeyAction::Modify, entry));
        self.hold(vec![action], words, None, true, now)
    }

    /// Holds back a decision; sends the previous one.
    fn hold(
        &mut self,
        actions: Vec<Value>,
        words: String,
        reason: Option<String>,
        leaves: bool,
        now: Timestamp,
    ) -> Vec<Effect> {
        let entry = leaves.then(|| (self.at, Box::new(self.entries.remove(self.at))));
        if leaves {
            self.at = self.at.min(self.entries.len().saturating_sub(1));
            (self.scroll, self.drawn) = (0, None);
        }
        self.message.clear();
        self.decided += 1;
        let before = self.held.replace((Decision { actions, reason, words, entry }, now));
        before.map(|(before, _)| Effect::Send(before)).into_iter().collect()
    }

    fn undo(&mut self) {
        let Some((held, _)) = self.held.take() else {
            self.message = "no decision is held: all were sent".to_owned();
            return;
        };
        self.decided -= 1;
        self.message = format!("undone: {}", held.words);
        if let Some((place, entry)) = held.entry {
            let place = place.min(self.entries.len());
            self.entries.insert(place, *entry);
            (self.at, self.scroll, self.drawn) = (place, 0, None);
        }
    }

    /// Advances time.
    pub fn tick_of_time(&mut self, now: Timestamp) -> Vec<Effect> {
        match self.held.take_if(|(_, since)| now >= *since + HOLD) {
            Some((held, _)) => vec![Effect::Send(held)],
            None => vec![],
        }
    }

    fn leave(&mut self) -> Vec<Effect> {
        self.held.take().map(|(held, _)| Effect::Send(held)).into_iter().chain([Effect::Quit]).collect()
    }

    /// Handles the outcome of a sent decision. A rejected one returns to the end of the list.
    pub fn sent(&mut self, decision: Decision, outcome: Result<String, String>) {
        match outcome {
            Ok(effect) => self.message = effect,
            Err(why) => {
                self.decided = self.decided.saturating_sub(1);
                self.message = format!("NOT DONE: {}: {why}", decision.words);
                self.entries.extend(decision.entry.map(|(_, entry)| *entry));
            }
        }
    }

    /// Shows an item found by id.
    pub fn found(&mut self, entry: Entry) {
        let known = self
            .entries
            .iter()
            .position(|other| (other.item.kind, &other.item.id) == (entry.item.kind, &entry.item.id));
        let at = known.unwrap_or_else(|| {
            self.entries.insert(self.at.min(self.entries.len()), entry);
            self.at.min(self.entries.len() - 1)
        });
        (self.at, self.scroll, self.drawn) = (at, 0, None);
    }
}

fn place(digit: char) -> Option<usize> {
    digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1))
}
