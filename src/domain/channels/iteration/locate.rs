//! Whether a location is specific (specification, "Review documents: Location", enforced strictly). Whether the place
//! exists is not checked.

use super::DocumentRule;
use super::diagnostic::{Diagnostic, shown, text_at};
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Words that never specify a place.
const NOWHERE: &str = "somewhere elsewhere everywhere anywhere nowhere wherever whatever here there above below \
    n/a na none null nil nothing unknown unspecified undefined unclear tbd todo tba various several some many multiple \
    numerous certain different other others etc misc miscellaneous any throughout generally overall across \
    see it this that these those them they everything anything something all whole entire general places place spots \
    spot parts part bits bit areas area location locations somewhere-else x xxx not applicable sure specified known";

/// Words that name a kind of place but not which one.
const KINDS: &str = "code file files function functions method methods section sections document documents module \
    modules class classes line lines range project repo repository codebase program source element elements path \
    paths text artifact test tests config configuration schema component components block blocks chapter paragraph \
    heading page pages top bottom beginning end start middle";

/// Words that only connect others.
const JOINTS: &str = "a an the in of and or at on for to from within inside around near about is are my our your its \
    with by over up out";

/// The maximum length of a reference, in characters: anything longer is a story, not a place.
const LONGEST: usize = 300;

/// Adds the findings against the location of an item.
pub(super) fn location(item: &Value, at: &str, judged: &dyn Fn(&str) -> bool, found: &mut Vec<Diagnostic>) {
    let path = format!("{at}/location/reference");
    let Some(reference) = text_at(item, "/location/reference").filter(|_| judged(&path)) else { return };
    let kind = text_at(item, "/location/type").unwrap_or_default();
    let cleaned = crate::text::redact::clean_text(reference);
    let said = cleaned.trim().trim_matches(['`', '"', '\'', '“', '”']).trim();
    if let Some((rule, message)) = judge(kind, said) {
        let quoted = if said.is_empty() { "nothing".to_owned() } else { format!("“{}”", shown(reference)) };
        found.push(Diagnostic::new(path, rule, message, quoted, passing(kind)));
    }
}

fn judge(kind: &str, said: &str) -> Option<(DocumentRule, String)> {
    if is_vague(kind, said) {
        return Some((DocumentRule::LocationVague, "the location does not say where".to_owned()));
    }
    if said.chars().count() > LONGEST {
        return Some((DocumentRule::LocationVague, format!("the location is longer than {LONGEST} characters")));
    }
    match kind {
        "line" | "range" => lines(said),
        "function" if !names_code(said) => {
            Some((DocumentRule::LocationFunction, "the location does not name a function".to_owned()))
        }
        "path" if !names_path(said) => Some((DocumentRule::LocationPath, "the location is not a path".to_owned())),
        _ => None,
    }
}

fn passing(kind: &str) -> &'static str {
    match kind {
        "line" | "range" => "a line number or an ascending range, such as “42” or “42-48”",
        "function" => "the function's name, such as “validateToken()”",
        "section" => "the heading or number of the section, such as “3.2 Error handling”",
        "element" => "the name of the element, such as “properties.timeout” or “#login-button”",
        "path" => "a path, such as “src/auth/validate.ts”",
        _ => "the line number, the name of the function, the heading of the section, or the path",
    }
}

/// Reports whether no word of a reference distinguishes the place.
fn is_vague(kind: &str, said: &str) -> bool {
    let trimmed = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    if !said.contains(|c: char| c.is_alphanumeric() || c == '_') {
        // An operator is a function in some languages.
        return kind != "function" || !is_operator(said);
    }
    // A heading may be called “Tests”, but not a file “the file”.
    let heading = matches!(kind, "section" | "element") && said.starts_with(char::is_uppercase);
    if heading && (has(KINDS, &said.to_lowercase()) || matches!(said, "General" | "Overall" | "Overview")) {
        return false;
    }
    // `here()` and `test.rs` are names.
    if said.contains(['(', '_', ':', '#']) && said.chars().filter(|c| c.is_alphanumeric()).count() > 2 {
        return false;
    }
    let common = |word: &str| word.is_empty() || [NOWHERE, KINDS, JOINTS].iter().any(|list| has(list, word));
    if has(NOWHERE, &said.to_lowercase()) {
        return true;
    }
    // The last word that could still name the place is a heading or a function name.
    let single = !said.contains(char::is_whitespace);
    if single
        && matches!(kind, "function" | "path")
        && !matches!(said.to_lowercase().as_str(), "function" | "method" | "file" | "code" | "path")
    {
        return false;
    }
    said.split_whitespace().map(trimmed).all(|word| common(&word))
}

fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

fn is_operator(said: &str) -> bool {
    !said.is_empty() && said.chars().count() <= 3 && said.chars().all(|c| "+*/%<>=!&|^~[]".contains(c))
}

static NUMBERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|[^\w.-])L?(\d+)(?::\d+)?(?:\s*(?:-|–|—|\.{2,3}=?|\bto\b|\bthrough\b|\bthru\b|\buntil\b)\s*L?(\d+))?",
    )
    .expect("a constant")
});
/// Line numbers after a file name.
static AFTER_FILE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)[:#,]\s*L?\d").expect("a constant"));

fn lines(said: &str) -> Option<(DocumentRule, String)> {
    let wrong = |message: &str| Some((DocumentRule::LocationLine, message.to_owned()));
    // The colon of the match stays: numbers are recognised by what precedes them.
    let numbers = match AFTER_FILE.find(said) {
        Some(after) if said[..after.start()].contains(['.', '/']) => &said[after.start()..],
        _ => said,
    };
    let number = |text: &str| text.parse::<u64>().unwrap_or(u64::MAX);
    let mut any = false;
    for found in NUMBERS.captures_iter(numbers) {
        any = true;
        let first = found.get(1).map_or(0, |m| number(m.as_str()));
        let last = found.get(2).map(|m| number(m.as_str()));
        if first == 0 {
            return wrong("line numbers start at 1");
        }
        if last.is_some_and(|last| last < first) {
            return wrong("the range ends before it begins");
        }
    }
    if any { None } else { wrong("the location has no line number") }
}

/// Words around a function's name.
const AROUND: &str = "function functions method methods fn def func fun sub procedure constructor the in of class \
    struct trait impl module file hook handler macro operator";

/// Reports whether a reference names a function: one name, or a text with something that only code contains.
fn names_code(said: &str) -> bool {
    if is_operator(said) {
        return true;
    }
    let words: Vec<&str> = said.split_whitespace().filter(|w| !has(AROUND, &w.to_lowercase())).collect();
    let name = |word: &&str| word.chars().any(|c| c.is_alphabetic() || c == '_');
    match words.as_slice() {
        [] => false,
        [one] => name(one) || is_operator(one),
        several => several.iter().filter(|w| name(w)).any(|word| {
            let inner = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
            let camel = inner.chars().zip(inner.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
            camel || inner.contains(['_', '(', '.', '#', '`', '$', '<']) || inner.contains("::") || inner.contains("->")
        }),
    }
}

/// Reports whether a reference is a path: one word, or a text with a separator or an extension.
fn names_path(said: &str) -> bool {
    static EXTENSION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w\.\w{1,10}(?:\W|$)").expect("a constant"));
    let single = !said.contains(char::is_whitespace);
    said.contains(char::is_alphanumeric) && (single || said.contains(['/', '\\']) || EXTENSION.is_match(said))
}
