//! JSON text with the line of each place. serde_json checks the grammar; the scanner here walks over text that it
//! accepted.

use super::parsed::{Lines, ParseError, Parsed, error, step};
use serde_json::Value;

/// Why a text is rejected as JSON.
pub(super) enum Failure {
    /// It is not JSON; it may still be YAML.
    Syntax(ParseError),
    /// A field appears twice, and it is unclear which one counts.
    Twice(ParseError),
}

/// Reads one JSON value, or several in sequence.
pub(super) fn read(text: &str) -> Result<Vec<Parsed>, Failure> {
    let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(text).into_iter().collect();
    let values = values.map_err(|e| {
        // An unclosed string is reported at the very start of the next line.
        let line = e.line().saturating_sub(usize::from(e.column() == 0));
        let line = Some(line).filter(|line| *line > 0);
        let said = e.to_string();
        // The line is reported separately.
        let said = said.rfind(" at line ").map_or(said.as_str(), |at| &said[..at]);
        let message = format!("invalid JSON: {said}");
        Failure::Syntax(error(line, message, "Look for a missing comma, quotation mark or bracket before this place."))
    })?;
    let mut scanner = Scanner { rest: text.as_bytes(), line: 1 };
    let mut out = Vec::with_capacity(values.len());
    for value in values {
        let mut lines = Lines::default();
        scanner.space();
        lines.note("", scanner.line);
        scanner.value(&mut String::new(), &mut lines).map_err(Failure::Twice)?;
        out.push(Parsed { value, lines });
    }
    Ok(out)
}

/// The rest of the text, and the line it begins on.
struct Scanner<'t> {
    rest: &'t [u8],
    line: usize,
}

impl Scanner<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.line += usize::from(*first == b'\n');
        Some(*first)
    }

    fn space(&mut self) {
        while self.rest.first().is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b',' | b':')) {
            self.next();
        }
    }

    /// Walks over a value; serde_json bounds the depth.
    fn value(&mut self, pointer: &mut String, lines: &mut Lines) -> Result<(), ParseError> {
        self.space();
        let length = pointer.len();
        match self.rest.first() {
            Some(b'{') => {
                self.next();
                loop {
                    self.space();
                    let line = self.line;
                    if self.rest.first() != Some(&b'"') {
                        self.next();
                        return Ok(());
                    }
                    let name = self.string();
                    step(pointer, &name);
                    if !lines.note(pointer, line) {
                        let message = format!(
                            "the field `{}` appears twice",
                            crate::channels::iteration::diagnostic::shown(&name)
                        );
                        return Err(error(Some(line), message, "Write each field once."));
                    }
                    self.value(pointer, lines)?;
                    pointer.truncate(length);
                }
            }
            Some(b'[') => {
                self.next();
                for index in 0.. {
                    self.space();
                    if matches!(self.rest.first(), Some(b']') | None) {
                        break;
                    }
                    step(pointer, &index.to_string());
                    lines.note(pointer, self.line);
                    self.value(pointer, lines)?;
                    pointer.truncate(length);
                }
                self.next();
            }
            Some(b'"') => {
                self.string();
            }
            _ => {
                while self.rest.first().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')) {
                    self.next();
                }
            }
        }
        Ok(())
    }

    /// Walks over a string and returns its content.
    fn string(&mut self) -> String {
        let from = self.rest;
        self.next();
        while let Some(byte) = self.next() {
            match byte {
                b'\\' => {
                    self.next();
                }
                b'"' => break,
                _ => {}
            }
        }
        serde_json::from_slice(&from[..from.len() - self.rest.len()]).unwrap_or_default()
    }
}
