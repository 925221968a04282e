//! Values for the templates: words of the feedback, in a later iteration of the prompt, never invented ones.
//!
//! An action whose value is missing is left out. The one exception: a rejection without further words is answered by
//! asking which part of the prompt is meant.

use super::actions::Placeholder;
use super::instruction::as_instruction;
use crate::channels::signal::{Facts, Signal, SignalKind};
use crate::text::language::guard::{LEFT_OUT, told};
use crate::text::prose::{capitalise, count, line as one_line, list};
use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// The maximum length of a filled value, in characters.
pub(super) const VALUE: usize = 300;
/// The maximum length of a list of failures, in characters.
pub(super) const FAILURES: usize = 2_000;
/// The maximum number of names in a value.
const NAMES: usize = 5;
/// How much of a text is searched, in bytes.
const READ: usize = 4_000;

/// The sources of values.
pub(super) struct Sources<'a> {
    pub(super) feedback: &'a str,
    pub(super) signal: &'a Signal,
    pub(super) prompt: &'a str,
    /// Whether the prompt may be searched as well, because the feedback alone did not suffice.
    pub(super) widened: bool,
}

/// Returns the value of a placeholder, one line; `None` if the sources do not contain it.
pub(super) fn value(placeholder: Placeholder, from: &Sources<'_>) -> Option<String> {
    let said = head(from.feedback, READ);
    let facts = &from.signal.facts;
    if let Some(failures) = failures(placeholder, from.signal) {
        return Some(failures);
    }
    let found = match placeholder {
        Placeholder::ErrorMessage => facts.error_message.clone().or_else(|| shown(said, from.signal)),
        Placeholder::DetectedFramework => framework(facts).or_else(|| from.prompt_names(&FRAMEWORK)),
        Placeholder::TestDescription => tests(facts, said, from.signal),
        Placeholder::ExpectedBehavior => expected(facts).or_else(|| from.prompt_says(&SHOULD)),
        Placeholder::ClarificationPrompt => {
            meant(said).map(|meant| as_instruction(&meant)).or_else(|| Some(ask_back(from.prompt)))
        }
        // "Try again" offers nothing.
        Placeholder::Alternatives => {
            let choice = capture(&CHOICE, said).filter(|choice| choice.contains(" or "));
            choice.or_else(|| capture(&ALTERNATIVE, said)).filter(|other| !other.starts_with("again"))
        }
        Placeholder::NarrowedScope => {
            capture(&SCOPE, said).or_else(|| artifacts(said)).or_else(|| from.prompt_names(&ARTIFACT))
        }
        Placeholder::GapDescription => gap(said).or_else(|| Some(said.to_owned())),
        Placeholder::Constraint => capture(&CONSTRAINT, said).map(|constraint| as_instruction(&constraint)),
        Placeholder::Issue => gap(said).map(|gap| first_clause(&gap).to_owned()).or_else(|| artifacts(said)),
    };
    let value = found.map(|value| told(tidy(&value), VALUE)).filter(|value| value.chars().any(char::is_alphanumeric));
    // Text that addresses the reader of the prompt is not a value.
    value.filter(|value| value != LEFT_OUT)
}

/// Lists every failure in the tool's own words, up to [`FAILURES`], and how many are omitted. One that addresses the
/// reader of the prompt is omitted as well.
fn failures(placeholder: Placeholder, signal: &Signal) -> Option<String> {
    let facts = &signal.facts;
    let wanted = match placeholder {
        Placeholder::TestDescription => !facts.failures.is_empty(),
        // A crashed run reports one error; a list comes from a compiler.
        Placeholder::ErrorMessage => facts.exception.is_none() && facts.failures.len() > 1,
        _ => false,
    };
    if !wanted {
        return None;
    }
    let by_tool = facts.framework.as_deref().filter(|_| facts.failing_tests.is_empty());
    let by_tool = by_tool.filter(|_| signal.kind == SignalKind::VerificationFailure);
    let mut told_all = by_tool.map(|tool| format!("{}: ", program(tool))).unwrap_or_default();
    let (mut room, mut shown) = (FAILURES, 0_u64);
    for failure in &facts.failures {
        let failure = told(failure, VALUE);
        let long = failure.chars().count() + 2;
        if failure == LEFT_OUT || long > room {
            continue;
        }
        told_all.push_str(if shown == 0 { "" } else { "; " });
        told_all.push_str(&failure);
        room -= long;
        shown += 1;
    }
    let left_out = facts.failures.len() as u64 + facts.more_failures - shown;
    if left_out > 0 {
        told_all.push_str(&format!("; {} left out here", count(left_out, "more failure")));
    }
    (shown > 0).then_some(told_all)
}

