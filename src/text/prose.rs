//! Human-readable texts, numbers and times.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Renders a comment as one line of at most `max` characters.
pub fn line(text: &str, max: usize) -> String {
    let mut words = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let wide = word.chars().count();
        if length + wide + 1 > max {
            if words.is_empty() {
                words.extend(word.chars().take(max.saturating_sub(1)));
            }
            words.push('…');
            return words;
        }
        if !words.is_empty() {
            words.push(' ');
            length += 1;
        }
        words.push_str(word);
        length += wide;
    }
    words
}

/// Joins the words of a text with single spaces.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `1 member`, `2 members`.
pub fn count(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// Returns `1 person`, `2 people`.
pub fn people(n: u64) -> String {
    if n == 1 { "1 person".to_owned() } else { format!("{n} people") }
}

/// Formats how long something has been pending: `5 hours`, `3 days`; `just now` below a minute.
pub fn age(since: Timestamp, now: Timestamp) -> String {
    let minutes = u64::try_from(now.duration_since(since).as_mins()).unwrap_or(0);
    match (minutes / 1440, minutes / 60) {
        (0, 0) if minutes == 0 => "just now".to_owned(),
        (0, 0) => count(minutes, "minute"),
        (0, hours) => count(hours, "hour"),
        (days, _) => count(days, "day"),
    }
}

/// Formats a list of names, the first few in full.
pub fn list<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let shown: Vec<&str> = names.take(most).collect();
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

/// Rounds to four decimals: enough to compare, short enough to read.
pub fn round(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// Formats a probability for people. Anything not quite certain is not shown as certain.
pub fn percent(p: f64) -> String {
    let whole = (p * 100.0).round();
    if whole >= 100.0 && p < 1.0 { "99 %".to_owned() } else { format!("{whole} %") }
}

/// Capitalizes the first letter of the text.
pub fn capitalise(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Turns `ROLLED_BACK` into `rolled back`.
pub fn words(constant: &str) -> String {
    constant.to_ascii_lowercase().replace('_', " ")
}

/// Formats to the minute, in UTC.
pub fn when(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// Returns the day, in UTC.
pub fn utc_day(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// Formats the day, in UTC.
pub fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// Returns at most the first characters of a text.
pub fn beginning(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}
