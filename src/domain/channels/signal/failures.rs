//! Each failure of a run in the tool's own words: what failed, where, and why.
//!
//! Tests carry the reason given by their runner; if no test is named, the diagnostics of compilers and linters are
//! taken verbatim. Whether the run failed is decided by `failure`.

use super::patterns::exact;
use super::report::Report;
use super::text;
use crate::text::prose::line as one_line;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum number of failures kept.
const MAX: usize = 50;
/// Maximum length of a failure, in characters.
const LONG: usize = 300;

/// The failures of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Failures {
    /// One line each, in text order; at most 50 of at most 300 characters.
    pub(super) told: Vec<String>,
    /// Number of further failures.
    pub(super) more: u64,
}

/// Reads a clean text and the report found in or supplied with it.
pub(super) fn read(clean: &str, report: Option<&Report>) -> Failures {
    let report = report.filter(|report| report.failing());
    let (tests, explained) = report.map(|report| tests(clean, report)).unwrap_or_default();
    let (told, counted) = match report {
        Some(report) if explained => (tests, report.failed + report.errors),
        _ => (diagnostics(clean).into_iter().chain(tests).collect(), 0),
    };
    let mut failures = Failures::default();
    let mut all: Vec<String> = Vec::new();
    for failure in told.iter().map(|failure| one_line(failure, LONG)) {
        if all.len() < 10 * MAX && !all.contains(&failure) {
            all.push(failure);
        }
    }
    let number = (all.len() as u64).max(counted);
    all.truncate(MAX);
    failures.more = number - all.len() as u64;
    failures.told = all;
    failures
}

/// How a runner reports why one test failed.
struct Section {
    start: Regex,
    /// Matches a line with a reason; without it, the reason comes from the first line.
    reason: Option<Regex>,
    /// Number of such lines that belong to it.
    lines: usize,
}

#[rustfmt::skip]
static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    [
        // pytest
        (r"^_{3,} (?:ERROR (?:at (?:setup|teardown) of|collecting) )?(?P<name>.+?) _{3,}$", r"^E {2,}(?P<reason>[^\s+?^-].*)$", 2),
        // Rust: the thread is named after the test
        (r"^thread '(?P<name>[^']+)' (?:\(\d+\) )?panicked at (?:'(?P<reason>.+)', )?(?P<at>\S+?):?$", r"^\s*(?P<reason>\S.*)$", 3),
        (r"^\s*--- FAIL: (?P<name>\S+)", r"^\s+(?P<reason>\S+\.go:\d+: \S.*|(?:Error|Messages|expected|actual)\s*: .+)$", 3),
        // jest
        (r"^\s+● (?P<name>\S.*)$", r"^\s+(?P<reason>expect\(.*\)\..+|(?:Expected|Received)\b[^:]*: .+|(?:\w+\.)*\w*(?:Error|Exception): .+|thrown: .+|Cannot find .+)$", 3),
        // vitest
        (r"^\s*FAIL\s+(?P<name>\S+\.\w+ > .+)$", r"^(?P<reason>(?:\w+\.)*\w*(?:Error|Exception): .+)$", 1),
        // unittest
        (r"^(?:FAIL|ERROR): (?P<name>\w+ \([^)]*\))", r"^(?P<reason>(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Failure|Exit|Interrupt)(?::.*)?)$", 1),
        // mocha, rspec, phpunit, playwright
        (r"^\s*\d+\) (?P<name>\S.*?):?$", r"^\s*(?P<reason>Failure/Error: .+|expected:? .+|got: .+|Failed asserting that .+|(?:\w+\.)*\w*(?:Error|Exception)(?: \[\w+\])?: .+)$", 3),
        (r"^\s+Failed (?P<name>\S+) \[.*\]$", r"^\s+(?P<reason>(?:Assert|Expected|Actual|System)\b.*)$", 3),
        (r"^not ok \d+ - (?P<name>[^#]+?)\s*$", r"^\s+(?P<reason>(?:error|message): .+)$", 1),
        // surefire
        (r"^\[ERROR\]\s+(?P<name>\w+[.#]\w+):\d+ (?P<reason>.+)$", "", 0),
        // pytest's summary, if nothing else is printed
        (r"^(?:FAILED|ERROR) (?P<name>\S+\.py(?:::.*?)?) - (?P<reason>.*)$", "", 0),
    ]
    .into_iter()
    .map(|(start, reason, lines)| Section { start: exact(start), reason: (lines > 0).then(|| exact(reason)), lines })
    .collect()
});

