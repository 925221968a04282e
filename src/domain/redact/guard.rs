//! Judges what a pattern found: a secret, or a name, a type, a placeholder, a hash, a path, a version, prose.

use regex::{Captures, Match, Regex};
use std::sync::LazyLock;

/// What a match masks: the named part of it, or all of it. Punctuation that ends the sentence is not part of a bare
/// value.
pub(super) fn masked(captures: &Captures<'_>) -> Option<(usize, usize)> {
    if let Some(bare) = captures.name("bare") {
        let text = bare.as_str().trim_end_matches(['.', '!', '?', ')', ']', '}', '>', ':', '|']);
        return Some((bare.start(), bare.start() + text.len()));
    }
    let group =
        ["s", "dq", "sq", "bq", "eq"].iter().find_map(|name| captures.name(name)).or_else(|| captures.get(0))?;
    Some((group.start(), group.end()))
}

/// Nothing else looks like it.
pub(super) fn always(_: &Captures<'_>, _: &str) -> bool {
    true
}

pub(super) fn has_digit(captures: &Captures<'_>, _: &str) -> bool {
    captures[0].bytes().any(|b| b.is_ascii_digit())
}

pub(super) fn has_digit_and_upper(captures: &Captures<'_>, text: &str) -> bool {
    has_digit(captures, text) && captures[0].bytes().any(|b| b.is_ascii_uppercase())
}

/// A bearer token, and not the words "bearer authentication-scheme".
pub(super) fn has_digit_or_mixed(captures: &Captures<'_>, _: &str) -> bool {
    let value = &captures["s"];
    value.bytes().any(|b| b.is_ascii_digit()) || transitions(value) * 3 >= value.len()
}

/// A key with a prefix that is also the start of ordinary names: it has a long run with a digit.
pub(super) fn random_tail(captures: &Captures<'_>, _: &str) -> bool {
    let runs = captures[0].split(['-', '_']);
    runs.filter(|run| run.len() >= 12).any(|run| run.bytes().any(|b| b.is_ascii_digit()))
}

/// A password in a URL, and not a placeholder.
pub(super) fn url_password(captures: &Captures<'_>, _: &str) -> bool {
    let value = &captures["s"];
    !is_placeholder(value) && !value.starts_with('{')
}

/// A long random text near a word such as `secret`.
pub(super) fn random(captures: &Captures<'_>, _: &str) -> bool {
    let value = &captures["s"];
    let has = |class: fn(&u8) -> bool| value.bytes().any(|b| class(&b));
    !is_public(value)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        // In names and in prose, characters of one class stand together.
        && transitions(value) * 3 >= value.len()
}

/// `name = value` where the name promises a secret and the value may be one.
pub(super) fn assignment(captures: &Captures<'_>, text: &str) -> bool {
    let Some(strength) = strength(&captures["key"]) else { return false };
    let Some((start, end)) = masked(captures) else { return false };
    let bare = captures.name("bare").is_some();
    let op = &captures["op"];
    let form = match op.trim() {
        "is" | "was" | "ist" | "est" | "es" => Form::Said,
        _ if !bare => Form::Exact,
        // Anything shorter is no loss, and `password = f(x)` is code.
        _ if op.len() == 1 && op == "=" => Form::Exact,
        _ if strength == Strength::Password && alone_on_line(captures, text) => Form::Exact,
        _ => Form::Loose,
    };
    let value = &text[start..end];
    if bare && (is_code(value) || text[end..].starts_with('(')) {
        return false;
    }
    may_be_secret(value, strength, form)
}

/// The kind of secret that a name promises and a value may hold.
pub(super) fn secret_by_name(name: &str, value: &str) -> Option<&'static str> {
    let strength = strength(name)?;
    may_be_secret(value, strength, Form::Exact).then(|| kind(name))
}

/// What to call the secret behind a name.
pub(super) fn kind(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match () {
        () if has(&["pass", "pwd", "kennwort", "contrase"]) => "password",
        () if has(&["token"]) => "token",
        () if has(&["key"]) => "api-key",
        () => "secret",
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    /// Nothing but a secret stands behind this name.
    Password,
    /// A key, a token, a secret: the word has other meanings.
    Key,
}

/// How a value stands behind its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In quotes, or close behind `=`.
    Exact,
    /// Bare behind a colon or a spaced sign: may be prose.
    Loose,
    /// "the password is …".
    Said,
}

static NAME: LazyLock<Regex> = LazyLock::new(|| {
    // Greedy, so that the last word that names a secret decides: `token` in `secret_token_count`, with what follows.
    Regex::new(&format!(r"(?i)^[\s\S]*?(?P<word>{SECRET_NAME})(?P<rest>(?:s|[_.\-]?(?:value|prod|dev|test|staging|live|hash|main|default|v?[0-9]{{1,3}}|base64|b64))?)$"))
        .expect("a constant pattern")
});

/// What a name promises; `None` for names such as `max_tokens`, `token_type` or `password_length`.
fn strength(name: &str) -> Option<Strength> {
    let captures = NAME.captures(name.trim())?;
    let word = captures["word"].to_ascii_lowercase();
    let lower = name.to_ascii_lowercase();
    match word.as_str() {
        "token" if captures["rest"].starts_with(['s', 'S']) => None,
        _ if lower.starts_with("no_") || lower.contains("public") || lower.contains("idempotency") => None,
        w if w.contains("pass") || w == "pwd" || w == "kennwort" || w.contains("contrase") => Some(Strength::Password),
        _ => Some(Strength::Key),
    }
}

