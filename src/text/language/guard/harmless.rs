//! Makes untrusted text safe for a prompt.

use super::find::{orders, shapes};
use crate::prose::line;
use crate::redact::clean_text;
use regex::Regex;
use std::sync::LazyLock;

/// The placeholder for omitted words.
pub const LEFT_OUT: &str = "(left out: it speaks to its reader)";

/// Removes hidden characters, and breaks up what resembles the structure of a prompt: opening tags, roles, calls. The
/// words stay. Code in back-ticks stays, except for roles and calls.
pub fn harmless(text: &str) -> String {
    let text = clean_text(text);
    let code: Vec<_> = CODE.find_iter(&text).map(|found| found.range()).collect();
    taken_apart(&text, |at| code.iter().any(|code| code.contains(&at)))
}

/// Does the same for a text shown as a value, such as a string in JSON: only roles and calls are broken up.
pub fn harmless_value(text: &str) -> String {
    taken_apart(&clean_text(text), |_| true)
}

fn taken_apart(text: &str, code: impl Fn(usize) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut done = 0;
    for shape in shapes(text, code) {
        let Some(found) = text.get(shape.clone()) else { continue };
        let Some((skip, first)) = found.char_indices().find(|(_, c)| !c.is_whitespace() && !is_stop(*c)) else {
            continue;
        };
        let at = shape.start + skip;
        // Nested ones are broken up as well; a comment's closing mark alone opens nothing.
        if at < done || found.starts_with("-->") {
            continue;
        }
        out.push_str(&text[done..at]);
        if matches!(first, '<' | '[' | '{' | '＜' | '［' | '｛') {
            out.push(first);
            out.push(' ');
            done = at + first.len_utf8();
        } else {
            out.push('\\');
            done = at;
        }
    }
    out.push_str(&text[done..]);
    out
}

/// Renders untrusted text as one line of at most `max` characters for planners and agents: made harmless, and omitted
/// if it addresses its reader.
pub fn told(text: &str, max: usize) -> String {
    let clean = line(&clean_text(text), max);
    if orders(&clean).is_empty() { harmless(&clean) } else { LEFT_OUT.to_owned() }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '>' | '*')
}

static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new("``[^`\n]+``|`[^`\n]+`").expect("a constant, and a test"));
