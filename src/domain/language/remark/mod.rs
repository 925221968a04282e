//! A remark taken apart: what it demands, in which language, and what stands around the demand.
//!
//! Patterns, no understanding: what a demand is about, and which way it points, is not decided here. All patterns
//! run in linear time, and only the first 8,000 characters are looked at.

mod language;
mod pasted;
mod pointer;
mod split;
#[cfg(test)]
mod tests;
mod wrapping;

pub use language::Language;
pub(crate) use pasted::own_words;

use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// How much of a text is looked at: a remark that has not come to the point by then is a paste.
pub(crate) const LOOKED_AT: usize = 8_000;
/// How much of a demand is compared, in characters.
const DEMAND: usize = 400;
/// The room for a pattern's states, in bytes: without it the engine falls back on one that takes a hundred times as long.
const STATES: usize = 16 << 20;
/// How much of what was set aside is kept, in characters and in pieces.
const ASIDE: (usize, usize) = (80, 16);

static REDACTED: LazyLock<Regex> = LazyLock::new(|| regex(r"\[REDACTED:[^\]]*\]"));

/// A remark taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// What is compared: the reviewer's own words without wrapping, pasted matter and redaction marks, on one line, at
    /// most 400 characters. Something is left unless the text is empty.
    pub demand: String,
    /// The separate demands, one element mostly, four at most.
    pub demands: Vec<String>,
    /// The language of the demand.
    pub language: Language,
    /// What stood around the demand, sixteen pieces at most.
    pub set_aside: Vec<SetAside>,
}

/// A piece of a remark that is not its demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// What it is.
    pub kind: Aside,
    /// Its text on one line, at most 80 characters.
    pub text: String,
}

/// What a piece of a remark is that is not its demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aside {
    /// Quoted lines.
    Quote,
    /// Code in a fence or in lines of its own.
    Code,
    /// A diff.
    Diff,
    /// A stack trace or lines of a log.
    Trace,
    /// Where it points: a file, a line, a section.
    Location,
    /// Whom it is addressed to.
    Address,
    /// How urgent it is, how often it was said, greetings and thanks.
    Marker,
}

/// Takes a remark apart.
pub fn read(text: &str) -> Read {
    let mut set_aside = Vec::new();
    let (own, demand) = demand(text, &mut set_aside);
    let demands = split::demands(&own, &demand);
    for aside in &mut set_aside {
        aside.text = cut(&line(&aside.text), ASIDE.0).to_owned();
    }
    set_aside.truncate(ASIDE.1);
    Read { language: language::of(&demand), demands, demand, set_aside }
}

/// The remark as it is compared, see [`Read::demand`]. Language and separate demands are not looked for.
pub fn compared(remark: &str) -> String {
    demand(remark, &mut Vec::new()).1
}

/// The remark without its wrapping; the remark itself where nothing else would be left.
pub fn unwrap(remark: &str) -> &str {
    wrapping::peel(remark, &mut Vec::new())
}

/// The first sentence that has more than two words; the whole text where there is none.
///
/// A full stop inside a name or a number (`api.py`, `2.5`) ends nothing.
pub fn sentence(text: &str) -> &str {
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let ends =
            matches!(c, '.' | '!' | '?' | ';' | '。') && text[end..].chars().next().is_none_or(char::is_whitespace);
        if ends {
            let found = text[start..end].trim();
            if found.split_whitespace().count() > 2 {
                return found;
            }
            start = end;
        }
    }
    let last = text[start..].trim();
    if last.split_whitespace().count() > 2 { last } else { text.trim() }
}

/// A reviewer's own words with their lines, and what they demand.
fn demand(text: &str, set_aside: &mut Vec<SetAside>) -> (String, String) {
    let own = pasted::separate(head(text, LOOKED_AT), set_aside);
    let mut demand = plain(&own, set_aside);
    // What was cut may lay open a wrapping that was none before; from the second round on it only gets shorter.
    loop {
        let again = plain(&pasted::separate(&demand, set_aside), set_aside);
        if again == demand {
            return (own, demand);
        }
        demand = again;
    }
}

/// A reviewer's own words without wrapping and redaction marks, on one line, cut at a word.
fn plain(own: &str, set_aside: &mut Vec<SetAside>) -> String {
    let one = one_line(own);
    let inner = wrapping::peel(&one, set_aside);
    let unmarked = line(REDACTED.replace_all(inner, " "));
    let bare = ended(cut(&unmarked, DEMAND));
    if says_something(bare) { bare.to_owned() } else { cut(inner, DEMAND).trim().to_owned() }
}

/// Without the stops at its end; a question stays one.
fn ended(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '!' | ';' | ',' | ':' | '。' | '！' | '…'))
}

/// The lines of a text on one; what is a line of its own stays a sentence of its own.
fn one_line(text: &str) -> String {
    let mut out = String::new();
    let several = text.trim().contains('\n');
    let bare = |l| split::item(l).filter(|_| several).unwrap_or(l);
    for words in text.lines().map(bare).map(line).filter(|l| !l.is_empty()) {
        if !out.is_empty() {
            let open = out.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '`' | '"'));
            out.push_str(if open && words.starts_with(char::is_uppercase) { ". " } else { " " });
        }
        out.push_str(&words);
    }
    if out.is_empty() { line(text) } else { out }
}

/// A text with single spaces.
fn line(text: impl AsRef<str>) -> String {
    text.as_ref().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first characters of a text.
fn head(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(end, _)| &text[..end])
}

/// The first characters of a text, up to the end of a word where it has one.
fn cut(text: &str, chars: usize) -> &str {
    let head = head(text, chars);
    if head.len() == text.len() || text[head.len()..].starts_with(char::is_whitespace) {
        return head.trim_end();
    }
    head.rfind(char::is_whitespace).map_or(head, |end| &head[..end]).trim_end()
}

/// Whether a text has a letter or a digit, or a sign of another kind that says something (an emoji, "??").
fn says_something(text: &str) -> bool {
    text.chars().any(|c| c.is_alphanumeric() || c == '?' || (!c.is_ascii() && !c.is_whitespace()))
}

fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .dfa_size_limit(STATES)
        .build()
        .expect("the patterns are constants and a test compiles them")
}