/// Returns the usual name of a checker.
fn program(framework: &str) -> &str {
    if framework == "typescript" { "tsc" } else { framework }
}

impl Sources<'_> {
    fn prompt_names(&self, pattern: &Regex) -> Option<String> {
        if !self.widened {
            return None;
        }
        pattern.find(head(self.prompt, READ)).map(|found| found.as_str().to_owned())
    }

    fn prompt_says(&self, pattern: &Regex) -> Option<String> {
        if self.widened { capture(pattern, head(self.prompt, READ)) } else { None }
    }
}

fn framework(facts: &Facts) -> Option<String> {
    match (&facts.framework, &facts.language) {
        (Some(framework), Some(language)) if framework != language => {
            Some(format!("{} and {framework}", written(language)))
        }
        (Some(one), None) => Some(one.clone()),
        (_, Some(language)) => Some(written(language)),
        (None, None) => None,
    }
}

/// Returns the usual spelling of a language.
fn written(language: &str) -> String {
    match language {
        "javascript" => "JavaScript".to_owned(),
        "typescript" => "TypeScript".to_owned(),
        "php" => "PHP".to_owned(),
        "shell" => language.to_owned(),
        other => capitalise(other),
    }
}

fn tests(facts: &Facts, said: &str, signal: &Signal) -> Option<String> {
    if !facts.failing_tests.is_empty() {
        return Some(list(facts.failing_tests.iter().map(String::as_str), NAMES));
    }
    match (&facts.framework, &facts.error_message) {
        (Some(framework), Some(message)) => Some(format!("{framework}, which reported \"{message}\"")),
        (Some(framework), None) => Some(framework.clone()),
        (None, Some(message)) => Some(format!("the check that reported \"{message}\"")),
        (None, None) => shown(said, signal).map(|line| format!("the check behind \"{line}\"")),
    }
}

fn expected(facts: &Facts) -> Option<String> {
    let expected = facts.expected.as_ref()?;
    Some(facts.actual.as_ref().map_or(expected.clone(), |actual| format!("{expected} (it was: {actual})")))
}

/// Returns the line with the words of the strongest cue.
fn shown(said: &str, signal: &Signal) -> Option<String> {
    let words = &signal.cues.first()?.words;
    said.lines()
        .find(|line| line.contains(words.as_str()))
        .or_else(|| said.lines().find(|line| !line.trim().is_empty()))
        .map(str::to_owned)
}

/// Returns what a person meant, without the leading rejection.
fn meant(said: &str) -> Option<String> {
    capture(&MEANT, said).or_else(|| {
        let rest = REJECTION.replace(said.trim(), "");
        let rest = rest.trim();
        (rest.split_whitespace().count() >= 2 && rest.len() < said.trim().len()).then(|| rest.to_owned())
    })
}

fn ask_back(prompt: &str) -> String {
    let goal = prompt.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if goal.is_empty() {
        "ask what the result is to be before starting again".to_owned()
    } else {
        format!("ask which result of \"{}\" is expected before starting again", one_line(goal, 120))
    }
}

/// Returns what is missing: the part after the praise.
fn gap(said: &str) -> Option<String> {
    capture(&GAP, said)
}

fn artifacts(said: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for found in ARTIFACT.find_iter(said) {
        if !names.contains(&found.as_str()) {
            names.push(found.as_str());
        }
    }
    (!names.is_empty()).then(|| list(names.into_iter(), NAMES))
}

fn first_clause(said: &str) -> &str {
    let end = said.find([',', ';', '.', '\n']).filter(|end| *end > 3).unwrap_or(said.len());
    &said[..end]
}

