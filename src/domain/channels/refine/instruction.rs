//! A person's instruction, normalised: "use Decimal not float" becomes "Use Decimal, not float".
//!
//! Only the punctuation changes. A choice is no instruction.

use regex::{Captures, Regex, RegexBuilder};
use std::sync::LazyLock;

/// Returns the words as an instruction if they begin with one; else unchanged.
pub(super) fn as_instruction(said: &str) -> String {
    if !IMPERATIVE.is_match(said) {
        return said.to_owned();
    }
    let told = NOT.replace(said, |found: &Captures<'_>| {
        let (this, other) = (&found["this"], &found["other"]);
        let joined = BOUND.contains(&other.to_ascii_lowercase().as_str());
        format!("{this}{} not {other}", if joined { "" } else { "," })
    });
    crate::text::prose::capitalise(&told)
}

/// Words after "not" that belong to what precedes: "use it not only for totals".
const BOUND: [&str; 12] = ["only", "just", "to", "for", "when", "if", "because", "in", "on", "with", "by", "yet"];

static IMPERATIVE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:use|prefer|take|go with|switch to|call|name|keep|put|return|raise|throw|write|read|add|remove|drop|replace|rename|move|make|store|pass|leave|avoid|don't|do not|never|always)\b",
    )
});
/// The thing and its opposite, before any other clause.
static NOT: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?P<this>[^\s,;]+(?: [^\s,;]+){1,5}?) not (?P<other>[^\s,;.]+)"));

fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).case_insensitive(true).build().expect("a constant")
}

#[cfg(test)]
mod tests {
    use super::as_instruction;

    #[test]
    fn what_is_told_stays_what_was_said() {
        let cases = [
            ("use Decimal not float", "Use Decimal, not float"),
            ("use Decimal, not float", "Use Decimal, not float"),
            ("return a 404 not a 500, please", "Return a 404, not a 500, please"),
            ("use it not only for totals", "Use it not only for totals"),
            ("do not log the password", "Do not log the password"),
            ("security review", "security review"),
            ("the total is not rounded", "the total is not rounded"),
        ];
        for (said, told) in cases {
            assert_eq!(as_instruction(said), told);
        }
    }
}