/// A test and the reason it failed.
#[derive(Default)]
struct Reason {
    name: String,
    at: Option<String>,
    said: Vec<String>,
}

impl Reason {
    fn line(&self) -> String {
        let at = self.at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
        format!("{}{at}", self.said.join(", "))
    }

    /// Matches the test `tests/test_cart.py::TestTotal::test_sum` to the section `TestTotal.test_sum`.
    fn is_of(&self, test: &str) -> bool {
        let (test, name) = (test.replace("::", "."), self.name.replace("::", "."));
        test == name || test.ends_with(&format!(".{name}")) || name.ends_with(&format!(".{test}"))
    }
}

/// Returns the failing tests with their reasons, and whether a reason was found.
fn tests(clean: &str, report: &Report) -> (Vec<String>, bool) {
    let mut reasons = reasons(clean);
    reasons.extend(report.reasons.iter().map(|(name, said)| Reason {
        name: name.clone(),
        at: None,
        said: vec![said.clone()],
    }));
    let explained = !reasons.is_empty();
    let mut told = Vec::new();
    let mut bare = Vec::new();
    for test in &report.failing_tests {
        match reasons.iter().position(|reason| reason.is_of(test)) {
            Some(at) => told.push(format!("{test}: {}", reasons.remove(at).line())),
            None => bare.push(test.clone()),
        }
    }
    // The summary repeats tests that are already known.
    reasons.retain(|reason| !report.failing_tests.iter().any(|test| reason.is_of(test)));
    told.extend(reasons.iter().map(|reason| format!("{}: {}", reason.name, reason.line())));
    // jest's files and go's packages are named as well, but fail because of their tests.
    if told.is_empty()
        || !matches!(report.framework, "jest" | "go") && (told.len() as u64) < report.failed + report.errors
    {
        told.extend(bare);
    }
    (told, explained)
}

fn reasons(clean: &str) -> Vec<Reason> {
    let mut found: Vec<Reason> = Vec::new();
    let mut open: Option<(&Section, Reason)> = None;
    let close = |open: &mut Option<(&Section, Reason)>, found: &mut Vec<Reason>| {
        found.extend(open.take().map(|(_, reason)| reason).filter(|reason| !reason.said.is_empty()));
    };
    for line in text::lines(clean) {
        let start = SECTIONS.iter().find_map(|section| section.start.captures(line).map(|found| (section, found)));
        if let Some((section, captures)) = start {
            close(&mut open, &mut found);
            let part = |name| captures.name(name).map(|part| part.as_str().trim().to_owned());
            let name = part("name").unwrap_or_default().trim_end_matches(':').to_owned();
            open = Some((section, Reason { name, at: part("at"), said: part("reason").into_iter().collect() }));
            continue;
        }
        let Some((section, reason)) = &mut open else { continue };
        // A panic's message ends with its paragraph.
        let panicked = reason.at.is_some();
        if panicked && (line.is_empty() || line.starts_with("note: ")) || reason.said.len() >= section.lines {
            close(&mut open, &mut found);
        } else if let Some(said) = section.reason.as_ref().and_then(|pattern| pattern.captures(line)) {
            reason.said.push(one_line(said.name("reason").map_or("", |said| said.as_str()), LONG));
        }
    }
    close(&mut open, &mut found);
    found
}

#[rustfmt::skip]
static DIAGNOSTICS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // tsc, csc, cl
        r"^\s*(?P<said>\S.*?\(\d+,\d+\): (?:fatal )?error [A-Z]+\d+: .+)$",
        r"^(?P<said>\S+:\d+:\d+ - error(?: TS\d+)?: .+)$",
        // gcc, clang, javac, mypy, rustc with short messages
        r"^(?P<said>\S+:\d+(?::\d+)?: (?:fatal |syntax )?error(?:\[\w+\])?: .+)$",
        r"^\s*(?P<said>(?:vet: )?\S+\.go:\d+:\d+: .+)$",
        // ruff, flake8, pylint
        r"^(?P<said>\S+\.\w+:\d+:\d+: [A-Z]{1,4}\d{2,5}:? .+)$",
        // pyright
        r"^\s*(?P<said>\S+\.pyi?:\d+:\d+ - error: .+)$",
        // maven, kotlinc
        r"^\[ERROR\] (?P<said>\S+\.\w+:\[\d+,\d+\] .+)$",
        r"^e: (?P<said>\S+:\d+:\d+:? .+)$",
    ]
    .into_iter()
    .map(exact)
    .collect()
});

