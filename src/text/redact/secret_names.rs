//! Names that suggest a secret: `password`, `DB_PASS`, `apiKey`, `client-key-data`; and names that only look so, such
//! as `max_tokens`, `token_type`, `first_pass`. `guard` judges the values after such names.

use super::foreign::{foreign_keys, foreign_passwords, is_password};
use regex::Regex;
use std::sync::LazyLock;

/// How strongly a name suggests a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    /// This name is followed only by a secret.
    Password,
    /// A key, a token, a secret: the word has other meanings too.
    Key,
}

/// Words that name a secret, within a longer name.
pub(super) const SECRET_NAME: &str = r"(?:pass_?word|p@ssword|passwd|pswd|storepass|keypass|bindpw|rootpw|passphrase|passcode|passwort|kennwort|contrase(?:ñ|n)a|pwd|secret[ _-]?key[ _-]?base|secret(?:[ _-]?(?:access[ _-]?)?key)?|api[ ._-]?key|apikey|app[ _-]?key|access[ _-]?key|auth[ _-]?key|private[ _-]?key|signing[ _-]?key|encryption[ _-]?key|account[ _-]?key|master[ _-]?key|session[ _-]?key|hmac[ _-]?key|subscription[ _-]?key|service[ _-]?key|application[ _-]?key|deploy[ _-]?key|pre[ _-]?shared[ _-]?key|jwt[ _-]?key|license[ _-]?key|shared[ _-]?access[ _-]?key|client[ _-]?key[ _-]?data|token|credentials?|connection[ _-]?string)";

/// The same in other languages.
pub(super) const FOREIGN_NAME: &str = concat!("(?:", foreign_passwords!(), "|", foreign_keys!(), ")");

/// Short words that name a secret only when alone between separators: `DB_PASS`, but not `bypass`.
pub(super) const SHORT_NAME: &str = r"(?:pass|psk|pw|mdp|auth|pat)";

static NAME: LazyLock<Regex> = LazyLock::new(|| {
    // Greedy, so that the last word naming a secret decides: `token` in `secret_token_count`, with what follows.
    Regex::new(&format!(r"(?i)^[\s\S]*?(?P<word>{SECRET_NAME}|{FOREIGN_NAME})(?P<rest>(?:s|[_.\-]?(?:value|prod|dev|test|staging|live|hash|main|default|old|new|v?[0-9]{{1,3}}|base64|b64))?)$"))
        .expect("a constant pattern")
});

/// Returns a name's strength; `None` for names such as `max_tokens`, `token_type` or `password_length`.
pub(super) fn strength(name: &str) -> Option<Strength> {
    let name = name.trim();
    // Longer ones are not names, and would be costly.
    if name.len() > 256 {
        return None;
    }
    let Some(captures) = NAME.captures(name) else { return short(name) };
    let word = captures["word"].to_ascii_lowercase();
    let lower = name.to_ascii_lowercase();
    match word.as_str() {
        "token" if captures["rest"].starts_with(['s', 'S']) => None,
        _ if lower.starts_with("no_") || lower.contains("public") || lower.contains("idempotency") => None,
        w if w.contains("pass")
            || matches!(w, "pwd" | "pswd" | "p@ssword" | "bindpw" | "rootpw")
            || w == "kennwort"
            || w.contains("contrase")
            || is_password(w) =>
        {
            Some(Strength::Password)
        }
        _ => Some(Strength::Key),
    }
}

/// Returns the strength of a name whose last word is a short one.
fn short(name: &str) -> Option<Strength> {
    let words = words(name);
    let (last, before) = words.split_last()?;
    let counted = |word: &String| COUNTED.contains(&word.as_str());
    match last.as_str() {
        "pass" if before.last().is_some_and(counted) => None,
        "pass" | "psk" | "pw" | "mdp" => Some(Strength::Password),
        "pat" if !before.is_empty() => Some(Strength::Key),
        _ => None,
    }
}

/// Words before `pass` if it means an iteration over something.
const COUNTED: [&str; 22] = [
    "first", "second", "third", "one", "two", "single", "multi", "low", "high", "band", "by", "render", "final",
    "next", "last", "this", "each", "per", "build", "all", "did", "must",
];

/// Reports whether a name is just `auth`, which Docker and npm use for a base64-encoded user and password.
pub(super) fn is_auth(name: &str) -> bool {
    matches!(name.trim_start_matches('_').to_ascii_lowercase().as_str(), "auth" | "registryauth" | "basicauth")
}

/// Reports whether a field name describes a secret: nested below a secret's name it suggests nothing.
pub(super) fn describes(name: &str) -> bool {
    const NAMES: [&str; 34] = [
        "name",
        "namespace",
        "key",
        "ref",
        "type",
        "kind",
        "id",
        "path",
        "version",
        "length",
        "ttl",
        "expires",
        "expiry",
        "algorithm",
        "alg",
        "url",
        "uri",
        "arn",
        "issuer",
        "description",
        "policy",
        "user",
        "username",
        "login",
        "host",
        "port",
        "created",
        "updated",
        "rotated",
        "scope",
        "scopes",
        "optional",
        "required",
        "file",
    ];
    let words = words(name);
    words.last().is_some_and(|last| NAMES.contains(&last.as_str()) || matches!(last.as_str(), "at" | "in" | "on"))
}

/// Reports whether a name counts things: `total_token` is a number of them.
pub(super) fn counts(name: &str) -> bool {
    const NAMES: [&str; 12] =
        ["total", "max", "min", "num", "count", "input", "output", "prompt", "completion", "used", "budget", "cached"];
    words(name).iter().any(|word| NAMES.contains(&word.as_str()))
}

/// Splits a name into lowercase words: `dbPass_2` is `db`, `pass`, `2`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            inside = false;
            continue;
        }
        if !inside || (lower && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        inside = true;
        lower = c.is_lowercase() || c.is_ascii_digit();
    }
    words
}

/// Returns the kind of secret for a name.
pub(super) fn kind(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match () {
        () if has(&["pass", "pwd", "kennwort", "contrase", "psk"]) || name.ends_with("pw") => "password",
        () if is_password(&name) => "password",
        () if has(&["token"]) => "token",
        () if has(&["key"]) => "api-key",
        () => "secret",
    }
}
