//! The screen's main loop: draw, read a key, act. Its dependencies are traits, so that tests can stand in for a person.

use super::draw::draw;
use super::entry::{Decision, Effect, Entry};
use super::keys::Key;
use super::state::Review;
use crate::app::decisions::inbox::Item;
use crate::domain::clusters::question::ShownComment;
use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::Backend;
use std::time::Duration;

/// How often time is checked if no key is pressed.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Keyboard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyInput {
    Key(Key),
    /// Many characters at once: inserted into an open line, never read as decisions.
    Paste(String),
    /// The screen size changed.
    Resize,
}

/// A keyboard.
pub trait Keyboard {
    /// Returns the next input; `None` if the time runs out.
    fn next(&mut self, within: Duration) -> std::io::Result<Option<KeyInput>>;
}

/// The outcome of a decision.
pub type Outcome = (Decision, Result<String, String>);

/// Services that the screen uses.
pub trait ScreenBackend {
    fn now(&self) -> Timestamp;
    /// Returns an item's details.
    fn show(&mut self, item: &Item, width: usize) -> (String, Vec<ShownComment>);
    /// Sends a decision; returns true if the screen was used for something else in the meantime.
    fn send(&mut self, decision: Decision) -> bool;
    /// Returns the outcomes known so far.
    fn outcomes(&mut self) -> Vec<Outcome>;
    /// Lets the person edit a proposal's text; `None` if unchanged. Uses the screen.
    fn edit(&mut self, id: &str) -> Result<Option<String>, String>;
    /// Finds an item by its id.
    fn find(&mut self, id: &str) -> Result<Item, String>;
}

/// Runs until the person leaves.
///
/// # Errors
/// If the terminal cannot be used.
pub fn run<B: Backend>(
    terminal: &mut Terminal<B>,
    keyboard: &mut dyn Keyboard,
    desk: &mut dyn ScreenBackend,
    review: &mut Review,
) -> std::io::Result<()> {
    loop {
        for (decision, outcome) in desk.outcomes() {
            review.sent(decision, outcome);
        }
        let width = usize::from(on_screen(terminal.size())?.width);
        let at = review.at;
        if let Some(entry) = review.entries.get_mut(at).filter(|entry| entry.text.is_none()) {
            let (text, remarks) = desk.show(&entry.item, width);
            entry.show(text, remarks);
        }
        on_screen(terminal.draw(|frame| draw(frame, review, desk.now())))?;
        if review.is_new() {
            // Discard keys typed before the screen was visible.
            while keyboard.next(Duration::ZERO)?.is_some() {}
            review.drawn(desk.now());
        }
        let mut effects = review.tick_of_time(desk.now());
        match keyboard.next(LOOK_EVERY)? {
            Some(KeyInput::Key(key)) => effects.extend(review.key(key, desk.now())),
            Some(KeyInput::Paste(text)) => review.paste(&text),
            Some(KeyInput::Resize) => review.entries.iter_mut().for_each(|entry| entry.text = None),
            None => {}
        }
        for effect in effects {
            match effect {
                Effect::Send(decision) => {
                    if desk.send(decision) {
                        on_screen(terminal.clear())?;
                    }
                }
                Effect::Edit(id) => {
                    let text = desk.edit(&id);
                    on_screen(terminal.clear())?;
                    let more = match text {
                        Ok(text) => review.edited(text, desk.now()),
                        Err(why) => {
                            review.message = why;
                            Vec::new()
                        }
                    };
                    for effect in more {
                        if let Effect::Send(decision) = effect
                            && desk.send(decision)
                        {
                            on_screen(terminal.clear())?;
                        }
                    }
                }
                Effect::Open(id) => match desk.find(&id) {
                    Ok(item) => review.found(Entry::new(item)),
                    Err(why) => review.message = why,
                },
                Effect::Quit => return Ok(()),
            }
        }
    }
}

/// Converts a screen error to a terminal error.
fn on_screen<T, E: std::fmt::Display>(done: Result<T, E>) -> std::io::Result<T> {
    done.map_err(|e| std::io::Error::other(e.to_string()))
}
