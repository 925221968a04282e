//! Tables of how runners write their summaries and single results.

use crate::channels::signal::patterns::exact;
use regex::{Regex, RegexSet, RegexSetBuilder};
use std::sync::LazyLock;

/// The meaning of a second summary of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Another session: its counts are added.
    Sum,
    /// A running total: the last one counts.
    Last,
    /// Only the number of tests; the outcome follows.
    Announce,
    /// The outcome of the tests that were announced.
    Outcome,
}

/// A summary: groups `passed`, `failed`, `errors`, `skipped`, `total`, or `parts` ("3 failed, 5 passed").
pub(super) struct Summary {
    pub(super) framework: &'static str,
    pub(super) repeat: Repeat,
    pattern: &'static str,
}

const fn sum(framework: &'static str, pattern: &'static str) -> Summary {
    Summary { framework, repeat: Repeat::Sum, pattern }
}

const fn last(framework: &'static str, pattern: &'static str) -> Summary {
    Summary { framework, repeat: Repeat::Last, pattern }
}

#[rustfmt::skip]
pub(super) const SUMMARIES: &[Summary] = &[
    sum("pytest", r"^=* ?(?P<parts>\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|errors?|warnings?|rerun)(?:, \d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|errors?|warnings?|rerun|subtests passed))*) in \d+[\d.:]* ?s"),
    sum("sympy", r"tests finished: (?P<parts>\d.*?),\s*(?:in |$)"),
    Summary { framework: "unittest", repeat: Repeat::Announce, pattern: r"^Ran (?P<total>\d+) tests? in " },
    Summary { framework: "unittest", repeat: Repeat::Outcome, pattern: r"^(?:OK|FAILED)(?: \((?P<parts>[^)]*)\))?$" },
    sum("cargo", r"^test result: (?:ok|FAILED)\. (?P<passed>\d+) passed; (?P<failed>\d+) failed; (?P<skipped>\d+) ignored"),
    sum("nextest", r"^\s*Summary \[[^\]]*\] +\d+(?:/\d+)? tests? run: (?P<parts>.*)$"),
    last("jest", r"^Tests:\s+(?P<parts>\d+ (?:failed|passed|skipped|todo|pending|total).*)$"),
    last("vitest", r"^\s*Tests\s{1,4}(?P<parts>\d+ (?:failed|passed|skipped|todo)\b.*)$"),
    last("mocha", r"^\s*(?P<passed>\d+) passing\b"),
    last("mocha", r"^\s*(?P<failed>\d+) failing$"),
    last("node", r"^(?:#|ℹ) pass (?P<passed>\d+)$"),
    last("node", r"^(?:#|ℹ) fail (?P<failed>\d+)$"),
    last("surefire", r"^(?:\[\w+\] )?Tests run: (?P<total>\d+), Failures: (?P<failed>\d+), Errors: (?P<errors>\d+)(?:, Skipped: (?P<skipped>\d+))?\s*$"),
    sum("gradle", r"^(?P<total>\d+) tests completed, (?P<failed>\d+) failed"),
    sum("rspec", r"^(?P<total>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending)?"),
    sum("minitest", r"^(?P<total>\d+) (?:runs|tests), \d+ assertions, (?P<failed>\d+) failures, (?P<errors>\d+) errors(?:, (?P<skipped>\d+) skips)?"),
    sum("phpunit", r"^Tests: (?P<total>\d+), Assertions: \d+(?:, Errors: (?P<errors>\d+))?(?:, Failures: (?P<failed>\d+))?(?:, .*)?\.$"),
    sum("phpunit", r"^OK \((?P<total>\d+) tests?, \d+ assertions?\)"),
    sum("dotnet", r"^(?:Passed|Failed)!\s+- Failed:\s+(?P<failed>\d+), Passed:\s+(?P<passed>\d+), Skipped:\s+(?P<skipped>\d+)"),
    sum("gtest", r"^\[  PASSED  \] (?P<passed>\d+) tests?"),
    sum("gtest", r"^\[  FAILED  \] (?P<failed>\d+) tests?, listed"),
    sum("ctest", r"^\d+% tests passed, (?P<failed>\d+) tests? failed out of (?P<total>\d+)"),
    last("xctest", r"Executed (?P<total>\d+) tests?, with (?:\d+ tests? skipped and )?(?P<failed>\d+) failures?"),
    last("playwright", r"^  (?P<failed>\d+) failed$"),
    last("playwright", r"^  (?P<passed>\d+) passed \([\d.]+m?s\)$"),
];