fn may_be_secret(value: &str, strength: Strength, form: Form) -> bool {
    let value = value.trim();
    if is_placeholder(value) || is_type(value) || is_public(value) || value.contains(super::secret::MARK) {
        return false;
    }
    let length = value.chars().count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let words = value.split_whitespace().count();
    match (strength, form) {
        (_, Form::Said) => words == 1 && length >= 8 && digits >= 2 && letters >= 2,
        (Strength::Password, Form::Exact) => length >= 4 && (words == 1 || (words <= 4 && digits > 0)),
        (Strength::Password, Form::Loose) => length >= 6 && digits > 0 && letters > 0,
        (Strength::Key, _) if words > 1 => false,
        (Strength::Key, Form::Exact) => {
            (length >= 8 && digits > 0 && letters > 0) || (length >= 16 && transitions(value) * 4 >= value.len())
        }
        (Strength::Key, Form::Loose) => length >= 10 && digits >= 2 && letters > 0 && transitions(value) >= 3,
    }
}

/// Hashes, UUIDs, paths, addresses, versions and dates: never secrets.
fn is_public(value: &str) -> bool {
    static PUBLIC: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)^(?:
              [0-9a-fA-F]{40} | [0-9a-fA-F]{64} | sha(?:1|256|512)[:\-].*
            | [0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}
            | (?:\.{0,2}|~)/[\w./\-]* | [\w.\-]+(?:/[\w.\-]+)*\.[A-Za-z]{1,4}(?::[0-9]+)?
            | https?://.* | [A-Za-z0-9_]+@[\w.\-]+
            | [vV]?[0-9]+(?:\.[0-9]+)+(?:[-+][\w.]+)? | [0-9]{4}-[0-9]{2}-[0-9]{2}.*
            )$",
        )
        .expect("a constant pattern")
    });
    PUBLIC.is_match(value)
}

fn is_placeholder(value: &str) -> bool {
    let masked = value.chars().all(|c| matches!(c, '*' | '.' | 'x' | 'X' | '-' | '_' | '•' | '?'));
    masked || value.starts_with(['$', '<', '%', '&']) || value.starts_with("{{") || value.starts_with("${")
}

/// Names of types, constants and states that stand behind `password:` in code and in prose.
fn is_type(value: &str) -> bool {
    const NAMES: [&str; 62] = [
        "str",
        "string",
        "int",
        "integer",
        "bool",
        "boolean",
        "bytes",
        "byte",
        "char",
        "text",
        "varchar",
        "any",
        "object",
        "none",
        "null",
        "nil",
        "undefined",
        "true",
        "false",
        "self",
        "optional",
        "required",
        "missing",
        "invalid",
        "valid",
        "expired",
        "hidden",
        "masked",
        "redacted",
        "unset",
        "empty",
        "changed",
        "unknown",
        "secret",
        "password",
        "token",
        "key",
        "value",
        "bearer",
        "basic",
        "jwt",
        "number",
        "float",
        "uuid",
        "field",
        "input",
        "stringvar",
        "secretstr",
        "enabled",
        "disabled",
        "yes",
        "no",
        "env",
        "vault",
        "prompt",
        "hashed",
        "encrypted",
        "rotated",
        "leaked",
        "needed",
        "removed",
        "supported",
    ];
    let word = value.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    NAMES.contains(&word.as_str())
}

/// Calls, look-ups, types with parameters, and names of variables.
fn is_code(value: &str) -> bool {
    static CODE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)^(?:
              [A-Za-z_][\w.:\->?!]*[(\[<{].*
            | [A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+
            | [A-Za-z]+(?:_[A-Za-z]+)+ | [A-Z][A-Z_]+
            | [({\[\\].*
            )$",
        )
        .expect("a constant pattern")
    });
    CODE.is_match(value)
}

/// Whether nothing but white space, list and diff signs stands around `name: value` on its line.
fn alone_on_line(captures: &Captures<'_>, text: &str) -> bool {
    let Some(all) = captures.get(0) else { return false };
    // Bytes, and few of them: a longer margin is none, and a long line must not be searched for every match in it.
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

/// How far `alone_on_line` looks, in bytes.
const MARGIN: usize = 64;

/// Configuration is written in lower case; "Password: wrong" is a remark.
fn is_config_key(captures: &Captures<'_>) -> bool {
    let key: Option<Match<'_>> = captures.name("key");
    key.is_some_and(|k| {
        !k.as_str().starts_with(|c: char| c.is_uppercase()) || k.as_str().chars().all(|c| !c.is_lowercase())
    })
}

/// How often neighbours are of different classes (upper, lower, digit, other): high in random text.
fn transitions(value: &str) -> usize {
    let class = |b: u8| match b {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    value.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}

/// The words that name a secret, within a longer name.
pub(super) const SECRET_NAME: &str = r"(?:password|passwd|passphrase|passwort|kennwort|contrase(?:ñ|n)a|mot[_-]de[_-]passe|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|api[_-]?key|apikey|access[_-]?key|auth[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|account[_-]?key|shared[_-]?access[_-]?key|token|credentials?|connection[_-]?string)";
