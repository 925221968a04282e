//! The specification's patterns, verbatim, with the confidence boosts (specification, "Refinement: Failure signals").
//!
//! They are the documented base, but misfire on real text (`error` on every test log, `no` on "no, thank you"). The
//! detectors of this module therefore read facts and guarded cues first, and count a base pattern only if no guard
//! covers the words and a person is speaking.

use super::evidence::SignalKind;
use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// A feedback type with its patterns and its boost.
pub struct PatternSet {
    /// The type.
    pub kind: SignalKind,
    /// The patterns as in the specification; matched case-insensitively.
    pub patterns: [&'static str; 3],
    /// Added to the confidence if the condition holds.
    pub boost: f64,
    /// The condition in the specification's words.
    pub boost_if: &'static str,
}

/// specification, "Refinement: Failure signals": the four sets.
pub const PATTERN_SETS: [PatternSet; 4] = [
    PatternSet {
        kind: SignalKind::RuntimeError,
        patterns: [
            r"\b(error|exception|failed|crash|traceback|stacktrace|segfault|panic)\b",
            r"\b(exit code [1-9]|non-zero exit|command failed)\b",
            r"\b(undefined|null pointer|type error|syntax error)\b",
        ],
        boost: 0.3,
        boost_if: "stack trace or error message present",
    },
    PatternSet {
        kind: SignalKind::VerificationFailure,
        patterns: [
            r"\b(test failed|tests failing|assertion failed|expect.*to|should.*but)\b",
            r"\b(validation error|schema mismatch|type check failed)\b",
            r"\b(build failed|compile error|lint error)\b",
        ],
        boost: 0.2,
        boost_if: "specific test name mentioned",
    },
    PatternSet {
        kind: SignalKind::UserRejection,
        patterns: [
            r"\b(no|wrong|incorrect|not what I|try again|that's not)\b",
            r"\b(doesn't work|won't work|not working|still broken)\b",
            r"\b(completely wrong|misunderstood|missed the point)\b",
        ],
        boost: 0.2,
        boost_if: r#"explicit "try again" or similar"#,
    },
    PatternSet {
        kind: SignalKind::PartialSuccess,
        patterns: [
            r"\b(almost|close but|except for|mostly|nearly)\b",
            r"\b(just need to|one thing|small change|minor issue)\b",
            r"\b(good but|works but|fine except)\b",
        ],
        boost: 0.1,
        boost_if: "specific change requested",
    },
];

static COMPILED: LazyLock<Vec<(SignalKind, Vec<Regex>)>> = LazyLock::new(|| {
    PATTERN_SETS.iter().map(|set| (set.kind, set.patterns.iter().map(|pattern| regex(pattern)).collect())).collect()
});

/// Returns the first words matched by a base pattern of a type; the text must be clean and masked by the guards.
pub(super) fn base(kind: SignalKind, text: &str) -> Option<(usize, &str)> {
    let (_, patterns) = COMPILED.iter().find(|(of, _)| *of == kind)?;
    patterns.iter().enumerate().find_map(|(at, pattern)| pattern.find(text).map(|found| (at, found.as_str())))
}

/// Returns the boost of a type (specification, "Refinement: Failure signals").
pub(super) fn boost(kind: SignalKind) -> f64 {
    PATTERN_SETS.iter().find(|set| set.kind == kind).map_or(0.0, |set| set.boost)
}

/// Compiles a case-insensitive pattern.
pub(super) fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).case_insensitive(true).size_limit(1 << 24).build().expect("a constant")
}

/// Compiles a case-sensitive pattern in which `^` and `$` match at line ends.
pub(super) fn exact(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).multi_line(true).size_limit(1 << 24).build().expect("a constant")
}
