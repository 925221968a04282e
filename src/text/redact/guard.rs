//! Judges what a pattern found: a secret, or a name, type, placeholder, path, version or prose.

use super::foreign::joins_words;
use super::public::{is_code, is_placeholder, is_public, is_type};
use super::randomness::{has_random_part, is_random_word, transitions};
use super::secret_names::{Strength, counts, is_auth, kind, strength};
use super::views::base64;
use regex::{Captures, Match};

/// Returns the range that a match masks: its named group, or all of it. Punctuation that ends the sentence is not part
/// of a bare value.
pub(super) fn masked(captures: &Captures<'_>) -> Option<(usize, usize)> {
    if let Some(bare) = captures.name("bare") {
        let text = bare.as_str();
        // `abc123です`: in some scripts no space separates a value from the prose after it.
        let text = text.find(joins_words).filter(|at| *at > 0).map_or(text, |at| &text[..at]);
        let text = text.trim_end_matches(['.', '!', '?', ')', ']', '}', '>', ':', '|', '*', '…']);
        return Some((bare.start(), bare.start() + text.len()));
    }
    let group =
        ["s", "tq", "dq", "sq", "bq", "eq"].iter().find_map(|name| captures.name(name)).or_else(|| captures.get(0))?;
    Some((group.start(), group.end()))
}

/// The pattern is unambiguous.
pub(super) fn always(_: &Captures<'_>, _: &str) -> bool {
    true
}

/// No letter or digit follows, so it is not a prefix of something longer.
pub(super) fn ends(captures: &Captures<'_>, text: &str) -> bool {
    !captures.name("s").is_some_and(|s| text.as_bytes().get(s.end()).is_some_and(u8::is_ascii_alphanumeric))
}

/// Same for a key with a short prefix: the rest must look random.
pub(super) fn ends_random(captures: &Captures<'_>, text: &str) -> bool {
    ends(captures, text) && captures["s"].split(['_', '-']).any(is_random_word)
}

pub(super) fn has_digit(captures: &Captures<'_>, _: &str) -> bool {
    captures[0].bytes().any(|b| b.is_ascii_digit())
}

pub(super) fn has_digit_and_upper(captures: &Captures<'_>, text: &str) -> bool {
    has_digit(captures, text) && captures[0].bytes().any(|b| b.is_ascii_uppercase())
}

/// A bearer token, but not the words "bearer authentication-scheme".
pub(super) fn has_digit_or_mixed(captures: &Captures<'_>, _: &str) -> bool {
    let value = &captures["s"];
    value.bytes().any(|b| b.is_ascii_digit()) || transitions(value) * 3 >= value.len()
}

/// A key whose prefix also begins ordinary names: it has a long run with a digit.
pub(super) fn random_tail(captures: &Captures<'_>, _: &str) -> bool {
    let runs = captures[0].split(['-', '_']);
    runs.filter(|run| run.len() >= 12).any(|run| run.bytes().any(|b| b.is_ascii_digit()))
}

/// A password in a URL, but not a placeholder.
pub(super) fn url_password(captures: &Captures<'_>, _: &str) -> bool {
    let value = &captures["s"];
    !is_placeholder(value) && !value.starts_with('{')
}

/// Same with a slash in it: not a port with a path, and not an image digest.
pub(super) fn url_password_with_slash(captures: &Captures<'_>, text: &str) -> bool {
    let value = &captures["s"];
    let first = value.split('/').next().unwrap_or_default();
    let end = captures.name("s").map_or(0, |s| s.end());
    let port = !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit());
    !port && !text[end..].starts_with("@sha256:") && url_password(captures, text)
}

/// A token as a URL's user: `https://TOKEN@host`. A name has no digits among its letters.
pub(super) fn url_token(captures: &Captures<'_>, _: &str) -> bool {
    let value = &captures["s"];
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    digits >= 2 && value.bytes().any(|b| b.is_ascii_alphabetic()) && transitions(value) >= 3
}

/// The value of a command-line option. In prose an option is followed by words.
pub(super) fn option(captures: &Captures<'_>, text: &str) -> bool {
    let Some(found) = captures.name("s") else { return false };
    let value = found.as_str();
    let key = captures.name("key").map_or("password", |key| key.as_str());
    let Some(strength) = strength(key.trim_start_matches('-')) else { return false };
    if value.starts_with('-') || is_code(value) || !may_be_secret(value, strength, Form::Exact) {
        return false;
    }
    let plain = value.bytes().all(|b| b.is_ascii_lowercase());
    // A word is an option's value only if nothing but further options follow.
    let rest = text[found.end()..].trim_start_matches(['"', '\'', '`']);
    !plain || rest.trim().is_empty() || rest.starts_with('\n') || rest.trim_start().starts_with('-')
}

