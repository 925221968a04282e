//! Values that are never a secret, whatever name precedes them: names, types, paths, addresses, versions, dates,
//! resource names, placeholders, code. Hashes and UUIDs are not here: after a secret's name they are secrets.

use super::randomness::has_random_part;
use super::secret_names::Strength;
use regex::Regex;
use std::sync::LazyLock;

/// Paths, addresses, versions, dates, resource names: never secrets.
pub(super) fn is_public(value: &str, strength: Strength) -> bool {
    static ALWAYS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)^(?:
              sha(?:1|224|256|384|512)[:\-].* | SHA256:.* | https?://.*
            | [vV]?[0-9]+(?:\.[0-9]+)+(?:[-+][\w.]+)? | [0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T\x20].*)?
            | arn:[a-z0-9\-]*:.* | (?:projects|subscriptions|organizations|resourceGroups)/.*
            | [a-z][a-z0-9+\-]*kms:/{2,3}.* | (?:vault|secret|secrets|ssm|sm|op|env|file|keyvault|secretsmanager|ref\+[a-z]+):/{0,3}[\w][\w/.:\#\-]*
            )$",
        )
        .expect("a constant pattern")
    });
    static FILES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)^(?:
              (?:\.{0,2}|~)/[\w./\-]*
            | [A-Za-z0-9_.+\-]+@[\w\-]+(?:\.[\w\-]+)*\.[A-Za-z]{2,}
            | [\w.\-]+(?:/[\w.\-]+)*\.(?:rs|py|pyi|js|mjs|ts|tsx|jsx|java|kt|go|rb|php|c|h|cc|cpp|hpp|cs|swift|ya?ml|json|toml|txt|md|pem|key|crt|cer|p12|cfg|conf|ini|env|sh|sql|html?|css|xml|lock|log|csv|tf|tpl|j2|properties)(?::[0-9]+)?
            )$",
        )
        .expect("a constant pattern")
    });
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:[\w.\-]+(?:/[\w.\-]+)*\.[A-Za-z]{1,4}(?::[0-9]+)?|[A-Za-z0-9_]+@[\w.\-]+)$")
            .expect("a constant pattern")
    });
    // A key followed by `.env` is not a file, and one with `@` not an address.
    let name = || FILES.is_match(value) || (strength == Strength::Key && NAMES.is_match(value));
    ALWAYS.is_match(value) || (name() && !has_random_part(value)) || (strength == Strength::Key && is_slug(value))
}

/// A name for a thing: `payments-db-credentials-2024`, `prod/db/token-7f9c8d`, `default-token-x7k2p`.
fn is_slug(value: &str) -> bool {
    let mut words = 0;
    let mut others = 0;
    for part in value.split(['-', '_', '/', '.', ':']) {
        match () {
            () if part.is_empty() || part.len() > 24 || !part.bytes().all(|b| b.is_ascii_alphanumeric()) => {
                return false;
            }
            () if part.bytes().any(|b| b.is_ascii_uppercase()) => return false,
            () if part.len() >= 2 && part.bytes().all(|b| b.is_ascii_lowercase()) => words += 1,
            () if part.len() <= 10 => others += 1,
            () => return false,
        }
    }
    words >= 2 && others <= 1
}

/// Stand-ins for a secret: masks, variables, formats.
pub(super) fn is_placeholder(value: &str) -> bool {
    static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)^(?:
              \$\{.* | \$\(.* | \$[0-9@*\#?]? | \$[A-Z_][A-Z0-9_]* | \$[a-zA-Z_][a-zA-Z_]*(?:(?:->|\[|::|\.).*)? | \$\$
            | %[A-Z_][A-Z0-9_]*% | %[a-z_]+% | %[-+\#\x20]?[0-9]*[sdiufxXrvqp@] | %[({].* | %
            | &[A-Za-z_]*(?:;.*)? | <[^>]*>? | \{\{.* | \[[a-z_\x20-]+\]
            )$",
        )
        .expect("a constant pattern")
    });
    let masked = value.chars().all(|c| matches!(c, '*' | '.' | 'x' | 'X' | '-' | '_' | '•' | '?' | '…' | '#'));
    masked || (value.starts_with(['$', '<', '%', '&', '{', '[']) && VARIABLE.is_match(value))
}

/// Names of types, constants and states that follow `password:` in code and prose.
pub(super) fn is_type(value: &str) -> bool {
    const NAMES: &str = " str string int integer bool boolean bytes byte char text varchar any object none null nil \
        undefined true false self optional required missing invalid valid expired hidden masked redacted unset empty \
        changed unknown secret password token key value bearer basic jwt number float uuid field input stringvar \
        secretstr enabled disabled yes no env vault prompt hashed encrypted rotated leaked needed removed supported \
        pass passed passes failed fail ok skipped partial changeme example placeholder wrong correct incorrect default \
        below above here there later again the a an to for in on with from as is are was and or not of by via instead \
        must should can will may it this that option flag argument parameter header auth stdin file ";
    let word = value.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    !word.is_empty() && !word.contains(' ') && NAMES.contains(&format!(" {word} "))
}

/// Calls, look-ups, types with parameters, and variable names.
pub(super) fn is_code(value: &str) -> bool {
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
