//! Facts extracted from a text besides the verdict: the exception, the message, what was expected, the language.
//!
//! Everything is taken from the text; nothing is inferred from the verdict.

use super::evidence::{Facts, Observation};
use super::failure::OutputReading;
use super::failures::{self, Failures};
use super::patterns::exact;
use super::text;
use crate::text::prose::line as one_line;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum length of a stored message, in characters.
const MESSAGE: usize = 300;

pub(super) fn read(clean: &str, seen: &Observation<'_>, reading: &OutputReading) -> Facts {
    let beside = seen.report.map(text::clean).unwrap_or_default();
    let failed = reading.verdict.is_some();
    let (exception, message) =
        if failed { error(clean).or_else(|| error(&beside)).unwrap_or_default() } else { Default::default() };
    let pair = if failed { expected_actual(clean).or_else(|| expected_actual(&beside)) } else { None };
    let (expected, actual) = pair.unzip();
    let report = reading.report.as_ref();
    let Failures { told, more } = match failed.then(|| failures::read(clean, report)) {
        Some(none) if none.told.is_empty() => failures::read(&beside, report),
        read => read.unwrap_or_default(),
    };
    let framework = report.map(|report| report.framework).or(reading.framework).map(str::to_owned);
    Facts {
        exit_code: seen.exit_code.or_else(|| exit_code(clean)),
        language: language(clean, seen.tool, framework.as_deref()),
        passed: report.map(|report| report.passed),
        failed: report.map(|report| report.failed),
        errors: report.map(|report| report.errors),
        skipped: report.map(|report| report.skipped),
        failing_tests: report.map(|report| report.failing_tests.clone()).filter(|_| failed).unwrap_or_default(),
        failures: told,
        more_failures: more,
        framework,
        exception,
        error_message: message,
        expected,
        actual,
    }
}

#[rustfmt::skip]
static ERRORS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // The last line of a Python traceback, a Java or JavaScript exception, with the type.
        r"^(?:E\s+)?(?:Uncaught |Exception in thread \x22[^\x22]*\x22 |Caused by: )?(?P<type>(?:\w+[.])*[A-Z]\w*(?:Error|Exception|Interrupt|Failure|Exit|Warning))(?: \[\w+\])?(?:: (?P<message>.+))?$",
        r"^thread '[^']*' (?:\(\d+\) )?(?P<type>panicked) at [^\n]*\n(?P<message>[^\n]+)",
        r"^(?P<type>panic): (?P<message>.+)$",
        r"^(?:\S+: )?(?P<message>(?:error(?:\[\w+\])?|fatal|FATAL|ERROR): .+)$",
        r"^\S+:\d+(?::\d+)?: (?P<message>(?:fatal )?error: .+)$",
        r"(?P<message>\b[Ss]egmentation fault\b.*|\bcommand not found.*|^\S+: .*: No such file or directory$|^curl: \(\d+\).*)",
        r"(?P<message>\b[Aa]ssertion .{0,120}failed.*)",
        r"\b(?P<type>[A-Z]\w*(?:Error|Exception))\b:? ?(?P<message>.*)$",
        r"(?P<message>\b(?:[Ff]ailed|[Uu]nable) to .+)",
    ]
    .into_iter()
    .map(exact)
    .collect()
});

/// Returns the exception type, and the message including the type. The last match of the first kind wins: in a chain of
/// exceptions, Python prints the outermost last.
fn error(clean: &str) -> Option<(Option<String>, Option<String>)> {
    let end = text::tail(clean, 60_000);
    ERRORS.iter().find_map(|pattern| {
        let found = pattern.captures_iter(end).last()?;
        let kind = found.name("type").map(|kind| kind.as_str());
        let message = found.name("message").map(|message| message.as_str().trim()).filter(|said| !said.is_empty());
        let whole = match (kind, message) {
            (Some(kind @ ("panicked" | "panic")), Some(message)) => format!("{kind}: {message}"),
            (Some(kind), Some(message)) => format!("{kind}: {message}"),
            (Some(kind), None) => kind.to_owned(),
            (None, Some(message)) => message.to_owned(),
            (None, None) => return None,
        };
        let name = kind.map(|kind| kind.rsplit('.').next().unwrap_or(kind).to_owned());
        Some((name, Some(one_line(&whole, MESSAGE))))
    })
}

