//! Finds and adds up the lines of runners' reports in a text.

use super::counted::Report;
use super::junit;
use super::table::{self, Repeat, SUMMARIES};
use crate::channels::signal::patterns;
use crate::channels::signal::text;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Reads a clean text in linear time. Returns `None` if it contains no runner's report.
pub(crate) fn parse(clean: &str) -> Option<Report> {
    let xml = if clean.contains("<testsuite") { junit::parse(clean) } else { None };
    xml.or_else(|| scan(clean))
}

/// The counts of one table row.
#[derive(Clone, Default)]
struct Count {
    passed: Option<u64>,
    total: Option<u64>,
    failed: u64,
    errors: u64,
    skipped: u64,
    summary: String,
    line: usize,
}

impl Count {
    fn of(captures: &Captures<'_>, line: &str, at: usize) -> Count {
        let number = |name: &str| captures.name(name).and_then(|found| found.as_str().parse::<u64>().ok());
        let mut count = Count {
            passed: number("passed"),
            total: number("total"),
            failed: number("failed").unwrap_or_default(),
            errors: number("errors").unwrap_or_default(),
            skipped: number("skipped").unwrap_or_default(),
            summary: text::head(line.trim_matches(|c: char| c == '=' || c.is_whitespace()), 200).to_owned(),
            line: at,
        };
        if let Some(parts) = captures.name("parts") {
            count.take_parts(parts.as_str());
        }
        count
    }

    /// Parses "3 failed, 5 passed", "failures=1, errors=2".
    fn take_parts(&mut self, parts: &str) {
        static PART: LazyLock<Regex> = LazyLock::new(|| {
            patterns::regex(
                r"(?P<n>\d+) (?P<a>expected to fail|failed|failing|passed|passing|skipped|pending|todo|xfailed|xpassed|errors?|exceptions?|total)\b|\b(?P<b>failures|errors|skipped|unexpected successes|expected failures)=(?P<m>\d+)",
            )
        });
        for part in PART.captures_iter(parts) {
            let number = part.name("n").or_else(|| part.name("m")).and_then(|n| n.as_str().parse::<u64>().ok());
            let word = part.name("a").or_else(|| part.name("b")).map(|word| word.as_str().to_ascii_lowercase());
            let (Some(number), Some(word)) = (number, word) else { continue };
            match word.as_str() {
                "passed" | "passing" => self.passed = Some(self.passed.unwrap_or_default() + number),
                "failed" | "failing" | "failures" | "unexpected successes" => self.failed += number,
                "total" => self.total = Some(number),
                "error" | "errors" | "exception" | "exceptions" => self.errors += number,
                // An expected failure is not a failure.
                _ => self.skipped += number,
            }
        }
    }

    fn add(&mut self, other: Count) {
        self.passed = self.passed.map_or(other.passed, |passed| Some(passed + other.passed.unwrap_or_default()));
        self.total = self.total.map_or(other.total, |total| Some(total + other.total.unwrap_or_default()));
        self.failed += other.failed;
        self.errors += other.errors;
        self.skipped += other.skipped;
        self.line = other.line;
        if self.summary.is_empty() || other.failed + other.errors > 0 {
            self.summary = other.summary;
        }
    }
}

fn scan(clean: &str) -> Option<Report> {
    let mut counts: Vec<Option<Count>> = vec![None; SUMMARIES.len()];
    let mut singles = Singles::default();
    let mut report = Report::default();
    let mut ran = None;
    let mut nested = Nested::default();
    for (at, line) in text::lines(clean).enumerate() {
        if line.is_empty() {
            continue;
        }
        for row in table::SUMMARY_SET.matches(line) {
            let Some(captures) = table::SUMMARY_PATTERNS[row].captures(line) else { continue };
            let count = Count::of(&captures, line, at);
            let (row, count) = match SUMMARIES[row].repeat {
                // unittest reports the number and the outcome on two lines.
                Repeat::Announce => {
                    ran = count.total;
                    continue;
                }
                Repeat::Outcome => match ran.take() {
                    Some(total) => (row, Count { total: Some(total), ..count }),
                    None if count.failed + count.errors > 0 => (row, count),
                    None => continue,
                },
                Repeat::Sum | Repeat::Last => (row, count),
            };
            if SUMMARIES[row].framework == "pytest" {
                nested.last = Some(count.clone());
            }
            match &mut counts[row] {
                Some(sum) if SUMMARIES[row].repeat != Repeat::Last => sum.add(count),
                slot => *slot = Some(count),
            }
        }
        nested.collected = nested.collected.or_else(|| table::collected(line));
        singles.take(line, at, &mut report);
    }
    nested.unwrap_into(&mut counts);
    let found: Vec<(&'static str, Count)> =
        SUMMARIES.iter().zip(counts).filter_map(|(row, count)| count.map(|count| (row.framework, count))).collect();
    // Totals of a finished run take precedence over single results.
    if found.is_empty() {
        return singles.report(report);
    }
    let worst = found.iter().position(|(_, count)| count.failed + count.errors > 0).unwrap_or(0);
    report.framework = found[worst].0;
    report.summary = found[worst].1.summary.clone();
    for (_, count) in found {
        let rest = count.failed + count.errors + count.skipped;
        report.passed += count.passed.or(count.total.map(|total| total.saturating_sub(rest))).unwrap_or_default();
        report.failed += count.failed;
        report.errors += count.errors;
        report.skipped += count.skipped;
        report.last_line = report.last_line.max(count.line);
    }
    if !report.failing() {
        report.failing_tests.clear();
    }
    Some(report)
}

/// A pytest that tests pytest prints nested summaries: if the last summary accounts for all tests collected at first,
/// it alone counts.
#[derive(Default)]
struct Nested {
    collected: Option<u64>,
    last: Option<Count>,
}

impl Nested {
    fn unwrap_into(self, counts: &mut [Option<Count>]) {
        let Some(last) = self.last else { return };
        let told = last.passed.unwrap_or_default() + last.failed + last.errors + last.skipped;
        if self.collected == Some(told) {
            let pytest = SUMMARIES.iter().position(|row| row.framework == "pytest");
            if let Some(slot) = pytest.and_then(|at| counts.get_mut(at)) {
                *slot = Some(last);
            }
        }
    }
}

/// Single test results, for texts that end before the summary.
#[derive(Default)]
struct Singles {
    framework: Option<&'static str>,
    passed: u64,
    failed: u64,
    line: usize,
}

impl Singles {
    fn take(&mut self, line: &str, at: usize, report: &mut Report) {
        for row in table::SINGLE_SET.matches(line) {
            let single = &table::SINGLES[row];
            let Some(captures) = table::SINGLE_PATTERNS[row].captures(line) else { continue };
            self.line = at;
            if single.passes {
                self.framework.get_or_insert(single.framework);
                self.passed += 1;
                continue;
            }
            if self.failed == 0 {
                self.framework = Some(single.framework);
            }
            self.failed += 1;
            if let Some(name) = captures.get(1) {
                report.name(name.as_str());
            }
        }
    }

    fn report(self, report: Report) -> Option<Report> {
        let framework = self.framework?;
        // A runner may show a failing test several times; the names give the count.
        let failed = if self.failed == 0 { 0 } else { (report.failing_tests.len() as u64).max(1) };
        Some(Report { framework, passed: self.passed, failed, last_line: self.line, ..report })
    }
}
