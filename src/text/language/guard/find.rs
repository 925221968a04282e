//! Finds where a text addresses the reader of a prompt, and where it resembles a part of a prompt.

use super::phrases::{ORDERS, STRUCTURE, TOKENS};
use super::plain::{Plain, Stroke, pattern};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Words addressed to the reader of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Their position, in bytes.
    pub at: Range<usize>,
    /// The preceding text, in lower case: it may state that they are not to be obeyed.
    pub before: String,
}

/// Returns the words of a text that address its reader instead of the work, in order.
pub fn orders(text: &str) -> Vec<Order> {
    let plain = Plain::of(text, Stroke::L);
    let mut found = orders_in(&plain.words());
    if plain.strokes {
        for order in orders_in(&Plain::of(text, Stroke::I).words()) {
            if !found.iter().any(|other| other.at == order.at) {
                found.push(order);
            }
        }
        found.sort_by_key(|order| order.at.start);
    }
    found
}

fn orders_in(words: &Plain) -> Vec<Order> {
    let found = ORDER.find_iter(&words.text);
    found
        .map(|found| Order { at: words.original(found.range()), before: words.text[..found.start()].to_owned() })
        .collect()
}

/// Returns the byte ranges where a text resembles the structure of a prompt, in order: headings, roles, tags, tool
/// calls, fences. What `code` marks as code may resemble all of these except roles and calls.
pub fn shapes(text: &str, code: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let plain = Plain::of(text, Stroke::I);
    let mut found: Vec<Range<usize>> = TOKEN
        .iter()
        .flat_map(|shape| shape.find_iter(&plain.text))
        .map(|found| plain.original(found.range()))
        .collect();
    let structure = STRUCTURES.iter().flat_map(|shape| shape.find_iter(&plain.text));
    found.extend(structure.map(|found| plain.original(found.range())).filter(|at| !code(at.start)));
    found.sort_by_key(|at| (at.start, std::cmp::Reverse(at.end)));
    found.dedup_by_key(|at| at.start);
    found
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are constants and a test compiles them")
}

static ORDER: LazyLock<Regex> =
    LazyLock::new(|| regex(&ORDERS.iter().map(|row| format!("(?:{})", pattern(row))).collect::<Vec<_>>().join("|")));
static TOKEN: LazyLock<Vec<Regex>> = LazyLock::new(|| TOKENS.iter().map(|shape| regex(shape)).collect());
static STRUCTURES: LazyLock<Vec<Regex>> = LazyLock::new(|| STRUCTURE.iter().map(|shape| regex(shape)).collect());
