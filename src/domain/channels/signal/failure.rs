//! Failure detection: facts first (report, exit code, tool), then the lines (specification, "Refinement: Failure
//! signals").
//!
//! Negative and positive language is handled by `language`.

use super::evidence::{Cue, Observation, SignalKind};
use super::failure_cues::{FailureRule, GUARD, HARMLESS_SET, RULE_PATTERNS, RULE_SET, RULES, SAID, SAID_PATTERNS};
use super::report::{self, Report};
use super::{patterns, text, tools};
use crate::text::prose::line as one_line;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Minimum evidence for a signal.
pub(super) const THRESHOLD: f64 = 0.5;
/// Weight of a fact.
const FACT: f64 = 0.9;
/// Weight of words that only a checking tool writes.
const REPORTED: f64 = 0.8;
/// Maximum number of words in a comment; anything longer or with many lines is output.
const REMARK_WORDS: usize = 60;

/// The result of reading an output.
#[derive(Debug, Default)]
pub(super) struct OutputReading {
    /// The type and its evidence, 0 to 1, before the boosts; `None` if nothing failed.
    pub(super) verdict: Option<(SignalKind, f64)>,
    /// The strongest evidence that was insufficient.
    pub(super) doubt: f64,
    pub(super) cues: Vec<Cue>,
    pub(super) report: Option<Report>,
    /// The tool whose wording was found.
    pub(super) framework: Option<&'static str>,
    /// Whether facts alone show that nothing failed.
    pub(super) passed: bool,
}

/// Reads a clean text together with its facts.
pub(super) fn read(clean: &str, seen: &Observation<'_>) -> OutputReading {
    let report = seen.report.and_then(|text| report::parse(&text::clean(text))).or_else(|| report::parse(clean));
    let mut reading = OutputReading { report, ..OutputReading::default() };
    let lines = Lines::of(clean, seen);
    if let Some(report) = &reading.report {
        let words = if report.summary.is_empty() { report.failing_tests.first().cloned() } else { None };
        let words = words.unwrap_or_else(|| report.summary.clone());
        if report.failing() {
            // Single results alone may be quotations; a summary is not.
            let weight = if report.summary.is_empty() { 0.85 } else { 1.0 };
            let cue = cue("report.failures", &words, weight);
            return reading.fails(SignalKind::VerificationFailure, weight, vec![cue], lines.cues);
        }
    }
    let tool = seen.tool.map_or(tools::Tool::Unknown, tools::tool);
    let green = reading.report.as_ref().is_some_and(|report| report.passed + report.skipped > 0);
    match seen.exit_code {
        Some(0) => {
            reading.passed = true;
            reading.doubt = lines.runtime.max(lines.verification);
            return reading;
        }
        // A search that finds nothing and a comparison that finds a difference are answers.
        Some(1) if tool == tools::Tool::Answers => {
            reading.passed = true;
            return reading;
        }
        Some(code) => {
            let cue = cue("fact.exit_code", &format!("exit code {code}"), FACT);
            let checks = matches!(tool, tools::Tool::Checks) || reading.report.is_some();
            let died = (129..=192).contains(&code) || (124..=127).contains(&code);
            let kind =
                if lines.verification >= THRESHOLD && lines.verification + 0.2 >= lines.runtime || checks && !died {
                    SignalKind::VerificationFailure
                } else {
                    SignalKind::RuntimeError
                };
            return reading.fails(kind, FACT, vec![cue], lines.cues);
        }
        None => {}
    }
    if green {
        let at = reading.report.as_ref().map_or(0, |report| report.last_line);
        // Output after a passing report may still show that the run failed.
        let after = lines.closing.filter(|(line, _)| *line > at);
        let Some((_, closing)) = after else {
            reading.passed = true;
            reading.doubt = 0.3 * lines.runtime.max(lines.verification);
            return reading;
        };
        return reading.fails(SignalKind::VerificationFailure, 0.7, vec![closing], lines.cues);
    }
    let (runtime, verification) = (lines.runtime, lines.verification);
    // Verification before runtime if a test runner's report is present.
    let reported = reading.report.is_some() || lines.runner || lines.checker;
    if runtime.max(verification) < THRESHOLD {
        reading.doubt = runtime.max(verification);
        reading.cues = lines.cues;
        return reading;
    }
    let verifies = if reported { runtime.max(verification) >= THRESHOLD } else { verification >= runtime };
    if verifies {
        reading.fails(SignalKind::VerificationFailure, verification.max(0.7 * runtime), Vec::new(), lines.cues)
    } else {
        reading.fails(SignalKind::RuntimeError, runtime, Vec::new(), lines.cues)
    }
}

impl OutputReading {
    fn fails(mut self, kind: SignalKind, weight: f64, mut facts: Vec<Cue>, cues: Vec<Cue>) -> OutputReading {
        self.framework = self
            .report
            .as_ref()
            .map(|report| report.framework)
            .or_else(|| cues.iter().find_map(|cue| framework(&cue.rule)));
        facts.extend(cues);
        facts.truncate(super::evidence::MAX_CUES);
        self.cues = facts;
        self.verdict = Some((kind, weight));
        self
    }
}

