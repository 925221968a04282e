//! Locates personal data in a text: as written, without hidden characters, and with escapes decoded.

use super::kind::{PersonalDatum, PersonalKind};
use super::numbers::{cards, ibans, ips, phones};
use crate::redact::secret::Secret;
use crate::redact::views;
use crate::redact::views::View;
use regex::Regex;
use std::sync::LazyLock;

/// Minimum digits of any number.
const DIGITS: usize = 4;

/// Returns the personal data of the wanted kinds in a text, in order and without overlaps. Linear in the text.
pub(super) fn find(text: &str, wanted: &dyn Fn(PersonalKind) -> bool, keep: &[String]) -> Vec<PersonalDatum> {
    if !PersonalKind::ALL.into_iter().any(wanted) || !may_hold(text) {
        return Vec::new();
    }
    let folded = views::folded(text);
    let plain = folded.as_ref().map_or(text, |view| view.text.as_str());
    let mut found = as_it_stands(plain, wanted, keep);
    if let Some(view) = views::unescaped(plain) {
        let inner = as_it_stands(&view.text, wanted, keep);
        found.extend(places(&view, inner));
    }
    if let Some(view) = &folded {
        found = places(view, found);
    }
    // The earlier kind wins, then the longer match.
    let rank = |kind| PersonalKind::ALL.iter().position(|other| *other == kind);
    found.sort_by_key(|datum| (rank(datum.kind), datum.start, std::cmp::Reverse(datum.end)));
    let mut kept: Vec<PersonalDatum> = Vec::new();
    for datum in found {
        if !kept.iter().any(|other| datum.start < other.end && other.start < datum.end) {
            kept.push(datum);
        }
    }
    kept.sort_by_key(|datum| datum.start);
    kept
}

/// Most texts contain nothing of the kind.
fn may_hold(text: &str) -> bool {
    let bytes = text.as_bytes();
    !text.is_ascii()
        || bytes.iter().any(|b| matches!(b, b'@' | b'%' | b'\\' | b'&'))
        || bytes.iter().filter(|b| b.is_ascii_digit()).nth(DIGITS - 1).is_some()
        || OBFUSCATED.is_match(text)
}

fn places(view: &View, found: Vec<PersonalDatum>) -> Vec<PersonalDatum> {
    let place = |datum: PersonalDatum| {
        let secret = Secret { start: datum.start, end: datum.end, kind: "" };
        let place = view.places(vec![secret]).pop()?;
        Some(PersonalDatum { start: place.start, end: place.end, ..datum })
    };
    found.into_iter().filter_map(place).collect()
}

fn as_it_stands(text: &str, wanted: &dyn Fn(PersonalKind) -> bool, keep: &[String]) -> Vec<PersonalDatum> {
    let mut found = Vec::new();
    let mut add = |kind: PersonalKind, all: Vec<(usize, usize, String)>| {
        found.extend(all.into_iter().map(|(start, end, normal)| PersonalDatum { start, end, kind, normal }));
    };
    for kind in PersonalKind::ALL.into_iter().filter(|kind| wanted(*kind)) {
        let all = match kind {
            PersonalKind::Email => emails(text, keep),
            PersonalKind::Phone => phones(text),
            PersonalKind::Ip => ips(text),
            PersonalKind::Card => cards(text),
            PersonalKind::Iban => ibans(text),
        };
        add(kind, all);
    }
    found
}

/// Addresses as people write them, which is less than the standard allows: no quotes, comments or host addresses.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"[\p{L}0-9_](?:[\p{L}0-9._%+'-]{0,62}[\p{L}0-9_+-])?(?:\[bot\])?@(?:[\p{L}0-9](?:[\p{L}0-9-]{0,61}[\p{L}0-9])?\.)+[\p{L}][\p{L}0-9-]*[\p{L}0-9]",
    )
    .expect("a constant pattern")
});
/// `ana (at) firma (dot) de`
static OBFUSCATED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix) \b ([a-z0-9][a-z0-9._%+-]*) \s*[(\[{<]\s*(?:at|@|ät)\s*[)\]}>]\s*
        ( [a-z0-9-]+ (?: \s*(?:\.|[(\[{<]\s*(?:dot|punkt|point|\.)\s*[)\]}>])\s* [a-z0-9-]+ )+ )",
    )
    .expect("a constant pattern")
});

fn emails(text: &str, keep: &[String]) -> Vec<(usize, usize, String)> {
    let mut found: Vec<(usize, usize, String)> = ADDRESS
        .find_iter(text)
        .filter(|address| !is_user_of_url(&text[..address.start()]))
        .map(|address| (address.start(), address.end(), address.as_str().to_lowercase()))
        .collect();
    for captures in OBFUSCATED.captures_iter(text) {
        let Some(all) = captures.get(0) else { continue };
        let host = captures[2].to_lowercase();
        let host = host.split(['(', '[', '{', '<', ')', ']', '}', '>', '.', ' ']).filter(|part| !part.is_empty());
        let labels: Vec<&str> = host.filter(|part| !matches!(*part, "dot" | "punkt" | "point")).collect();
        found.push((all.start(), all.end(), format!("{}@{}", captures[1].to_lowercase(), labels.join("."))));
    }
    found.retain(|(_, _, address)| address.rsplit_once('@').is_some_and(|(user, host)| is_persons(user, host, keep)));
    found
}

/// Reports whether the text before an address begins a URL, so that the address is a password and a host.
fn is_user_of_url(before: &str) -> bool {
    const LOOKED_AT: usize = 256;
    let before = before.char_indices().rev().nth(LOOKED_AT).map_or(before, |(at, _)| &before[at..]);
    let word = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>')).next();
    word.and_then(|word| word.rsplit_once("://")).is_some_and(|(_, rest)| !rest.contains(['/', '?', '=', '&', '#']))
}

/// Reports whether an address may be a person's: not a program's user, a file, or a host outside public networks.
fn is_persons(user: &str, host: &str, keep: &[String]) -> bool {
    const PROGRAMS: [&str; 9] =
        ["git", "svn", "hg", "noreply", "no-reply", "no_reply", "donotreply", "do-not-reply", "mailer-daemon"];
    // Reserved for documentation and private use (RFC 2606, RFC 6762), and file extensions that are not domains.
    const NOWHERE: [&str; 30] = [
        "example",
        "test",
        "invalid",
        "localhost",
        "local",
        "internal",
        "lan",
        "svc",
        "cluster",
        "arpa",
        "onion",
        "png",
        "jpg",
        "jpeg",
        "gif",
        "svg",
        "webp",
        "js",
        "mjs",
        "ts",
        "tsx",
        "jsx",
        "css",
        "json",
        "txt",
        "yaml",
        "yml",
        "html",
        "lock",
        "toml",
    ];
    let labels: Vec<&str> = host.split('.').collect();
    let (Some(last), true) = (labels.last(), labels.len() >= 2) else { return false };
    let named = last.len() >= 2 && last.chars().all(char::is_alphabetic);
    let plain = user.split('+').next().unwrap_or(user);
    let program = PROGRAMS.contains(&plain) || user.ends_with("[bot]") || labels.contains(&"noreply");
    let document = labels[labels.len() - 2] == "example" && matches!(*last, "com" | "org" | "net" | "edu");
    let punycode = last.starts_with("xn--");
    let kept = keep.iter().any(|kept| match kept.strip_prefix('@').unwrap_or(kept) {
        address if address.contains('@') => format!("{user}@{host}") == address,
        domain => host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
    });
    (named || punycode) && !program && !document && !NOWHERE.contains(last) && !kept
}
