//! The identifier that a comment is about: one that it names and that occurs there, or what the line defines.
//!
//! If two are possible, it is neither: silence is better than an error.

use super::hunk::Hunk;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum number of characters of a comment that are searched.
const READ: usize = 2_000;
/// Maximum length of an identifier, in characters.
const LONGEST: usize = 80;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are constants and a test compiles them")
}

/// A name in backticks, possibly qualified and with a pair of brackets.
static TICKED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"`@?((?:[A-Za-z_$][\w$]*(?:\.|::|#|->))*)([A-Za-z_$][\w$]*)(?:\([^`()]*\))?`"));
/// Words that only occur in code: with an underscore or an inner capital, or called.
static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(?:[A-Za-z][A-Za-z0-9]*_\w+|_\w+|[a-z][a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)\b|\b([A-Za-z_]\w+)\(")
});
/// What a line defines.
static DEFINED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?x)^\s*(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|unsafe|override|inline|virtual|const)\s+)*
        (?:
          (?:def|fn|func(?:\s*\([^)]*\))?|fun|function\*?|class|struct|interface|enum|trait|record|type|module|object|macro_rules!)\s+(?P<named>[A-Za-z_$][\w$]*)
        | (?:[A-Za-z_][\w.]*(?:<[^;=()]*>)?(?:\[\])*\s+)(?P<method>[a-z_$][\w$]*)\s*\([^;]*\)\s*(?:throws\s[^;{]*)?\{?\s*$
        )",
    )
});

/// Keywords; none of them is a name.
const WORDS: [&str; 40] = [
    "None", "True", "False", "null", "nil", "true", "false", "this", "self", "super", "return", "if", "else", "for",
    "while", "switch", "case", "break", "continue", "try", "catch", "except", "finally", "throw", "raise", "new",
    "import", "from", "void", "int", "string", "bool", "boolean", "float", "let", "var", "const", "final", "static",
    "await",
];

/// Returns the identifier that a comment is about; `None` if none is certain.
pub(super) fn about(remark: &str, hunk: &Hunk<'_>, remarked: &[&str]) -> Option<String> {
    let text: String = outside_fences(remark).chars().take(READ).collect();
    let ticked = || TICKED.captures_iter(&text).filter_map(|found| found.get(2)).map(|name| name.as_str());
    let plain =
        || PLAIN.captures_iter(&text).filter_map(|found| found.get(1).or(found.get(0))).map(|name| name.as_str());
    let on_line = |name: &&str| remarked.iter().any(|line| has_word(line, name));
    let in_hunk = |name: &&str| hunk.lines().any(|line| has_word(line, name));
    let found = only(ticked().filter(on_line))
        .or_else(|| only(plain().filter(on_line)))
        .or_else(|| only(ticked().filter(in_hunk)))
        .or_else(|| only(plain().filter(in_hunk)));
    match found {
        Some(IdentifierMatch::One(name)) => Some(name.to_owned()),
        Some(IdentifierMatch::Several) => None,
        None => defined(remarked),
    }
}

enum IdentifierMatch<'n> {
    One(&'n str),
    Several,
}

/// Returns the only distinct name; `None` if there is none.
fn only<'n>(names: impl Iterator<Item = &'n str>) -> Option<IdentifierMatch<'n>> {
    let mut one: Option<&str> = None;
    for name in names.filter(|name| is_name(name)) {
        match one {
            Some(known) if known != name => return Some(IdentifierMatch::Several),
            _ => one = Some(name),
        }
    }
    one.map(IdentifierMatch::One)
}

fn is_name(name: &str) -> bool {
    (2..=LONGEST).contains(&name.len()) && !WORDS.contains(&name) && !name.starts_with("REDACTED")
}

/// Returns what the first of the lines defines.
fn defined(remarked: &[&str]) -> Option<String> {
    let line = remarked.first().filter(|line| line.len() <= 400)?;
    let found = DEFINED.captures(line)?;
    // `return call(x)` looks like a method definition.
    let first = line.split_whitespace().next().unwrap_or_default();
    let name = found.name("named").or_else(|| found.name("method").filter(|_| !WORDS.contains(&first)))?;
    Some(name.as_str()).filter(|name| is_name(name)).map(str::to_owned)
}

/// Reports whether a line contains a name as a whole word.
fn has_word(line: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    line.match_indices(name).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(part) && !line[at + name.len()..].chars().next().is_some_and(part)
    })
}

/// Returns the comment's own words, without code blocks.
fn outside_fences(remark: &str) -> String {
    let mut inside = false;
    let mut own = String::new();
    for line in remark.lines() {
        let line_start = line.trim_start();
        if line_start.starts_with("```") || line_start.starts_with("~~~") {
            inside = !inside;
        } else if !inside {
            own.push_str(line);
            own.push('\n');
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(remark: &str, hunk: &str) -> Option<String> {
        let hunk = Hunk::read(hunk);
        let remarked = hunk.remarked(1, false).unwrap_or_default().to_vec();
        about(remark, &hunk, &remarked)
    }

    const HUNK: &str = "@@ -1,2 +1,3 @@\n import dates\n def parse_date(text):\n+    limit = read_limit(text, default)";

    #[test]
    fn what_the_remark_names_and_the_line_has() {
        assert_eq!(of("`limit` is never checked", HUNK).as_deref(), Some("limit"));
        assert_eq!(of("call `config.read_limit()` once only", HUNK).as_deref(), Some("read_limit"));
        assert_eq!(of("read_limit may raise here, catch it", HUNK).as_deref(), Some("read_limit"));
        assert_eq!(of("rename `limit` to `maximum`", HUNK).as_deref(), Some("limit"));
        assert_eq!(of("`parse_date` needs a docstring", HUNK).as_deref(), Some("parse_date"));
    }

    #[test]
    fn silent_where_two_may_be_meant_or_nothing_stands_there() {
        assert_eq!(of("`limit` hides `default`", HUNK), None);
        assert_eq!(of("use `Decimal` here", HUNK), None);
        assert_eq!(of("please check this", HUNK), None);
        assert_eq!(of("```\nlimit\n```\nwhy?", HUNK), None);
        assert_eq!(of("never return `None`", "@@ -1 +1 @@\n+    return None"), None);
    }

    #[test]
    fn else_what_the_line_defines() {
        let defined = |line: &str| of("needs a comment", &format!("@@ -1 +1 @@\n+{line}"));
        for (line, name) in [
            ("    def total(self):", Some("total")),
            ("pub(crate) async fn run(&self) -> u32 {", Some("run")),
            ("func (s *Store) Close() error {", Some("Close")),
            ("    public static List<String> namesOf(Job job) throws IOException {", Some("namesOf")),
            ("export default class Basket extends Base {", Some("Basket")),
            ("    return call(x)", None),
            ("    x = call(y)", None),
            ("", None),
        ] {
            assert_eq!(defined(line).as_deref(), name, "{line}");
        }
    }
}