fn capture(pattern: &Regex, said: &str) -> Option<String> {
    let found = pattern.captures(said)?;
    found.name("value").map(|value| tidy(value.as_str()).to_owned()).filter(|value| !value.is_empty())
}

/// Trims surrounding space and punctuation.
fn tidy(value: &str) -> &str {
    value.trim().trim_start_matches([',', ':', ';', '-', ' ']).trim_end_matches(['.', ',', ';', '!', ' ']).trim()
}

/// Returns the beginning of a text, cut between characters.
pub(super) fn head(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).case_insensitive(true).multi_line(true).build().expect("a constant")
}

static MEANT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:i (?:actually |really )?(?:meant|wanted|asked for|expected|need(?:ed)?|want|was (?:talking about|asking for))|the (?:goal|point|idea|intent) (?:is|was)|what i (?:meant|wanted|need|want) (?:is|was)|supposed to be|instead,? please)\b:? ?(?P<value>[^\n]{3,300})",
    )
});
static REJECTION: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:\W*\b(?:sorry|no|nope|nah|wrong(?: \w+)?|incorrect|not (?:quite )?what i (?:asked for|asked|wanted|meant)|that's not (?:it|what i \w+)|(?:this|that|it)(?:'s| is) (?:wrong|incorrect|not (?:right|correct))|try again|please|still broken|doesn't work|still)\b[,.:;!\s-]*)+",
    )
});
static ALTERNATIVE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?:\b(?:what about|how about|why not|try|consider|(?:you )?(?:could|can) use|either) (?P<value>(?:(?:[^\s.!?,;\n]|\.\S)+[ ,]*){1,25}))",
    )
});
/// An instruction is no alternative, unless it leaves a choice.
static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:better to|should use|use|prefer|rather|go with|switch to) (?P<value>(?:(?:[^\s.!?,;\n]|\.\S)+[ ,]*){1,25})",
    )
});
static SCOPE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:only|just|focus(?:ing)? on|concentrate on|limit(?:ed)? (?:it |this )?to|restrict(?:ed)? (?:it |this )?to|i (?:meant|said|asked for)|specifically|about|nothing but) (?P<value>(?:[^.!?\n]|\.\S){3,200})",
    )
});
static GAP: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:but|except(?: for| that)?|apart from|aside from|other than|however,?|although|though|modulo|once|after|as soon as|just need(?:s)? (?:to|one)?|only|nits?|minor|(?:one|small|tiny|last)(?: \w+)? (?:thing|change|issue|point|comment)s?|almost (?:there|done|right|perfect)|nearly (?:there|done|right)|[89]\d ?% (?:right|there|done))\b[,:;.\s-]*(?P<value>[^\n]{3,300})",
    )
});
static CONSTRAINT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?P<value>(?:must|should|always|never|don't|do not|needs? to|has to|have to|please|use|rename|keep|avoid|add|remove|drop|replace|move|make sure|ensure|without)\b(?:[^.!?\n]|\.\S){3,250})",
    )
});
static SHOULD: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(?:should|must|so that|such that|expected to|is to) (?P<value>(?:[^.!?\n]|\.\S){3,250})")
});
static ARTIFACT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"`[^`\n]{1,80}`|\b[\w-]+(?:/[\w.-]+)+\b|\b[\w-]+\.(?:rs|py|ts|tsx|js|jsx|go|java|kt|rb|php|c|h|cpp|cs|toml|yaml|yml|json|md|sql|html|css|sh|xml|ini|cfg|txt|lock)\b|\b[a-z]\w*(?:_\w+)+\b(?:\(\))?|\b\w+\(\)|\b\w+::\w+(?:::\w+)*").expect("a constant")
});
static FRAMEWORK: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:python|rust|typescript|javascript|golang|java|kotlin|ruby|php|swift|django|flask|fastapi|react|vue|angular|svelte|next\.js|node(?:\.js)?|rails|spring(?: boot)?|\.net|pytest|jest|tokio|axum|postgres(?:ql)?|mysql|sqlite|redis|kubernetes|terraform)\b(?: ?v?\d+(?:\.\d+)*)?",
    )
});
