//! Detects random-looking letters and digits.

/// Reports whether a short word is neither natural language nor a name in code: letters of both cases and digits, in no
/// order.
pub(super) fn is_random_word(word: &str) -> bool {
    let bytes = word.as_bytes();
    let has = |class: fn(&u8) -> bool| bytes.iter().any(class);
    let longest = bytes.split(|b| !b.is_ascii_lowercase()).map(<[u8]>::len).max().unwrap_or_default();
    let numbers = bytes.split(|b| !b.is_ascii_digit()).filter(|number| !number.is_empty()).count();
    word.len() >= 8
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && transitions(word) * 5 >= word.len() * 2
        && (longest < 5 || transitions(word) * 2 >= word.len() || (longest < 7 && numbers > 1))
}

/// Reports whether part of a name or path looks random: then the whole is neither.
pub(super) fn has_random_part(value: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    value.split(|c| !word(c)).any(is_uuid)
        || value.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| {
            let digits = part.bytes().filter(u8::is_ascii_digit).count();
            // Single-case too if long: a digest, and after a secret's name that is a secret.
            part.len() >= 10 && is_random_word(part)
                || part.len() >= 16 && digits >= 3 && digits < part.len() && transitions(part) * 3 >= part.len()
        })
}

fn is_uuid(word: &str) -> bool {
    let groups = word.split('-').map(str::len);
    groups.eq([8, 4, 4, 4, 12]) && word.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// Counts adjacent characters of different classes (upper, lower, digit, other): high in random text.
pub(super) fn transitions(value: &str) -> usize {
    let class = |b: u8| match b {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    value.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}
