//! Parses a comment: removes pasted text and wrapping, joins the rest on one line, and splits it into demands.

use super::parts::{SetAside, TakenApart};
use super::text::{DEMAND, LOOKED_AT, cut, ended, line, regex, says_something};
use super::{language, pasted, split, wrapper};
use crate::prose::beginning;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum characters and pieces kept of what was set aside.
const ASIDE: (usize, usize) = (80, 16);

static REDACTED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\[(?:REDACTED:[^\]]*|(?:email|phone|ip|card|iban):[a-z2-7]{8})\]"));

/// Parses a comment.
pub fn read(text: &str) -> TakenApart {
    let mut set_aside = Vec::new();
    let (own, demand) = demand(text, &mut set_aside);
    let demands = split::demands(&own, &demand);
    for aside in &mut set_aside {
        aside.text = cut(&line(&aside.text), ASIDE.0).to_owned();
    }
    set_aside.truncate(ASIDE.1);
    TakenApart { language: language::of(&demand), demands, demand, set_aside }
}

/// Returns the comment in comparison form, see [`TakenApart::demand`]. Does not detect language or separate demands.
pub fn compared(remark: &str) -> String {
    demand(remark, &mut Vec::new()).1
}

/// Removes the comment's wrapping, unless nothing else would be left.
pub fn unwrap(remark: &str) -> &str {
    wrapper::peel(remark, &mut Vec::new())
}

/// Returns the first sentence with more than two words, or the whole text.
///
/// A full stop inside a name or a number (`api.py`, `2.5`) does not end a sentence.
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

/// Returns a reviewer's own words with their lines, and their demand.
fn demand(text: &str, set_aside: &mut Vec<SetAside>) -> (String, String) {
    let own = pasted::separate(beginning(text, LOOKED_AT), set_aside);
    let mut demand = plain(&own, set_aside);
    // Cutting may expose another wrapping; from the second round on the text only gets shorter.
    loop {
        let again = plain(&pasted::separate(&demand, set_aside), set_aside);
        if again == demand {
            return (own, demand);
        }
        demand = again;
    }
}

/// Returns a reviewer's own words without wrapping and redaction marks, on one line, cut at a word.
pub(super) fn plain(own: &str, set_aside: &mut Vec<SetAside>) -> String {
    let one = one_line(own);
    let inner = wrapper::peel(&one, set_aside);
    let unmarked = line(REDACTED.replace_all(inner, " "));
    let bare = ended(cut(&unmarked, DEMAND));
    if says_something(bare) { bare.to_owned() } else { cut(inner, DEMAND).trim().to_owned() }
}

/// Joins the lines of a text; separate lines stay separate sentences.
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
