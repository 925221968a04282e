//! The terminal: its screen and its keys.

use super::keys::Key;
use super::screen::{KeyInput, Keyboard};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
};
use ratatui::crossterm::execute;
use std::io::{Result, stdout};
use std::time::Duration;

/// The person's terminal while it shows the screen.
pub struct Terminal {
    screen: DefaultTerminal,
}

impl Terminal {
    /// Takes over the terminal. A panic restores it.
    pub fn open() -> Result<Terminal> {
        Ok(Terminal { screen: enter()? })
    }

    pub fn screen(&mut self) -> &mut DefaultTerminal {
        &mut self.screen
    }

    pub fn keyboard() -> impl Keyboard {
        Keys
    }

    /// Restores it.
    pub fn close(self) {
        leave();
    }
}

/// Runs something on the original terminal, then takes it over again.
pub fn aside<T>(work: impl FnOnce() -> T) -> T {
    leave();
    let done = work();
    // If this fails, the next draw fails too.
    let _ = enter();
    done
}

fn enter() -> Result<DefaultTerminal> {
    let screen = ratatui::try_init()?;
    execute!(stdout(), EnableBracketedPaste)?;
    Ok(screen)
}

fn leave() {
    let _ = execute!(stdout(), DisableBracketedPaste);
    ratatui::restore();
}

struct Keys;

impl Keyboard for Keys {
    fn next(&mut self, within: Duration) -> Result<Option<KeyInput>> {
        if !event::poll(within)? {
            return Ok(None);
        }
        Ok(match event::read()? {
            Event::Key(pressed) => key(pressed).map(KeyInput::Key),
            Event::Paste(text) => Some(KeyInput::Paste(text)),
            Event::Resize(..) => Some(KeyInput::Resize),
            _ => None,
        })
    }
}

/// Returns a pressed key; `None` for held or released keys.
fn key(pressed: KeyEvent) -> Option<Key> {
    if pressed.kind != KeyEventKind::Press {
        return None;
    }
    if pressed.modifiers.contains(KeyModifiers::CONTROL) {
        return match pressed.code {
            KeyCode::Char('c') => Some(Key::Break),
            KeyCode::Char('u') => Some(Key::Erase),
            KeyCode::Char('a') => Some(Key::Home),
            KeyCode::Char('e') => Some(Key::End),
            _ => None,
        };
    }
    if pressed.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    match pressed.code {
        KeyCode::Char(c) => Some(Key::Char(c)),
        KeyCode::Enter => Some(Key::Enter),
        KeyCode::Esc => Some(Key::Esc),
        KeyCode::Backspace => Some(Key::Backspace),
        KeyCode::Left => Some(Key::Left),
        KeyCode::Right => Some(Key::Right),
        KeyCode::Up => Some(Key::Up),
        KeyCode::Down => Some(Key::Down),
        KeyCode::Home => Some(Key::Home),
        KeyCode::End => Some(Key::End),
        KeyCode::PageUp => Some(Key::PageUp),
        KeyCode::PageDown => Some(Key::PageDown),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_down_is_no_key() {
        let pressed = |kind| KeyEvent::new_with_kind(KeyCode::Char('a'), KeyModifiers::NONE, kind);
        let read = [KeyEventKind::Press, KeyEventKind::Repeat, KeyEventKind::Release].map(|kind| key(pressed(kind)));
        assert_eq!(read, [Some(Key::Char('a')), None, None]);
        assert_eq!(key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)), Some(Key::Break));
        assert_eq!(key(KeyEvent::new(KeyCode::Char('a'), KeyModifiers::ALT)), None);
    }
}
