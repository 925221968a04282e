//! Takes a remark apart: pasted matter and wrapping off, what is left on one line, and that in separate demands.

use super::parts::{SetAside, TakenApart};
use super::text::{DEMAND, LOOKED_AT, cut, ended, line, regex, says_something};
use super::{language, pasted, split, wrapper};
use crate::prose::beginning;
use regex::Regex;
use std::sync::LazyLock;

/// How much of what was set aside is kept, in characters and in pieces.
const ASIDE: (usize, usize) = (80, 16);

static REDACTED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\[(?:REDACTED:[^\]]*|(?:email|phone|ip|card|iban):[a-z2-7]{8})\]"));

/// Takes a remark apart.
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

/// The remark as it is compared, see [`TakenApart::demand`]. Language and separate demands are not looked for.
pub fn compared(remark: &str) -> String {
    demand(remark, &mut Vec::new()).1
}

/// The remark without its wrapping; the remark itself where nothing else would be left.
pub fn unwrap(remark: &str) -> &str {
    wrapper::peel(remark, &mut Vec::new())
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
    let own = pasted::separate(beginning(text, LOOKED_AT), set_aside);
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
pub(super) fn plain(own: &str, set_aside: &mut Vec<SetAside>) -> String {
    let one = one_line(own);
    let inner = wrapper::peel(&one, set_aside);
    let unmarked = line(REDACTED.replace_all(inner, " "));
    let bare = ended(cut(&unmarked, DEMAND));
    if says_something(bare) { bare.to_owned() } else { cut(inner, DEMAND).trim().to_owned() }
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