/// eslint names the file once, then the errors in it.
static FILE: LazyLock<Regex> = LazyLock::new(|| exact(r"^(?P<file>[\w./\\~@:-]*[\w-]\.\w{1,6})$"));
static IN_FILE: LazyLock<Regex> =
    LazyLock::new(|| exact(r"^\s+(?P<at>\d+:\d+)\s+error\s+(?P<said>.+?)(?:\s{2,}(?P<rule>\S+))?$"));
/// rustc and ruff print the location below the message.
static ABOVE: LazyLock<Regex> = LazyLock::new(|| exact(r"^(?P<said>error(?:\[\w+\])?: .+|[A-Z]{1,4}\d{2,5} .+)$"));
static PLACE: LazyLock<Regex> = LazyLock::new(|| exact(r"^\s*--> (?P<at>\S+)$"));

/// Returns the diagnostics of compilers, type checkers and linters.
fn diagnostics(clean: &str) -> Vec<String> {
    let mut told = Vec::new();
    let (mut file, mut above) = (None, None);
    for line in text::lines(clean) {
        if let Some(said) = DIAGNOSTICS.iter().find_map(|pattern| pattern.captures(line)) {
            told.push(said["said"].trim().to_owned());
        } else if let Some(at) = PLACE.captures(line) {
            told.extend(above.take().map(|said| format!("{}: {said}", &at["at"])));
        } else if let Some(said) = ABOVE.captures(line) {
            above = Some(said["said"].to_owned());
        } else if let Some(named) = FILE.captures(line) {
            file = Some(named["file"].to_owned());
        } else if let (Some(file), Some(said)) = (&file, IN_FILE.captures(line)) {
            let rule = said.name("rule").map(|rule| format!(" ({})", rule.as_str())).unwrap_or_default();
            told.push(format!("{file}:{}: {}{rule}", &said["at"], &said["said"]));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use crate::channels::signal::{Facts, Observation, detect};

    fn facts(text: &str) -> Facts {
        detect(&Observation { text, exit_code: Some(1), ..Observation::default() }).expect("a failure").facts
    }

    /// Tool output, shortened; each failure is reported verbatim.
    #[test]
    fn every_failure_is_told_in_the_tools_words() {
        let cases: [(&str, &str, &[&str]); 12] = [
            (
                "tsc",
                "src/cart.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/api.ts(3,10): error TS2304: Cannot find name 'fetchCart'.\n",
                &[
                    "src/cart.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.",
                    "src/api.ts(3,10): error TS2304: Cannot find name 'fetchCart'.",
                ],
            ),
            (
                "pytest",
                "=== FAILURES ===\n___ test_total ___\n\n>       assert total([1, 2]) == 4\nE       assert 3 == 4\nE        +  where 3 = total([1, 2])\n\ntests/test_cart.py:5: AssertionError\n___ TestEmpty.test_price ___\n\nE       KeyError: 'price'\n\n=== short test summary info ===\nFAILED tests/test_cart.py::test_total - assert 3 == 4\nFAILED tests/test_cart.py::TestEmpty::test_price - KeyErr...\n=== 2 failed, 1 passed in 0.12s ===\n",
                &[
                    "tests/test_cart.py::test_total: assert 3 == 4",
                    "tests/test_cart.py::TestEmpty::test_price: KeyError: 'price'",
                ],
            ),
            (
                "cargo test",
                "running 2 tests\ntest tests::adds ... FAILED\ntest tests::divides ... FAILED\n\nfailures:\n\n---- tests::adds stdout ----\nprinted before\n\nthread 'tests::adds' (4711) panicked at src/lib.rs:9:9:\nassertion `left == right` failed\n  left: 3\n right: 4\nnote: run with `RUST_BACKTRACE=1`\n\n---- tests::divides stdout ----\n\nthread 'tests::divides' (4712) panicked at src/lib.rs:14:9:\nattempt to divide by zero\n\n\nfailures:\n    tests::adds\n    tests::divides\n\ntest result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n\nerror: test failed, to rerun pass `--lib`\n",
                &[
                    "tests::adds: assertion `left == right` failed, left: 3, right: 4 (src/lib.rs:9:9)",
                    "tests::divides: attempt to divide by zero (src/lib.rs:14:9)",
                ],
            ),
            (
                "rustc",
                "error[E0308]: mismatched types\n  --> src/main.rs:3:18\n   |\n3  |     let x: u32 = \"a\";\n   |            ---   ^^^ expected `u32`, found `&str`\n\nerror[E0425]: cannot find value `y` in this scope\n  --> src/main.rs:4:5\n\nerror: aborting due to 2 previous errors\n\nerror: could not compile `shop` (bin \"shop\") due to 2 previous errors\n",
                &[
                    "src/main.rs:3:18: error[E0308]: mismatched types",
                    "src/main.rs:4:5: error[E0425]: cannot find value `y` in this scope",
                ],
            ),
            (
                "go test",
                "--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: got 3, want 4\n--- FAIL: TestEmpty (0.00s)\n    cart_test.go:20: unexpected EOF\nFAIL\nFAIL\texample.com/cart\t0.003s\nFAIL\n",
                &["TestTotal: cart_test.go:12: got 3, want 4", "TestEmpty: cart_test.go:20: unexpected EOF"],
            ),
            (
                "go build",
                "# example.com/cart\n./cart.go:5:2: undefined: total\n./cart.go:9:7: declared and not used: x\n",
                &["./cart.go:5:2: undefined: total", "./cart.go:9:7: declared and not used: x"],
            ),
            (
                "jest",
                "FAIL src/sum.test.js\n  ● sum › adds\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 4\n    Received: 3\n\n      3 |   expect(sum(1, 2)).toBe(4);\n\n  ● sum › throws\n\n    TypeError: sum is not a function\n\nTests:       2 failed, 1 passed, 3 total\n",
                &[
                    "sum › adds: expect(received).toBe(expected) // Object.is equality, Expected: 4, Received: 3",
                    "sum › throws: TypeError: sum is not a function",
                ],
            ),
            (
                "eslint",
                "\n/app/src/cart.js\n   3:5   error    'total' is not defined  no-undef\n  10:1   warning  Unexpected console statement  no-console\n\n/app/src/api.js\n   1:10  error  'x' is assigned a value but never used  no-unused-vars\n\n✖ 3 problems (2 errors, 1 warning)\n",
                &[
                    "/app/src/cart.js:3:5: 'total' is not defined (no-undef)",
                    "/app/src/api.js:1:10: 'x' is assigned a value but never used (no-unused-vars)",
                ],
            ),
            (
                "mypy",
                "app/cart.py:4: error: Incompatible return value type (got \"str\", expected \"int\")  [return-value]\napp/cart.py:4: note: a remark\napp/api.py:9: error: Name \"total\" is not defined  [name-defined]\nFound 2 errors in 2 files (checked 5 source files)\n",
                &[
                    "app/cart.py:4: error: Incompatible return value type (got \"str\", expected \"int\") [return-value]",
                    "app/api.py:9: error: Name \"total\" is not defined [name-defined]",
                ],
            ),
            (
                "ruff",
                "F401 [*] `os` imported but unused\n --> app/cart.py:1:8\n  |\n1 | import os\n\napp/api.py:2:1: E402 Module level import not at top of file\nFound 2 errors.\n",
                &[
                    "app/cart.py:1:8: F401 [*] `os` imported but unused",
                    "app/api.py:2:1: E402 Module level import not at top of file",
                ],
            ),
            (
                "unittest",
                "======================================================================\nFAIL: test_total (test_cart.CartTest.test_total)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"test_cart.py\", line 7, in test_total\nAssertionError: 3 != 4\n\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n",
                &["test_total (test_cart.CartTest.test_total): AssertionError: 3 != 4"],
            ),
            (
                "junit",
                "<testsuite tests=\"2\"><testcase classname=\"Cart\" name=\"total\"><failure message=\"expected 4 but was 3\"/></testcase><testcase classname=\"Cart\" name=\"empty\"><error message=\"boom\"/></testcase></testsuite>",
                &["Cart.total: expected 4 but was 3", "Cart.empty: boom"],
            ),
        ];
        for (tool, text, expected) in cases {
            assert_eq!(facts(text).failures, expected, "{tool}");
        }
    }

    #[test]
    fn what_is_not_kept_is_counted() {
        let lines: String =
            (1..=73).map(|n| format!("src/a.ts({n},1): error TS2304: Cannot find name 'x{n}'.\n")).collect();
        let told = facts(&format!("{lines}Found 73 errors in the same file\n"));
        assert_eq!((told.failures.len(), told.more_failures), (50, 23));
    }
}