/// A password as a separate command argument.
pub(super) fn argument(captures: &Captures<'_>, _: &str) -> bool {
    let value = &captures["s"];
    !value.starts_with('-') && may_be_secret(value, Strength::Password, Form::Exact)
}

/// Same if prose looks alike: it contains a digit or a symbol.
pub(super) fn telling_argument(captures: &Captures<'_>, text: &str) -> bool {
    captures["s"].bytes().any(|b| !b.is_ascii_alphabetic()) && argument(captures, text)
}

/// `-pS3cret`: attached to its option, so it must look unmistakably like a password.
pub(super) fn glued_argument(captures: &Captures<'_>, _: &str) -> bool {
    let value = &captures["s"];
    let has = |class: fn(&u8) -> bool| value.bytes().any(|b| class(&b));
    let strange = value
        .bytes()
        .any(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'_' | b'.' | b'/' | b'=' | b':' | b','));
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && (strange || (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)))
        && may_be_secret(value, Strength::Password, Form::Exact)
}

/// `PASSWORD 'x'` in SQL.
pub(super) fn quoted_argument(captures: &Captures<'_>, text: &str) -> bool {
    let Some((start, end)) = masked(captures) else { return false };
    may_be_secret(&text[start..end], Strength::Password, Form::Exact)
}

/// A base64-encoded user and password.
pub(super) fn encoded_login(captures: &Captures<'_>, _: &str) -> bool {
    is_login(&captures["s"])
}

fn is_login(value: &str) -> bool {
    let text = base64(value).and_then(|bytes| String::from_utf8(bytes).ok());
    text.is_some_and(|text| {
        text.split_once(':').is_some_and(|(user, password)| !user.is_empty() && password.len() >= 3)
    })
}

/// The content of a tag, or the second field, with a secret's name.
pub(super) fn named(captures: &Captures<'_>, _: &str) -> bool {
    secret_by_name(&captures["key"], &captures["s"]).is_some()
}

/// The value after `default`, below a secret's name or in its braces.
pub(super) fn default_of(captures: &Captures<'_>, text: &str) -> bool {
    if let (Some(between), Some(key)) = (captures.name("between"), captures.name("key")) {
        // Of this name alone: each line is indented further than the name.
        let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t', '+', '-']).len();
        let line = key.start() - text[..key.start()].bytes().rev().take(MARGIN).take_while(|b| *b != b'\n').count();
        let from = (line..=key.start()).find(|at| text.is_char_boundary(*at)).unwrap_or(key.start());
        let own = indent(&text[from..key.end()]);
        if between.as_str().split('\n').skip(1).any(|line| indent(line) <= own) {
            return false;
        }
    }
    named(captures, text)
}

/// Same for a value that looks like a password and not like a word: names in tables and calls are also followed by
/// words.
pub(super) fn named_and_strong(captures: &Captures<'_>, text: &str) -> bool {
    is_strong(&captures["s"]) && named(captures, text)
}

/// Same for a value with a digit.
pub(super) fn named_and_telling(captures: &Captures<'_>, text: &str) -> bool {
    captures["s"].bytes().any(|b| b.is_ascii_digit()) && !is_code(&captures["s"]) && named(captures, text)
}

/// The argument after a user in a command or call, if it looks like a password.
pub(super) fn strong_argument(captures: &Captures<'_>, text: &str) -> bool {
    let value = &captures["s"];
    (is_strong(value) || is_random_word(value)) && argument(captures, text)
}

/// A word in prose that looks like a password and not like a word.
pub(super) fn strong_word(captures: &Captures<'_>, _: &str) -> bool {
    let value = captures["s"].trim_end_matches(['.', '!', '?', ':']);
    is_strong(value) && !is_method(value) && may_be_secret(value, Strength::Password, Form::Exact)
}

/// The secret part of an address: it contains digits.
pub(super) fn telling_address(captures: &Captures<'_>, _: &str) -> bool {
    captures["s"].bytes().filter(u8::is_ascii_digit).count() >= 3
}

/// Reports whether a text has upper and lower case and a symbol, and is not part of code, a path or an address.
fn has_sign_and_cases(value: &str) -> bool {
    let has = |class: fn(&u8) -> bool| value.bytes().any(|b| class(&b));
    has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && value.bytes().skip(1).any(|b| b"!#%*?+@^~".contains(&b))
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#%*?+@^~_-".contains(&b))
        && transitions(value) >= 5
}

