//! Numbers that belong to people: telephones, network addresses, cards, accounts. Each with its normal form for
//! comparison.

use iban::Iban;
use regex::Regex;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

/// Position in bytes, and the normal form for every spelling.
type NumberMatch = Vec<(usize, usize, String)>;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Reports whether a range is not within a word, a number or a path.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let mut after = text[end..].chars();
    let (next, second) = (after.next(), after.next());
    let joined = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '+' | '#' | '$'))
        || next.is_some_and(|c| c.is_alphanumeric() || c == '_')
        || next.is_some_and(|c| matches!(c, '.' | '-' | ',' | ':')) && second.is_some_and(|c| c.is_ascii_digit());
    !joined
}

/// Separators between the groups of a number: a space, bracket, full stop or dash.
const GAP: &str = r"[\s().\-/\u{a0}\u{2011}\u{2013}]{0,3}";

/// Finds numbers in international form; any after a word that announces one; and North American and French ones, whose
/// grouping is unique.
pub(super) fn phones(text: &str) -> NumberMatch {
    static ABROAD: LazyLock<Regex> =
        LazyLock::new(|| regex(&format!(r"(?:\+|\b00){GAP}([1-9](?:{GAP}[0-9]){{7,14}})")));
    static TOLD: LazyLock<Regex> = LazyLock::new(|| {
        regex(&format!(
            r"(?i)\b(?:tel|telephone|phone|mobile|cell|fax|whatsapp|sms|telefon|handy|mobil|rufnummer|tél|téléphone|móvil|teléfono|(?:call|ring|reach|text)\ (?:me|us|him|her|them))\b(?:[\s.:=#()*/]|number|nr\b|no\b|nummer|is\b|ist\b|me\b|us\b|at\b|on\b|under\b|unter\b)*(\(?[0-9](?:{GAP}[0-9]){{5,13}})"
        ))
    });
    static GROUPED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\([2-9][0-9]{2}\)\ ?[2-9][0-9]{2}[-.\ ][0-9]{4}|[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}|[2-9][0-9]{2}\.[2-9][0-9]{2}\.[0-9]{4}|0[1-9](?:\ [0-9]{2}){4}|0[1-9](?:\.[0-9]{2}){4}",
        )
    });
    let mut found = Vec::new();
    for captures in ABROAD.captures_iter(text) {
        let (Some(all), Some(number)) = (captures.get(0), captures.get(1)) else { continue };
        let number_digits = digits(number.as_str());
        // With two leading zeros, its gaps tell it from a zero-padded number.
        let gaps = number.as_str().bytes().any(|b| !b.is_ascii_digit());
        if number_digits.len() >= 9
            && stands_alone(text, all.start(), all.end())
            && (all.as_str().starts_with('+') || gaps)
            && is_country(&number_digits)
            && !is_date(number.as_str())
            && !is_fictional(number_digits.strip_prefix('1').unwrap_or_default())
        {
            found.push((all.start(), all.end(), number_digits));
        }
    }
    for captures in TOLD.captures_iter(text) {
        let Some(number) = captures.get(1) else { continue };
        let number_digits = digits(number.as_str());
        let after = text[number.end()..].chars().next();
        if number_digits.len() >= 6
            && !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
            && !is_date(number.as_str())
            && !is_fictional(&number_digits)
        {
            found.push((number.start(), number.end(), number_digits));
        }
    }
    for all in GROUPED.find_iter(text) {
        let number_digits = digits(all.as_str());
        if stands_alone(text, all.start(), all.end()) && !is_fictional(&number_digits) {
            found.push((all.start(), all.end(), number_digits));
        }
    }
    found
}

/// Reports whether a number begins with a country code (ITU-T E.164).
fn is_country(number: &str) -> bool {
    const TWO: &str = " 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 \
        66 81 82 84 86 90 91 92 93 94 95 98 ";
    const THREE: &str = " 21 22 23 24 25 26 29 35 37 38 42 50 59 67 68 69 80 85 87 88 96 97 99 ";
    let two = format!(" {} ", &number[..2]);
    number.starts_with(['1', '7']) || TWO.contains(&two) || THREE.contains(&two)
}

fn is_date(text: &str) -> bool {
    static DATE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:(?:19|20)[0-9]{2}[-/.][01]?[0-9][-/.][0-3]?[0-9]|[0-3]?[0-9][-/.][01]?[0-9][-/.](?:19|20)[0-9]{2})(?:[^0-9]|$)",
        )
    });
    DATE.is_match(text)
}

/// Reports whether a North American number is unassigned.
fn is_fictional(number: &str) -> bool {
    number.len() == 10 && number.get(3..8) == Some("55501")
}