/// The result of one test; the first group is its name.
pub(super) struct Single {
    pub(super) framework: &'static str,
    pub(super) passes: bool,
    pattern: &'static str,
}

const fn fails(framework: &'static str, pattern: &'static str) -> Single {
    Single { framework, passes: false, pattern }
}

const fn passes(framework: &'static str, pattern: &'static str) -> Single {
    Single { framework, passes: true, pattern }
}

#[rustfmt::skip]
pub(super) const SINGLES: &[Single] = &[
    fails("pytest", r"^(?:FAILED|ERROR) (\S+\.py(?:::.*?)?)(?: - .*|\s+\[\s*\d+%\])?$"),
    fails("pytest", r"^(\S+\.py::.+?) (?:FAILED|ERROR)(?:\s+\[\s*\d+%\])?$"),
    fails("unittest", r"^(?:FAIL|ERROR): (\w+ \([^)]*\))"),
    fails("unittest", r"^(\w+ \([\w.]+\)).* \.\.\. (?:FAIL|ERROR)$"),
    // A description separates the name from the result.
    fails("unittest", r"^\S[^(]* \.\.\. (?:FAIL|ERROR)$"),
    fails("cargo", r"^test (\S+)(?: - should panic)? \.\.\. FAILED$"),
    fails("cargo", r"^(\S+) --- FAILED$"),
    fails("nextest", r"^\s+FAIL \[[^\]]*\] (?:\([^)]*\) )?(\S.*)$"),
    fails("go", r"^\s*--- FAIL: (\S+)"),
    fails("go", r"^FAIL\t(\S+)"),
    fails("jest", r"^FAIL\s+(?:\S+ )?(\S+\.(?:test|spec)\.\w+)"),
    fails("jest", r"^\s+● (\S.*)$"),
    fails("jest", r"^\s+[✕✗✖] (\S.*?)(?: \(\d+ ?m?s\))?$"),
    fails("mocha", r"^\s+\d+\) (\S.*)$"),
    fails("tap", r"^not ok \d+(?: - ([^#]*?))?\s*$"),
    fails("surefire", r"^\[ERROR\]\s+(\w+[.#]\w+):\d+"),
    fails("rspec", r"^rspec (\S+)"),
    fails("gtest", r"^\[  FAILED  \] (\w+\.\w\S*)"),
    fails("gradle", r"^(\w\S* > .*?) FAILED$"),
    fails("sympy", r"^(test_\w+) [FE]$"),
    passes("sympy", r"^test_\w+ ok$"),
    passes("unittest", r"^\w+ \([\w.]+\).* \.\.\. ok$"),
    passes("pytest", r"^(?:PASSED \S+\.py::|\S+\.py::.+? PASSED)"),
    passes("cargo", r"^test \S+(?: - should panic)? \.\.\. ok$"),
    passes("go", r"^(?:\s*--- PASS: |ok  \t\S+)"),
    passes("tap", r"^ok \d+\b"),
    passes("jest", r"^(?:PASS\s+\S+\.(?:test|spec)\.\w+|\s+✓ )"),
];

pub(super) static SUMMARY_SET: LazyLock<RegexSet> = LazyLock::new(|| set(SUMMARIES.iter().map(|row| row.pattern)));
pub(super) static SUMMARY_PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| SUMMARIES.iter().map(|row| exact(row.pattern)).collect());
pub(super) static SINGLE_SET: LazyLock<RegexSet> = LazyLock::new(|| set(SINGLES.iter().map(|row| row.pattern)));
pub(super) static SINGLE_PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| SINGLES.iter().map(|row| exact(row.pattern)).collect());

/// Returns how many tests pytest reports as collected.
pub(super) fn collected(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("collected ").or_else(|| line.split_once("... collected ").map(|(_, rest)| rest))?;
    rest.split(' ').next()?.parse().ok()
}

fn set(patterns: impl Iterator<Item = &'static str>) -> RegexSet {
    RegexSetBuilder::new(patterns).multi_line(true).size_limit(1 << 25).build().expect("a constant")
}