/// Reports whether a text looks like a human-made password: upper and lower case, and a symbol or some digits at the
/// end; not part of code, a path or an address.
fn is_strong(value: &str) -> bool {
    let has = |class: fn(&u8) -> bool| value.bytes().any(|b| class(&b));
    let digits = value.bytes().rev().take_while(u8::is_ascii_digit).count();
    let sign = value.bytes().any(|b| b"!#%*?+@$^&~".contains(&b));
    let parted = value.contains(['-', '_']);
    value.len() >= 8
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && (sign || (parted && digits >= 2))
        && !value.contains(['/', '\\', '(', ')', '{', '}', '<', '>', '=', ':', '.', ','])
        && !value.starts_with(['@', '$', '%', '&', '#', '-', '+'])
}

/// A session cookie's value; what every page sets is short.
pub(super) fn cookie(captures: &Captures<'_>, _: &str) -> bool {
    let value = &captures["s"];
    value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic())
}

/// A long random text without a name: not a digest, public key or path.
pub(super) fn alone(captures: &Captures<'_>, text: &str) -> bool {
    let Some(found) = captures.name("s") else { return false };
    let value = found.as_str();
    let run = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'_' | b'-');
    let bytes = text.as_bytes();
    let before = found.start().checked_sub(1).map(|at| bytes[at]);
    // A percent sign begins an escape; its decoded form is checked in another reading.
    let escape = before == Some(b'%') && value.bytes().take(2).all(|b| b.is_ascii_hexdigit());
    if escape
        || before.is_some_and(run)
        || bytes.get(found.end()).is_some_and(|b| run(*b))
        || value.starts_with("AAAA")
        || value.split('/').filter(|part| part.len() >= 3).count() > 3
    {
        return false;
    }
    let has = |class: fn(&u8) -> bool| value.bytes().any(|b| class(&b));
    if !(has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)) {
        return false;
    }
    let mut from = found.start().saturating_sub(MARGIN);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let near = text[from..found.start()].to_ascii_lowercase();
    const PUBLIC: [&str; 13] = [
        "h1:",
        "digest",
        "hash",
        "checksum",
        "integrity",
        "sha",
        "fingerprint",
        "etag",
        "public",
        "nonce",
        "cert",
        "md5",
        "ssh-",
    ];
    transitions(value) * 5 >= value.len() * 2 && entropy(value) >= 4.3 && !PUBLIC.iter().any(|word| near.contains(word))
}

/// Returns Shannon's entropy, in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|b| counts[usize::from(b)] += 1);
    let all = value.len() as f64;
    let parts = counts.iter().filter(|n| **n > 0).map(|n| f64::from(*n) / all);
    parts.map(|p| -p * p.log2()).sum()
}

/// A long random text near a word such as `secret`.
pub(super) fn random(captures: &Captures<'_>, _: &str) -> bool {
    let value = &captures["s"];
    let has = |class: fn(&u8) -> bool| value.bytes().any(|b| class(&b));
    !is_public(value, Strength::Key)
        && (value.len() >= RANDOM || is_random_word(value))
        && value.split('/').filter(|part| part.len() >= 3).count() <= 3
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        // In names and prose, characters of one class come in runs.
        && transitions(value) * 3 >= value.len()
}

/// Length in bytes from which frequently alternating letters of three classes suffice.
const RANDOM: usize = 32;

/// `name = value` if the name suggests a secret and the value may be one.
pub(super) fn assignment(captures: &Captures<'_>, text: &str) -> bool {
    let Some(strength) = strength(&captures["key"]) else { return false };
    let Some((start, end)) = masked(captures) else { return false };
    let bare = captures.name("bare").is_some();
    let op = &captures["op"];
    let form = match op.trim() {
        // "密码：不能为空": prose.
        _ if bare && text[start..end].starts_with(joins_words) => return false,
        said if !said.starts_with(['=', ':', '?']) => Form::Said,
        _ if !bare => Form::Exact,
        // Missing shorter ones is no loss, and `password = f(x)` is code.
        _ if op.len() == 1 && op == "=" => Form::Exact,
        // A YAML block or here-document that contains nothing else.
        _ if op.contains('\n') && op.contains(['|', '>', '<']) && ends_line(text, end) => Form::Exact,
        // "mot de passe : obligatoire": prose, in French punctuation.
        _ if op.starts_with(' ') && op.trim() == ":" => Form::Loose,
        _ if strength == Strength::Password && alone_on_line(captures, text) => Form::Exact,
        _ => Form::Loose,
    };
    let value = &text[start..end];
    // A path in code: `Token::Number(42)`.
    if bare && value.starts_with(':') {
        return false;
    }
    if bare && (is_code(value) && !has_random_part(value) || text[end..].starts_with('(')) {
        return false;
    }
    // "flags to pass to SECP256K1_CONTEXT": a verb.
    if form == Form::Said && captures["key"].eq_ignore_ascii_case("pass") && matches!(op.trim(), "to" | "on") {
        return false;
    }
    // "pass=all", "pass: 12": the word alone also means a result.
    if bare && captures["key"].eq_ignore_ascii_case("pass") && !(value.len() >= 6 && has_digit(captures, text)) {
        return false;
    }
    may_be_secret(value, strength, form)
}