/// Finds publicly reachable addresses: not those of private networks, documentation or well-known servers, and not
/// versions.
pub(super) fn ips(text: &str) -> NumberMatch {
    static FOUR: LazyLock<Regex> = LazyLock::new(|| regex(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"));
    static SIX: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)[0-9a-f]{4}:[0-9a-f:]{2,36}"));
    static VERSION: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?i)(?:\bv|versions?|release|build|upgrade to|tag|[<>=~^])[\s:=]*$"));
    let mut found = Vec::new();
    for all in FOUR.find_iter(text) {
        let before = text[..all.start()].chars().next_back();
        let mut after = text[all.end()..].chars();
        let (next, second) = (after.next(), after.next());
        let joined = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))
            || next.is_some_and(|c| c.is_alphanumeric() || c == '_')
            || next.is_some_and(|c| matches!(c, '.' | '-')) && second.is_some_and(|c| c.is_alphanumeric());
        let head = text[..all.start()].char_indices().rev().nth(15).map_or(0, |(at, _)| at);
        if !joined
            && !VERSION.is_match(&text[head..all.start()])
            && let Ok(address) = all.as_str().parse::<Ipv4Addr>()
            && is_reached(address)
        {
            found.push((all.start(), all.end(), address.to_string()));
        }
    }
    for all in SIX.find_iter(text) {
        let word = all.as_str().trim_end_matches(':');
        let end = all.start() + word.len();
        if stands_alone(text, all.start(), end)
            && let Ok(address) = word.parse::<Ipv6Addr>()
            && (0x2000..0x4000).contains(&address.segments()[0])
            && address.segments()[..2] != [0x2001, 0xdb8]
        {
            found.push((all.start(), end, address.to_string()));
        }
    }
    found
}

fn is_reached(address: Ipv4Addr) -> bool {
    let [a, b, ..] = address.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let bench = a == 198 && (18..20).contains(&b);
    const SERVERS: [[u8; 4]; 6] = [[8, 8, 8, 8], [8, 8, 4, 4], [1, 1, 1, 1], [1, 0, 0, 1], [9, 9, 9, 9], [1, 2, 3, 4]];
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || shared
        || bench
        || SERVERS.contains(&address.octets()))
}

/// Finds numbers by card issuers, with Luhn's digit, in the printed grouping.
pub(super) fn cards(text: &str) -> NumberMatch {
    static CARD: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"[0-9]{14,19}|[0-9]{4}(?:\ [0-9]{4}){3}(?:\ [0-9]{3})?|[0-9]{4}(?:-[0-9]{4}){3}|[0-9]{4}(?:\.[0-9]{4}){3}|[0-9]{4}(?:\u{a0}[0-9]{4}){3}|[0-9]{4}[ -][0-9]{6}[ -][0-9]{4,5}",
        )
    });
    let mut found = Vec::new();
    for all in CARD.find_iter(text) {
        let number = digits(all.as_str());
        if stands_alone(text, all.start(), all.end()) && is_issued(&number) && luhn(&number) {
            found.push((all.start(), all.end(), number));
        }
    }
    found
}

fn is_issued(number: &str) -> bool {
    let first = |n: usize| number[..n].parse::<u32>().unwrap_or(0);
    let same = number.bytes().all(|b| Some(b) == number.bytes().next());
    let issued = match number.len() {
        14 => matches!(first(3), 300..=305) || matches!(first(2), 36 | 38 | 39),
        15 => matches!(first(2), 34 | 37),
        16 => {
            first(1) == 4
                || matches!(first(2), 51..=55 | 62 | 65)
                || matches!(first(4), 2221..=2720 | 3528..=3589 | 6011)
                || matches!(first(3), 644..=649)
        }
        17..=19 => first(2) == 62,
        _ => false,
    };
    issued && !same
}

/// Luhn's check (ISO/IEC 7812-1).
fn luhn(number: &str) -> bool {
    let sum: u32 = number.bytes().rev().enumerate().fold(0, |sum, (at, b)| {
        let digit = u32::from(b - b'0');
        sum + match (at % 2, digit) {
            (1, 5..) => 2 * digit - 9,
            (1, _) => 2 * digit,
            _ => digit,
        }
    });
    sum.is_multiple_of(10)
}

/// Finds account numbers of IBAN countries, with their check digits, in any grouping.
pub(super) fn ibans(text: &str) -> NumberMatch {
    static BEGIN: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\b[a-z]{2}[0-9]{2}[ .\-\u{a0}]?[a-z0-9]"));
    const LONGEST: usize = 34;
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(begin) = BEGIN.find_at(text, from) {
        from = begin.start() + 2;
        let before = text[..begin.start()].chars().next_back();
        if before.is_some_and(|c| matches!(c, '_' | '-' | '/' | '.' | '+')) {
            continue;
        }
        let mut number = String::new();
        let mut last = None;
        let mut gap = false;
        for (at, c) in text[begin.start()..].char_indices() {
            match c {
                c if c.is_ascii_alphanumeric() && number.len() < LONGEST => number.push(c.to_ascii_uppercase()),
                ' ' | '.' | '-' | '\u{a0}' if !gap => {
                    gap = true;
                    continue;
                }
                _ => break,
            }
            gap = false;
            let end = begin.start() + at + 1;
            let ends = !text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            if ends && number.len() >= 15 && number.parse::<Iban>().is_ok() {
                last = Some((end, number.clone()));
            }
        }
        if let Some((end, number)) = last {
            found.push((begin.start(), end, number));
            from = end;
        }
    }
    found
}
