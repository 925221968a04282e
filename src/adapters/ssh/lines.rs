//! Lines of a program's output with bounded length.

use std::io::{self, BufRead};

/// Reads a line without its terminator; discards one that is too long. `None` at end of input.
///
/// # Errors
/// If the input cannot be read.
pub(super) fn line(reader: &mut impl BufRead, max: usize) -> io::Result<Option<Result<Vec<u8>, TooLong>>> {
    let (mut kept, mut is_long, mut begun) = (Vec::new(), false, false);
    loop {
        let piece = match reader.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if piece.is_empty() {
            return Ok(begun.then(|| done(kept, is_long)));
        }
        begun = true;
        let end = piece.iter().position(|byte| *byte == b'\n');
        let part = &piece[..end.unwrap_or(piece.len())];
        is_long = is_long || kept.len() + part.len() > max;
        if is_long {
            kept = Vec::new();
        } else {
            kept.extend_from_slice(part);
        }
        let size = end.map_or(piece.len(), |end| end + 1);
        reader.consume(size);
        if end.is_some() {
            return Ok(Some(done(kept, is_long)));
        }
    }
}

/// Error for a line longer than allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

fn done(mut line: Vec<u8>, is_long: bool) -> Result<Vec<u8>, TooLong> {
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    if is_long { Err(TooLong) } else { Ok(line) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn all(text: &str, buffer: usize) -> Vec<Option<String>> {
        let mut reader = BufReader::with_capacity(buffer, text.as_bytes());
        let mut lines = Vec::new();
        while let Some(line) = line(&mut reader, 4).unwrap() {
            lines.push(line.ok().map(|line| String::from_utf8(line).unwrap()));
        }
        lines
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_is_whole() {
        for buffer in 1..20 {
            let lines = all("one\n\nfour\r\nmuch too long\nlast", buffer);
            let of = |text: &str| Some(text.to_owned());
            // A two-byte line terminator counts.
            assert_eq!(lines, [of("one"), of(""), None, None, of("last")], "{buffer}");
            assert_eq!(all("", buffer), []);
        }
    }
}
