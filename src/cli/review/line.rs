//! A text input line.

use super::keys::Key;

/// The text so far, and the cursor position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    text: Vec<char>,
    at: usize,
}

impl Line {
    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// Returns the text before the cursor, and the rest.
    pub fn split(&self) -> (String, String) {
        (self.text[..self.at].iter().collect(), self.text[self.at..].iter().collect())
    }

    /// Handles keys that write or move; ignores others.
    pub fn key(&mut self, key: Key) {
        match key {
            Key::Char(c) if !c.is_control() => {
                self.text.insert(self.at, c);
                self.at += 1;
            }
            Key::Backspace if self.at > 0 => {
                self.at -= 1;
                self.text.remove(self.at);
            }
            Key::Erase => *self = Line::default(),
            Key::Left => self.at = self.at.saturating_sub(1),
            Key::Right => self.at = (self.at + 1).min(self.text.len()),
            Key::Home => self.at = 0,
            Key::End => self.at = self.text.len(),
            _ => {}
        }
    }
}