/// Returns the kind of secret that a name suggests and a value may hold.
pub(super) fn secret_by_name(name: &str, value: &str) -> Option<&'static str> {
    if is_auth(name) {
        return is_login(value).then_some("basic-auth");
    }
    let strength = strength(name)?;
    may_be_secret(value, strength, Form::Exact).then(|| kind(name))
}

/// Returns the kind of secret of a number after a secret's name. Counters and times of day are shorter.
pub(super) fn number_by_name(name: &str, number: &str) -> Option<&'static str> {
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    let enough = match strength(name)? {
        Strength::Password if name.eq_ignore_ascii_case("pass") => 6,
        Strength::Password => 4,
        Strength::Key => 8,
    };
    (digits >= enough && !counts(name)).then(|| kind(name))
}

/// How a value follows its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Quoted, or directly after `=`.
    Exact,
    /// Bare after a colon or a spaced sign: may be prose.
    Loose,
    /// "the password is …".
    Said,
}

fn may_be_secret(value: &str, strength: Strength, form: Form) -> bool {
    let value = value.trim();
    if is_placeholder(value) || is_type(value) || is_public(value, strength) || value.contains(super::secret::MARK) {
        return false;
    }
    let length = value.chars().count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let words = value.split_whitespace().count();
    match (strength, form) {
        (Strength::Password, Form::Said) if words == 1 && length >= 7 && digits == 1 && letters > 0 => {
            !is_method(value)
        }
        (_, Form::Said) => words == 1 && length >= 8 && digits >= 2 && letters >= 2 && !is_method(value),
        (Strength::Password, Form::Exact) => length >= 4 && (words == 1 || (words <= 4 && digits > 0)),
        (Strength::Password, Form::Loose) => length >= 6 && digits > 0 && letters > 0,
        (Strength::Key, _) if words > 1 => false,
        (Strength::Key, Form::Exact | Form::Loose) if length >= 10 && has_sign_and_cases(value) => true,
        (Strength::Key, Form::Exact) => {
            (length >= 8 && digits > 0 && letters > 0) || (length >= 16 && transitions(value) * 4 >= value.len())
        }
        (Strength::Key, Form::Loose) => length >= 10 && digits >= 2 && letters > 0 && transitions(value) >= 3,
    }
}

/// A method of storing or checking passwords: "the password is argon2id-hashed".
fn is_method(value: &str) -> bool {
    const NAMES: [&str; 12] =
        ["sha", "base64", "argon2", "utf", "oauth2", "md5", "http", "pbkdf2", "bcrypt", "scrypt", "rot13", "aes"];
    let lower = value.to_ascii_lowercase();
    NAMES.iter().any(|name| lower.starts_with(name))
}

/// Reports whether nothing follows on the line.
fn ends_line(text: &str, at: usize) -> bool {
    text[at..].split('\n').next().unwrap_or_default().trim().is_empty()
}

/// Reports whether `name: value` shares its line only with white space, list and diff signs.
fn alone_on_line(captures: &Captures<'_>, text: &str) -> bool {
    let Some(all) = captures.get(0) else { return false };
    // A limited number of bytes: a longer margin is not one, and a long line must not be searched for every match in
    // it.
    let before = &text.as_bytes()[..all.start()];
    let before = &before[before.len().saturating_sub(MARGIN)..];
    let after = &text.as_bytes()[all.end()..];
    let after = &after[..after.len().min(MARGIN)];
    let margin = before.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let rest = after.split(|b| *b == b'\n').next().unwrap_or_default();
    margin.len() < MARGIN
        && rest.len() < MARGIN
        && margin.iter().all(|b| b.is_ascii_whitespace() || matches!(b, b'+' | b'-' | b'"' | b'\''))
        && rest.iter().all(u8::is_ascii_whitespace)
        && is_config_key(captures)
}

/// Search distance of `alone_on_line`, in bytes.
const MARGIN: usize = 64;

/// Configuration is lowercase; "Password: wrong" is a comment.
fn is_config_key(captures: &Captures<'_>) -> bool {
    let key: Option<Match<'_>> = captures.name("key");
    key.is_some_and(|k| {
        !k.as_str().starts_with(|c: char| c.is_uppercase()) || k.as_str().chars().all(|c| !c.is_lowercase())
    })
}
