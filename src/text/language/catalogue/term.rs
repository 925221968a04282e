//! A term of a concern: words that indicate it, with a weight.
//!
//! `word*^2 & other words`: a star matches any ending, `&` joins parts that must occur in the same comment in any
//! order, `^` sets the weight, 1 by default. Terms are compared in lower case.

use crate::prose::one_line;
use thiserror::Error;

/// Why a term is invalid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the term “{term}” {problem}")]
pub struct TermError {
    pub term: String,
    /// What is wrong, phrased as the end of a sentence.
    pub problem: &'static str,
}

/// One term.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The display form, without its weight.
    pub text: String,
    /// Its weight, above 0, at most 5; 3 nearly proves the concern, 0.4 is a hint.
    pub weight: f32,
    /// The parts, all required.
    pub parts: Vec<Phrase>,
}

/// Consecutive words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// The text before each star, and after the last one. A single piece has no star.
    pub pieces: Vec<String>,
}

impl Term {
    /// Parses a term.
    ///
    /// # Errors
    /// If it is empty, or its weight is not a number above 0 and up to 5.
    pub fn parse(text: &str) -> Result<Term, TermError> {
        let error = |problem| TermError { term: text.to_owned(), problem };
        let (words, weight) = match text.rsplit_once('^') {
            Some((words, weight)) => {
                (words, weight.trim().parse().map_err(|_| error("has a weight that is no number"))?)
            }
            None => (text, 1.0_f32),
        };
        if !(weight > 0.0 && weight <= 5.0) {
            return Err(error("must weigh more than 0 and at most 5"));
        }
        let shown = one_line(words).to_lowercase();
        let parts: Vec<Phrase> = shown.split('&').map(Phrase::new).collect();
        if parts.iter().any(|part| part.pieces[0].is_empty()) {
            return Err(error("has a part without words"));
        }
        Ok(Term { text: shown, weight, parts })
    }
}

impl Phrase {
    fn new(text: &str) -> Phrase {
        Phrase { pieces: text.trim().split('*').map(str::to_owned).collect() }
    }

    /// Returns the end of the phrase if it starts at `start` of the text, which is lower-case with single spaces.
    pub fn ends(&self, text: &str, start: usize) -> Option<usize> {
        if !is_boundary(text, start) {
            return None;
        }
        let mut at = start;
        for (i, piece) in self.pieces.iter().enumerate() {
            if i > 0 {
                // A star matches up to the end of its word.
                at += text[at..].find(|c: char| !is_word(c)).unwrap_or(text.len() - at);
            }
            if !text[at..].starts_with(piece.as_str()) {
                return None;
            }
            at += piece.len();
        }
        is_boundary(text, at).then_some(at)
    }
}

/// Reports whether no word spans this position. Scripts without spaces have a boundary everywhere.
fn is_boundary(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at..].chars().next();
    !(before.is_some_and(is_word) && after.is_some_and(is_word))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !is_ideographic(c)
}

/// Reports whether a character belongs to a script without spaces between words.
pub fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(term: &str, text: &str) -> bool {
        let term = Term::parse(term).unwrap();
        let anywhere =
            |part: &Phrase| (0..text.len()).any(|i| text.is_char_boundary(i) && part.ends(text, i).is_some());
        term.parts.iter().all(anywhere)
    }

    #[test]
    fn terms_match_whole_words() {
        for (term, text, matches) in [
            ("index", "no index here", true),
            ("index", "indexes", false),
            ("index*", "indexes", true),
            ("eager load*", "why not eager loading", true),
            ("eager load*", "eager to load", false),
            ("log* email*", "logging emails is bad", true),
            ("n+1", "classic n+1, prefetch", true),
            ("query & loop", "in the loop, each query", true),
            ("query & loop", "each query", false),
            ("循环", "这个循环太慢", true),
            ("prüf* & eingabe*", "eingaben prüfen", true),
        ] {
            assert_eq!(found(term, text), matches, "{term} in {text}");
        }
    }

    #[test]
    fn weights_are_read_and_checked() {
        assert_eq!(Term::parse("Slow^0.4").unwrap(), Term { weight: 0.4, ..Term::parse("slow").unwrap() });
        for wrong in ["", "a &", "a^x", "a^0", "a^9", "*"] {
            assert!(Term::parse(wrong).is_err(), "{wrong}");
        }
    }
}