/// What the lines of a text indicate.
#[derive(Default)]
struct Lines {
    runtime: f64,
    verification: f64,
    cues: Vec<Cue>,
    /// Whether a compiler, linter, build tool or test runner reports in its own words.
    checker: bool,
    /// Whether a trace passes through a test runner.
    runner: bool,
    /// The last line stating that a command failed.
    closing: Option<(usize, Cue)>,
}

static RUNNER: LazyLock<Regex> = LazyLock::new(|| {
    patterns::regex(
        r"\bruntests\.py\b|/_pytest/|\bbin/pytest\b|/unittest/(?:case|suite|loader|main|runner)\.py|\bnose/|\bconda run .*\b(?:pytest|tox|nosetests|bin/test)\b|node:internal/test_runner|/node_modules/(?:jest|mocha|vitest|@jest)|\borg\.junit\b|\btesting\.tRunner\b|\btest (?:session|process) starts\b|^running \d+ tests?$|\bFound \d+ test\(s\)|^tox: |^py\d+: commands",
    )
});
static CLOSING: LazyLock<Regex> = LazyLock::new(|| {
    patterns::exact(
        r"^(?:error|ERROR)\b.*(?:failed|Failed|coverage)|^FAIL\b|^(?:Command|Process) .*(?:exit|failed)|^make: \*\*\* |^BUILD FAIL|exit (?:code|status) [1-9]",
    )
});

impl Lines {
    fn of(clean: &str, seen: &Observation<'_>) -> Lines {
        let mut read = Lines::default();
        let mut of_rule = vec![0_usize; RULES.len()];
        for (at, line) in text::lines(clean).enumerate() {
            if line.is_empty() {
                continue;
            }
            read.runner |= RUNNER.is_match(line);
            if HARMLESS_SET.is_match(line) {
                continue;
            }
            let line = masked(line);
            if !RULE_SET.is_match(&line) {
                continue;
            }
            for row in RULE_SET.matches(&line) {
                of_rule[row] += 1;
                if of_rule[row] == 1 {
                    let words = RULE_PATTERNS[row].find(&line).map_or("", |found| found.as_str());
                    read.add(&RULES[row], words);
                }
            }
            if CLOSING.is_match(&line) {
                read.closing = Some((at, cue("output.closing", &line, 0.7)));
            }
        }
        let words = clean.split_whitespace().take(REMARK_WORDS + 1).count();
        if words <= REMARK_WORDS && seen.from_user != Some(false) && clean.lines().count() <= 6 {
            read.remark(clean, seen);
        }
        read.cues.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        read
    }

    /// Reads a short text as a sentence.
    fn remark(&mut self, clean: &str, seen: &Observation<'_>) {
        let own = GUARD.replace_all(clean, "\u{1}").into_owned();
        for (rule, pattern) in SAID.iter().zip(SAID_PATTERNS.iter()) {
            if let Some(found) = pattern.find(&own) {
                self.add(rule, found.as_str());
            }
        }
        if seen.from_user == Some(true) {
            for kind in [SignalKind::VerificationFailure, SignalKind::RuntimeError] {
                if let Some((at, words)) = patterns::base(kind, &own) {
                    let known = self.evidence(kind);
                    *self.evidence_mut(kind) = known.max(THRESHOLD);
                    self.cues.push(cue(&format!("base.{}.{}", kind.as_str(), at + 1), words, THRESHOLD));
                }
            }
        }
    }

    fn evidence(&self, kind: SignalKind) -> f64 {
        if kind == SignalKind::VerificationFailure { self.verification } else { self.runtime }
    }

    fn evidence_mut(&mut self, kind: SignalKind) -> &mut f64 {
        if kind == SignalKind::VerificationFailure { &mut self.verification } else { &mut self.runtime }
    }

    fn add(&mut self, rule: &FailureRule, words: &str) {
        // A failed assertion is a failed check, unless a trace shows that it terminated a program.
        if rule.id == "exception.line" && (words.contains("Assert") || words.contains("ValidationError")) {
            return;
        }
        self.checker |= rule.kind == SignalKind::VerificationFailure && rule.weight >= REPORTED;
        let known = self.evidence(rule.kind);
        // Further cues strengthen the evidence of the first.
        *self.evidence_mut(rule.kind) =
            if known == 0.0 { rule.weight } else { (known.max(rule.weight) + 0.05).min(1.0) };
        self.cues.push(cue(rule.id, words, rule.weight));
    }
}

fn framework(rule: &str) -> Option<&'static str> {
    RULES.iter().find(|known| known.id == rule).and_then(|known| known.framework)
}

/// Returns a line without the words that only look like a failure.
pub(super) fn masked(line: &str) -> Cow<'_, str> {
    GUARD.replace_all(line, "\u{1}")
}

pub(super) fn cue(rule: &str, words: &str, weight: f64) -> Cue {
    Cue { rule: rule.to_owned(), words: one_line(&words.replace('\u{1}', " … "), 120), weight }
}
