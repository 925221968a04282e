//! The turn of the screen: draw, read a key, do what follows. What it works with are traits, so that a test can be a person.

use super::draw::draw;
use super::entry::{Decision, Effect, Entry};
use super::keys::Key;
use super::state::Review;
use crate::app::decisions::inbox::Item;
use crate::domain::clusters::question::Said;
use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::Backend;
use std::time::Duration;

/// How often time is looked at where no key is pressed.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// What comes from a keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    Key(Key),
    /// Many characters at once: they are written where a line is written, and are never decisions.
    Paste(String),
    /// The screen has another size.
    Resize,
}

/// A keyboard.
pub trait Keyboard {
    /// What is typed next; nothing where nothing is within the time.
    fn next(&mut self, within: Duration) -> std::io::Result<Option<Typed>>;
}

/// What became of a decision.
pub type Outcome = (Decision, Result<String, String>);

/// What the screen has done for it.
pub trait Desk {
    fn now(&self) -> Timestamp;
    /// What one decides by.
    fn show(&mut self, item: &Item, width: usize) -> (String, Vec<Said>);
    /// Sends a decision; true where the screen was used for something else meanwhile.
    fn send(&mut self, decision: Decision) -> bool;
    /// What became of what was sent, as far as that is known.
    fn outcomes(&mut self) -> Vec<Outcome>;
    /// Lets the person write another text for a proposal; nothing where it is as it was. The screen is used for it.
    fn edit(&mut self, id: &str) -> Result<Option<String>, String>;
    /// Looks for something by its id.
    fn find(&mut self, id: &str) -> Result<Item, String>;
}

/// Lets a person decide until they leave.
///
/// # Errors
/// When the terminal cannot be used.
pub fn run<B: Backend>(
    terminal: &mut Terminal<B>,
    keyboard: &mut dyn Keyboard,
    desk: &mut dyn Desk,
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
            // What was typed before it could be seen was not meant for it.
            while keyboard.next(Duration::ZERO)?.is_some() {}
            review.drawn(desk.now());
        }
        let mut effects = review.tick_of_time(desk.now());
        match keyboard.next(LOOK_EVERY)? {
            Some(Typed::Key(key)) => effects.extend(review.key(key, desk.now())),
            Some(Typed::Paste(text)) => review.paste(&text),
            Some(Typed::Resize) => review.entries.iter_mut().for_each(|entry| entry.text = None),
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

/// What a screen fails with, as what a terminal fails with.
fn on_screen<T, E: std::fmt::Display>(done: Result<T, E>) -> std::io::Result<T> {
    done.map_err(|e| std::io::Error::other(e.to_string()))
}