#[rustfmt::skip]
static EXPECTED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"^\s*Expected(?: value)?: (?P<expected>.+)\n\s*(?:Received|Actual|But was|Got)(?: value)?: +(?P<actual>.+)$",
        r"^\s*left: (?P<actual>.+)\n\s*right: (?P<expected>.+)$",
        r"(?i)\bexpected:?\s?<(?P<expected>[^>\n]{0,200})> but was:?\s?<(?P<actual>[^>\n]{0,200})>",
        r"(?i)\bgot \x22(?P<actual>[^\x22\n]{1,200})\x22, expected \x22(?P<expected>[^\x22\n]{1,200})\x22",
        r"(?i)\bgot:? (?P<actual>[^\n,;]{1,200})[,;] (?:want|wanted|expected):? (?P<expected>[^\n]{1,200})",
        r"(?i)\bexpected:? (?P<expected>[^\n]{1,200}?),? (?:but )?(?:to (?:deeply )?equal|got|found|received|actual|was|were):? (?P<actual>[^\n]{1,200})",
        r"^E?\s*(?:AssertionError: )?assert (?P<actual>[^\n=]{1,200}?) == (?P<expected>[^\n]{1,200})$",
        r"\bAssertionError: (?P<actual>[^\n]{1,200}?) != (?P<expected>[^\n]{1,200})$",
        r"(?i)\bshould (?P<expected>[^\n.]{2,160}?),? but (?:it |we |i |that )?(?P<actual>[^\n.]{2,160})",
    ]
    .into_iter()
    .map(exact)
    .collect()
});

/// Returns the expected and the actual value.
fn expected_actual(clean: &str) -> Option<(String, String)> {
    let text = text::tail(clean, 60_000);
    EXPECTED.iter().find_map(|pattern| {
        let found = pattern.captures(text)?;
        let (expected, actual) = (found.name("expected")?, found.name("actual")?);
        let tidy = |said: &str| one_line(said.trim().trim_end_matches('.'), MESSAGE);
        Some((tidy(expected.as_str()), tidy(actual.as_str())))
    })
}

/// Returns an exit code stated in the text.
fn exit_code(clean: &str) -> Option<i32> {
    static CODE: LazyLock<Regex> = LazyLock::new(|| {
        exact(
            r"(?i)\b(?:exit(?:s|ed|ing)?(?: status| code| with)+|returned exit code|exit)[:=]? ?(?:code |status )?(?P<code>\d{1,3})\b",
        )
    });
    CODE.captures(text::tail(clean, 60_000))?.name("code")?.as_str().parse().ok()
}

#[rustfmt::skip]
static LANGUAGES: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    [
        ("python", r"Traceback \(most recent call last\)|\bFile .{1,300}\.py\x22?, line \d+|\.py:\d+|::test_\w+|\b(?:pytest|mypy|ruff|flake8|pylint)\b|^python\b"),
        ("rust", r"\bpanicked at\b|^error\[E\d{4}\]|\.rs:\d+|^test result: |\b(?:cargo|rustc|clippy)\b"),
        ("typescript", r"\berror TS\d+|\.tsx?:\d+|\btsc\b"),
        ("javascript", r"\(node:|\.[cm]?jsx?:\d+|\bnode_modules\b|\b(?:jest|mocha|eslint|npm ERR!|npm error|node --test)\b|\bNode\.js v\d"),
        ("go", r"\.go:\d+|^goroutine \d+|^--- FAIL: |^(?:ok|FAIL)\s*\t|\bgo (?:test|build|vet)\b"),
        ("java", r"\.java:\d+|\bjava\.\w+\.|^Caused by: |\b(?:mvn|gradle|javac)\b"),
        ("kotlin", r"\.kts?:\d+"),
        ("ruby", r"\.rb:\d+|\brspec\b"),
        ("php", r"\.php:\d+|\.php on line \d+|\bphpunit\b"),
        ("c#", r"\.cs:line \d+|\berror CS\d+|\bdotnet\b"),
        ("c++", r"\.(?:cpp|cc|cxx|hpp):\d+|\bstd::|\bg\+\+"),
        ("c", r"\.[ch]:\d+|\bgcc\b"),
        ("shell", r"^(?:ba|z|da)?sh: |\.sh: line \d+|\bcommand not found\b"),
    ]
    .into_iter()
    .map(|(name, pattern)| (name, exact(pattern)))
    .collect()
});

/// Returns the language implied by the tool, the framework or the text; the first match wins.
fn language(clean: &str, tool: Option<&str>, framework: Option<&str>) -> Option<String> {
    let bounded = text::tail(clean, 60_000);
    let known = [tool, framework, Some(bounded)];
    known.into_iter().flatten().find_map(|said| {
        LANGUAGES.iter().find(|(_, pattern)| pattern.is_match(said)).map(|(name, _)| (*name).to_owned())
    })
}
